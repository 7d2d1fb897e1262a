"""How programs are written: Python functions, and formulas by hand."""
