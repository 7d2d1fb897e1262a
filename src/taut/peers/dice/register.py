"""Dice as two peers: one program per input, and one for all inputs."""

from __future__ import annotations

from taut.peers.dice.program import dice_program
from taut.peers.dice.run import ask_dice, dice_missing
from taut.peers.peer import Peer, input_by_input, one_for_all

__all__ = ["DICE", "DICE_JOINT"]

DICE = Peer(
    name="dice",
    title="Dice, a program per input",
    language="dice",
    write=lambda program, title: dice_program(program, title).text,
    missing=dice_missing,
    distributions=input_by_input(lambda program: ask_dice(dice_program(program))),
    separate=True,
)
DICE_JOINT = Peer(
    name="dice-joint",
    title="Dice, one program for all inputs",
    language="dice",
    encoding="joint",
    write=lambda program, title: dice_program(program.joint(), title).text,
    missing=dice_missing,
    distributions=one_for_all(lambda program: ask_dice(dice_program(program))),
    methods=("exhaustive",),
    companion_of="dice",
    separate=True,
)
