"""Dropped prefixes are never the best, whatever future follows them."""

from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from taut.synthesis.pairs.worst_pair.search import Prefix, envelope

numbers = st.fractions(-5, 5, max_denominator=6)


@given(
    lines=st.lists(st.tuples(numbers, st.integers(1, 6)), min_size=1, max_size=8),
    low=numbers,
    width=st.none() | st.fractions(0, 10, max_denominator=4),
)
def test_the_best_prefix_is_kept(lines: list[tuple[object, int]], low: object, width: object) -> None:
    def rational(value: object) -> fmpq:
        return fmpq(value.numerator, value.denominator)  # type: ignore[attr-defined]

    prefixes = [Prefix(rational(settled), factor, number) for number, (settled, factor) in enumerate(lines)]
    start = rational(low)
    high = None if width is None else start + rational(width)
    kept = envelope(prefixes, start, high)
    end = start + 40 if high is None else high
    futures = [start + (end - start) * step / 12 for step in range(13)]
    for future in futures:
        best = max(settled + factor * future for settled, factor, _ in prefixes)
        assert max(settled + factor * future for settled, factor, _ in kept) == best
    ends = [[settled + factor * future for settled, factor, _ in kept] for future in (start, end)]
    assert len(kept) == len(set(kept)) and all(a > b for a, b in zip(ends[0], ends[0][1:], strict=False))
