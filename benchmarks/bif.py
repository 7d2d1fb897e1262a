"""Bayesian networks in the Bayesian Interchange Format: values, parents and tables of all nodes, numbers as written.

Read is what the public repositories write: ``variable``, ``probability`` with one row for each combination of the
parents' values, ``table`` for nodes without parents, ``default`` for rows that are left out.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from decimal import Decimal

__all__ = ["Node", "leaf", "read_bif"]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_VARIABLE = re.compile(r"\bvariable\s+(\S+)\s*\{[^{}]*?\btype\s+discrete\s*\[\s*(\d+)\s*\]\s*\{([^}]*)\}")
_PROBABILITY = re.compile(r"\bprobability\s*\(([^)]*)\)\s*\{([^}]*)\}")
_ROW = re.compile(r"\(([^)]*)\)(.*)", re.DOTALL)


@dataclass(frozen=True)
class Node:
    """A node: the number of its values, its parents, and its weights for each combination of their values."""

    name: str
    size: int
    parents: list[str]
    rows: dict[tuple[int, ...], list[str]]
    """Weights as plain decimals, by the numbers of the parents' values."""


def read_bif(text: str) -> list[Node]:
    """The nodes of a network, parents first.

    Raises:
        ValueError: no variables, a table missing or incomplete, values that no variable has, parents in a circle.
    """
    text = _COMMENT.sub(" ", text)
    values = {name: [value.strip() for value in listed.split(",")] for name, _, listed in _VARIABLE.findall(text)}
    if not values:
        raise ValueError(
            "there is no 'variable NAME { type discrete [ n ] { ... }; }': this is no network in the format BIF."
        )
    found: dict[str, Node] = {}
    for head, body in _PROBABILITY.findall(text):
        name, _, given = head.partition("|")
        name, parents = name.strip(), [parent.strip() for parent in given.split(",") if parent.strip()]
        for one in (name, *parents):
            if one not in values:
                raise ValueError(f"probability ({head.strip()}): there is no variable '{one}'.")
        found[name] = Node(name, len(values[name]), parents, _rows(name, parents, body, values))
    for name in values:
        if name not in found:
            raise ValueError(f"variable {name}: there is no probability ({name} ...).")
    return _parents_first(found)


def leaf(nodes: list[Node]) -> str:
    """The node without children that depends on most others; of several the first."""
    ancestors: dict[str, set[str]] = {}
    for node in nodes:
        ancestors[node.name] = set(node.parents).union(*[ancestors[parent] for parent in node.parents])
    parents = {parent for node in nodes for parent in node.parents}
    return max((node.name for node in nodes if node.name not in parents), key=lambda name: len(ancestors[name]))


def _rows(name: str, parents: list[str], body: str, values: dict[str, list[str]]) -> dict[tuple[int, ...], list[str]]:
    rows: dict[tuple[int, ...], list[str]] = {}
    default: list[str] | None = None
    for entry in body.split(";"):
        entry = entry.strip()
        given = _ROW.match(entry)
        if given is not None:
            chosen = [value.strip() for value in given[1].split(",")]
            try:
                key = tuple(values[parent].index(value) for parent, value in zip(parents, chosen, strict=True))
            except ValueError:
                raise ValueError(f"probability ({name} ...): ({given[1]}) are not values of its parents.") from None
            rows[key] = _weights(name, given[2], len(values[name]))
        elif entry.startswith("table") and not parents:
            rows[()] = _weights(name, entry.removeprefix("table"), len(values[name]))
        elif entry.startswith("default"):
            default = _weights(name, entry.removeprefix("default"), len(values[name]))
        elif entry and not entry.startswith("property"):
            raise ValueError(f"probability ({name} ...): '{entry[:40]}' is no row for values of its parents.")
    for key in itertools.product(*[range(len(values[parent])) for parent in parents]):
        if key not in rows:
            if default is None:
                raise ValueError(f"probability ({name} ...): there is no row for values {key} of its parents.")
            rows[key] = default
    return rows


def _weights(name: str, text: str, size: int) -> list[str]:
    weights = [f"{Decimal(weight.strip()):f}" for weight in text.split(",")]
    if len(weights) != size:
        raise ValueError(f"probability ({name} ...): {len(weights)} weights for {size} values.")
    return weights


def _parents_first(nodes: dict[str, Node]) -> list[Node]:
    ordered: dict[str, Node] = {}
    waiting = list(reversed(nodes))
    begun: set[str] = set()
    while waiting:
        name = waiting[-1]
        missing = [parent for parent in nodes[name].parents if parent not in ordered]
        if name in ordered or not missing:
            ordered.setdefault(name, nodes[name])
            waiting.pop()
        elif name in begun:
            raise ValueError(f"probability ({name} ...): it depends on itself.")
        else:
            begun.add(name)
            waiting += reversed(missing)
    return list(ordered.values())
