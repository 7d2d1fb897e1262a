"""Properties derived from a program: runs that are not followed, added noise, expected values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from taut.program.noise import Shifted
from taut.program.program import CoinVariable, Program, children, reachable
from taut.program.terms import Apply, Coin, Const, Input, Ite, Select, Term, Tuple

__all__ = ["UNFOLLOWED", "Unfollowed", "added_noise", "marked_by_items", "unfollowed_runs", "weighed"]


class Unfollowed:
    """The type of UNFOLLOWED, which equals only itself, also after pickling."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "(not followed)"

    def __reduce__(self) -> str:
        return "UNFOLLOWED"


UNFOLLOWED = Unfollowed()
"""The output of each run that was not followed to its end."""


def unfollowed_runs(program: Program) -> Term | None:
    """Return the condition under which a run of a program is not followed; None if all runs are.

    An output is marked where the program is finished, so the mark is a branch of the output and never inside of one.
    """
    terms = program.terms
    made: dict[Term, Term] = {}
    stack = [program.output]
    while stack:
        term = stack[-1]
        if isinstance(term, Ite):
            missing = [branch for branch in (term.then, term.other) if branch not in made]
            if missing:
                stack += missing
                continue
            made[term] = terms.ite(term.test, made[term.then], made[term.other])
        else:
            made[term] = terms.true if isinstance(term, Const) and term.value is UNFOLLOWED else terms.false
        stack.pop()
    found = made[program.output]
    return None if found is terms.false else found


def marked_by_items(program: Program) -> Program | None:
    """Return the program that marks the items of its output that are not followed; None if the output has no items.

    Each condition that a run is not followed marks the items that share coins with it, or the first one. So a run is
    followed exactly if no item is marked, and its output is then that of ``program``. Items that are independent stay
    so, which a mark for the whole output would prevent.
    """
    output, terms = program.output, program.terms
    if not isinstance(output, Ite):
        return None
    test, items, mark = output.test, output.then, output.other
    if isinstance(items, Const):
        test, items, mark = terms.negate(test), mark, items
    if not (isinstance(items, Tuple) and len(items.items) > 1 and isinstance(mark, Const) and mark.value is UNFOLLOWED):
        return None
    coins = [_coins(item) for item in items.items]
    held: list[list[Term]] = [[] for _ in items.items]
    for part in _conjuncts(test):
        own = _coins(part)
        sharing = [place for place, others in enumerate(coins) if own & others]
        for place in sharing or [0]:
            held[place].append(part)
    unfollowed = terms.const(UNFOLLOWED)
    made = [terms.ite(terms.all(*parts), item, unfollowed) for parts, item in zip(held, items.items, strict=True)]
    return replace(program, output=terms.tuple(made))


def _conjuncts(test: Term) -> list[Term]:
    """Return the conditions that all hold where a condition holds; long conjunctions are nested."""
    found, waiting = [], [test]
    while waiting:
        term = waiting.pop()
        if isinstance(term, Apply) and term.operation.name == "and":
            waiting += reversed(term.args)
        else:
            found.append(term)
    return found


def _coins(term: Term) -> set[Term]:
    return {part for part in reachable([term]) if isinstance(part, Coin)}


def added_noise(program: Program) -> str | None:
    """Return advice if clamped noise is added to a value that depends on inputs, else None."""
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


def weighed(program: Program, weights: Mapping[Any, Any]) -> Program:
    """Return the program that runs ``program`` and returns True with probability w(y) for its output y.

    One more coin draws a threshold, and an output whose weight reaches it gives True. So P(True) on an input is the
    expected weight there, and solvers for probabilities of events also bound expected values.

    Parameters:
        program: any program whose outputs are single values.
        weights: for each output that can occur a weight from 0 to 1.
    """
    own = program.copied()
    terms = own.terms
    bars = sorted({weight for weight in weights.values() if weight > 0})
    steps = [bar - below for bar, below in zip(bars, [0, *bars], strict=False)]
    rest = 1 - sum(steps)
    if rest > 0:
        steps.append(rest)  # a bar above all weights
    places = {bar: place for place, bar in enumerate(bars, start=1)}
    reached = [terms.const(places.get(weight, 0)) for weight in weights.values()]
    height = terms.select(own.output, list(weights), reached)
    draw = 1 + max((coin.draw for coin in own.coins), default=-1)
    bar = CoinVariable("bar", tuple(range(1, len(steps) + 1)), tuple(steps), draw)
    output = terms.apply("ge", height, terms.coin(len(own.coins), bar.outcomes))
    return replace(own, coins=(*own.coins, bar), output=output)
