"""Storm: mechanisms translated to Markov chains in the PRISM language, and its answers."""

from taut.interfaces.peers.storm.naive import NaiveModel, naive_model
from taut.interfaces.peers.storm.prism import PrismModel, prism_model
from taut.interfaces.peers.storm.run import ask_storm, query_storm, storm_missing

__all__ = ["NaiveModel", "PrismModel", "ask_storm", "naive_model", "prism_model", "query_storm", "storm_missing"]
