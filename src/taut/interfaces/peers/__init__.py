"""Other exact tools, if installed, applied to the same mechanisms: one folder and one line here for each."""

from taut.interfaces.peers.dice.run import DICE, DICE_JOINT
from taut.interfaces.peers.peer import Peer, PeerAnswer
from taut.interfaces.peers.storm.naive import STORM, STORM_NAIVE

__all__ = ["PEERS", "Peer", "PeerAnswer"]

PEERS: dict[str, Peer] = {peer.name: peer for peer in (STORM, STORM_NAIVE, DICE, DICE_JOINT)}
