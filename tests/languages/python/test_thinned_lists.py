"""Lists whose items are there or not, and counts in dictionaries, read as CPython runs them."""

import collections
import itertools
from typing import Any

import pytest
from tests.oracle.native import native_distribution

from taut import Domain, bits, categories, flip, geometric, ints, mechanism
from taut.program import enumerate_outcomes

# ruff: noqa: PERF401, C416, SIM102, SIM110, RET505


def summed(x: Any) -> Any:
    return sum(v for v in x if flip("1/3")), sum([v * 2 for v in x if flip("1/3") and v], 5)


def lengths(x: Any) -> Any:
    kept = [v for v in x if flip("1/3")]
    return len(kept), len([v for v in kept if v]), 1 if kept else 0


def counted(x: Any) -> Any:
    kept = [v for v in x if flip("1/3")]
    return kept.count(1), 1 in kept, any(kept), all(kept)


def extremes(x: Any) -> Any:
    kept = [v - 1 for v in x if flip("1/3")]
    return max(kept, default=-7), min(kept, default=7), max(kept) if kept else None


def listed(x: Any) -> Any:
    return [v for v in x if flip("1/3")]


def changed(x: Any) -> Any:
    kept = []
    for v in x:
        if flip("1/3"):
            kept.append(v)
    kept.append(9)
    other = kept
    if flip("1/5"):
        other[0] = 7
    if flip("1/7"):
        kept.pop()
    return kept, sorted(kept), kept[::-1], kept[0] if kept else -1


def joined(x: Any) -> Any:
    kept = [v for v in x if flip("1/3")]
    more = kept.copy()
    more += [5]
    more.extend(kept)
    kept.extend(v + 10 for v in x if v)
    return kept, more, kept + more[:1], sum(more)


def either(x: Any) -> Any:
    made = [3]
    if flip("1/3"):
        made.append(x[0])
        made.append(1)
    else:
        made.append(2)
        if flip("1/4"):
            made.append(x[1])
    return made, len(made), sum(made)


def swapped(x: Any) -> Any:
    made = [1, 2] if flip("1/3") else [v for v in x if flip("1/4")]
    made.append(4)
    return made, sum(made)


def walked(x: Any) -> Any:
    kept = [v for v in x if flip("1/3")]
    total, seen = 0, []
    for v in kept:
        if v == 2:
            break
        if v == 0:
            continue
        total += v
        seen.append(total)
    else:
        total += 100
    return total, seen, [a + b for a, b in zip(kept, kept[1:], strict=False)], list(enumerate(kept))


def drained(x: Any) -> Any:
    kept = [v for v in x if flip("1/3")]
    rounds = 0
    while kept:
        rounds += kept.pop() + 1
    return rounds, kept


def nested(x: Any) -> Any:
    rows = [[v for v in x if flip("1/3")] for _ in range(2)]
    flat = [v for row in rows for v in row]
    return len(flat), sum(map(sum, rows)), sum(len(row) > 1 for row in rows)


def lazily(x: Any) -> Any:
    kept = filter(lambda v: flip("1/3"), x)
    first = next(kept, -1)
    return first, sum(map(lambda v: v + 1, kept)), list(kept)


def compressed(x: Any) -> Any:
    chosen = [flip("1/3") for _ in x]
    return list(itertools.compress(x, chosen)), sum(itertools.compress(x, chosen))


def mixed_kinds(x: Any) -> Any:
    kept = [v == 1 if v else v for v in x if flip("1/3")]
    return sum(kept), [str(v) for v in kept], max(kept, default=None)


def counters(x: Any) -> Any:
    counts = collections.Counter(v for v in x if flip("1/3"))
    counts[1] += 1
    before = 0 in counts, len(counts)
    plain: Any = {}
    for v in x:
        if flip("1/3"):
            plain[v] = plain.get(v, 0) + 1
    return counts[0], counts[1], counts[2], before, list(plain), list(plain.values())


def defaults(x: Any) -> Any:
    counts: Any = collections.defaultdict(int)
    for v in x:
        if flip("1/3"):
            counts[v] += 1
        elif v == 1 and counts[v]:
            del counts[v]
    return sorted(counts.items()), list(counts), len(counts)


def mixed_keys(x: Any) -> Any:
    counts = collections.Counter(v and flip("1/3") for v in x)
    return counts[0], counts[1], [repr(key) for key in counts]


def texts(x: Any) -> Any:
    counts: Any = {}
    for v in x:
        name = "abc"[v]
        if flip("1/3"):
            counts[name] = counts.get(name, 0) + v
        if flip("1/5"):
            counts[name] = True
    return sorted(map(str, counts.items()))


def minus(x: Any) -> Any:
    left = len(x)
    for v in x:
        if not (v and flip("1/3")):
            left -= 1
    return left


def many_sorted(x: Any) -> Any:
    reports = [v if flip("1/3") else 2 - v for v in x] + [1] * 7
    return sorted(reports), sorted(reports, reverse=True)


def grown_meanwhile(x: Any) -> Any:
    kept = [v for v in x if flip("1/3")]
    for v in kept:
        if len(kept) < 4:
            kept.append(v + 1)
    return kept, sum(kept)


def shrunk_meanwhile(x: Any) -> Any:
    kept = [v for v in x if flip("1/3")]
    total = 0
    for v in kept:
        total += v
        if v == 1:
            kept.remove(v)
    return kept, total


def replaced_meanwhile(x: Any) -> Any:
    kept = [v for v in x if flip("1/3")]
    total = 0
    for place, v in enumerate(kept):
        kept[-1] += v
        total += kept[place]
    for v in kept:
        kept[0] = 5
        total += v
    return kept, total


WAYS = (
    grown_meanwhile,
    shrunk_meanwhile,
    replaced_meanwhile,
    summed,
    lengths,
    counted,
    extremes,
    listed,
    changed,
    joined,
    either,
    swapped,
    walked,
    drained,
    nested,
    lazily,
    compressed,
    mixed_kinds,
    counters,
    defaults,
    mixed_keys,
    texts,
    minus,
    many_sorted,
)


@pytest.mark.parametrize("function", WAYS)
@pytest.mark.parametrize("n", [2, 3])
def test_lists_are_read_as_they_run(function: Any, n: int) -> None:
    made = mechanism(function)
    model = made(ints(n, 0, 2))
    for x in model.domain if n == 2 else [(0, 1, 2), (1, 1, 0), (2, 0, 1)]:
        assert enumerate_outcomes(model.program, x) == native_distribution(made, {"x": x})


def test_many_items_are_not_listed_by_length() -> None:
    model = mechanism(lambda x: [len(kept), sum(kept)] if (kept := [v for v in x if flip("1/3")]) else [0, 0])(
        bits(400)
    )
    assert len(model.program.coins) == 400


def people(x: Any) -> Any:
    """Items that may be absent: their kinds are compared only where they are present."""
    there = [v for v in x if v is not None and not isinstance(v, str)]
    doubled = [v * 2 for v in there]
    noisy = [v + flip("1/3") for v in there]
    return (
        (sum(there), max(there, default=9), min(there, default=9), max(doubled, default=-1)),
        (sum(noisy), max(noisy, default=None), sorted(there), there.count(1), 2 in there, len(set(there))),
        (sum(v for v in x if v == 2), any(there), all(there), max(map(abs, there), default=0)),
    )


@pytest.mark.parametrize("domain", [ints(2, 0, 2).optional(), ints(1, -1, 1).optional(), categories(2, ["a", 1, 2])])
def test_items_that_are_numbers_only_where_they_are(domain: Domain) -> None:
    made = mechanism(people)
    model = made(domain)
    for x in domain:
        assert enumerate_outcomes(model.program, x) == native_distribution(made, {"x": x})


def test_many_people_who_may_be_absent_are_added_up() -> None:
    model = mechanism(lambda x: geometric(sum([v for v in x if v is not None]), "1/2", 0, 60))(bits(60).optional())
    assert model.privacy("add_remove").max_ratio == 2
