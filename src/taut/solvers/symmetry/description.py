"""Symmetries in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from taut.compile import Relation
from taut.solvers.symmetry.permutation import Coordinate, Permutation
from taut.solvers.symmetry.records import RecordClass

__all__ = ["description", "sentences"]

_SHOWN = 6


def sentences(relation: Relation, classes: Sequence[RecordClass], others: Sequence[Permutation]) -> list[str]:
    """What may be permuted, one sentence each."""
    found = []
    for one in classes:
        if one.size > 1:
            found.append(_permuted(relation, one))
        if one.local:
            changes = "; ".join(description(relation, permutation) for permutation in one.local[:_SHOWN])
            more = f"; and {len(one.local) - _SHOWN} more" if len(one.local) > _SHOWN else ""
            copies = ", and likewise in each of the others" if one.size > 1 else ""
            found.append(f"{changes}{more}{copies}")
    for permutation in list(dict.fromkeys(others))[:_SHOWN]:
        found.append(description(relation, permutation))
    if len(set(others)) > _SHOWN:
        found.append(f"and {len(set(others)) - _SHOWN} more of this kind")
    return found or ["nothing may be moved"]


def description(relation: Relation, permutation: Permutation) -> str:
    """What a permutation does to entries, and together with that to outputs."""
    parts = [_moves(relation, permutation, kind) for kind in ("input", "output")]
    return " together with ".join(part for part in parts if part) or "nothing moves"


def _permuted(relation: Relation, one: RecordClass) -> str:
    column = one.records[0]
    entries = [index for kind, index in column.variables if kind == "input"]
    outputs = [index for kind, index in column.variables if kind == "output"]
    if len(entries) == 1:
        text = f"entries {_range(one.inputs)} may be permuted"
    else:
        groups = [[i for kind, i in c.variables if kind == "input"] for c in one.records]
        shown = ", ".join("(" + ", ".join(map(str, group)) + ")" for group in groups[:_SHOWN])
        text = f"the groups of entries {shown}{', ...' if len(groups) > _SHOWN else ''} may be permuted"
    if outputs:
        text += " together with their outputs"
    for variable, values in one.pointers.items():
        names = relation.outputs[variable[1]].values
        shown = ", ".join(repr(names[value]) for value in values[:_SHOWN])
        name = "the output's" if len(relation.outputs) == 1 else f"output {variable[1]}'s"
        text += f"; {name} values {shown}{', ...' if len(values) > _SHOWN else ''} move along"
    return text


def _moves(relation: Relation, permutation: Permutation, kind: str) -> str:
    """What happens to the variables of one kind; variables treated alike are named together."""
    alike: dict[str, list[int]] = {}
    for (what, index), (target, values) in sorted(permutation.moves.items()):
        if what == kind:
            alike.setdefault(_change(relation, (what, index), target, values), []).append(index)
    noun = {"input": ("entry", "entries"), "output": ("output", "outputs")}[kind]
    parts = []
    for change, indices in alike.items():
        single = kind == "output" and len(relation.outputs) == 1
        name = "the output" if single else f"{noun[len(indices) > 1]} {_range(indices)}"
        parts.append(f"{name}: {change}")
    return ", ".join(parts[:_SHOWN]) + (", ..." if len(parts) > _SHOWN else "")


def _change(relation: Relation, variable: Coordinate, target: Coordinate, values: Sequence[int]) -> str:
    here, there = _values(relation, variable), _values(relation, target)
    place = f"to {target[1]}" if target != variable else ""
    pairs = [(here[a], there[b]) for a, b in enumerate(values) if here[a] != there[b]]
    swaps = [(a, b) for a, b in pairs if (b, a) in pairs]
    if pairs and len(swaps) == len(pairs):
        kept = [(a, b) for number, (a, b) in enumerate(pairs) if (b, a) not in pairs[:number]]
        text = ", ".join(f"{a!r} <-> {b!r}" for a, b in kept[:_SHOWN]) + (", ..." if len(kept) > _SHOWN else "")
    else:
        text = ", ".join(f"{a!r} -> {b!r}" for a, b in pairs[:_SHOWN]) + (", ..." if len(pairs) > _SHOWN else "")
    return " ".join(part for part in (place, text) if part)


def _values(relation: Relation, variable: Coordinate) -> tuple[Any, ...]:
    kind, index = variable
    return relation.inputs[index].values if kind == "input" else relation.outputs[index].values


def _range(indices: Sequence[int]) -> str:
    """Numbers as short as they can be read: '3', '0 and 1', '0..499', '0, 2, 5'."""
    ordered = sorted(indices)
    if len(ordered) == 1:
        return str(ordered[0])
    runs: list[list[int]] = []
    for index in ordered:
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    parts = [part for run in runs for part in ([f"{run[0]}..{run[-1]}"] if len(run) > 2 else map(str, run))]
    shown = parts[:_SHOWN] + (["..."] if len(parts) > _SHOWN else [])
    return " and ".join(shown) if len(shown) == 2 else ", ".join(shown)
