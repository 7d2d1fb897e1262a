"""Neighbour relations, each as an automaton over pairs of entries."""

from taut.neighbors.automaton import (
    DEFAULT,
    NAMED,
    Layer,
    Neighbors,
    PairAutomaton,
    named,
    relation_names,
    single_inputs,
)
from taut.neighbors.relations import AddRemove, AllStep, Entrywise, OneDiffer, OneStep, Pairs, Predicate, neighbors_of
from taut.neighbors.ways import Transition, TransitionRun, Ways

__all__ = [
    "DEFAULT",
    "NAMED",
    "AddRemove",
    "AllStep",
    "Entrywise",
    "Layer",
    "Neighbors",
    "OneDiffer",
    "OneStep",
    "PairAutomaton",
    "Pairs",
    "Predicate",
    "Transition",
    "TransitionRun",
    "Ways",
    "named",
    "neighbors_of",
    "relation_names",
    "single_inputs",
]
