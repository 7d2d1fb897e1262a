"""Bounds as functions of a parameter."""
