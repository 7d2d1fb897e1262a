"""Bounds as text, tables, plots and files: how answers are shown."""
