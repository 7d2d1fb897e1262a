"""Clamped noise that is added to a value: a slip, since the farthest sums are possible for some inputs only."""

from __future__ import annotations

from taut.program.noise import Shifted
from taut.program.program import Program, children, reachable
from taut.program.terms import Apply, Coin, Input, Select, Term

__all__ = ["added_noise"]


def added_noise(program: Program) -> str | None:
    """Return what to write instead where noise with ends is added to what depends on inputs; None if nothing is."""
    entries: set[Term] = set()
    for term in reachable([program.output]):
        if isinstance(term, Input) or any(part in entries for part in children(term)):
            entries.add(term)
        if not (isinstance(term, Apply) and term.operation.name in ("add", "sub")):
            continue
        for arg in term.args:
            coins = [arg] if isinstance(arg, Coin) else arg.items if isinstance(arg, Select) else ()
            if arg in entries or not any(other in entries for other in term.args):
                continue
            for coin in coins:
                weights = program.coins[coin.index].weights if isinstance(coin, Coin) else None
                if isinstance(weights, Shifted):
                    name = program.coins[coin.index].name  # type: ignore[attr-defined]
                    return (
                        f"noise that is clamped to {weights.low}..{weights.high} ({name}) is added to a value of the "
                        "input, so the farthest sums give the input away; draw the noise around the value, as in "
                        f"{name.split()[0]}(value, ..., low, high), or leave out low and high"
                    )
    return None
