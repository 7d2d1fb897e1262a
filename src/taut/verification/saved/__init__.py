"""Results in files that last: written, validated and replayed."""
