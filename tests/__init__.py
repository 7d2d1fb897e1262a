"""Tests of taut; a regular package, so that no installed package called tests is taken for it."""
