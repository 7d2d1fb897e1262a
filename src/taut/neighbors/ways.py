"""Transitions from one state, stored as runs: "any other value" takes two runs, however many values there are."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from taut.support.limits import checkpoint, checkpoints, require_room
from taut.support.process import cached_property

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Transition", "TransitionRun", "Ways", "turned"]

_FEW = 1024
"""Number of transitions up to which their list is cached; beyond, only the runs are kept."""


class Transition(NamedTuple):
    """One entry of a pair: the position of its value in x, of its value in x', and the state they lead to."""

    value: int
    other: int
    state: int


class TransitionRun(NamedTuple):
    """Transitions from one value to the values from ``start`` to ``stop`` (excluded), all to the same state."""

    value: int
    start: int
    stop: int
    state: int


class Ways(Sequence[Transition]):
    """The transitions from one state, sorted by their pairs of values.

    Equal sets of transitions have equal runs: runs are ordered, and as long as they can be.

    >>> ways = Ways.of_runs([(0, 1, 1000, 1), (1, 0, 1, 1), (1, 2, 1000, 1)])
    >>> len(ways), ways[0], ways[-1], ways.state(1, 1), ways.state(1, 2)
    (1998, Transition(value=0, other=1, state=1), Transition(value=1, other=999, state=1), None, 1)
    """

    def __init__(self, runs: tuple[TransitionRun, ...]) -> None:
        self.runs = runs

    @classmethod
    def of(cls, transitions: Iterable[tuple[int, int, int]]) -> Ways:
        """Build from transitions in any order, at most one for each pair of values."""
        if isinstance(transitions, Ways):
            return transitions
        return cls(_joined((value, other, other + 1, state) for value, other, state in sorted(transitions)))

    @classmethod
    def of_runs(cls, runs: Iterable[tuple[int, int, int, int]]) -> Ways:
        """Build from runs in any order that do not overlap."""
        return cls(_joined(sorted(run for run in runs if run[1] < run[2])))

    # -- as a sequence -----------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._ends[-1] if self.runs else 0

    def __iter__(self) -> Iterator[Transition]:
        return iter(self._listed) if len(self) <= _FEW else checkpoints(self._generated())

    @overload
    def __getitem__(self, place: int) -> Transition: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Transition]: ...
    def __getitem__(self, place: int | slice) -> Transition | Sequence[Transition]:
        if isinstance(place, slice):
            return [self[number] for number in checkpoints(range(*place.indices(len(self))))]
        number = range(len(self))[place]
        run = bisect_right(self._ends, number)
        value, _, stop, state = self.runs[run]
        return Transition(value, stop - (self._ends[run] - number), state)

    def __eq__(self, other: object) -> bool:
        return self.runs == other.runs if isinstance(other, Ways) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Ways({list(self)!r})" if len(self) <= 8 else f"<{len(self)} transitions in {len(self.runs)} runs>"

    def __getstate__(self) -> tuple[TransitionRun, ...]:
        return self.runs

    def __setstate__(self, runs: tuple[TransitionRun, ...]) -> None:
        self.runs = runs

    # -- without listing them ----------------------------------------------------------------------------------------

    @cached_property
    def counts(self) -> Mapping[int, int]:
        """Return the number of transitions into each state."""
        counts: Counter[int] = Counter()
        for _, start, stop, state in self.runs:
            counts[state] += stop - start
        return counts

    @cached_property
    def unequal(self) -> frozenset[int]:
        """Return the states reached by different values."""
        return frozenset(q for value, start, stop, q in self.runs if stop - start > 1 or value != start)

    @cached_property
    def first_unequal(self) -> Transition:
        """Return the first transition by different values; the first of all if there is none."""
        for value, start, stop, state in self.runs:
            if value != start or stop - start > 1:
                return Transition(value, start if value != start else start + 1, state)
        return self[0]

    def state(self, value: int, other: int) -> int | None:
        """Return the state that a pair of values leads to; None if there is none."""
        starts, runs = self._by_value.get(value, ((), ()))
        place = bisect_right(starts, other) - 1
        return runs[place].state if place >= 0 and other < runs[place].stop else None

    def of_value(self, value: int) -> Ways:
        """Return the transitions with this value of x."""
        return Ways(tuple(self._by_value.get(value, ((), ()))[1]))

    def renumbered(self, number: Mapping[int, int]) -> Ways:
        """Renumber the target states; drop transitions to states without a number."""
        return Ways(_joined((a, start, stop, number[q]) for a, start, stop, q in self.runs if q in number))

    def swapped(self) -> Ways:
        """Return the transitions with x and x' exchanged."""
        return Ways(tuple(turned(self.runs)))

    def diagonals(self) -> Iterator[TransitionRun]:
        """Yield runs of transitions with the same shift: the shift is the run's value, the shifted values its range."""
        return turned(
            [TransitionRun(value, start - value, stop - value, state) for value, start, stop, state in self.runs]
        )

    def tables(self, rows: int = 1 << 18) -> Iterator[npt.NDArray[np.int64]]:
        """Yield all transitions as arrays of about ``rows`` rows each: value, other, state."""
        import numpy as np  # which naming a relation does not need

        first = 0
        while first < len(self.runs):
            checkpoint()
            done = self._ends[first - 1] if first else 0
            last = max(first + 1, bisect_right(self._ends, done + rows))
            runs = np.array(self.runs[first:last], dtype=np.int64)
            lengths = runs[:, 2] - runs[:, 1]
            table = np.repeat(runs[:, [0, 1, 3]], lengths, axis=0)
            table[:, 1] += np.arange(len(table)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            yield table
            first = last

    def table(self) -> npt.NDArray[np.int64]:
        """Return all transitions as the rows of one array; refuse if that passes the memory limit in force."""
        import numpy as np

        require_room(2 * 8 * 3 * len(self))
        return np.concatenate([np.empty((0, 3), dtype=np.int64), *self.tables()])

    # -- kept ----------------------------------------------------------------------------------------------------------

    @cached_property
    def _ends(self) -> list[int]:
        """Return the cumulative number of transitions up to the end of each run."""
        return list(accumulate(stop - start for _, start, stop, _ in self.runs))

    @cached_property
    def _hash(self) -> int:
        return hash(self.runs)

    @cached_property
    def _listed(self) -> tuple[Transition, ...]:
        return tuple(self._generated())

    @cached_property
    def _by_value(self) -> dict[int, tuple[list[int], list[TransitionRun]]]:
        """Return, for every value of x, the starts of its runs, and the runs."""
        found: dict[int, tuple[list[int], list[TransitionRun]]] = {}
        for run in self.runs:
            starts, runs = found.setdefault(run.value, ([], []))
            starts.append(run.start)
            runs.append(run)
        return found

    def _generated(self) -> Iterator[Transition]:
        for value, start, stop, state in self.runs:
            for other in range(start, stop):
                yield Transition(value, other, state)


def turned(runs: Sequence[TransitionRun]) -> Iterator[TransitionRun]:
    """Convert runs along rows to maximal runs along columns, column by column.

    A line is moved over the columns; what it crosses is kept as pieces, which change only where a run begins or ends.
    """
    changes: dict[int, list[tuple[int, int | None]]] = {}
    for value, start, stop, state in runs:
        changes.setdefault(stop, []).append((value, None))
        changes.setdefault(start, []).append((value, state))
    columns = sorted(changes)
    line = _Line()
    for number, column in enumerate(columns):
        if not number % 256:
            checkpoint()
        for row, changed in sorted(changes[column], key=lambda change: change[1] is not None):
            line.change(row, changed)
        following = columns[number + 1] if number + 1 < len(columns) else column
        for at in range(column, following):
            for start, stop, state in line.pieces():
                yield TransitionRun(at, start, stop, state)


class _Line:
    """The states of all rows at one column, as pieces of consecutive rows with the same state."""

    def __init__(self) -> None:
        self._states: dict[int, int] = {}
        self._starts: list[int] = []

    def change(self, row: int, state: int | None) -> None:
        """Set the state of a row, or remove it."""
        if state is None:
            self._states.pop(row, None)
        else:
            self._states[row] = state
        for border in (row, row + 1):
            self._settle(border)

    def pieces(self) -> Iterator[tuple[int, int, int]]:
        """Yield start, stop and state of every piece."""
        starts = self._starts
        for place, start in enumerate(starts):
            state = self._states.get(start)
            if state is not None:
                yield start, starts[place + 1], state

    def _settle(self, border: int) -> None:
        """Keep a border at a row only if the state changes there."""
        place = bisect_right(self._starts, border) - 1
        there = place >= 0 and self._starts[place] == border
        wanted = self._states.get(border - 1) != self._states.get(border)
        if wanted and not there:
            insort(self._starts, border)
        elif there and not wanted:
            del self._starts[place]


def _joined(runs: Iterable[Any]) -> tuple[TransitionRun, ...]:
    """Merge sorted runs that touch and lead to the same state."""
    joined: list[TransitionRun] = []
    for value, start, stop, state in runs:
        last = joined[-1] if joined else None
        if last is not None and last.value == value and last.stop == start and last.state == state:
            joined[-1] = TransitionRun(value, last.start, stop, state)
        else:
            joined.append(TransitionRun(value, start, stop, state))
    return tuple(joined)
