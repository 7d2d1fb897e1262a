"""Every question by every method, compared with sums over the runs of plain Python."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tests.oracle.generator import GeneratedProgram, loaded
from tests.oracle.judge import TooMany, Verdict, plain_distribution

from taut import INFINITY, ImpossibleEvidence, InvalidInput, Model, NoNeighbors, TautError
from taut.synthesis import Solver, auto
from taut.synthesis.decompose import Decomposition
from taut.synthesis.hubs import ByHubs, Postprocessing

__all__ = ["FIRST", "METHODS", "Truth", "asked_first", "judge_questions"]

METHODS = ("auto", "exhaustive", "search", "restricted")
FIRST: Mapping[str, type[Solver]] = {
    "auto, first decomposition": Decomposition,
    "auto, first post-processing": Postprocessing,
    "auto, first hubs": ByHubs,
}
"""Method 'auto' as where there are too many cases to look at, and where a solver that needs no channel comes first."""
RATIOS = (Fraction(1), Fraction(3, 2), Fraction(4))
DELTAS = (Fraction(0), Fraction(1, 10), Fraction(1, 3))
LEVELS = (Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(1))
Row = Mapping[Any, Fraction]
Loss = frozenset[tuple[tuple[Fraction, Fraction], int]]


class Truth:
    """A mechanism as a table, and the answers to all questions by their definitions."""

    def __init__(self, rows: Mapping[Any, Row], related: Callable[[Any, Any], bool]) -> None:
        self.rows = rows
        self.pairs = [(x, other) for x in rows for other in rows if x != other and related(x, other)]
        self.losses = {pair: self._loss(*pair) for pair in self.pairs}

    def _loss(self, x: Any, other: Any) -> Loss:
        own, its = self.rows[x], self.rows[other]
        return frozenset(Counter((own.get(y, Fraction(0)), its.get(y, Fraction(0))) for y in {*own, *its}).items())

    def largest(self, measure: Callable[[Loss], Any]) -> Any:
        return max(measure(loss) for loss in set(self.losses.values()))

    def ratio(self) -> Any:
        return self.largest(lambda loss: max(p / q if q else math.inf for (p, q), _ in loss if p or q))

    def delta(self, gamma: Fraction) -> Any:
        return self.largest(lambda loss: delta_of(loss, gamma))

    def epsilon(self, delta: Fraction) -> Any:
        return self.largest(lambda loss: epsilon_of(loss, delta))

    def moment(self, order: int) -> Any:
        return self.largest(lambda loss: moment_of(loss, order))

    def error(self, alpha: Fraction) -> Any:
        """The least error of the second kind, by duality of linear programs."""
        return -self.largest(lambda loss: -least_error(loss, alpha))


def delta_of(loss: Loss, gamma: Fraction) -> Fraction:
    return sum((n * max(Fraction(0), p - gamma * q) for (p, q), n in loss), Fraction(0))


def epsilon_of(loss: Loss, delta: Fraction) -> Any:
    """The smallest gamma of at least 1 with delta_of(loss, gamma) <= delta: a line between two corners."""
    if sum((n * p for (p, q), n in loss if not q), Fraction(0)) > delta:
        return math.inf
    corners = sorted({Fraction(1), *[p / q for (p, q), _ in loss if q and p > q]})
    place = next(i for i, gamma in enumerate(corners) if delta_of(loss, gamma) <= delta)
    if place == 0:
        return corners[0]
    left, right = corners[place - 1], corners[place]
    high, low = delta_of(loss, left), delta_of(loss, right)
    return left + (high - delta) / (high - low) * (right - left)


def moment_of(loss: Loss, order: int) -> Any:
    if any(p and not q for (p, q), _ in loss):
        return math.inf
    return sum((n * p**order / q ** (order - 1) for (p, q), n in loss if p), Fraction(0))


def least_error(loss: Loss, alpha: Fraction) -> Fraction:
    """Reject the outputs of the largest q / p first, until the error of the first kind is alpha."""
    beta, left = Fraction(1), alpha
    for (p, q), n in sorted(loss, key=lambda one: one[0][1] / one[0][0] if one[0][0] else math.inf, reverse=True):
        share = Fraction(1) if not p else min(Fraction(1), left / (n * p))
        left -= share * n * p
        beta -= share * n * q
    return beta


# -- relations ---------------------------------------------------------------------------------------------------------


def entries_of(x: Any, program: GeneratedProgram) -> tuple[Any, ...]:
    parts = x if len(program.databases) > 1 else (x,)
    domains = program.databases.values()
    return tuple(v for d, part in zip(domains, parts, strict=True) for v in ((part,) if d.bare else part))


def relations_of(program: GeneratedProgram) -> dict[str, Callable[[Any, Any], bool]]:
    """The relations that suit the databases, each as a test of two inputs."""
    values = [v for domain in program.databases.values() for v in domain.values]

    def changed(x: Any, other: Any) -> list[tuple[Any, Any]]:
        pairs = zip(entries_of(x, program), entries_of(other, program), strict=True)
        return [(v, w) for v, w in pairs if v != w]

    def close(pairs: list[tuple[Any, Any]]) -> bool:
        return all(abs(v - w) <= 1 for v, w in pairs)

    found: dict[str, Callable[[Any, Any], bool]] = {"one_differ": lambda x, other: len(changed(x, other)) == 1}
    if not any(isinstance(v, str) or v is None for v in values):
        found["one_step"] = lambda x, other: len(changed(x, other)) == 1 and close(changed(x, other))
        found["all_step"] = lambda x, other: close(changed(x, other))
    if all(None in domain.values for domain in program.databases.values()):
        found["add_remove"] = lambda x, other: len(changed(x, other)) == 1 and None in changed(x, other)[0]
    return found


# -- what taut says ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def asked_first(method: str) -> Iterator[str]:
    """The name under which a method is asked for, with the solver that comes first in place of those before it."""
    before = {name: getattr(auto, name) for name in ("_BY_CELLS", "_BY_RELEASE")}
    if method in FIRST:
        first = (replace(before["_BY_CELLS"][0], solver=FIRST[method], least=0, entrywise=False),)
        released = FIRST[method] is Postprocessing  # which may give an interval, and then asks others
        auto._BY_CELLS, auto._BY_RELEASE = ((), first) if released else (first, ())
    try:
        yield "auto" if method in FIRST else method
    finally:
        for name, attempts in before.items():
            setattr(auto, name, attempts)


def judge_questions(program: GeneratedProgram, methods: tuple[str, ...] = (*METHODS, *FIRST)) -> Verdict:
    """Ask everything; 'wrong' if an answer is not what the definition gives, or its witness does not attain it."""
    with loaded(program) as case:
        try:
            rows = {x: plain_distribution(case.mechanism, arguments) for x, arguments in case.inputs()}
        except TooMany:
            return Verdict("skipped", "too many runs")
        except Exception as problem:
            return Verdict("fails", repr(problem))
        try:
            model = case.mechanism(**case.databases, **case.parameters)
            found = {x: model.distribution(x) for x in rows if rows[x] is not None}
        except TautError as problem:
            return Verdict("refused", f"{type(problem).__name__}: {problem}")
        if any(row is None for row in rows.values()):
            return _impossible(model, methods)
        if found != rows:
            return Verdict("wrong", f"distribution: {found}, not {rows}")
        wrong = [*_pairs(program, model, rows, methods), *_distances(model, rows, methods)]
        return Verdict("wrong", "\n".join(wrong)) if wrong else Verdict("right")


def _impossible(model: Model, methods: tuple[str, ...]) -> Verdict:
    """An input at which the evidence is impossible has no distribution, so that no question has an answer."""
    for method in methods:
        with asked_first(method) as name:
            for ask in (
                lambda name=name: model.privacy(method=name),
                lambda name=name: model.delta(ratio=1, method=name),
                lambda name=name: model.profile(method=name),
                lambda name=name: model.accuracy(lambda *databases: 0, 0, distance=_unequal, method=name),
            ):
                try:
                    answer = ask()
                except (ImpossibleEvidence, NoNeighbors):
                    continue
                except InvalidInput as problem:
                    if _serves(name, problem):
                        raise
                    continue
                return Verdict("wrong", f"{method}: {answer}, though evidence is impossible somewhere")
    return Verdict("right")


def _serves(method: str, problem: TautError) -> bool:
    """True unless this says that a method does not serve a question, and names others."""
    return method == "auto" or not str(problem).startswith(f"method='{method}'")


def _unequal(y: Any, wanted: Any) -> Any:
    return 0 if y == wanted else 1


def _pairs(program: GeneratedProgram, model: Model, rows: Mapping[Any, Row], methods: tuple[str, ...]) -> Iterator[str]:
    for relation, related in relations_of(program).items():
        truth = Truth(rows, related)
        for method in methods:
            with asked_first(method) as name:
                how = {"neighbors": relation, "method": name}
                for what, ask in _questions(model, how, truth).items():
                    try:
                        answer = list(ask())
                    except NoNeighbors:
                        if truth.pairs:
                            yield f"{relation} {method} {what}: said to have no neighbours"
                        continue
                    except TautError as problem:
                        if _serves(name, problem):
                            yield f"{relation} {method} {what}: {type(problem).__name__}: {problem}"
                        continue
                    if not truth.pairs:
                        yield f"{relation} {method} {what}: {answer}, though there are no neighbours"
                    for got, expected in answer:
                        if got != expected:
                            yield f"{relation} {method} {what}: {got}, not {expected}"


def _questions(model: Model, how: dict[str, Any], truth: Truth) -> dict[str, Callable[[], Iterator[tuple[Any, Any]]]]:
    """What is asked, as pairs of what taut says and what is true."""

    def value(bound: Any, field: str, expected: Any) -> Iterator[tuple[Any, Any]]:
        got = getattr(bound, field)
        yield got, INFINITY if expected == math.inf else expected
        yield bound.exact, True
        yield bool(bound.verify()), True
        yield (bound.witness.x, bound.witness.x_prime) in truth.losses, True

    def privacy() -> Iterator[tuple[Any, Any]]:
        bound = model.privacy(**how)
        yield from value(bound, "max_ratio", truth.ratio())
        witness = bound.witness
        own, other = (truth.rows[x].get(witness.y, Fraction(0)) for x in (witness.x, witness.x_prime))
        yield (own / other if other else math.inf), truth.ratio()
        if bound.count is not None:
            cells = [n for loss in truth.losses.values() for (p, q), n in loss if _quotient(p, q) == truth.ratio()]
            yield bound.count, sum(cells)

    def delta(gamma: Fraction) -> Iterator[tuple[Any, Any]]:
        bound = model.delta(ratio=gamma, **how)
        yield from value(bound, "delta", truth.delta(gamma))
        yield delta_of(truth.losses[bound.witness.x, bound.witness.x_prime], gamma), truth.delta(gamma)
        if bound.count is not None:
            yield bound.count, sum(delta_of(loss, gamma) == truth.delta(gamma) for loss in truth.losses.values())

    def epsilon(share: Fraction) -> Iterator[tuple[Any, Any]]:
        bound = model.epsilon(share, **how)
        yield from value(bound, "max_ratio", truth.epsilon(share))
        yield epsilon_of(truth.losses[bound.witness.x, bound.witness.x_prime], share), truth.epsilon(share)

    def renyi(order: int) -> Iterator[tuple[Any, Any]]:
        bound = model.renyi(order, **how)
        yield from value(bound, "moment", truth.moment(order))
        yield moment_of(truth.losses[bound.witness.x, bound.witness.x_prime], order), truth.moment(order)

    def profile() -> Iterator[tuple[Any, Any]]:
        curve = model.profile(**how)
        yield (curve.exact, bool(curve.verify())), (True, True)
        for gamma in (*RATIOS, Fraction(9, 8), Fraction(100)):
            yield curve.delta(ratio=gamma), truth.delta(gamma)
        for corner, height in curve.corners:
            yield height, truth.delta(corner)
        ratio = truth.ratio()
        if ratio != math.inf and curve.corners:
            yield curve.delta(ratio=ratio), 0

    def tradeoff() -> Iterator[tuple[Any, Any]]:
        curve = model.tradeoff(**how)
        yield (curve.exact, bool(curve.verify())), (True, True)
        for alpha in LEVELS:
            yield curve(alpha), truth.error(alpha)

    def zcdp() -> Iterator[tuple[Any, Any]]:
        bound = model.zcdp(**how)
        if truth.ratio() == math.inf:
            yield bound.upper, INFINITY
            return
        for order in (2, 3, 8):
            moment = truth.moment(order)
            divergence = (math.log(moment.numerator) - math.log(moment.denominator)) / (order - 1)
            yield divergence / order <= float(bound.upper) + 1e-9, True
        yield float(bound.lower) <= math.log(truth.ratio()) ** 2 / 2 + 1e-9, True

    return {
        "privacy": privacy,
        **{f"delta {gamma}": lambda gamma=gamma: delta(gamma) for gamma in RATIOS},
        **{f"epsilon {share}": lambda share=share: epsilon(share) for share in DELTAS},
        "renyi 2": lambda: renyi(2),
        "renyi 3": lambda: renyi(3),
        "profile": profile,
        "tradeoff": tradeoff,
        "zcdp": zcdp,
    }


def _quotient(p: Fraction, q: Fraction) -> Any:
    if q:
        return p / q
    return math.inf if p else None


def _distances(model: Model, rows: Mapping[Any, Row], methods: tuple[str, ...]) -> Iterator[str]:
    """Accuracy and error: of outputs that are numbers by their difference, of others by whether they are right."""
    outputs = sorted({y for row in rows.values() for y in row}, key=repr)
    numbers = all(isinstance(y, int | Fraction) for y in outputs)
    wanted = {x: outputs[(3 * place + 1) % len(outputs)] for place, x in enumerate(rows)}
    distance = None if numbers else _unequal

    def away(x: Any, y: Any) -> Any:
        return abs(y - wanted[x]) if numbers else int(y != wanted[x])

    def mass(x: Any, most: Any) -> Fraction:
        return sum((p for y, p in rows[x].items() if away(x, y) <= most), Fraction(0))

    def mean(x: Any, order: int) -> Fraction:
        return sum((p * away(x, y) ** order for y, p in rows[x].items()), Fraction(0))

    def quantile(x: Any, share: Fraction) -> Any:
        return min(most for most in {away(x, y) for y in rows[x]} if mass(x, most) >= share)

    for method in methods:
        with asked_first(method) as name:
            asked: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], Any]] = {}
            for best in (False, True):
                for alpha in (0, 1):
                    asked[f"accuracy {alpha} {best}"] = (
                        lambda alpha=alpha, best=best: model.accuracy(
                            wanted, alpha, distance=distance, best=best, method=name
                        ),
                        lambda x, alpha=alpha: mass(x, alpha),
                        max if best else min,
                    )
            error = model.error(wanted, distance=distance, method=name)
            asked["mean"] = lambda error=error: error.mean, lambda x: mean(x, 1), max
            asked["mean square"] = lambda error=error: error.mean_square, lambda x: mean(x, 2), max
            asked["variance"] = lambda error=error: error.variance, lambda x: mean(x, 2) - mean(x, 1) ** 2, max
            for share in (Fraction(1, 2), Fraction(9, 10), Fraction(1)):
                asked[f"quantile {share}"] = (
                    lambda error=error, share=share: error.quantile(share),
                    lambda x, share=share: quantile(x, share),
                    max,
                )
            for what, (ask, define, choose) in asked.items():
                try:
                    bound = ask()
                except TautError as problem:
                    if _serves(name, problem):
                        yield f"{method} {what}: {type(problem).__name__}: {problem}"
                    continue
                got = bound.probability if what.startswith("accuracy") else bound.value
                expected = choose(define(x) for x in rows)
                if got != expected or define(bound.witness.x) != expected or not bound.verify():
                    yield f"{method} {what}: {got} at {bound.witness}, not {expected}"
