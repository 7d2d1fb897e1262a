"""Probabilities off a relation: one fold over any semiring, whole distributions in one pass, batches in numpy."""

from taut.channel.batch import evaluate_batch
from taut.channel.distribution import distribution
from taut.channel.fold import fold, rows_of
from taut.channel.matrix import Distribution, ProbabilityMatrix
from taut.channel.pairs import pair_probabilities
from taut.channel.sampling import sample_outputs

__all__ = [
    "Distribution",
    "ProbabilityMatrix",
    "distribution",
    "evaluate_batch",
    "fold",
    "pair_probabilities",
    "rows_of",
    "sample_outputs",
]
