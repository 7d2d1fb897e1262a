"""Other exact tools on the same mechanisms: Storm and Dice, as far as they are installed."""

from taut.baselines.storm import StormRun, ask_storm, query_storm, storm_missing

__all__ = ["StormRun", "ask_storm", "query_storm", "storm_missing"]
