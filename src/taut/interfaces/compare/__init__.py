"""Comparison of tools on the same question: measured one by one, recorded, and judged against the exact answer."""
