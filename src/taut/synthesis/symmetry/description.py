"""Symmetries described in English, for people to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from taut.diagrams.compile import Relation
from taut.synthesis.symmetry.permutation import Coordinate, Permutation
from taut.synthesis.symmetry.records import RecordClass

__all__ = ["description", "sentences"]

_SHOWN = 6
_NOUNS = {"input": ("entry", "entries"), "output": ("output", "outputs")}


def sentences(relation: Relation, classes: Sequence[RecordClass], others: Sequence[Permutation]) -> list[str]:
    """Describe all symmetries: a sentence per class of records, per its local symmetries, per other symmetry."""
    lines = []
    for records in classes:
        if records.size > 1:
            lines.append(_permuted(relation, records))
        if records.local:
            changes = "; ".join(description(relation, permutation) for permutation in records.local[:_SHOWN])
            more = f"; and {len(records.local) - _SHOWN} more" if len(records.local) > _SHOWN else ""
            copies = ", and likewise in each of the others" if records.size > 1 else ""
            lines.append(f"{changes}{more}{copies}")
    different = list(dict.fromkeys(others))
    lines += [description(relation, permutation) for permutation in different[:_SHOWN]]
    if len(different) > _SHOWN:
        lines.append(f"and {len(different) - _SHOWN} more of this kind")
    return lines or ["nothing may be moved"]


def description(relation: Relation, permutation: Permutation) -> str:
    """Describe how a permutation moves entries, and outputs together with them."""
    parts = [_moves(relation, permutation, kind) for kind in ("input", "output")]
    return " together with ".join(part for part in parts if part) or "nothing moves"


def _permuted(relation: Relation, records: RecordClass) -> str:
    first = records.records[0]
    if len(first.entries) == 1:
        text = f"entries {_range(records.inputs)} may be permuted"
    else:
        groups = _shown("(" + ", ".join(map(str, record.entries)) + ")" for record in records.records)
        text = f"the groups of entries {groups} may be permuted"
    if len(first.entries) < len(first.coordinates):
        text += " together with their outputs"
    for pointer, values in records.pointers.items():
        names = _values(relation, pointer)
        whose = "the output's" if len(relation.outputs) == 1 else f"output {pointer[1]}'s"
        text += f"; {whose} values {_shown(repr(names[value]) for value in values)} move along"
    return text


def _moves(relation: Relation, permutation: Permutation, kind: str) -> str:
    """Describe the moves of the coordinates of one kind; those that move alike are named together."""
    alike: dict[str, list[int]] = {}
    for (what, index), (target, values) in sorted(permutation.moves.items()):
        if what == kind:
            alike.setdefault(_change(relation, (what, index), target, values), []).append(index)
    single = kind == "output" and len(relation.outputs) == 1
    return _shown(
        f"{'the output' if single else f'{_NOUNS[kind][len(indices) > 1]} {_range(indices)}'}: {change}"
        for change, indices in alike.items()
    )


def _change(relation: Relation, coordinate: Coordinate, target: Coordinate, values: Sequence[int]) -> str:
    here, there = _values(relation, coordinate), _values(relation, target)
    pairs = [(here[a], there[b]) for a, b in enumerate(values) if here[a] != there[b]]
    arrow = "->"
    if all((b, a) in pairs for a, b in pairs):
        arrow = "<->"
        pairs = [(a, b) for number, (a, b) in enumerate(pairs) if (b, a) not in pairs[:number]]
    text = _shown(f"{a!r} {arrow} {b!r}" for a, b in pairs)
    return " ".join(part for part in (f"to {target[1]}" if target != coordinate else "", text) if part)


def _values(relation: Relation, coordinate: Coordinate) -> tuple[Any, ...]:
    kind, index = coordinate
    return relation.inputs[index].values if kind == "input" else relation.outputs[index].values


def _shown(parts: Iterable[str]) -> str:
    """The first few of some texts."""
    every = list(parts)
    return ", ".join(every[:_SHOWN] + (["..."] if len(every) > _SHOWN else []))


def _range(indices: Sequence[int]) -> str:
    """Numbers as short as they can be read: '3', '0 and 1', '0..499', '0, 2, 5'."""
    runs: list[list[int]] = []
    for index in sorted(indices):
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    parts = [part for run in runs for part in ([f"{run[0]}..{run[-1]}"] if len(run) > 2 else map(str, run))]
    return " and ".join(parts) if len(parts) == 2 else _shown(parts)
