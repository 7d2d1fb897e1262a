"""The questions of docs/scale.md: how the cost of looking at cases grows, compiling excluded."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from benchmarks.registry import growth
from benchmarks.scale import GROWTH


def questions(function: Callable[..., Any]) -> Callable[..., Any]:
    for name, (_, _, sizes, what) in GROWTH.items():
        chosen = [16, 32, 64] if what == "clients" else list(sizes[:3])
        kind = "power" if what == "clients" else "exponential"
        growth("n", chosen, asked=name.replace("`", ""), family=name.replace("`", ""), kind=kind)(function)
    return function


@questions
def cases_looked_at(n: int, asked: str) -> Generator[None, None, str]:
    make, ask = next((make, ask) for name, (make, ask, *_) in GROWTH.items() if name.replace("`", "") == asked)
    model = make(n)
    model.channel()
    yield
    return str(ask(model))[:80]
