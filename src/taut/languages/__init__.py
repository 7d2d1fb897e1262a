"""Front ends: mechanisms as Python functions, Dice programs, and weighted Boolean formulas."""
