"""Probabilities off a relation: one fold over any semiring, whole distributions in one pass, batches in numpy."""

from taut.infer.batch import evaluate_batch
from taut.infer.distribution import distribution
from taut.infer.fold import fold, node_values, rows_of
from taut.infer.matrix import ProbabilityMatrix
from taut.infer.pairs import pair_probabilities
from taut.infer.sampling import sample_outputs

__all__ = [
    "ProbabilityMatrix",
    "distribution",
    "evaluate_batch",
    "fold",
    "node_values",
    "pair_probabilities",
    "rows_of",
    "sample_outputs",
]
