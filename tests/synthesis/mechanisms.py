"""Mechanisms whose channels are given as tables, and a few small ones with properties that tests need."""

from dataclasses import replace
from typing import Any

import pytest

from taut import discrete, flip, mechanism, observe
from taut.synthesis import auto

__all__ = [
    "asked_from",
    "count_of_flips",
    "merged",
    "only_first",
    "reports",
    "shifted_coins",
    "tabulated",
    "two_entries",
    "untruthful",
]


@mechanism
def tabulated(x: Any, table: Any) -> Any:
    """The row of the table that a single number chooses."""
    return discrete(table[x])


@mechanism
def two_entries(x: Any, table: Any) -> Any:
    """The row of the table that two entries choose."""
    return discrete(table[x[0]][x[1]])


@mechanism
def merged(x: Any, table: Any, names: Any) -> Any:
    """The output of ``tabulated`` under another name; outputs with the same name are one."""
    return names[discrete(table[x])]


@mechanism
def reports(x: Any, yes: Any) -> Any:
    """Every entry says yes with a probability of its own."""
    return [flip(yes[entry]) for entry in x]


@mechanism
def count_of_flips(x: Any, lam: Any) -> Any:
    return sum([bit ^ flip(lam) for bit in x])


@mechanism
def only_first(x: Any, lam: Any) -> Any:
    """All entries but the first do not matter."""
    return x[0] ^ flip(lam)


@mechanism
def shifted_coins(x: Any, coins: Any) -> Any:
    """A bit hidden behind the number of heads of many coins."""
    heads = x[0]
    for _ in range(coins):
        heads += flip("1/3")
    return heads


@mechanism
def untruthful(x: Any, lam: Any) -> Any:
    """Randomized response of which we know that it lied to somebody."""
    coins = [flip(lam) for _ in x]
    observe(any(coins))
    return [bit ^ coin for bit, coin in zip(x, coins, strict=True)]


def asked_from(cases: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have solvers that need no channel asked from fewer cases on."""
    for attempts in ("_BY_CELLS", "_BY_RELEASE"):
        fewer = tuple(replace(one, least=min(one.least, cases)) for one in getattr(auto, attempts))
        monkeypatch.setattr(auto, attempts, fewer)
