"""Evidence for answers: claims that are checked, and saved results that are replayed."""
