"""Every shipped mechanism: its distribution is the native one, it is documented, and it is found by its name."""

from __future__ import annotations

import doctest
import inspect
import itertools
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.oracle.native import native_distribution

import taut
import taut.mechanisms
from taut.mechanisms import BUILT_IN, CATALOG, Entry, Wrapper, catalog, resolve
from taut.questions.ratio import epsilon_digits

every_entry = pytest.mark.parametrize("entry", CATALOG.values(), ids=lambda entry: entry.name)

RELATIONS = {
    "one_differ": lambda x, other: sum(a != b for a, b in zip(x, other, strict=True)) == 1,
    "one_step": lambda x, other: sum(abs(a - b) for a, b in zip(x, other, strict=True)) == 1,
    "all_step": lambda x, other: x != other and all(abs(a - b) <= 1 for a, b in zip(x, other, strict=True)),
}


def max_ratio(entry: Entry, n: int | None = None, **given: Any) -> Fraction | float:
    """The definition of e^eps, word for word."""
    model = entry.model(n, **given)
    rows = {x: model.distribution(x) for x in model.domain}
    related = RELATIONS[entry.neighbors]
    best: Fraction | float = Fraction(0)
    for x, other in itertools.product(rows, repeat=2):
        if related(x, other):
            for y, p in rows[x].items():
                q = rows[other].get(y, Fraction(0))
                best = max(best, p / q if q else taut.INFINITY)
    return best


def sizes() -> list[Any]:
    """Every entry at n=1 and n=2, and at n=3 where running it for every sequence of choices stays quick."""
    slow = ("unary", "rappor", "subset", "histogram")
    return [
        pytest.param(entry, n, id=f"{entry.name}-{n}")
        for entry in CATALOG.values()
        for n in (1, 2, 3)
        if n < 3 or not any(word in entry.name for word in slow)
    ]


@pytest.mark.parametrize(("entry", "n"), sizes())
def test_distribution_is_the_native_one(entry: Entry, n: int) -> None:
    arguments = entry.arguments(n, **({"k": 2} if entry.name == "rappor" else {}))
    model = entry.mechanism(**arguments)
    if isinstance(entry.mechanism, Wrapper):
        arguments = entry.mechanism.prepared(arguments)
    for x in model.domain:
        found = model.distribution(x)
        assert sum(found.values()) == 1
        assert found == native_distribution(entry.mechanism.__wrapped__, {**arguments, "x": x})


@every_entry
def test_it_runs_without_arguments(entry: Entry) -> None:
    model = entry.model()
    first = next(iter(model.domain))
    assert model.domain.n == entry.default_n
    assert sum(model.distribution(first).values()) == 1
    assert entry.mechanism(**{**entry.arguments(), "x": first}) in model.distribution(first)


@every_entry
def test_the_entry_fits_the_function(entry: Entry) -> None:
    signature = inspect.signature(entry.mechanism.function)
    required = {
        name
        for name, parameter in signature.parameters.items()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    }
    assert required == {"x", *entry.parameters} and "x" not in entry.parameters
    assert entry.neighbors in RELATIONS
    assert isinstance(entry.domain(2), taut.Domain) and entry.domain(2).n == 2
    if not isinstance(entry.mechanism, Wrapper):
        assert signature.parameters.keys() == {"x", *entry.mechanism.allowed}


@every_entry
def test_it_is_documented(entry: Entry) -> None:
    text = entry.mechanism.function.__doc__
    assert text is not None
    assert entry.summary.endswith(".") and entry.summary in text
    assert re.search(r"\b(19|20)\d\d\b", entry.reference)
    module = sys.modules[entry.mechanism.function.__module__]
    (test,) = doctest.DocTestFinder(recurse=False).find(entry.mechanism.function, entry.name, globs=vars(module).copy())
    assert test.examples
    assert any("Fraction(" in example.want for example in test.examples)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not report, "".join(report)


def test_the_catalog_documents_itself() -> None:
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for test in doctest.DocTestFinder().find(sys.modules["taut.mechanisms.catalog"]):
        runner.run(test, out=report.append)
    assert not report, "".join(report)


def test_every_mechanism_is_exported_and_built_in() -> None:
    exported = {name for name in taut.mechanisms.__all__ if isinstance(getattr(taut.mechanisms, name), taut.Mechanism)}
    assert exported == BUILT_IN.keys() == CATALOG.keys()
    for name, mechanism in BUILT_IN.items():
        assert CATALOG[name].mechanism is mechanism is getattr(taut.mechanisms, name)
    assert len({entry.summary for entry in CATALOG.values()}) == len(CATALOG)


def test_one_decorator_registers_a_mechanism(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "CATALOG", dict(CATALOG))
    monkeypatch.setattr(catalog, "SHORT_NAMES", dict(catalog.SHORT_NAMES))

    @catalog.built_in(lambda n, top: taut.ints(n, 0, top), n=2, neighbors="one_step", short="liar", top=2, p="1/3")
    @taut.mechanism
    def always_lying(x: Any, top: Any, p: Any) -> Any:
        """All entries turned around, or none.

        Reference: nobody 2026.
        """
        return [top - entry if taut.flip(p) else entry for entry in x]

    entry = resolve("liar")
    assert entry is resolve("always") and entry.mechanism is always_lying
    assert (entry.summary, entry.reference) == ("All entries turned around, or none.", "nobody 2026")
    assert always_lying.neighbors == entry.neighbors == "one_step"
    assert str(entry.model(3, top=5).domain) == "ints(3, 0, 5)"
    assert entry.model().probability((0, 1), (2, 1)) == Fraction(1, 3)
    assert entry.source.lstrip().startswith("@taut.mechanism\n")


def test_the_relation_that_is_meant_is_the_one_declared() -> None:
    assert taut.mechanism(lambda x: x).neighbors == "one_differ"
    entry = catalog.CATALOG["above_threshold"]
    declared, other = entry.model(2).privacy(), entry.model(2).privacy("one_differ")
    assert (declared.neighbors, other.neighbors) == ("all_step", "one_differ")
    assert declared.max_ratio == max_ratio(entry, 2) != other.max_ratio

    @taut.mechanism(neighbors=lambda x, other: sum(x) == 0)
    def counted(x: Any) -> Any:
        return sum(x) + taut.flip("1/3")

    assert counted(taut.bits(1)).privacy().max_ratio == counted(taut.bits(1)).worst_pairs(1)[0].value == taut.INFINITY
    assert {(one.witness.x, one.witness.x_prime) for one in counted(taut.bits(1)).ratio_classes()} == {((0,), (1,))}
    with pytest.raises(taut.InvalidNeighbors, match="there are one_differ"):
        taut.mechanism(neighbors="nobody")


def test_what_is_not_registered_cannot_be_imported() -> None:
    with pytest.raises(ImportError):
        from taut.mechanisms import laplace  # noqa: F401
    assert set(CATALOG) <= set(dir(taut.mechanisms))


@every_entry
def test_exact_and_shortened_names_are_found(entry: Entry) -> None:
    assert resolve(entry.name) is entry
    for end in range(1, len(entry.name)):
        short = entry.name[:end]
        others = [name for name in CATALOG if name.startswith(short)]
        if short in CATALOG or short in ("rr", "svt"):
            continue
        if len(others) == 1:
            assert resolve(short) is entry
        else:
            with pytest.raises(taut.InvalidInput, match="several") as caught:
                resolve(short)
            assert all(name in str(caught.value) for name in others)


def test_aliases() -> None:
    assert resolve("rr").name == "randomized_response"
    assert resolve("svt").name == "sparse_vector"
    assert resolve("rr_c").name == "rr_count"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("randomised_response", "randomized_response"),
        ("Rappor", "rappor"),
        ("laplace", "taut list"),
        ("rr_count_and_more", "rr_count"),
        ("rr_", "rr_count, rr_majority"),
        ("", "no mechanism is named"),
    ],
)
def test_a_name_that_is_not_one_is_refused_with_candidates(name: str, said: str) -> None:
    with pytest.raises(taut.TautError, match=said) as caught:
        resolve(name)
    assert isinstance(caught.value, taut.InvalidInput)
    assert caught.value.value == name


def test_arguments_replace_defaults_and_the_domain_follows() -> None:
    entry = resolve("k_ary")
    assert str(entry.model(2, k=5).domain) == "ints(2, 0, 4)"
    assert str(entry.model(2, k="5").domain) == "ints(2, 0, 4)"
    assert str(entry.model(x=taut.ints(3, 0, 1)).domain) == "ints(3, 0, 1)"
    assert entry.model(1, k="2", lam="1/5").distribution((0,)) == resolve("rr").model(1).distribution((0,))


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("rr", {"n": 3, "x": taut.bits(2)}, "n or x"),
        ("rr", {"n": -1}, "whole number"),
        ("rr", {"lambda": "1/5"}, "no argument 'lambda'"),
        ("k_ary", {"k": "2.5"}, "k must be a whole number"),
        ("k_ary", {"k": 0}, "k must be a whole number from 2 to 100000; got 0"),
        ("k_ary", {"k": 1}, "k must be a whole number from 2 to 100000"),
        ("above", {"high": None}, "high must be a whole number"),
        ("permute", {"base": 0}, "base must be a number of at least 1; got 0"),
        ("permute", {"base": "1/2"}, "base must be a number of at least 1; got '1/2'"),
        ("subset", {"omega": 5}, "omega must be a whole number from 1 to k=4; got 5"),
        ("svt", {"high": 1}, "high must be a whole number of at least 2 unless x is given; got 1"),
        ("report", {"n": 0}, "empty"),
    ],
)
def test_bad_arguments_are_refused(name: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(taut.TautError, match=said):
        resolve(name).model(**given)


ODD_VALUES = ["0", "-1", "3/2", "-1/2", "word", None, [1, 2], True, "1e400", "inf", "nan", taut.exp(1), taut.bits(2)]


def refusal(entry: Entry, name: str, value: Any) -> str | None:
    with taut.options(validate="off", time_limit=0.2):
        try:
            entry.model(n=1, **{name: value})
        except taut.TooLarge:
            return None
        except taut.TautError as problem:
            return str(problem)
    return None


@every_entry
def test_a_parameter_is_accepted_or_refused_in_its_own_words(entry: Entry) -> None:
    """One sentence that names mechanism, parameter, value and what is allowed; never a line or an error of ours."""
    for name in entry.mechanism.allowed:
        said = {str(value): refusal(entry, name, value) for value in ODD_VALUES}
        assert said["word"] is not None and said["bits(2)"] is not None and said["[1, 2]"] is not None
        for value, sentence in said.items():
            assert sentence is None or re.fullmatch(rf"{entry.name}: {name} must be .*; got .*\.", sentence), value


@pytest.mark.parametrize("value", ["3", "3.0", 3.0, Fraction(3)])
def test_whole_numbers_may_be_written_in_any_way(value: Any) -> None:
    entry = resolve("histogram")
    assert entry.mechanism(taut.ints(1, 0, 2), k=value, ratio="1/2").distribution((1,)) == entry.model(1).distribution(
        (1,)
    )


def test_values_outside_the_encoding_are_refused() -> None:
    for domain in (taut.ints(1, 0, 3), taut.ints(1, -1, 2)):
        with pytest.raises(taut.TautError, match=r"every value must be one of 0\.\.2"):
            resolve("k_ary").model(x=domain, k=3)


@pytest.mark.parametrize(
    ("name", "given", "ratio"),
    [
        ("randomized_response", {}, 4),
        ("k_ary_randomized_response", {}, 2),
        ("symmetric_unary_encoding", {}, 9),
        ("optimised_unary_encoding", {}, 3),
        ("one_time_rappor", {}, 9),
        ("rappor", {}, Fraction(25, 9)),
        ("subset_selection", {}, 3),
        ("geometric_count", {}, 2),
        ("subsampled", {}, Fraction(3, 2)),
        ("composed", {}, 4),
        ("shuffled", {}, 2),
        ("hadamard_response", {}, 3),
        ("pate_vote", {}, 4),
        ("propose_test_release", {}, taut.INFINITY),
        ("histogram", {}, 4),
        ("prefix_sums", {}, 16),
        ("binary_tree_counter", {}, 8),
        ("permute_and_flip", {}, 4),
    ],
)
def test_bounds_known_in_closed_form(name: str, given: dict[str, Any], ratio: Fraction) -> None:
    assert max_ratio(CATALOG[name], **given) == ratio


@every_entry
def test_the_page_has_a_row_with_the_number(entry: Entry) -> None:
    page = (Path(__file__).parents[2] / "docs" / "mechanisms.md").read_text(encoding="utf-8")
    ratio = entry.model().privacy().max_ratio
    shown = "infinite" if ratio == taut.INFINITY else f"{epsilon_digits(ratio)} ({ratio})"
    assert f"| `{entry.name}` | {entry.summary} | {shown} | {entry.reference} |" in page.splitlines()


@every_entry
def test_the_bound_is_the_definition(entry: Entry) -> None:
    assert entry.model(2).privacy(neighbors=entry.neighbors).max_ratio == max_ratio(entry, 2)


@pytest.mark.parametrize("c", [1, 2])
def test_sparse_vector_keeps_its_promise_away_from_the_ends(c: int) -> None:
    assert max_ratio(CATALOG["sparse_vector"], c=c) <= 2 ** (4 * c)


def test_clamping_breaks_the_promise_at_the_ends() -> None:
    """The threshold cannot rise above ``high``, so that each negative answer at ``high`` costs."""
    assert [max_ratio(CATALOG["above_threshold"], n) for n in (1, 2, 3)] == [2, 4, 8]
    x = taut.ints(5, 1, 2)
    assert max_ratio(CATALOG["sparse_vector"], x=x, threshold=1, high=2, c=1) > 2**4


@pytest.mark.parametrize(
    ("name", "claimed"),
    [
        ("svt_no_threshold_noise", 2**2),
        ("svt_noisy_value", 2**2),
        ("svt_unscaled", 2**2),
        ("svt_no_budget", 2**2),
    ],
)
def test_broken_variants_break_what_was_claimed(name: str, claimed: int) -> None:
    assert claimed < max_ratio(CATALOG[name]) < taut.INFINITY


def test_without_query_noise_nothing_is_private() -> None:
    assert max_ratio(CATALOG["svt_no_query_noise"], n=2) == taut.INFINITY
