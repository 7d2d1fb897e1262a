"""Other exact tools on the same mechanisms: Storm and Dice, as far as they are installed."""

from taut.peers.dice.run import DiceRun, ask_dice, dice_missing
from taut.peers.peer import PEERS, PeerAnswer, missing, peer_privacy
from taut.peers.storm.run import StormRun, ask_storm, query_storm, storm_missing

__all__ = [
    "PEERS",
    "DiceRun",
    "PeerAnswer",
    "StormRun",
    "ask_dice",
    "ask_storm",
    "dice_missing",
    "missing",
    "peer_privacy",
    "query_storm",
    "storm_missing",
]
