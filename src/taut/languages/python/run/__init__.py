"""Running what cannot be read: every sequence of draws of a Python callable, one run each, with exact probabilities."""
