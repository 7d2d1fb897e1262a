"""Bounds as text, tables and plots; what is typed on a command line; the paper's tables and figures, recomputed."""
