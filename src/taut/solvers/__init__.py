"""Solvers: the ways to the worst case of a problem."""
