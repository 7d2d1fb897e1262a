"""The search on mechanisms and their variants: other noise, orders, comparisons, domains, outputs, relations.

Every family is compared with exhaustive enumeration, some also with tables that plain Python makes. Each is searched
twice: as it comes, and with limits and a quick witness from the first layer on, which small mechanisms never reach.
"""

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

import pytest
from tests.corpus.case import Case
from tests.synthesis.brute import STEPS, one_differ, table_of
from tests.synthesis.search.test_engine import check_accuracy, check_privacy, is_it

import taut
from taut import (
    INFINITY,
    Model,
    binomial,
    bits,
    categories,
    discrete,
    exponential,
    flip,
    geometric,
    integer,
    ints,
    mechanism,
    observe,
    uniform,
)
from taut.synthesis.search import engine, meet

NUMBERS = ("one_differ", "one_step", "all_step")
TINY = Fraction(1, 10**200)


@pytest.fixture(params=["as it comes", "limits at once"])
def thresholds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits, pruning, quick witnesses and products of matrices also in layers of a few items."""
    if request.param == "limits at once":
        monkeypatch.setattr(engine, "_LARGE", -1)
        monkeypatch.setattr(engine, "_WIDTHS", (2, 6))
        monkeypatch.setattr(meet, "_WORTH", 1)
        monkeypatch.setattr(meet, "_SPARSE", 1)
        monkeypatch.setattr(meet, "_GATHERED", 1 << 30)


# -- first above a threshold -----------------------------------------------------------------------------------------


@mechanism
def first_above(x, threshold, ratios, strict, late):
    """The first entry above a noisy threshold; noise by entry, drawn before or behind the threshold's."""
    early = [geometric(value, ratio, 0, 3) for value, ratio in zip(x, ratios, strict=True)] if late else []
    bar = geometric(threshold, "1/2", 0, 3)
    for i, value in enumerate(x):
        noisy = early[i] if late else geometric(value, ratios[i], 0, 3)
        if noisy > bar or (noisy == bar and not strict):
            return i
    return len(x)


@mechanism
def backwards(x, threshold, ratio):
    """The last entry above the threshold, found from the end; the name of its place is returned."""
    bar = geometric(threshold, ratio, 0, 2)
    for i in range(len(x) - 1, -1, -1):
        if geometric(x[i], ratio, 0, 2) >= bar:
            return f"place {i}"
    return None


@mechanism
def all_above(x, threshold, ratio, most, bar_ratio, show):
    """Sparse vector: answers until enough were above; noisy values may be shown, which is not private."""
    bar = geometric(threshold, bar_ratio, 0, 2)
    found = []
    for value in x:
        noisy = geometric(value, ratio, 0, 2)
        if noisy >= bar:
            found.append(noisy if show else "above")
            most -= 1
            if most == 0:
                return found
        else:
            found.append(None)
    return found


# -- selections, counts, other outputs -------------------------------------------------------------------------------


@mechanism
def noisy_max(x, ratio, ties_last):
    best, top = 0, -1
    for i, value in enumerate(x):
        noisy = geometric(value, ratio, 0, 3)
        if noisy > top or (ties_last and noisy == top):
            best, top = i, noisy
    return best


@mechanism
def chosen(x, base):
    return exponential([sum(1 for value in x if value == choice) for choice in range(3)], base)


@mechanism
def count_and_parity(x, lam):
    total = sum(bit ^ flip(lam) for bit in x)
    return total, "odd" if total % 2 else "even"


@mechanism
def uneven(x, y, z):
    """Three databases with different domains, read out of order."""
    noise = uniform(0, 2)
    seen = [y == "b" and flip("1/3"), (z + noise) % 5]
    return [*seen, (x[0] + x[1] + noise) % 3, binomial(x[1], "1/4")]


@mechanism
def one_other(x, lams):
    """Randomized response in which every entry has its own noise."""
    return [bit ^ flip(lam) for bit, lam in zip(x, lams, strict=True)]


@mechanism
def kept_if(x, lam):
    """Only samples with something in them are kept."""
    noisy = [value if flip("3/4") else uniform(0, 2) for value in x]
    observe(sum(noisy) > 0 or flip(lam))
    return max(noisy)


@mechanism
def growing(x):
    """A list as long as it needs to be."""
    found = []
    for value in x:
        if flip("1/3") or value == 1:
            found.append(value if flip("4/5") else 0)
    return found


@mechanism
def hidden(x, chance, noise):
    """A state that one rare event changes, seen through noise (or without)."""
    changed = False
    for value in x:
        if value > 0 and flip(chance):
            changed = True
    return changed ^ flip(noise)


@mechanism
def nearly_equal(x):
    """Two ratios that differ in the thirtieth digit only."""
    gap = Fraction(1, 10**30)
    first = flip(Fraction(1, 3) + gap if x[0] else Fraction(1, 3))
    second = flip(Fraction(1, 3) + 2 * gap if x[1] else Fraction(1, 3))
    return [first, second, flip(Fraction(1, 3) + gap if x[2] else Fraction(1, 3))]


def _variants() -> Iterator[tuple[str, Callable[[], Model], tuple[str, ...]]]:
    halves = ["1/2"] * 3
    for late in (False, True):
        for strict in (False, True):
            for ratios in (halves, ["1/2", "1/5", "1/2"], ["1/3", "1/2", 0]):
                name = f"first_above {late=} {strict=} {'-'.join(map(str, ratios))}"
                given = {"threshold": 1 + late, "ratios": ratios, "strict": strict, "late": late}
                yield name, partial(first_above, ints(3, 0, 3), **given), NUMBERS
    yield "backwards", partial(backwards, ints(4, 0, 2), threshold=1, ratio="1/2"), NUMBERS
    yield "backwards on five values", partial(backwards, ints(2, -2, 2), threshold=1, ratio="1/3"), NUMBERS
    for most in (1, 2):
        for bar_ratio in ("1/2", 0):
            for show in (False, True):
                given = {"threshold": 1, "ratio": "1/3", "most": most, "bar_ratio": bar_ratio, "show": show}
                yield f"all_above {most} {bar_ratio} {show}", partial(all_above, ints(3, 0, 2), **given), NUMBERS
    yield (
        "all_above without noise",
        partial(all_above, ints(3, 0, 2), threshold=1, ratio=0, most=2, bar_ratio="1/2", show=False),
        NUMBERS,
    )
    for ties_last in (False, True):
        yield f"noisy_max {ties_last}", partial(noisy_max, ints(3, 0, 2), ratio="1/2", ties_last=ties_last), NUMBERS
    yield "chosen", partial(chosen, ints(4, 0, 2), base=2), NUMBERS
    yield "count_and_parity", partial(count_and_parity, bits(6), lam="1/5"), NUMBERS
    yield "uneven", partial(uneven, ints(2, 0, 2), categories(1, ["a", "b", "c"]), integer(0, 6)), ("one_differ",)
    yield "uneven numbers", partial(uneven, ints(2, 0, 2), ints(1, 0, 0), integer(3, 6)), NUMBERS
    yield "one_other", partial(one_other, bits(4), lams=["1/5", "1/5", "1/7", "1/5"]), NUMBERS
    yield "one leaks", partial(one_other, bits(4), lams=["1/5", "1/5", 0, "1/5"]), NUMBERS
    yield "kept_if", partial(kept_if, ints(3, 0, 2), lam="1/5"), NUMBERS
    yield "growing", partial(growing, ints(3, 0, 2)), NUMBERS
    yield "nearly_equal", partial(nearly_equal, bits(3)), NUMBERS
    for chance in (TINY, 1 - TINY, Fraction(1, 3**200), 1 - Fraction(1, 10**15)):
        for noise in (0, Fraction(1, 3), TINY):
            yield (
                f"hidden {float(chance)} {float(noise)}",
                partial(hidden, ints(3, 0, 2), chance=chance, noise=noise),
                NUMBERS,
            )
    for power in ("-1", "-100", "-1000"):
        for noise in (0, "1/3", taut.exp("-200")):
            model = partial(hidden, ints(3, 0, 1), chance=taut.exp(power), noise=noise)
            yield f"hidden exp({power}) {noise}", model, NUMBERS[:1]
    weights = {0: "1/2", 1: taut.exp("-3"), 2: Fraction(1, 2) - taut.exp("-3")}
    yield (
        "exp noise",
        partial(mechanism(lambda x, w: [(v + discrete(w)) % 3 for v in x]), ints(2, 0, 2), w=weights),
        NUMBERS,
    )


VARIANTS = list(_variants())


@pytest.mark.usefixtures("thresholds")
@pytest.mark.parametrize(("made", "relations"), [one[1:] for one in VARIANTS], ids=[one[0] for one in VARIANTS])
def test_the_search_finds_the_bound_of_every_variant(made: Callable[[], Model], relations: tuple[str, ...]) -> None:
    model = made()
    for neighbors in relations:
        check_privacy(model, neighbors)


@pytest.mark.usefixtures("thresholds")
@pytest.mark.parametrize("made", [one[1] for one in VARIANTS[::5]], ids=[one[0] for one in VARIANTS[::5]])
def test_the_search_finds_the_accuracy_of_every_variant(made: Callable[[], Model]) -> None:
    model = made()
    check_accuracy(model, lambda *databases: 0, 0, is_it)


@pytest.mark.parametrize("made", [one[1] for one in VARIANTS[::3]], ids=[one[0] for one in VARIANTS[::3]])
def test_listed_pairs_are_searched_however_few_items_are_kept(
    made: Callable[[], Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = made()
    monkeypatch.setattr(engine, "_LARGE", -1)
    monkeypatch.setattr(engine, "_WIDTHS", (2,))
    chance = random.Random(3)
    entries = [entry.values for entry in model.program.inputs]
    for _ in range(3):
        pairs = [[model.space.database([chance.choice(v) for v in entries]) for _ in "xx"] for _ in range(4)]
        check_privacy(model, [(x, x_prime) for x, x_prime in pairs if x != x_prime])


@pytest.mark.usefixtures("thresholds")
def test_targets_that_depend_on_the_input() -> None:
    check_accuracy(count_and_parity(bits(5), lam="1/5"), lambda x: sum(x), 1, lambda y, aim: abs(y[0] - aim))
    check_accuracy(noisy_max(ints(3, 0, 2), ratio="1/2", ties_last=False), lambda x: x.index(max(x)), 0)
    check_accuracy(kept_if(ints(3, 0, 2), lam="1/5"), lambda x: max(x), 0)
    check_accuracy(hidden(ints(3, 0, 2), chance=TINY, noise=TINY), lambda x: max(x) > 1, 0)


CASES = [
    Case(
        "first_above",
        first_above,
        {"x": ints(2, 0, 2)},
        {"threshold": 1, "ratios": ["1/2", "1/5"], "strict": True, "late": False},
    ),
    Case(
        "all_above",
        all_above,
        {"x": ints(2, 0, 2)},
        {"threshold": 1, "ratio": "1/3", "most": 1, "bar_ratio": "1/2", "show": True},
    ),
    Case("noisy_max", noisy_max, {"x": ints(2, 0, 2)}, {"ratio": "1/2", "ties_last": True}),
    Case("growing", growing, {"x": ints(3, 0, 2)}),
    Case("kept_if", kept_if, {"x": ints(2, 0, 2)}, {"lam": "1/5"}),
]


@pytest.mark.usefixtures("thresholds")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_search_finds_what_plain_python_finds(case: Case) -> None:
    table = table_of(case)
    model: Model = case.mechanism(**case.databases, **case.parameters)
    for name, related in (("one_differ", one_differ), *STEPS.items()):
        worst = next(iter(table.ratios(table.pairs(related))))
        assert model.privacy(name, method="search").max_ratio == worst, name


def test_noise_that_no_query_has_makes_the_ratio_infinite() -> None:
    model = all_above(ints(12, 0, 2), threshold=1, ratio=0, most=12, bar_ratio="1/2", show=False)
    bound = model.privacy("all_step", method="search")
    assert bound.max_ratio == INFINITY and bound.verify()


def test_a_threshold_without_noise_lets_the_ratio_grow() -> None:
    ratios = []
    for n in (2, 4, 8):
        model = all_above(ints(n, 0, 1), threshold=1, ratio="1/2", most=n, bar_ratio=0, show=False)
        bound = model.privacy("all_step", method="search")
        assert bound.exact and bound.verify()
        ratios.append(bound.max_ratio)
    assert ratios[1] == ratios[0] ** 2 and ratios[2] == ratios[1] ** 2


def test_the_order_of_databases_and_the_names_do_not_matter() -> None:
    @mechanism
    def renamed(data, level):
        cut = geometric(level, "1/2", 0, 3)
        for position in range(len(data)):
            if not geometric(data[position], "1/2", 0, 3) < cut:
                return position
        return len(data)

    expected = first_above(ints(3, 0, 3), threshold=1, ratios=["1/2"] * 3, strict=False, late=False)
    for neighbors in NUMBERS:
        found = renamed(ints(3, 0, 3), level=1).privacy(neighbors, method="search")
        assert found.max_ratio == expected.privacy(neighbors, method="exhaustive").max_ratio


def test_a_deep_program_is_searched() -> None:
    bound = one_other(bits(120), lams=["1/5"] * 119 + ["1/7"]).privacy(method="search")
    assert bound.max_ratio == 6 and bound.exact and bound.verify()
