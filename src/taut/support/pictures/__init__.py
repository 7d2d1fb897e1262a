"""One style for all plots, light or dark, in files and in notebooks."""
