"""Algorithm 1, P(y|x): by a relation, by sums of independent parts, or by tables."""
