"""NumPy's random numbers under control of the tree of runs: generators, RandomState, and functions of the module."""

from __future__ import annotations

import functools
import importlib
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from taut.languages.python.run.held import held_array, settled
from taut.languages.python.run.lazy import LazyNumber, lazy_gumbel, lazy_listed, lazy_noise
from taut.languages.python.run.listed import Law
from taut.languages.python.run.sources import (
    active_tree,
    between,
    by_sums,
    by_weights,
    ignored_seed,
    real,
    shares_of,
    stand_in,
    whole,
)
from taut.languages.python.run.steps import exactly
from taut.languages.python.run.tree import SMALL, ChoiceTree
from taut.support.errors import InvalidDistribution, RealRandomness
from taut.support.exact import exp

__all__ = ["array_replacements", "global_state", "scripted_generator"]

_MOST = 4096


def scripted_generator(value: Any) -> Any:
    """Return a generator of the same kind that the active tree decides; None for all but NumPy's generators."""
    if _numpy() is None or type(value) not in _kinds():
        return None
    return _kinds()[type(value)]()


def array_replacements() -> dict[int, tuple[Any, Any]]:
    """Return stand-ins for the functions and classes of numpy.random, by the identity of the original."""
    return _array_replacements() if _numpy() is not None else {}


def global_state() -> Any:
    """Return the state of NumPy's global generator, which no run may draw from; None if NumPy is not imported."""
    np = _numpy()
    if np is None:
        return None
    _, key, *rest = np.random.get_state(legacy=True)
    return key.tobytes(), *rest


def _numpy() -> Any:
    """Return NumPy if it is imported, with its random module loaded before a run needs it."""
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        importlib.import_module("numpy.random")
    return numpy


@functools.cache
def _array_replacements() -> dict[int, tuple[Any, Any]]:
    np = _numpy()
    made: dict[int, tuple[Any, Any]] = {}
    for name in dir(np.random.RandomState):
        original = getattr(np.random, name, None)
        if original is not None and not name.startswith("_") and callable(original):
            made[id(original)] = original, stand_in(original, _STATE.get(name, _refused(name)))
    for original, kind in (
        (np.random.default_rng, np.random.Generator),
        (np.random.RandomState, np.random.RandomState),
        (np.random.Generator, np.random.Generator),
    ):
        made[id(original)] = original, _making(original, kind)
    shared = np.random.mtrand._rand  # which other packages take as the generator of those who give none
    made[id(shared)] = shared, _kinds()[np.random.RandomState]()
    return made


def _making(original: Any, kind: Any) -> Any:
    """Return a constructor of generators: controlled ones while a tree is active, else original ones."""
    if isinstance(original, type):
        return _kinds()[kind]

    def make(seed: Any = None) -> Any:
        tree = active_tree()
        if tree is None:
            return original(seed)
        if isinstance(seed, kind):
            return seed
        if seed is not None:
            ignored_seed(tree)
        return _kinds()[kind]()

    return make


@functools.cache
def _kinds() -> Any:
    """Return NumPy's classes of generators, each with a subclass that the active tree controls."""
    np = _numpy()

    class Generator(np.random.Generator):  # type: ignore[misc,name-defined]
        def __new__(cls, *args: Any) -> Any:
            return super().__new__(cls, np.random.PCG64(0))

        def __init__(self, *args: Any) -> None:
            super().__init__(np.random.PCG64(0))

    class RandomState(np.random.RandomState):  # type: ignore[misc,name-defined]
        def __init__(self, seed: Any = None, *args: Any) -> None:
            super().__init__(np.random.MT19937(0))  # a seed here would make NumPy ask secrets for entropy first
            tree = active_tree()
            if seed is not None and tree is not None:
                ignored_seed(tree)

    for made, known in ((Generator, _GENERATOR), (RandomState, _STATE)):
        base = made.__mro__[1]
        for name in dir(base):
            if not name.startswith("_") and callable(getattr(base, name)):
                setattr(made, name, stand_in(getattr(base, name), known.get(name, _refused(name)), method=True))
    return {np.random.Generator: Generator, np.random.RandomState: RandomState}


def _refused(name: str) -> Callable[..., Any]:
    instead = {"normal": "taut.discrete_gaussian"}.get(name)
    counterpart = f"; its discrete counterpart is {instead}" if instead else ""

    def refuse(tree: ChoiceTree, *args: Any, **keywords: Any) -> Any:
        return tree.refuse(
            RealRandomness(
                f"'{tree.name}' draws with numpy.random's '{name}', which has no exact list of values{counterpart}.",
                value=name,
            )
        )

    return refuse


# -- the draws ---------------------------------------------------------------------------------------------------------


def _sized(tree: ChoiceTree, size: Any, one: Callable[[], Any]) -> Any:
    """Return one draw, or an array of draws of the given size."""
    if size is None:
        return one()
    np = _numpy()
    shape = (int(size),) if not isinstance(size, (tuple, list)) else tuple(int(part) for part in size)
    values = [one() for _ in range(math.prod(shape))]
    if all(type(value) in (int, np.int64) for value in values):
        return np.array(values, dtype=np.int64).reshape(shape)
    return held_array(values, shape)


def _random(tree: ChoiceTree, size: Any = None, dtype: Any = None, out: Any = None) -> Any:
    _require_new(tree, out)
    if tree.machine and dtype is not None and _numpy().dtype(dtype).itemsize < 8:
        tree.refuse(RealRandomness(f"'{tree.name}' draws floats of {_numpy().dtype(dtype)}, which are not counted."))
    return _sized(tree, size, lambda: real(tree, "numpy.random.random"))


def _require_new(tree: ChoiceTree, out: Any) -> None:
    """Refuse an array that a draw is written into: it would hold random numbers that are not there yet."""
    if out is not None:
        tree.refuse(
            RealRandomness(f"'{tree.name}': a draw with out= is not followed; take what it returns.", value=out)
        )


def _rand(tree: ChoiceTree, *sizes: int) -> Any:
    return _random(tree, sizes or None)


def _uniform(tree: ChoiceTree, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    if _numpy().ndim(low) or _numpy().ndim(high):
        width = _numpy().subtract(high, low)
        return low + width * _random(tree, _shape_of(size, low, high))
    return _sized(tree, size, lambda: between(tree, low, high, "numpy.random.uniform"))


def _uniform_upwards(tree: ChoiceTree, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Draw as generators do, which refuse a high end below the low one; a RandomState takes both orders."""
    if _numpy().any(_numpy().subtract(high, low) < 0):
        raise ValueError("high - low < 0")
    return _uniform(tree, low, high, size)


def _shape_of(size: Any, *parameters: Any) -> tuple[int, ...]:
    """Return the shape of draws whose parameters are arrays."""
    if size is not None:
        return tuple(size) if isinstance(size, (tuple, list)) else (int(size),)
    return tuple(_numpy().broadcast_shapes(*[_numpy().shape(value) for value in parameters]))


def _whole_between(tree: ChoiceTree, low: Any, high: Any, small: int | None = None, over: bool = False) -> Any:
    drawn = int(low) + whole(tree, int(high) + bool(over) - int(low), "numpy.random.integers", small)
    if type(drawn) is LazyNumber:
        return drawn.as_scalar()
    return _numpy().int64(drawn) if abs(drawn) < 2**63 else drawn


def _integers(
    tree: ChoiceTree, low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: bool = False
) -> Any:
    if high is None:
        low, high = 0, low
    np = _numpy()
    if np.ndim(low) or np.ndim(high):
        size = _shape_of(size, low, high)
        ends = zip(np.broadcast_to(low, size).flat, np.broadcast_to(high, size).flat, strict=True)
        drawn = _sized(tree, size, lambda: _whole_between(tree, *next(ends), SMALL, endpoint))
    else:
        small = None if size is None else SMALL
        drawn = _sized(tree, size, lambda: _whole_between(tree, low, high, small, endpoint))
    if dtype is None or np.dtype(dtype) == np.int64 or type(drawn) is LazyNumber:
        return drawn
    return drawn.astype(dtype) if isinstance(drawn, np.ndarray) else np.dtype(dtype).type(drawn)


def _randint(tree: ChoiceTree, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
    drawn = _integers(tree, low, high, size, None if dtype is int else dtype)
    if dtype is int and type(drawn) is LazyNumber:
        return drawn.as_scalar(False)
    return int(drawn) if dtype is int and isinstance(drawn, _numpy().int64) else drawn


def _choice(
    tree: ChoiceTree, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
) -> Any:
    np = _numpy()
    items = np.arange(a) if isinstance(a, (int, np.integer)) else np.asarray(settled(a))
    if axis != 0 or items.ndim == 0:
        tree.refuse(RealRandomness(f"'{tree.name}': choice along columns of an array is not followed.", value=axis))
    weights = [Fraction(1, len(items))] * len(items) if p is None else list(p)
    if len(weights) != len(items):
        raise ValueError("'a' and 'p' must have same size")
    count = 1 if size is None else math.prod(size) if isinstance(size, (tuple, list)) else int(size)
    name = "numpy.random.choice"
    if tree.machine and p is not None and (replace or count == 1):
        shares_of(tree, weights, name, 1)
        sums = np.cumsum(np.asarray(p, dtype=float))
        sums /= sums[-1]
        places = [by_sums(tree, sums.tolist(), name) for _ in range(count)]
    elif replace:
        places = [by_weights(tree, weights, name, 1) for _ in range(count)]
    else:
        if count > len(items):
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if p is not None and count > 1:
            tree.refuse(
                RealRandomness(f"'{tree.name}': choice with p and without replacement is not followed.", value=p)
            )
        if not shuffle and count > 1:  # then not all orders are equally likely
            tree.refuse(RealRandomness(f"'{tree.name}': choice with shuffle=False is not followed.", value=shuffle))
        places, rest = [], list(range(len(items)))
        for _ in range(count):
            place = (
                by_weights(tree, [weights[i] for i in rest], name)
                if p is not None
                else int(whole(tree, len(rest), name))
            )
            places.append(rest.pop(place))
    if size is None:
        return places[0] if isinstance(a, (int, np.integer)) else items[places[0]]
    return items[places].reshape((*_shape_of(size), *items.shape[1:]))


def _probability(tree: ChoiceTree, p: Any, name: str) -> Fraction:
    chance = exactly(p)
    if chance is None:
        tree.refuse(InvalidDistribution(f"{name}: {p!r} is not a probability.", value=p))
        raise AssertionError
    if not 0 <= chance <= 1:
        raise ValueError("p < 0, p > 1 or p is NaN")
    return chance


def _binomial(tree: ChoiceTree, n: Any, p: Any, size: Any = None) -> Any:
    np = _numpy()
    if np.ndim(n) or np.ndim(p):
        shape = _shape_of(size, n, p)
        pairs = zip(np.broadcast_to(n, shape).flat, np.broadcast_to(p, shape).flat, strict=True)
        return _sized(tree, shape, lambda: _binomial(tree, *next(pairs)))
    n, chance = int(n), _probability(tree, p, "binomial")
    if n > _MOST:
        tree.refuse(RealRandomness(f"'{tree.name}': binomial with n={n}; at most {_MOST} can be listed.", value=n))
    tree.draws.add("numpy.random.binomial")
    weights = _binomial_weights(n, chance)
    return _sized(tree, size, lambda: _count(tree, 0, weights))


@functools.lru_cache(maxsize=64)
def _binomial_weights(n: int, chance: Fraction) -> tuple[Fraction, ...]:
    return (*[math.comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)], Fraction(0))


def _count(tree: ChoiceTree, low: int, weights: tuple[Any, ...]) -> Any:
    """Return a count from ``low`` on; the last weight is that of larger ones, which are not followed.

    It is a number at once, or has no value until something asks if there are too many runs for that.
    """
    _require_ideal(tree, "counts of NumPy")
    if tree.small < SMALL and len(weights) > _FEW:
        return lazy_listed(tree, _law(low, weights), weights[-1])
    return low + (tree.choose_or_stop(weights) if weights[-1] else tree.choose(weights))


def _require_ideal(tree: ChoiceTree, name: str) -> None:
    if tree.machine:
        tree.refuse(
            RealRandomness(
                f"'{tree.name}' draws {name}, which C code computes with logarithms; their rounding is not known, so "
                'they are followed with randomness="ideal" only.',
                value=name,
            )
        )


@functools.lru_cache(maxsize=64)
def _law(low: int, weights: tuple[Any, ...]) -> Law:
    return Law(low, [weight / (1 - weights[-1]) for weight in weights[:-1]])


_FEW = 3
"""Number of values that are listed at once in any case."""


def _geometric(tree: ChoiceTree, p: Any, size: Any = None) -> Any:
    if _numpy().ndim(p):
        shape = _shape_of(size, p)
        chances = iter(_numpy().broadcast_to(p, shape).flat)
        return _sized(tree, shape, lambda: _geometric(tree, next(chances)))
    chance = _probability(tree, p, "geometric")
    if chance == 0:
        raise ValueError("p <= 0, p > 1 or p contains NaNs")
    tree.draws.add("numpy.random.geometric")

    weights = _geometric_weights(chance, tree.smallest)
    if len(weights) > _MOST:
        tree.refuse(RealRandomness(f"'{tree.name}': geometric with p={p} has too many likely values.", value=p))
    return _sized(tree, size, lambda: _count(tree, 1, weights))


def _poisson(tree: ChoiceTree, lam: Any = 1.0, size: Any = None) -> Any:
    if _numpy().ndim(lam):
        shape = _shape_of(size, lam)
        means = iter(_numpy().broadcast_to(lam, shape).flat)
        return _sized(tree, shape, lambda: _poisson(tree, next(means)))
    mean = exactly(lam)
    if mean is None or mean < 0:
        raise ValueError("lam < 0 or lam is NaN")
    tree.draws.add("numpy.random.poisson")
    weights = _poisson_weights(mean, tree.smallest) if mean < _MOST else ()
    if not 0 < len(weights) <= _MOST:
        tree.refuse(RealRandomness(f"'{tree.name}': poisson with lam={lam} has too many likely values.", value=lam))
    return _sized(tree, size, lambda: _count(tree, 0, weights))


@functools.lru_cache(maxsize=64)
def _poisson_weights(mean: Fraction, smallest: float) -> tuple[Any, ...]:
    """Return the probabilities of 0, 1, 2, ..., and as the last one that of all larger numbers."""
    if not mean:
        return Fraction(1), Fraction(0)
    weights: list[Any] = [exp(-mean)]
    while len(weights) < mean or float(weights[-1]) > smallest / 4:
        weights.append(weights[-1] * mean / len(weights))
    return (*weights, 1 - sum(weights[1:], start=weights[0]))


def _negative_binomial(tree: ChoiceTree, n: Any, p: Any, size: Any = None) -> Any:
    if int(n) != n or n < 1:
        tree.refuse(RealRandomness(f"'{tree.name}': negative_binomial needs a whole number n; got {n}.", value=n))
    return _sized(tree, size, lambda: sum((_geometric(tree, p) for _ in range(int(n))), start=-int(n)))


def _hypergeometric(tree: ChoiceTree, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Any:
    good, bad, drawn = int(ngood), int(nbad), int(nsample)
    if min(good, bad, drawn) < 0 or drawn > good + bad:
        raise ValueError("ngood + nbad < nsample")
    tree.draws.add("numpy.random.hypergeometric")
    low, high = max(0, drawn - bad), min(good, drawn)
    if high - low > _MOST:
        tree.refuse(RealRandomness(f"'{tree.name}': hypergeometric has more than {_MOST} values.", value=high - low))
    whole = math.comb(good + bad, drawn)
    weights = [Fraction(math.comb(good, k) * math.comb(bad, drawn - k), whole) for k in range(low, high + 1)]
    return _sized(tree, size, lambda: _count(tree, low, (*weights, Fraction(0))))


@functools.lru_cache(maxsize=64)
def _geometric_weights(chance: Fraction, smallest: float) -> tuple[Fraction, ...]:
    """Return the probabilities of 1, 2, ..., and as the last one that of all larger numbers."""
    weights, rest, least = [chance], 1 - chance, Fraction(smallest)
    while rest > least and len(weights) <= _MOST:
        weights.append(chance * rest)
        rest *= 1 - chance
    return (*weights, rest)


def _multinomial(tree: ChoiceTree, n: Any, pvals: Any, size: Any = None) -> Any:
    np = _numpy()
    _require_ideal(tree, "numpy.random.multinomial")
    weights = list(pvals)

    def one() -> Any:
        counts = np.zeros(len(weights), dtype=np.int64)
        for _ in range(int(n)):
            counts[by_weights(tree, weights, "numpy.random.multinomial", 1)] += 1
        return counts

    if size is None:
        return one()
    shape = _shape_of(size)
    return np.array([one() for _ in range(math.prod(shape))]).reshape((*shape, len(weights)))


def _shuffle(tree: ChoiceTree, x: Any, axis: int = 0) -> None:
    np = _numpy()
    if isinstance(x, np.ndarray):
        x = np.swapaxes(x, 0, axis)  # a view, so that the array itself is shuffled
    elif axis != 0:
        raise NotImplementedError("Axis argument is only supported on ndarray objects")
    for i in reversed(range(1, len(x))):
        j = int(whole(tree, i + 1, "numpy.random.shuffle"))
        if isinstance(x, np.ndarray):
            x[[i, j]] = x[[j, i]]
        else:
            x[i], x[j] = x[j], x[i]


def _permutation(tree: ChoiceTree, x: Any, axis: int = 0) -> Any:
    np = _numpy()
    items = np.arange(x) if isinstance(x, (int, np.integer)) else np.array(x)
    _shuffle(tree, items, axis)
    return items


def _permuted(tree: ChoiceTree, x: Any, axis: int | None = None, out: Any = None) -> Any:
    """Shuffle all items of an array, or each line along an axis by itself."""
    np = _numpy()
    items = np.array(x)
    lines = items.reshape(1, -1) if axis is None else np.moveaxis(items, axis, -1)
    for place in np.ndindex(lines.shape[:-1]):
        _shuffle(tree, lines[place])
    if out is None:
        return items
    out[...] = items
    return out


def _bytes(tree: ChoiceTree, length: int) -> Any:
    return bytes(int(whole(tree, 256, "numpy.random.bytes")) for _ in range(length))


def _noise(tree: ChoiceTree, one: Callable[[Any, Any], Any], loc: Any, scale: Any, size: Any) -> Any:
    """Return draws of continuous noise; centres and scales may be arrays, as NumPy broadcasts them."""
    np = _numpy()
    if np.ndim(loc) == 0 and np.ndim(scale) == 0:
        return _sized(tree, size, lambda: one(loc, scale))
    shape = None if size is None else tuple(np.atleast_1d(size))
    centers, scales = np.broadcast_arrays(np.asarray(loc, dtype=object), np.asarray(scale, dtype=object))
    if shape is not None:
        centers, scales = np.broadcast_to(centers, shape), np.broadcast_to(scales, shape)
    made = [one(center, width) for center, width in zip(centers.flat, scales.flat, strict=True)]
    return held_array(made, centers.shape)


def _laplace(tree: ChoiceTree, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    def one(center: Any, width: Any) -> Any:
        return lazy_noise(tree, "laplace", center, width, "numpy.random.laplace")

    return _noise(tree, one, loc, scale, size)


def _exponential(tree: ChoiceTree, scale: Any = 1.0, size: Any = None) -> Any:
    def one(center: Any, width: Any) -> Any:
        return lazy_noise(tree, "exponential", center, width, "numpy.random.exponential")

    return _noise(tree, one, 0.0, scale, size)


def _gumbel(tree: ChoiceTree, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    name = "numpy.random.gumbel"
    tree.draws.add(name)
    if tree.machine:
        tree.refuse(RealRandomness(f"'{tree.name}' draws with {name}, which is followed with ideal randomness only."))

    def one(center: Any, width: Any) -> Any:
        if not width > 0:
            raise ValueError("scale < 0")
        return center + width * lazy_gumbel(tree)

    return _noise(tree, one, loc, scale, size)


def _standard_exponential(
    tree: ChoiceTree, size: Any = None, dtype: Any = None, method: Any = None, out: Any = None
) -> Any:
    _require_new(tree, out)
    return _exponential(tree, 1.0, size)


_COMMON: dict[str, Callable[..., Any]] = {
    "random": _random,
    "uniform": _uniform,
    "choice": _choice,
    "binomial": _binomial,
    "geometric": _geometric,
    "gumbel": _gumbel,
    "hypergeometric": _hypergeometric,
    "negative_binomial": _negative_binomial,
    "poisson": _poisson,
    "multinomial": _multinomial,
    "laplace": _laplace,
    "exponential": _exponential,
    "standard_exponential": _standard_exponential,
    "shuffle": _shuffle,
    "permutation": _permutation,
    "bytes": _bytes,
}
_GENERATOR: dict[str, Callable[..., Any]] = {
    **_COMMON,
    "integers": _integers,
    "permuted": _permuted,
    "uniform": _uniform_upwards,
}
_STATE: dict[str, Callable[..., Any]] = {
    **_COMMON,
    "random_sample": _random,
    "ranf": _random,
    "sample": _random,
    "rand": _rand,
    "randint": _randint,
    "seed": ignored_seed,
    "random_integers": lambda tree, low, high=None, size=None: _integers(
        tree, 1 if high is None else low, low if high is None else high, size, endpoint=True
    ),
    "tomaxint": lambda tree, size=None: _integers(tree, 0, 2**63 - 1, size),
}
