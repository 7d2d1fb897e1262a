"""The worst pair of a divergence without listing pairs: a search with ceilings, and the value of adaptive inputs."""

from taut.synthesis.pairs.worst_pair.adaptive import AdaptiveInputs
from taut.synthesis.pairs.worst_pair.solver import WorstPair

__all__ = ["AdaptiveInputs", "WorstPair"]
