"""Other exact tools on the same mechanisms, as far as they are installed: one folder each, and one line here."""

from taut.peers.dice.register import DICE, DICE_JOINT
from taut.peers.peer import Peer, PeerAnswer
from taut.peers.storm.register import STORM, STORM_NAIVE

__all__ = ["PEERS", "Peer", "PeerAnswer"]

PEERS: dict[str, Peer] = {peer.name: peer for peer in (STORM, STORM_NAIVE, DICE, DICE_JOINT)}
