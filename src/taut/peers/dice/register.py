"""Dice as a peer: one program per input."""

from __future__ import annotations

from taut.peers.dice.program import dice_program
from taut.peers.dice.run import ask_dice, dice_missing
from taut.peers.peer import Peer, input_by_input

__all__ = ["DICE"]

DICE = Peer(
    name="dice",
    title="Dice",
    language="dice",
    write=lambda program, title: dice_program(program, title).text,
    missing=dice_missing,
    distributions=input_by_input(lambda program: ask_dice(dice_program(program))),
)
