"""Loops whose state repeats: a run that returns to an earlier state need not be followed again.

At the head of a ``while`` loop, where Python holds nothing on the stack of the function but iterators of ``for`` loops
around it, all that the rest of a run depends on are the variables of the functions that are active, the objects that
they hold, and these iterators, which stay where they are as long as no ``for`` loop of the function takes a turn.

If the function that is run is itself at such a head, outside of ``for`` loops, its result depends on that state alone,
whichever call came there. The distribution from there is kept, and calls that come to the same state end with it.
"""

from __future__ import annotations

import dis
import itertools
import math
import os
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from taut.languages.python.run.purity import Snapshot
from taut.languages.python.run.state import Unknown
from taut.languages.python.run.tree import (
    UNFOLLOWED,
    ChoiceTree,
    RestIsKnown,
    StateRepeats,
    is_closed,
    undisturbed,
)

__all__ = ["LoopHeads", "Rests", "live_variables"]


_OURS = str(Path(__file__).parents[3]) + os.sep
_GENERATOR = 0x20 | 0x80 | 0x200
"""Flags of generators and coroutines, whose callers may go on while they wait."""


class Rests:
    """Distributions of results from states of loops on, for all calls of the functions of one mechanism."""

    def __init__(self) -> None:
        self._known: dict[Any, tuple[float, Mapping[Any, Any], Any]] = {}

    def find(self, key: Any, bits: float) -> Mapping[Any, Any] | None:
        """Return the masses from a state, if runs down to a probability of 2**-bits were followed."""
        known = self._known.get(key)
        return known[1] if known is not None and known[0] >= bits else None

    def keep(self, key: Any, bits: float, masses: dict[Any, Any], holder: Any) -> None:
        """Keep masses from a state on, and the objects whose identities are part of its description."""
        if UNFOLLOWED in masses:
            self._known[key] = bits, _rounded_down(masses, bits), holder
        else:
            self._known[key] = math.inf, masses, holder


def _rounded_down(masses: dict[Any, Any], bits: float) -> dict[Any, Any]:
    """Shorten long fractions; what that loses counts as not followed."""
    if any(type(mass) is not Fraction for mass in masses.values()):
        return masses
    if max([mass.denominator.bit_length() for mass in masses.values()]) <= _LONG:
        return masses
    grid = 2 ** (int(bits) + _SPARE)
    short = {end: Fraction(mass.numerator * grid // mass.denominator, grid) for end, mass in masses.items()}
    del short[UNFOLLOWED]
    return {**{end: mass for end, mass in short.items() if mass}, UNFOLLOWED: 1 - sum(short.values())}


_LONG = 512
"""Bits of a denominator from which masses with a remainder are rounded."""
_SPARE = 64
"""Bits that rounded masses keep beyond those of the remainder."""


@dataclass(frozen=True, slots=True)
class _Arrival:
    """An arrival at the head of a loop."""

    depth: int
    """Draws that had been made."""
    here: Any = None
    """The call, the instruction and the state; None if the state cannot be seen."""
    key: Any = None
    """The description of the state by which the rest may be kept; None if it may not."""
    bits: float = 0.0
    """Minus the binary logarithm of the probability down to which the rest is followed."""
    code: types.CodeType | None = None


@dataclass(frozen=True, slots=True)
class _Mark:
    """The state of the watch at a draw: the number of calls so far, and the frames that have loops.

    Each frame comes with its place among the active ones, its code, the number of its call, and the turns of
    the ``for`` loops in it.
    """

    calls: int
    frames: tuple[tuple[int, types.CodeType, int, int], ...]


class _Watched:
    """Watches one call of a function that has loops."""

    __slots__ = ("call", "heads", "turned", "turns", "watch")

    def __init__(self, watch: LoopHeads, code: types.CodeType, call: int, turned: int) -> None:
        self.watch = watch
        self.call, self.turned = call, turned
        self.heads, self.turns = loop_heads(code), loop_turns(code)

    def __call__(self, frame: types.FrameType, event: str, argument: Any) -> _Watched:
        if event == "opcode" and frame.f_lasti in self.turns:
            self.turned += 1  # the iterators on the stack have moved
        if event == "line" and frame.f_lasti in self.heads:
            self.watch.arrived(frame, (self.call, self.turned))
        return self


class LoopHeads:
    """Watches one run and ends it when its state repeats, or when the rest is known.

    ``before`` is what the function can reach, as it was before all runs; ``rests`` is what other calls tell.
    """

    def __init__(self, tree: ChoiceTree, before: Snapshot, rests: Rests) -> None:
        self.tree = tree
        self._before = before
        self._rests = rests
        tree.settled = self._settled
        tree.watch = self
        self._seen: dict[Any, int] = {}
        self._history: list[_Arrival] = []
        """The arrivals of the last run."""
        self._known = self._arrivals = self._calls = 0
        self._bottom: Any = None
        self._marks: list[_Mark] = []
        """The state of the watch at each draw of the last run."""
        self._repeating = False
        """True until the current run leaves what the last run did; so long nothing is watched."""
        self._profile: Any = None

    def run(self, call: Callable[[], Any]) -> Any:
        """Return the result of a call, made under watch.

        Raises:
            StateRepeats: the state of a loop is one that it had before.
        """
        # what came before the draw that differs from the last run is as it was
        while self._history and self._history[-1].depth >= self.tree.repeated:
            self._seen.pop(self._history.pop().here, None)
        self._known, self._arrivals, self._calls = len(self._history), 0, 0
        self._bottom = sys._getframe()
        outer, self._profile = sys.gettrace(), sys.getprofile()
        self._repeating = self.tree.repeated > 0 and callable(self._profile)
        if self._repeating:
            sys.setprofile(None)
        sys.settrace(None if self._repeating else self._entered)
        try:
            return call()
        finally:
            self._repeating = False  # what the result still draws is not watched
            sys.settrace(outer)

    def note(self, depth: int) -> None:
        """Note which frames are watched at a draw that no run made before."""
        del self._marks[depth:]
        frames = []
        for place, frame in enumerate(self._frames()):
            watched = frame.f_trace
            if isinstance(watched, _Watched):
                frames.append((place, frame.f_code, watched.call, watched.turned))
        self._marks.append(_Mark(self._calls, tuple(frames)))

    def resume(self) -> None:
        """Watch from here on, at the draw that differs from the last run; what came before was watched then."""
        if not self._repeating:
            return
        self._repeating = False
        mark, frames = self._marks[self.tree.repeated - 1], self._frames()
        for place, code, call, turned in mark.frames:
            if place >= len(frames) or frames[place].f_code is not code:
                self.tree.refuse(self.tree.unsteady("calls other functions"))
            frames[place].f_trace = _Watched(self, code, call, turned)
            frames[place].f_trace_opcodes = bool(loop_turns(code))
        self._calls, self._arrivals = mark.calls, self._known
        sys.setprofile(self._profile)
        sys.settrace(self._entered)

    def _frames(self) -> list[types.FrameType]:
        """Return the active frames from the call that is watched on."""
        frames = []
        walked: types.FrameType | None = sys._getframe()
        while walked is not None and walked is not self._bottom:
            frames.append(walked)
            walked = walked.f_back
        return frames[::-1]

    def _entered(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if code.co_flags & _GENERATOR or code.co_filename.startswith(_OURS) or not loop_heads(code):
            frame.f_trace_lines = False
            return None
        self._calls += 1
        frame.f_trace_opcodes = bool(loop_turns(code))
        return _Watched(self, code, self._calls, 0)

    def arrived(self, frame: types.FrameType, call: tuple[int, int]) -> None:
        """Compare the state with earlier states of the same call; its callers cannot have changed."""
        self._arrivals += 1
        if self._arrivals <= self._known:
            return
        with undisturbed():
            found = self._compared(frame, call)
        if found is not None:
            self.tree.stop(found)

    def _compared(self, frame: types.FrameType, call: tuple[int, int]) -> BaseException | None:
        """Return the reason to end the run here, if there is one."""
        depth, code = self.tree.depth, frame.f_code
        try:
            here = call, frame.f_lasti, self._state(frame)
        except Unknown:
            self._history.append(_Arrival(depth))
            return None
        before = self._seen.get(here)
        if before is not None:
            return StateRepeats(before)
        self._seen[here] = depth
        if loop_heads(code)[frame.f_lasti] or not self._is_outermost(frame):
            self._history.append(_Arrival(depth, here))
            return None
        key, bits = (id(code), id(self._before), here[1:]), self.tree.bits_left
        known = self._rests.find(key, bits) if self.tree.sharing else None
        if known is not None:
            del self._seen[here]
            return RestIsKnown(known)
        self._history.append(_Arrival(depth, here, key, bits, code))
        return None

    def _settled(self, depth: int, masses: dict[Any, Any]) -> None:
        """Keep what is known now about states of the last run from which all runs have been made."""
        for arrival in reversed(self._history):
            if arrival.depth < depth:
                return
            if arrival.depth == depth and arrival.key is not None and is_closed(masses):
                self._rests.keep(arrival.key, arrival.bits, masses, (arrival.code, self._before))

    def _is_outermost(self, frame: types.FrameType) -> bool:
        """Return True if no function of others is active but this one."""
        walked = frame.f_back
        while walked is not None and walked is not self._bottom:
            if not walked.f_code.co_filename.startswith(_OURS):
                return False
            walked = walked.f_back
        return True

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
        return self._before.state_with(variables)


_HEADS: dict[int, tuple[types.CodeType, dict[int, int], frozenset[int]]] = {}


def loop_heads(code: types.CodeType) -> dict[int, int]:
    """Return the instructions that a jump backwards leads to and at which the function's stack holds iterators only.

    Each comes with the number of these iterators.
    """
    return _known(code)[1]


def loop_turns(code: types.CodeType) -> frozenset[int]:
    """Return the instructions that take the next item of a ``for`` loop that has such a head inside."""
    return _known(code)[2]


def _known(code: types.CodeType) -> tuple[types.CodeType, dict[int, int], frozenset[int]]:
    known = _HEADS.get(id(code))  # to hash a code object takes as long as to read it
    if known is None or known[0] is not code:
        known = _HEADS[id(code)] = code, *_loop_heads(code)
    return known


def _loop_heads(code: types.CodeType) -> tuple[dict[int, int], frozenset[int]]:
    depths = _depths(code)
    instructions = list(dis.get_instructions(code))
    around = {step.offset: int(step.argval) for step in instructions if step.opname == "FOR_ITER"}
    heads: dict[int, int] = {}
    turns: set[int] = set()
    for instruction in instructions:
        if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            target = int(instruction.argval)
            inside = [start for start, end in around.items() if start < target < end]
            if target <= instruction.offset and target not in around and depths.get(target) == len(inside):
                heads[target] = len(inside)
                turns.update(inside)
    return heads, frozenset(turns)


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


_SEEING = frozenset({"locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe"})
"""Names through which a function may see all its variables."""
_LEAVING = frozenset(
    {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD"}
    | {"JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE"}
)
_KNOWN: dict[int, tuple[types.CodeType, dict[int, frozenset[str]] | None]] = {}


def live_variables(code: types.CodeType, offset: int) -> frozenset[str] | None:
    """Return the local variables that may be read from an instruction on, before they are written; None for all."""
    known = _KNOWN.get(id(code))
    if known is None or known[0] is not code:
        known = _KNOWN[id(code)] = code, _live(code)
    return None if known[1] is None else known[1].get(offset)


def _live(code: types.CodeType) -> dict[int, frozenset[str]] | None:
    instructions = list(dis.get_instructions(code))
    seeing = _SEEING & {*code.co_names, *code.co_varnames, *code.co_freevars}
    if seeing and not (seeing == {"locals"} and _is_for_checks_of_types(code, instructions)):
        return None
    handlers = getattr(dis.Bytecode(code), "exception_entries", None)
    if handlers is None:
        return None
    always = frozenset(code.co_cellvars) | frozenset(code.co_freevars)
    following: dict[int, list[int]] = {instruction.offset: [] for instruction in instructions}
    for instruction, then in itertools.pairwise(instructions):
        if instruction.opname not in _LEAVING:
            following[instruction.offset].append(then.offset)
    for instruction in instructions:
        if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            following[instruction.offset].append(int(instruction.argval))
        for entry in handlers:
            if entry.start <= instruction.offset <= entry.end:
                following[instruction.offset].append(entry.target)
    live: dict[int, frozenset[str]] = dict.fromkeys(following, always)
    changed = True
    while changed:
        changed = False
        for instruction in reversed(instructions):
            found = always.union(*[live[target] for target in following[instruction.offset] if target in live])
            for name, written in reversed(_accesses(instruction)):
                found = found - {name} | always if written else found | {name}
            if any(entry.start <= instruction.offset <= entry.end for entry in handlers):
                found = found | live[instruction.offset]
                for entry in handlers:
                    if entry.start <= instruction.offset <= entry.end:
                        found = found | live[entry.target]  # before a write, too, something may be raised
            if found != live[instruction.offset]:
                live[instruction.offset] = found
                changed = True
    return live


def _is_for_checks_of_types(code: types.CodeType, instructions: list[dis.Instruction]) -> bool:
    """Return True if the function asks for its variables once, in code of typeguard's that it was given by a decorator.

    What that keeps are the variables at the start of the function, by whose names it finds types.
    """
    asks = [step for step in instructions if step.argval == "locals"]
    return len(asks) == 1 and "TypeCheckMemo" in code.co_varnames


def _accesses(instruction: dis.Instruction) -> list[tuple[str, bool]]:
    """Return the local variables that an instruction reads (False) or only writes (True), in order."""
    if "FAST" not in instruction.opname:
        return []
    names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
    if any(not isinstance(name, str) for name in names):
        return []  # an instruction of the loop's own, without a variable
    kinds = [part == "STORE" for part in instruction.opname.split("_") if part in ("LOAD", "STORE", "DELETE")]
    if len(kinds) != len(names):
        return [(name, False) for name in names]
    return list(zip(names, kinds, strict=True))
