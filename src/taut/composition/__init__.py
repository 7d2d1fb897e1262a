"""Many runs: loss distributions multiplied exactly, or enclosed on a grid where exact ratios become too many."""
