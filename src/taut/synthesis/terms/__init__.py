"""Bounds from the terms alone, before anything is compiled."""
