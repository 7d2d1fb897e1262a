"""Outputs that are functions of independent draws: of all, or conditions on each once one shared draw is given."""

from taut.synthesis.hubs.outputs import answers_of
from taut.synthesis.hubs.postprocessing import Postprocessing
from taut.synthesis.hubs.solver import ByHubs, HubIntervals
from taut.synthesis.hubs.together import Together, TogetherIntervals

__all__ = ["ByHubs", "HubIntervals", "Postprocessing", "Together", "TogetherIntervals", "answers_of"]
