"""Every question that has a witness, and the same questions answered by plain sums over tables of probabilities."""

import random
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from tests.questions import brute

from taut import INFINITY, Model, bits, discrete, ints, measures, mechanism
from taut.program import enumerate_outcomes
from taut.questions.accuracy import AccuracyBound
from taut.questions.delta import DeltaBound
from taut.questions.epsilon import EpsilonBound
from taut.questions.error import ErrorBound
from taut.questions.pair_measure import DivergenceBound
from taut.questions.privacy import PrivacyBound
from taut.questions.privacy_profile import PrivacyProfile
from taut.questions.renyi import RenyiBound
from taut.questions.tradeoff import TradeoffCurve

__all__ = ["METHODS", "QUESTIONS", "RELATIONS", "Rows", "claims", "random_model", "related_pairs", "rows_of"]

METHODS = ("auto", "exhaustive", "search", "restricted")
Rows = Mapping[Any, brute.Row]
"""The distribution of the output on every input."""
Pairs = list[tuple[Any, Any]]


@mechanism
def two_entries(x: Any, table: Any) -> Any:
    return discrete(table[x[0]][x[1]])


def random_model(seed: int) -> Model:
    """A mechanism with a random table of few different probabilities, zeros among them, so that there are ties."""
    draw = random.Random(seed)
    most = draw.choice([1, 1, 2])
    outputs = draw.choice([2, 3])
    weights = draw.choice([(0, 1, 1, 2, 3), (1, 1, 2, 3)])

    def row() -> list[Fraction]:
        drawn = [draw.choice(weights) for _ in range(outputs)]
        return [Fraction(weight, sum(drawn)) for weight in drawn] if any(drawn) else row()

    table = [[row() for _ in range(most + 1)] for _ in range(most + 1)]
    model: Model = two_entries(bits(2) if most == 1 else ints(2, 0, most), table=table)
    return model


def rows_of(model: Model) -> Rows:
    """All distributions by plain enumeration."""
    return {x: enumerate_outcomes(model.program, x) for x in model.domain}


def near(output: Any, wanted: Any) -> Any:
    return 0 if output == wanted else 1


def first(x: Any) -> Any:
    return x[0]


QUESTIONS: dict[str, Callable[[Model, str, Any], Any]] = {
    "privacy": lambda model, method, related: model.privacy(related, method=method),
    "delta": lambda model, method, related: model.delta(ratio="3/2", neighbors=related, method=method),
    "total": lambda model, method, related: model.delta(ratio=1, neighbors=related, method=method),
    "epsilon 0": lambda model, method, related: model.epsilon(0, neighbors=related, method=method),
    "epsilon": lambda model, method, related: model.epsilon("1/10", neighbors=related, method=method),
    "epsilon 1": lambda model, method, related: model.epsilon(1, neighbors=related, method=method),
    "profile": lambda model, method, related: model.profile(related, method=method),
    "renyi": lambda model, method, related: model.renyi(2, neighbors=related, method=method),
    "renyi 7/2": lambda model, method, related: model.renyi("7/2", neighbors=related, method=method),
    "zcdp": lambda model, method, related: model.zcdp(related, method=method),
    "tradeoff": lambda model, method, related: model.tradeoff(related, method=method),
    "chi squared": lambda model, method, related: model.divergence(
        measures.ChiSquared(), neighbors=related, method=method
    ),
    "hellinger": lambda model, method, related: model.divergence(
        measures.SquaredHellinger(), neighbors=related, method=method
    ),
    "kl": lambda model, method, related: model.divergence(measures.KullbackLeibler(), neighbors=related, method=method),
    "accuracy": lambda model, method, related: model.accuracy(first, 0, distance=near, method=method),
    "mean": lambda model, method, related: model.error(first, distance=near, method=method).mean,
    "mean square": lambda model, method, related: model.error(first, distance=near, method=method).mean_square,
    "variance": lambda model, method, related: model.error(first, distance=near, method=method).variance,
    "quantile": lambda model, method, related: model.error(first, distance=near, method=method).quantile("2/3"),
}


def _upwards(x: Any, z: Any) -> bool:
    return sum(x) < sum(z)


RELATIONS: dict[str, Any] = {
    "one_differ": "one_differ",
    "predicate": _upwards,
    "listed": [((0, 0), (1, 1)), ((0, 1), (1, 0)), ((1, 1), (0, 1))],
}
_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "one_differ": lambda x, z: sum(a != b for a, b in zip(x, z, strict=True)) == 1,
    "predicate": _upwards,
    "listed": lambda x, z: (x, z) in RELATIONS["listed"],
}


def related_pairs(relation: str, rows: Rows) -> Pairs:
    """All ordered pairs that a relation has."""
    return [(x, z) for x in rows for z in rows if _HOLDS[relation](x, z)]


def claims(bound: Any, rows: Rows, pairs: Pairs) -> Iterator[tuple[Any, Any, Any]]:
    """Numbers that a bound claims, what its witness attains by plain sums, and the worst over all cases."""
    if isinstance(bound, PrivacyProfile):
        places = {Fraction(1), Fraction(5), *[place for piece in bound.pieces for place in (piece.low, piece.high)]}
        for ratio in sorted(places - {INFINITY}):
            worst = max(brute.delta(_outputs(pair, rows), ratio) for pair in pairs)
            for piece in bound.pieces:
                if piece.low <= ratio <= piece.high:
                    own = brute.delta(_outputs(_pair(piece.witness), rows), ratio)
                    yield piece.mass - ratio * piece.mass_prime, own, worst
                    yield bound.delta(ratio=ratio), own, worst
    elif isinstance(bound, TradeoffCurve):
        for alpha in (Fraction(place, 12) for place in range(13)):
            worst = min(brute.least_error(_outputs(pair, rows), alpha) for pair in pairs)
            yield bound(alpha), brute.least_error(_outputs(_pair(bound.worst(alpha)), rows), alpha), worst
    elif isinstance(bound, PrivacyBound):
        triples = [(x, z, y) for x, z in pairs for y in rows[x] if rows[x][y]]
        witness = (bound.witness.x, bound.witness.x_prime, bound.witness.y)
        yield bound.max_ratio, _quotient(witness, rows), max(_quotient(triple, rows) for triple in triples)
    elif isinstance(bound, (AccuracyBound, ErrorBound)):
        choose = min if isinstance(bound, AccuracyBound) else max
        worst = choose(_statistic(bound, x, rows) for x in rows)
        yield bound.attained, _statistic(bound, bound.witness.x, rows), worst
    else:
        evaluate = _of_pair(bound)
        if evaluate is not None:
            worst = max(evaluate(_outputs(pair, rows)) for pair in pairs)
            yield bound.attained, evaluate(_outputs(_pair(bound.witness), rows)), worst
        if isinstance(bound, DeltaBound):
            own, other = (_mass(bound.witness.event, rows[x]) for x in _pair(bound.witness))
            yield bound.delta, own - bound.ratio * other, bound.attained


def _of_pair(bound: Any) -> Callable[[brute.Outputs], Any] | None:
    """The number of one pair, where it is rational."""
    if isinstance(bound, DeltaBound):
        return lambda pairs: brute.delta(pairs, bound.ratio)
    if isinstance(bound, EpsilonBound):
        return lambda pairs: _least_ratio(pairs, bound.delta)
    if isinstance(bound, RenyiBound) and bound.order.denominator == 1:
        return lambda pairs: brute.moment(pairs, int(bound.order))
    if isinstance(bound, DivergenceBound) and bound.measure == measures.ChiSquared().name:
        return lambda pairs: brute.moment(pairs, 2) - 1
    return None


def _pair(witness: Any) -> tuple[Any, Any]:
    return witness.x, witness.x_prime


def _outputs(pair: tuple[Any, Any], rows: Rows) -> brute.Outputs:
    return brute.outputs(rows[pair[0]], rows[pair[1]])


def _quotient(triple: tuple[Any, Any, Any], rows: Rows) -> Any:
    p, q = (rows[x].get(triple[2], Fraction(0)) for x in triple[:2])
    return p / q if q else INFINITY


def _mass(event: Any, row: brute.Row) -> Fraction:
    return sum((row.get(y, Fraction(0)) for y in event), Fraction(0))


def _least_ratio(pairs: brute.Outputs, delta: Fraction) -> Any:
    """The smallest ratio, at least 1, at which delta is enough: where one of the straight pieces falls to delta."""
    quotients = sorted({p / q for (p, q), _ in pairs if q} | {Fraction(1)})
    places = [Fraction(1)]
    for low in quotients:
        inside = [(p, q, count) for (p, q), count in pairs if p > low * q]
        slope = sum((count * q for p, q, count in inside), Fraction(0))
        if slope:
            places.append((sum((count * p for p, q, count in inside), Fraction(0)) - delta) / slope)
    enough = [place for place in [*places, *quotients] if place >= 1 and brute.delta(pairs, place) <= delta]
    return min(enough, default=INFINITY)


def _statistic(bound: Any, x: Any, rows: Rows) -> Fraction:
    """A statistic of the distance, which is 0 or 1."""
    miss = sum((mass for y, mass in rows[x].items() if y != first(x)), Fraction(0))
    if isinstance(bound, AccuracyBound):
        return 1 - miss
    if bound.statistic == "variance":
        return miss * (1 - miss)
    if bound.statistic.startswith("quantile"):
        return Fraction(0) if 1 - miss >= Fraction(2, 3) else Fraction(1)
    return miss
