"""Given cases only: sets of inputs, pairs and outputs that a user or the paper names."""
