"""Benchmarks: time and memory of questions, their growth, and the same for other tools."""
