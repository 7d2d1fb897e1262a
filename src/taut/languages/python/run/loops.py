"""Loops whose state repeats: a run that comes back to where it was need not be followed again.

At the head of a ``while`` loop, where Python holds nothing on the stack of the function but iterators of ``for`` loops
around it, all that the rest of a run depends on are the variables of the functions that are active, the objects that
they hold, and these iterators, which stay where they are as long as no ``for`` loop of the function takes a turn.
"""

from __future__ import annotations

import dis
import itertools
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from taut.languages.python.run.liveness import live_variables
from taut.languages.python.run.state import Unknown, roots_of, state_of
from taut.languages.python.run.tree import ChoiceTree, StateRepeats

__all__ = ["LoopHeads"]

_OURS = str(Path(__file__).parents[3]) + os.sep
_GENERATOR = 0x20 | 0x80 | 0x200
"""Flags of generators and coroutines, whose callers may go on while they wait."""


class LoopHeads:
    """Watches one run and ends it when its state repeats."""

    def __init__(self, tree: ChoiceTree, function: Any) -> None:
        self.tree = tree
        self.function = function
        self._seen: dict[Any, int] = {}
        self._history: list[tuple[int, Any]] = []
        """The arrivals of the last run: how many draws had been made, and the state if it can be seen."""
        self._known = self._arrivals = self._calls = 0
        self._bottom: Any = None

    def run(self, call: Callable[[], Any]) -> Any:
        """The result of a call, made under watch.

        Raises
        ------
        StateRepeats
            The state of a loop is one that it had before.
        """
        # what came before the draw that differs from the last run is as it was
        while self._history and self._history[-1][0] >= self.tree.repeated:
            self._seen.pop(self._history.pop()[1], None)
        self._known, self._arrivals, self._calls = len(self._history), 0, 0
        self._bottom = sys._getframe()
        outer = sys.gettrace()
        sys.settrace(self._entered)
        try:
            return call()
        finally:
            sys.settrace(outer)

    def _entered(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if code.co_flags & _GENERATOR or code.co_filename.startswith(_OURS) or not loop_heads(code):
            frame.f_trace_lines = False
            return None
        self._calls += 1
        call, heads, turns = self._calls, loop_heads(code), loop_turns(code)
        frame.f_trace_opcodes = bool(turns)
        turned = 0

        def stepped(frame: types.FrameType, event: str, argument: Any) -> Any:
            nonlocal turned
            if event == "opcode" and frame.f_lasti in turns:
                turned += 1  # the iterators on the stack have moved
            if event == "line" and frame.f_lasti in heads:
                self._arrived(frame, (call, turned))
            return stepped

        return stepped

    def _arrived(self, frame: types.FrameType, call: tuple[int, int]) -> None:
        """Compare the state with earlier states of the same call; its callers cannot have changed."""
        self._arrivals += 1
        if self._arrivals <= self._known:
            return
        profile = sys.getprofile()
        sys.setprofile(None)
        sys.settrace(None)
        try:
            here = call, frame.f_lasti, self._state(frame)
        except Unknown:
            self._history.append((self.tree.depth, None))
            return
        finally:
            sys.settrace(self._entered)
            sys.setprofile(profile)
        before = self._seen.get(here)
        if before is None:
            self._seen[here] = self.tree.depth
            self._history.append((self.tree.depth, here))
            return
        self.tree.stop(StateRepeats(before))

    def _state(self, frame: types.FrameType) -> Any:
        variables: list[Any] = []
        walked: types.FrameType | None = frame
        while walked is not None and walked is not self._bottom:
            if walked is not frame and walked.f_code.co_flags & _GENERATOR:
                raise Unknown
            if not walked.f_code.co_filename.startswith(_OURS):
                live = live_variables(frame.f_code, frame.f_lasti) if walked is frame else None
                held = walked.f_locals
                variables.append({name: held[name] for name in held if live is None or name in live})
            walked = walked.f_back
        return state_of((variables, roots_of(self.function)), strict=True)


_HEADS: dict[int, tuple[types.CodeType, frozenset[int], frozenset[int]]] = {}


def loop_heads(code: types.CodeType) -> frozenset[int]:
    """The instructions that a jump backwards leads to and at which the function's stack holds iterators only."""
    return _known(code)[1]


def loop_turns(code: types.CodeType) -> frozenset[int]:
    """The instructions that take the next item of a ``for`` loop that has such a head inside."""
    return _known(code)[2]


def _known(code: types.CodeType) -> tuple[types.CodeType, frozenset[int], frozenset[int]]:
    known = _HEADS.get(id(code))  # to hash a code object takes as long as to read it
    if known is None or known[0] is not code:
        known = _HEADS[id(code)] = code, *_loop_heads(code)
    return known


def _loop_heads(code: types.CodeType) -> tuple[frozenset[int], frozenset[int]]:
    depths = _depths(code)
    instructions = list(dis.get_instructions(code))
    around = {step.offset: int(step.argval) for step in instructions if step.opname == "FOR_ITER"}
    heads, turns = set(), set()
    for instruction in instructions:
        if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            target = int(instruction.argval)
            inside = [start for start, end in around.items() if start < target < end]
            if target <= instruction.offset and target not in around and depths.get(target) == len(inside):
                heads.add(target)
                turns.update(inside)
    return frozenset(heads), frozenset(turns)


def _depths(code: types.CodeType) -> dict[int, int]:
    """Return the number of stack values before each instruction, as far as it is known without exceptions."""
    instructions = list(dis.get_instructions(code))
    following = {a.offset: b.offset for a, b in itertools.pairwise(instructions)}
    by_offset = {instruction.offset: instruction for instruction in instructions}
    depths = {instructions[0].offset: 0}
    waiting = [instructions[0].offset]

    def reach(offset: int | None, depth: int) -> None:
        if offset is not None and offset in by_offset and offset not in depths:
            depths[offset] = depth
            waiting.append(offset)

    while waiting:
        offset = waiting.pop()
        instruction = by_offset[offset]
        argument = instruction.arg if instruction.opcode >= dis.HAVE_ARGUMENT else None
        jumps = instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs
        if jumps:
            effect = dis.stack_effect(instruction.opcode, argument, jump=True)
            reach(int(instruction.argval), depths[offset] + effect)
        if instruction.opname not in _ENDS:
            effect = dis.stack_effect(instruction.opcode, argument, jump=False)
            reach(following.get(offset), depths[offset] + effect)
    return depths


_ENDS = frozenset(
    {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD"}
    | {"JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE"}
)
