"""Errors are those of brute force: the largest mean, variance, moments and quantiles, each at its witness."""

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest
from tests.corpus.case import Case
from tests.synthesis.brute import Table, table_of
from tests.synthesis.corpus import NUMERIC

from taut import (
    Ball,
    ImpossibleEvidence,
    InvalidInput,
    InvalidNumber,
    Model,
    OutOfTime,
    bits,
    exp,
    flip,
    integer,
    ints,
    mechanism,
    observe,
)
from taut.mechanisms import randomized_response, rr_count
from taut.questions.error import ErrorBound, _Distances

Target = Callable[[Any], Any] | Mapping[Any, Any]
Distance = Callable[[Any, Any], Any] | None
SHARES = ("1/2", "0.9", 1)


def distances(table: Table, x: Any, target: Target, distance: Distance) -> dict[Any, Fraction]:
    """The distribution of the distance on one input, from that of the output."""
    wanted = target[x] if isinstance(target, Mapping) else target(x)
    found: dict[Any, Fraction] = {}
    for y, mass in table.rows[x].items():
        far = abs(y - wanted) if distance is None else distance(y, wanted)
        found[far] = found.get(far, Fraction(0)) + mass
    return found


def moment(row: Mapping[Any, Fraction], order: int) -> Fraction:
    return sum((mass * Fraction(far) ** order for far, mass in row.items()), start=Fraction(0))


def quantile(row: Mapping[Any, Fraction], share: Fraction) -> Fraction:
    return Fraction(
        min(far for far in row if sum((mass for other, mass in row.items() if other <= far), Fraction(0)) >= share)
    )


def check_one(bound: ErrorBound, rows: Mapping[Any, Any], statistic: Callable[[Any], Fraction]) -> None:
    values = {x: statistic(row) for x, row in rows.items()}
    assert bound.exact and bound.value == max(values.values())
    assert values[bound.witness.x] == bound.value
    assert bound.count is None or bound.count == list(values.values()).count(bound.value)
    assert bound.verify(), bound


def check(model: Model, table: Table, target: Target, distance: Distance = None, method: str = "auto") -> None:
    rows = {x: distances(table, x, target, distance) for x in table.rows}
    error = model.error(target, distance=distance, method=method)
    check_one(error.mean, rows, lambda row: moment(row, 1))
    check_one(error.mean_square, rows, lambda row: moment(row, 2))
    check_one(error.moment(3), rows, lambda row: moment(row, 3))
    if method != "search":
        check_one(error.variance, rows, lambda row: moment(row, 2) - moment(row, 1) ** 2)
    for share in SHARES:
        check_one(error.quantile(share), rows, lambda row, share=share: quantile(row, Fraction(share)))  # type: ignore[misc]


def summable(case: Case) -> bool:
    """Return True for one list of numbers."""
    domains = list(case.databases.values())
    return len(domains) == 1 and not domains[0].bare and all(isinstance(v, int | Fraction) for v in domains[0].values)


SUMMABLE = [case for case in NUMERIC if summable(case)]


@pytest.mark.parametrize("case", SUMMABLE, ids=lambda case: case.name)
def test_numbers_against_the_sum_of_the_entries(case: Case) -> None:
    check(case.model(), table_of(case), sum)


@pytest.mark.parametrize("case", NUMERIC[::4], ids=lambda case: case.name)
def test_numbers_against_a_mapping(case: Case) -> None:
    table = table_of(case)
    outputs = sorted(table.outputs)  # type: ignore[type-var]
    check(case.model(), table, {x: outputs[7 * place % len(outputs)] for place, x in enumerate(table.rows)})


@pytest.mark.parametrize("method", ["exhaustive", "search", "restricted"])
@pytest.mark.parametrize("case", SUMMABLE[1::4], ids=lambda case: case.name)
def test_every_method_says_the_same(case: Case, method: str) -> None:
    check(case.model(), table_of(case), sum, method=method)


RESPONSE = Case("rr 3 for errors", randomized_response, {"x": bits(3)}, {"lam": "1/5"})
COUNT = Case("rr_count 3 for errors", rr_count, {"x": bits(3)}, {"lam": "1/5"})


def hamming(y: Any, wanted: Any) -> Any:
    return sum([a != b for a, b in zip(y, wanted, strict=True)])


@pytest.mark.parametrize("method", ["exhaustive", "search", "restricted"])
def test_vectors_by_a_distance_of_their_own(method: str) -> None:
    check(RESPONSE.model(), table_of(RESPONSE), lambda x: x, hamming, method)


@pytest.mark.parametrize("method", ["exhaustive", "search", "restricted"])
def test_signed_distances_give_the_bias(method: str) -> None:
    """A distance may be negative; its square is not monotone then."""
    check(COUNT.model(), table_of(COUNT), sum, lambda y, wanted: y - wanted, method)
    check(COUNT.model(), table_of(COUNT), sum, lambda y, wanted: Fraction(wanted - y, 3), method)


def test_distances_that_are_booleans_or_always_the_same() -> None:
    check(COUNT.model(), table_of(COUNT), sum, lambda y, wanted: y != wanted)
    check(COUNT.model(), table_of(COUNT), sum, lambda y, wanted: 5)
    check(COUNT.model(), table_of(COUNT), lambda x: 0, lambda y, wanted: y * 0)


@mechanism
def checked_count(x: Any) -> Any:
    noise = flip("1/3")
    total = sum(x) + noise
    observe(total != 2)
    return total


@pytest.mark.parametrize("method", ["exhaustive", "search", "restricted"])
def test_evidence(method: str) -> None:
    case = Case("checked_count", checked_count, {"x": ints(2, 0, 2)})
    check(case.model(), table_of(case), sum, method=method)


@pytest.mark.parametrize("method", ["auto", "exhaustive", "search", "restricted"])
def test_impossible_evidence_is_refused(method: str) -> None:
    @mechanism
    def never(x: Any) -> Any:
        observe(flip("1/2") and x[0] == 0)
        return x[0]

    error = never(bits(1)).error(sum, method=method)
    asks = [lambda: error.mean, lambda: error.quantile("1/2")]
    for ask in asks if method == "search" else [*asks, lambda: error.variance]:
        with pytest.raises(ImpossibleEvidence):
            ask()


def test_a_single_number_as_the_database() -> None:
    @mechanism
    def shifted(x: Any) -> Any:
        return x + (2 if flip("1/4") else 0)

    case = Case("shifted for errors", shifted, {"x": integer(-2, 2)})
    check(case.model(), table_of(case), lambda x: abs(x))


def test_balls() -> None:
    @mechanism
    def noisy(x: Any) -> Any:
        return sum(bit ^ flip(exp("-2")) for bit in x)

    error = noisy(bits(3)).error(sum)
    for bound in (error.mean, error.mean_square, error.variance):
        assert isinstance(bound.value, Ball) and bound.verify()
    assert abs(float(error.mean.value) - 3 * 0.1353352832366127) < 1e-12
    assert error.quantile("0.9").value == 1 and error.quantile("0.9").verify()


def test_refusals() -> None:
    error = rr_count(bits(2), lam="1/5").error(sum)
    for share in (0, -1, "3/2", exp("-1")):
        with pytest.raises(InvalidInput, match="above 0 and up to 1"):
            error.quantile(share)
    with pytest.raises(InvalidNumber):
        error.quantile("many")
    for order in (0, -1, True, 1.5):
        with pytest.raises(InvalidInput, match="order of a moment"):
            error.moment(order)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="Leave method out"):
        rr_count(bits(2), lam="1/5").error(sum, method="search").variance  # noqa: B018
    with pytest.raises(InvalidInput, match="there are auto"):
        rr_count(bits(2), lam="1/5").error(sum, method="guess")
    with pytest.raises(InvalidInput, match="must return a number; it returns a list of 2"):
        randomized_response(bits(2), lam="1/5").error(lambda x: x, distance=lambda y, wanted: y).mean  # noqa: B018


def test_results_for_people_and_for_machines() -> None:
    error = rr_count(bits(8), lam="1/5").error(sum)
    assert str(error.mean) == (
        "mean of the distance = 8/5 = 1.6 exactly, at x=(0, 0, 0, 0, 0, 0, 0, 0); found by enumeration"
    )
    record = json.loads(json.dumps(error.quantile("0.95").to_dict()))
    assert (record["statistic"], record["value"], record["exact"]) == ("quantile 19/20", "4", True)
    assert record["witness"] == {"x": [0] * 8} and float(error.variance) == 1.28


def test_the_variance_of_the_output_itself() -> None:
    error = rr_count(bits(5), lam="1/5").error(sum, distance=lambda y, wanted: y)
    assert error.variance.value == 5 * Fraction(4, 25) and error.variance.count == 32


@pytest.mark.parametrize("answers", range(6))
@pytest.mark.parametrize("method", ["auto", "exhaustive", "search", "restricted"])
def test_a_quantile_that_runs_out_of_time_asks_no_more(
    method: str, answers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    @mechanism
    def count(x: Any) -> Any:
        return sum(bit ^ flip("2/5") for bit in x)

    case = Case("count for a late quantile", count, {"x": bits(6)})
    table = table_of(case)
    values = {x: quantile(distances(table, x, sum, None), Fraction(3, 4)) for x in table.rows}
    asked: list[Any] = []
    whole = _Distances._within

    def counted(self: _Distances, alpha: Any, how: Any) -> Any:
        asked.append(alpha)
        return whole(self, alpha, how)

    monkeypatch.setattr(_Distances, "_within", counted)
    monkeypatch.setattr("taut.questions.error.exceeded", lambda: OutOfTime("late") if len(asked) >= answers else None)
    bound = case.model().error(sum, method=method).quantile("3/4")
    assert len(asked) <= max(1, answers)
    assert bound.lower <= max(values.values()) <= bound.upper
    assert values[bound.witness.x] >= bound.lower
    assert bound.exact or answers < 4
