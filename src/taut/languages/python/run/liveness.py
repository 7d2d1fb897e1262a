"""Live variables of a function: those that may still be read, at each of its instructions.

What a loop leaves behind in other variables is no part of its state: in ``while True: candidate = draw()`` the
candidate is written before it is read again.
"""

from __future__ import annotations

import dis
import itertools
import types

__all__ = ["live_variables"]

_SEEING = frozenset({"locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe"})
"""Names through which a function may see all its variables."""
_ENDS = frozenset(
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
    if _SEEING & {*code.co_names, *code.co_varnames, *code.co_freevars}:
        return None
    instructions = list(dis.get_instructions(code))
    handlers = getattr(dis.Bytecode(code), "exception_entries", None)
    if handlers is None:
        return None
    always = frozenset(code.co_cellvars) | frozenset(code.co_freevars)
    following: dict[int, list[int]] = {instruction.offset: [] for instruction in instructions}
    for instruction, then in itertools.pairwise(instructions):
        if instruction.opname not in _ENDS:
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
