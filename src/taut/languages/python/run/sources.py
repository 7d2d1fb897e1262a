"""The standard library's random numbers, decided by the tree of runs while one is active.

``random`` and ``secrets`` reach their numbers through few methods, which are replaced here for good; where no tree is
active each does what it always did.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
import os
import random
import secrets
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from taut.languages.python.run.lazy import LazyNumber, lazy_noise, lazy_real, lazy_whole
from taut.languages.python.run.lazy_bytes import LazyBytes
from taut.languages.python.run.state import without_compiler
from taut.languages.python.run.steps import exactly
from taut.languages.python.run.tree import SMALL, ChoiceTree, unwatched
from taut.languages.python.scripted import active_script
from taut.support.errors import InvalidDistribution, RealRandomness

__all__ = [
    "active_tree",
    "between",
    "by_sums",
    "by_weights",
    "controlled",
    "ignored_seed",
    "real",
    "replacements",
    "shares_of",
    "stand_in",
    "whole",
]

_MOST_BYTES = 1


def active_tree() -> ChoiceTree | None:
    """Return the tree that decides the draws of what is run now, if one does."""
    script = active_script()
    return script if isinstance(script, ChoiceTree) else None


def whole(tree: ChoiceTree, count: int, name: str, small: int | None = None) -> Any:
    """Return a draw of a whole number below ``count``; it is listed at once if it has at most ``small`` values."""
    if count < 1:
        raise ValueError(f"empty range for {name}()")
    tree.draws.add(name)
    return lazy_whole(tree, int(count), small)


def real(tree: ChoiceTree, name: str) -> Any:
    """Return a draw of a real number from 0 to 1."""
    tree.draws.add(name)
    return lazy_real(tree, tree.machine)


def between(tree: ChoiceTree, low: Any, high: Any, name: str) -> Any:
    """Return a draw of a real number between two ends."""
    ends = exactly(low), exactly(high)
    if tree.machine or ends[0] is None or ends[1] is None:
        return low + (high - low) * real(tree, name)
    return ends[0] + (ends[1] - ends[0]) * real(tree, name)


def by_weights(tree: ChoiceTree, weights: Sequence[Any], name: str, total: Any = None) -> int:
    """Draw a place with probability proportional to its weight; with ``total`` the weights must sum to that."""
    return tree.choose(shares_of(tree, weights, name, total))


def shares_of(tree: ChoiceTree, weights: Sequence[Any], name: str, total: Any = None) -> list[Fraction]:
    """Return weights divided by their sum, or refuse them."""
    shares = []
    for weight in weights:
        share = exactly(weight)
        if share is None or share < 0:
            tree.refuse(InvalidDistribution(f"{name}: {weight!r} is not a weight.", value=weight))
        shares.append(Fraction(share or 0))
    whole_sum = sum(shares, start=Fraction(0))
    if whole_sum <= 0:
        raise ValueError("Total of weights must be greater than zero")
    if total is not None and whole_sum != total:
        if abs(whole_sum - total) > Fraction(1, 10**7):
            raise ValueError("probabilities do not sum to 1")
        tree.draws.add("weights that sum to 1 up to rounding, divided by their sum")
    tree.draws.add(name)
    return [share / whole_sum for share in shares]


def by_sums(tree: ChoiceTree, sums: Sequence[Any], name: str, end: int | None = None) -> int:
    """Draw a place as the machine does: look a double up among the sums of the weights, all rounded."""
    return bisect.bisect(sums, real(tree, name) * (sums[-1] + 0.0), 0, end)


def stand_in(original: Any, decided: Callable[..., Any], method: bool = False) -> Any:
    """Return a function, or a method, that the active tree decides; it is the original where no tree is active."""

    @unwatched
    @functools.wraps(original, updated=())
    def function(*args: Any, **keywords: Any) -> Any:
        tree = active_tree()
        return original(*args, **keywords) if tree is None else decided(tree, *args[method:], **keywords)

    return function


def _random(tree: ChoiceTree) -> Any:
    return real(tree, "random.random")


def _getrandbits(tree: ChoiceTree, k: Any) -> Any:
    if k < 0:
        raise ValueError("number of bits must be non-negative")
    return whole(tree, 1 << k, "random.getrandbits")


def _randbelow(tree: ChoiceTree, n: int) -> Any:
    return whole(tree, n, "random.randrange")


def _randbytes(tree: ChoiceTree, n: int) -> Any:
    """Return random bytes: plain ones if they are few, as long as all values of small numbers are listed."""
    if n > _MOST_BYTES or (n and tree.small < SMALL):
        tree.draws.add("secrets.token_bytes")
        return LazyBytes(tree, n)
    return bytes(int(whole(tree, 256, "secrets.token_bytes")) for _ in range(n))


def _choices(
    tree: ChoiceTree, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1
) -> list[Any]:
    if weights is not None and cum_weights is not None:
        raise TypeError("Cannot specify both weights and cumulative weights")
    if cum_weights is not None:
        known = list(cum_weights)
        weights = [known[0], *[exactly(b) - exactly(a) for a, b in itertools.pairwise(known)]]  # type: ignore[operator]
    if weights is None and tree.machine:
        return [population[math.floor(real(tree, "random.choices") * float(len(population)))] for _ in range(k)]
    if weights is None:
        return [population[int(whole(tree, len(population), "random.choices"))] for _ in range(k)]
    weights = list(weights)
    if len(weights) != len(population):
        raise ValueError("The number of weights does not match the population")
    if tree.machine:
        shares_of(tree, weights, "random.choices")
        sums = list(itertools.accumulate(weights)) if cum_weights is None else list(cum_weights)
        return [population[by_sums(tree, sums, "random.choices", len(sums) - 1)] for _ in range(k)]
    return [population[by_weights(tree, weights, "random.choices")] for _ in range(k)]


def _choice(tree: ChoiceTree, seq: Any) -> Any:
    if not len(seq):
        raise IndexError("Cannot choose from an empty sequence")
    return seq[int(whole(tree, len(seq), "random.choice"))]


def _uniform(tree: ChoiceTree, a: Any, b: Any) -> Any:
    return between(tree, a, b, "random.uniform")


def _shuffle(tree: ChoiceTree, x: Any) -> None:
    for i in reversed(range(1, len(x))):
        j = int(whole(tree, i + 1, "random.shuffle"))
        x[i], x[j] = x[j], x[i]


def _sample(tree: ChoiceTree, population: Any, k: int, *, counts: Any = None) -> list[Any]:
    if isinstance(population, (set, frozenset)) or not hasattr(population, "__getitem__"):
        raise TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).")
    rest = (
        list(population) if counts is None else [v for v, n in zip(population, counts, strict=True) for _ in range(n)]
    )
    if not 0 <= k <= len(rest):
        raise ValueError("Sample larger than population or is negative")
    return [rest.pop(int(whole(tree, len(rest), "random.sample"))) for _ in range(k)]


def ignored_seed(tree: ChoiceTree, *args: Any, **keywords: Any) -> None:
    """Note that a generator was given a seed."""
    tree.draws.add("a seed, which is ignored")


_INSTEAD = {
    "gauss": "taut.discrete_gaussian",
    "normalvariate": "taut.discrete_gaussian",
    "triangular": "taut.uniform",
    "binomialvariate": "taut.binomial",
}


def _continuous(name: str) -> Callable[..., Any]:
    def refuse(tree: ChoiceTree, *args: Any, **keywords: Any) -> Any:
        instead = _INSTEAD.get(name, "taut.geometric or taut.discrete_gaussian")
        return tree.refuse(
            RealRandomness(
                f"'{tree.name}' draws with random.{name}, a continuous distribution whose values cannot be listed; its "
                f"discrete counterpart is {instead}.",
                value=name,
            )
        )

    return refuse


def _expovariate(tree: ChoiceTree, lambd: Any = 1.0) -> Any:
    rate = exactly(lambd)
    return lazy_noise(tree, "exponential", 0, None if rate is None else 1 / rate, "random.expovariate")


_METHODS: dict[str, Callable[..., Any]] = {
    "random": _random,
    "getrandbits": _getrandbits,
    "_randbelow": _randbelow,
    "randbytes": _randbytes,
    "choices": _choices,
    "choice": _choice,
    "uniform": _uniform,
    "shuffle": _shuffle,
    "sample": _sample,
    "seed": ignored_seed,
    "expovariate": _expovariate,
    **{
        name: _continuous(name)
        for name in (
            "gauss",
            "normalvariate",
            "lognormvariate",
            "gammavariate",
            "betavariate",
            "paretovariate",
            "weibullvariate",
            "vonmisesvariate",
            "triangular",
            "binomialvariate",
        )
    },
}


def _log(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def log(x: Any, *base: Any) -> Any:
        if type(x) is not LazyNumber:
            return original(x, *base)
        made = x.log()
        made = made.as_scalar(False) if type(made) is LazyNumber else made
        return made / original(base[0]) if base else made

    return log


def _copysign(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def copysign(x: Any, y: Any) -> Any:
        if type(y) is not LazyNumber and type(x) is not LazyNumber:
            return original(x, y)
        negative = y < 0 if type(y) is LazyNumber else original(1.0, y) < 0
        return -abs(x) if negative else +abs(x)

    return copysign


@functools.cache
def replacements() -> dict[int, tuple[Any, Any]]:
    """Return stand-ins for functions that modules hold by name, by the identity of the original."""
    draws = [(getattr(random, name), decided) for name, decided in _METHODS.items() if hasattr(random, name)]
    draws += [(secrets.randbits, _getrandbits), (secrets.randbelow, _randbelow), (secrets.choice, _choice)]
    draws += [(secrets.token_bytes, lambda tree, n=32: _randbytes(tree, n)), (os.urandom, _randbytes)]
    made = [(original, stand_in(original, decided)) for original, decided in draws]
    made += [(math.log, _log(math.log)), (math.copysign, _copysign(math.copysign))]
    return {id(original): (original, function) for original, function in made}


@contextmanager
def controlled(more: dict[int, tuple[Any, Any]], scopes: Sequence[dict[str, Any]]) -> Iterator[None]:
    """Put the stand-ins into random's classes, and into every module and scope that holds an original by name."""
    known = {**replacements(), **more}
    undone: list[Callable[[], None]] = []
    for kind in (random.Random, random.SystemRandom):
        for name, decided in _METHODS.items():
            if name in vars(kind) or (kind is random.Random and hasattr(kind, name)):
                undone.append(_put(kind, name, stand_in(getattr(kind, name), decided, method=True)))
    for names in _scopes(scopes):
        for name, value in list(names.items()):
            found = known.get(id(value))
            plain = found[1] if found is not None and found[0] is value else without_compiler(value)
            if plain is not value:
                names[name] = plain
                undone.append(functools.partial(names.__setitem__, name, value))
    try:
        yield
    finally:
        for undo in reversed(undone):
            undo()


def _put(kind: type, name: str, method: Any) -> Callable[[], None]:
    """Set a method of a class; return a function that restores it."""
    if name in vars(kind):
        before = vars(kind)[name]
        setattr(kind, name, method)
        return lambda: setattr(kind, name, before)
    setattr(kind, name, method)
    return lambda: delattr(kind, name)


def _scopes(more: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the names of every module but taut's own and this machinery's, and scopes that are given, each once."""
    seen = set()
    modules = [
        vars(module)
        for name, module in list(sys.modules.items())
        if isinstance(module, types.ModuleType) and name.split(".")[0] not in _KEPT
    ]
    for names in [*modules, *more]:
        if id(names) not in seen:
            seen.add(id(names))
            yield names


_KEPT = frozenset({"taut", "threading", "tempfile", "uuid", "asyncio", "multiprocessing", "concurrent", "hypothesis"})
