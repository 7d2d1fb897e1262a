"""The cases, one file per suite; a new file here is found by itself."""
