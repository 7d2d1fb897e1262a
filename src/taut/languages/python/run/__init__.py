"""Running of code that cannot be read: one run for every sequence of draws of a callable, with exact probabilities."""
