"""Privacy bounds are those of brute force: the ratio, the number of worst triples, and the witness."""

import functools
import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus.case import Case
from tests.synthesis.brute import STEPS, Table, all_step, one_differ, one_step, table_of
from tests.synthesis.corpus import CASES
from tests.synthesis.mechanisms import merged, only_first, reports, shifted_coins, tabulated, two_entries, untruthful

import taut
from taut import (
    INFINITY,
    Ball,
    ImpossibleEvidence,
    InvalidInput,
    Model,
    NoNeighbors,
    PrivacySet,
    Witness,
    bits,
    categories,
    discrete,
    exp,
    flip,
    integer,
    ints,
    mechanism,
    observe,
)
from taut.mechanisms import above_threshold, randomized_response, rr_count
from taut.questions.privacy import LargestRatio
from taut.synthesis.sets import rr_privacy_set

ALL = 10**9
Row = Sequence[Fraction]


def model_of(case: Case) -> Model:
    found = case.model()
    assert isinstance(found, Model)
    return found


def check(model: Model, table: Table, neighbors: Any, pairs: Sequence[tuple[Any, Any]]) -> None:
    """All ratios and the bound are those of brute force, and the bound can be replayed."""
    worst, count = next(iter(check_classes(model, table, neighbors, pairs).items()))
    bound = model.privacy(neighbors, method="exhaustive")
    assert (bound.max_ratio, bound.lower, bound.upper, bound.count) == (worst, worst, worst, count)
    assert bound.exact and bound.method == "exhaustive"
    assert table.ratio(bound.witness.x, bound.witness.x_prime, bound.witness.y) == worst
    assert bound.verify()


def check_classes(model: Model, table: Table, neighbors: Any, pairs: Sequence[tuple[Any, Any]]) -> dict[Any, int]:
    """All ratios with their counts are those of brute force, and every witness attains its ratio natively."""
    expected = table.ratios(pairs)
    related = set(pairs)
    classes = model.worst_pairs(top=ALL, neighbors=neighbors)
    assert [(one.value, one.count) for one in classes] == list(expected.items())
    for one in classes:
        witness = one.witness
        assert (witness.x, witness.x_prime) in related
        assert table.ratio(witness.x, witness.x_prime, witness.y) == one.value
        assert one.value == INFINITY or isinstance(one.value, Fraction)
    return expected


def tables(cells: Sequence[Row]) -> Table:
    """The table of a mechanism that is given by its rows, with bare inputs."""
    rows = {x: {y: p for y, p in enumerate(row) if p} for x, row in enumerate(cells)}
    return Table(rows, {x: (x,) for x in rows})


# -- the corpus --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_ratio_is_that_of_brute_force(case: Case) -> None:
    table, model = table_of(case), model_of(case)
    check(model, table, "one_differ", table.pairs(one_differ))
    if table.numeric:
        for name, related in STEPS.items():
            check_classes(model, table, name, table.pairs(related))


def test_the_corpus_has_infinite_and_finite_ratios() -> None:
    ratios = [next(iter(table_of(case).ratios(table_of(case).pairs(one_differ)))) for case in CASES[::3]]
    assert sum(ratio == INFINITY for ratio in ratios) > 10 and sum(ratio != INFINITY for ratio in ratios) > 30


@pytest.mark.parametrize("case", CASES[::7], ids=lambda case: case.name)
def test_predicates_and_explicit_pairs(case: Case) -> None:
    table, model = table_of(case), model_of(case)
    number = {x: place for place, x in enumerate(table.rows)}

    def close(x: Any, x_prime: Any) -> bool:
        return number[x_prime] - number[x] in (0, 1, 3)

    pairs = [(x, other) for x in number for other in number if x != other and close(x, other)]
    check(model, table, close, pairs)
    check(model, table, pairs, pairs)


# -- relations, databases, domains -------------------------------------------------------------------------------


def test_the_contract() -> None:
    bound = randomized_response(bits(8), lam="1/5").privacy()
    assert bound.max_ratio == 4 and isinstance(bound.max_ratio, Fraction)
    assert bound.epsilon == 1.3862943611198908
    assert bound.witness == Witness(x=(0,) * 8, x_prime=(1, *(0,) * 7), y=(0,) * 8)
    assert (bound.lower, bound.upper, bound.exact) == (4, 4, True)
    assert bound.count == 8 * 2**8 * 2**8 // 2


@pytest.mark.parametrize("lam", ["1/5", "0.2", Fraction(1, 5), 0.2])
def test_the_published_bound_of_randomized_response(lam: Any) -> None:
    bound = randomized_response(bits(2), lam=lam).privacy()
    assert (bound.max_ratio, bound.witness) == (4, Witness((0, 0), (1, 0), (0, 0)))


@pytest.mark.parametrize("n", [10, 11])
def test_randomized_response_is_not_rounded(n: int) -> None:
    bound = randomized_response(bits(n), lam="1/5").privacy(method="exhaustive")
    assert bound.max_ratio == 4 and bound.count == n * 2 ** (2 * n - 1)


def test_all_steps_of_randomized_response_change_every_bit() -> None:
    bound = randomized_response(bits(5), lam="1/5").privacy("all_step")
    assert bound.max_ratio == 4**5 and bound.count == 2**5
    assert bound.witness.x == bound.witness.y == tuple(1 - bit for bit in bound.witness.x_prime)


@pytest.mark.parametrize("strict", [False, True])
def test_above_threshold_under_its_relations(strict: bool) -> None:
    arguments = {"threshold": 2, "ratio": "1/3", "high": 3, "strict": strict}
    case = Case(f"above_threshold strict={strict}", above_threshold, {"x": ints(2, 0, 3)}, arguments)
    table, model = table_of(case), model_of(case)
    for name, related in {"one_differ": one_differ, "one_step": one_step, "all_step": all_step}.items():
        check(model, table, name, table.pairs(related))


def test_one_step_is_weaker_than_one_differ_and_than_all_step() -> None:
    model = above_threshold(ints(3, 0, 3), threshold=2, ratio="1/2", high=3)
    single = model.privacy("one_step").max_ratio
    assert single < model.privacy("one_differ").max_ratio and single < model.privacy("all_step").max_ratio


def test_entries_that_do_not_matter_are_counted() -> None:
    case = Case("only_first", only_first, {"x": bits(4)}, {"lam": "1/5"})
    table = table_of(case)
    check(model_of(case), table, "one_differ", table.pairs(one_differ))
    check(model_of(case), table, "all_step", table.pairs(all_step))
    assert model_of(case).privacy().count == 2 * 8


def test_nothing_matters() -> None:
    @mechanism
    def constant(x: Any) -> Any:
        return "always"

    bound = constant(bits(3)).privacy()
    assert (bound.max_ratio, bound.count, bound.epsilon) == (1, 24, 0.0) and bound.witness.y == "always"
    assert bound.verify() and isinstance(bound.max_ratio, Fraction)


@mechanism
def pair_of_databases(value: Any, flags: Any) -> Any:
    return value + (flags[0] == "on") + flip("1/3"), flags[1] if flip("3/4") else "off"


def test_several_databases_bare_and_not() -> None:
    databases = {"value": integer(0, 2), "flags": categories(2, ["on", "off"])}
    case = Case("pair_of_databases", pair_of_databases, databases)
    table, model = table_of(case), model_of(case)
    check(model, table, "one_differ", table.pairs(one_differ))
    pairs = [((0, ("on", "off")), (2, ("off", "off"))), ((2, ("off", "off")), (0, ("on", "off")))]
    check(model, table, pairs, pairs)
    check(
        model,
        table,
        lambda x, other: x[0] < other[0] and x[1] == other[1],
        [(x, other) for x in table.rows for other in table.rows if x[0] < other[0] and x[1] == other[1]],
    )


@pytest.mark.parametrize("values", [[4, 0, 1], [0, 2, 4], [3, 2, 1, 0], [Fraction(1, 2), 0, 1, Fraction(7, 2)]])
def test_numbers_in_any_order_with_gaps(values: list[Any]) -> None:
    @mechanism
    def reported(x: Any) -> Any:
        return [v if flip("2/3") else values[0] for v in x]

    case = Case(f"reported {values}", reported, {"x": categories(2, values)})
    table, model = table_of(case), model_of(case)
    for name, related in {"one_differ": one_differ, **STEPS}.items():
        pairs = table.pairs(related)
        if pairs:
            check(model, table, name, pairs)
        else:
            with pytest.raises(NoNeighbors):
                model.privacy(name)


def test_entries_that_are_tuples() -> None:
    points = [(0, 0), (1, 1), (0, 1)]

    @mechanism
    def located(x: Any) -> Any:
        return [point if flip("2/3") else (0, 0) for point in x]

    case = Case("located", located, {"x": categories(2, points)})
    table, model = table_of(case), model_of(case)
    pairs = table.pairs(one_differ)
    check(model, table, "one_differ", pairs)
    triples = [(x, other, y) for x, other in pairs for y in table.outputs]
    bound = model.privacy(privacy_set=triples)
    assert bound.max_ratio == INFINITY and bound.verify()


@pytest.mark.parametrize("domain", [integer(3, 3), ints(2, 5, 5), categories(3, ["a"]), bits(0)])
@pytest.mark.parametrize("relation", ["one_differ", lambda x, other: True, []])
def test_without_neighbours_there_is_no_bound(domain: taut.Domain, relation: Any) -> None:
    @mechanism
    def anything(x: Any) -> Any:
        return flip("1/3")

    with pytest.raises(NoNeighbors, match="relates no two inputs of 'anything'"):
        anything(domain).privacy(relation)


def test_pairs_listed_twice_count_once() -> None:
    model = randomized_response(bits(1), lam="1/5")
    pair = ((0,), (1,))
    assert model.privacy([pair, pair]).count == model.privacy([pair]).count == 1


def test_lists_are_databases_too() -> None:
    model = randomized_response(bits(2), lam="1/5")
    assert model.privacy([([0, 0], [1, 1])]).witness == Witness((0, 0), (1, 1), (0, 0))
    assert model.privacy([([0, 0], [1, 1])]).max_ratio == 16


# -- conditioning ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3])
def test_conditioned_channels(n: int) -> None:
    case = Case(f"untruthful {n}", untruthful, {"x": bits(n)}, {"lam": "1/5"})
    table, model = table_of(case), model_of(case)
    for name, related in {"one_differ": one_differ, "all_step": all_step}.items():
        check(model, table, name, table.pairs(related))


def test_the_normaliser_depends_on_the_input() -> None:
    @mechanism
    def filtered(x: Any, keep: Any) -> Any:
        noisy = [bit ^ flip("1/4") for bit in x]
        observe(sum(noisy) <= keep)
        return noisy

    for keep in (1, 2):
        case = Case(f"filtered {keep}", filtered, {"x": bits(3)}, {"keep": keep})
        table = table_of(case)
        check(model_of(case), table, "one_differ", table.pairs(one_differ))


def test_impossible_evidence_names_the_input() -> None:
    @mechanism
    def honest(x: Any) -> Any:
        coin = flip("1/2")
        observe(x[0] == 0 or x[1] == 0)
        return coin

    with pytest.raises(ImpossibleEvidence) as raised:
        honest(bits(2)).privacy()
    assert raised.value.value == (1, 1)


# -- replaying ---------------------------------------------------------------------------------------------------


def test_replay_by_the_function() -> None:
    verified = randomized_response(bits(3), lam="1/5").privacy().verify()
    assert verified.holds and (verified.claimed, verified.replayed, verified.method) == (4, 4, "function")


def test_replay_where_coins_are_too_many_to_enumerate() -> None:
    bound = shifted_coins(bits(1), coins=24).privacy()
    assert bound.max_ratio == INFINITY
    assert bound.verify() and bound.verify().method == "function, sampled"
    narrow = randomized_response(bits(24), lam="1/5").privacy(privacy_set=rr_privacy_set(24))
    assert narrow.max_ratio == 4 and narrow.verify() and narrow.verify().method == "function, sampled"


def test_replay_of_a_conditioned_channel() -> None:
    case = Case("untruthful 24", untruthful, {"x": bits(24)}, {"lam": "1/5"})
    zeros, one = (0,) * 24, (1, *(0,) * 23)
    bound = model_of(case).privacy(privacy_set=[(zeros, one, (1, 1, *(0,) * 22)), (one, zeros, (1, 1, *(0,) * 22))])
    assert bound.max_ratio == 4 and bound.verify() and bound.verify().method == "function, sampled"


@pytest.mark.parametrize("coins", [2, 24])
def test_a_wrong_value_fails(coins: int) -> None:
    bound = shifted_coins(bits(1), coins=coins).privacy([((0,), (1,))])
    finite = replace(bound, lower=Fraction(2), upper=Fraction(2))
    assert not finite.verify() and finite.verify().replayed == INFINITY


def test_a_wrong_witness_fails() -> None:
    bound = randomized_response(bits(2), lam="1/5").privacy()
    assert bound.verify()
    for witness in (Witness((0, 0), (0, 1), (1, 1)), Witness((1, 0), (0, 0), (0, 0))):
        wrong = replace(bound, witness=witness)
        assert not wrong.verify(), f"{witness} attains 1/4, not 4"


# -- memory is bounded -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [1, 8, 100])
@pytest.mark.parametrize("counted", [1, 1 << 22])
def test_small_tables_give_the_same_answer(cells: int, counted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taut.synthesis.exhaustive.pieces.CELLS", cells)
    monkeypatch.setattr("taut.synthesis.exhaustive.pieces.TABLE", 4 * cells)
    monkeypatch.setattr("taut.synthesis.exhaustive.tally._FEW_KEYS", counted)
    monkeypatch.setattr("taut.synthesis.exhaustive.tally._MOST_KEYS", counted)
    for case in CASES[::12]:
        table, model = table_of(case), model_of(case)
        if model.channel().inputs * model.channel().outputs > 100:
            continue
        pairs = table.pairs(one_differ)
        check_classes(model, table, "one_differ", pairs)
        check_classes(model, table, pairs, pairs)
    conditioned = Case("untruthful 3", untruthful, {"x": bits(3)}, {"lam": "1/5"})
    check(model_of(conditioned), table_of(conditioned), "all_step", table_of(conditioned).pairs(all_step))


# -- arguments ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("top", [0, -1, True, 1.5, "3"])
def test_top_must_be_a_number_of_classes(top: Any) -> None:
    with pytest.raises(InvalidInput, match="top must be"):
        randomized_response(bits(1), lam="1/5").worst_pairs(top=top)


def test_worst_pairs_are_cut() -> None:
    model = rr_count(bits(3), lam="1/5")
    everything = model.worst_pairs(top=ALL)
    assert len(everything) > 4 == len(model.worst_pairs()) and model.worst_pairs(top=2) == everything[:2]


def test_methods() -> None:
    model = randomized_response(bits(2), lam="1/5")
    with pytest.raises(InvalidInput, match="'guess'"):
        model.privacy(method="guess")
    with pytest.raises(InvalidInput, match="takes no sets"):
        model.privacy(method="exhaustive", privacy_set=rr_privacy_set(2))


# -- channels at random ------------------------------------------------------------------------------------------

NEAR = [Fraction(0), Fraction(1, 3), Fraction(333333, 10**6), Fraction(1, 3) + Fraction(1, 10**30), Fraction(1, 2)]


@st.composite
def distributions(draw: st.DrawFn, outputs: int) -> Row:
    """Probabilities of a few outputs: with zeros, ties and near-ties."""
    left, row = Fraction(1), []
    for _ in range(outputs - 1):
        share = draw(st.one_of(st.sampled_from(NEAR), st.fractions(0, 1, max_denominator=12)))
        row.append(min(share, left))
        left -= row[-1]
    return draw(st.permutations([*row, left]))


@st.composite
def channels(draw: st.DrawFn, least: int = 2) -> list[Row]:
    outputs = draw(st.integers(1, 4))
    return draw(st.lists(distributions(outputs), min_size=least, max_size=4))


@given(rows=channels(), data=st.data())
@settings(max_examples=30, deadline=None)
def test_any_channel_has_the_bound_of_brute_force(rows: list[Row], data: st.DataObject) -> None:
    model, table = tabulated(integer(0, len(rows) - 1), table=rows), tables(rows)
    for name, related in {"one_differ": one_differ, "one_step": one_step}.items():
        check(model, table, name, table.pairs(related))
    every = table.pairs(one_differ)
    pairs = data.draw(st.lists(st.sampled_from(every), min_size=1, unique=True))
    check(model, table, pairs, pairs)
    check(model, table, lambda x, other: x < other, [(x, other) for x, other in every if x < other])


@given(rows=st.lists(st.lists(distributions(3), min_size=2, max_size=2), min_size=2, max_size=3))
@settings(max_examples=30, deadline=None)
def test_any_channel_of_two_entries(rows: list[list[Row]]) -> None:
    cells = {(a, b): row for a, group in enumerate(rows) for b, row in enumerate(group)}
    table = Table({x: {y: p for y, p in enumerate(row) if p} for x, row in cells.items()}, {x: x for x in cells})

    @mechanism
    def chosen(a: Any, b: Any) -> Any:
        return discrete(rows[a][b])

    model = chosen(integer(0, len(rows) - 1), integer(0, 1))
    for name, related in {"one_differ": one_differ, **STEPS}.items():
        check(model, table, name, table.pairs(related))
    if len(rows) == 2:
        check(two_entries(bits(2), table=rows), table, "one_differ", table.pairs(one_differ))


@given(rows=channels(), data=st.data())
@settings(max_examples=30, deadline=None)
def test_post_processing_never_costs_privacy(rows: list[Row], data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from("abc"), min_size=len(rows[0]), max_size=len(rows[0])))
    domain = integer(0, len(rows) - 1)
    whole, part = tabulated(domain, table=rows).privacy(), merged(domain, table=rows, names=names).privacy()
    assert 1 <= part.max_ratio <= whole.max_ratio
    assert part.verify()


@given(rows=channels(), relation=st.sampled_from(["one_differ", "one_step"]))
@settings(max_examples=30, deadline=None)
def test_restricted_to_all_triples_is_exhaustive(rows: list[Row], relation: str) -> None:
    model, table = tabulated(integer(0, len(rows) - 1), table=rows), tables(rows)
    related = {"one_differ": one_differ, "one_step": one_step}[relation]
    triples = PrivacySet((x, other, y) for x, other in table.pairs(related) for y in table.outputs)
    restricted, exhaustive = model.privacy(relation, privacy_set=triples), model.privacy(relation)
    assert restricted.max_ratio == exhaustive.max_ratio and restricted.method == "restricted"
    assert restricted.verify() and triples.verify(model, relation)


# -- balls -------------------------------------------------------------------------------------------------------


def contains(ball: Ball, value: Any) -> bool:
    """Whether a ball holds a number that is known to many more digits."""
    assert isinstance(ball, Ball)
    with flint.ctx.workprec(1000):
        return bool(ball.arb.contains(value))


def yes_probabilities(powers: Sequence[Fraction]) -> list[Any]:
    return [(-flint.arb(flint.fmpq(power.numerator, power.denominator))).exp() for power in powers]


@given(powers=st.lists(st.fractions(Fraction(1, 50), 8, max_denominator=50), min_size=2, max_size=3, unique=True))
@settings(max_examples=24, deadline=None)
def test_balls_contain_the_true_ratio(powers: list[Fraction]) -> None:
    bound = reports(ints(2, 0, len(powers) - 1), yes=[exp(-power) for power in powers]).privacy()
    with flint.ctx.workprec(1000):
        yes = yes_probabilities(powers)
        ratios = [p / q for p in yes for q in yes] + [(1 - p) / (1 - q) for p in yes for q in yes]
        best = ratios[0]
        for ratio in ratios:
            best = best.max(ratio)
        assert contains(bound.max_ratio, best)
        assert flint.arb(bound.epsilon) >= best.log() and bound.epsilon < float(best.log()) * (1 + 1e-15) + 1e-300
    assert bound.max_ratio.radius < Fraction(1, 10**60) * bound.max_ratio.mid
    assert bound.verify() and json.dumps(bound.to_dict()) and str(bound)


def test_equal_numbers_in_different_balls_are_one_class() -> None:
    lam = exp("-1")
    for n in (2, 4):
        bound = randomized_response(bits(n), lam=lam).privacy()
        classes = randomized_response(bits(n), lam=lam).worst_pairs(top=ALL)
        assert len(classes) == 2 and [one.count for one in classes] == [n * 2 ** (2 * n - 1)] * 2
        assert bound.count in (None, n * 2 ** (2 * n - 1))


def test_impossible_outputs_with_balls_are_infinitely_bad() -> None:
    bound = reports(bits(1), yes=[0, exp("-1")]).privacy()
    assert bound.max_ratio == INFINITY and bound.witness == Witness((1,), (0,), (True,)) and bound.verify()


def test_a_class_of_overlapping_balls_encloses_the_largest() -> None:
    """A wide ball with a low middle may be the largest: its upper end counts, and its triples."""
    wide, narrow, apart = Ball(flint.arb(8, 5)), Ball(flint.arb(10, 0.5)), Ball(flint.arb(1, 0.5))
    cases = [
        (value, count, functools.partial(Witness, count, 0, None))
        for value, count in ((wide, 2), (narrow, 3), (apart, 5))
    ]
    top, *rest = LargestRatio().classes(cases)
    assert (top.count, top.witness.x, len(rest)) == (5, 3, 1)
    assert top.value.upper >= wide.upper and narrow.lower - Fraction(1, 100) < top.value.lower <= narrow.lower
