"""Rational functions of parameters, their real roots, and the largest of several of them: all exactly."""
