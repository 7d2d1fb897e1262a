"""Replay of a case through the user's function: its probability from all outcome sequences, run by Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from taut.languages.python.distributions import DISTRIBUTIONS, with_ends
from taut.languages.python.logs import Draw
from taut.languages.python.scripted import PlainFunction, Position, ScriptEnds, quietly
from taut.languages.python.validation.choices import AllSequences
from taut.languages.python.validation.exactly import FractionFloat, exact_copy
from taut.languages.python.validation.functions import TargetDistance
from taut.languages.python.validation.result import agree
from taut.languages.python.validation.validate import compare_at
from taut.program import Program, replay, replay_distribution

__all__ = ["FunctionReplay"]

_MOST_RUNS = 4096
_MOST_DRAWS = 40_000
_SAMPLES = 64


class FunctionReplay:
    """The user's function as a source of probabilities.

    Guarantee:
        With the method 'function' a probability is the sum over all runs of the function by Python, exactly, and
        nothing that was read takes part. Where the runs are too many, 'function, sampled' is the probability from the
        terms that were read, after samples of the function on that very input agreed with them.

    ``marked`` is the program with marks for what unbounded noise is beyond its window.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: Mapping[str, Any],
        program: Program,
        draws: Sequence[Draw],
        marked: Program | None = None,
    ) -> None:
        self._plain = PlainFunction(function, arguments)
        self._program = program
        self._marked = program if marked is None else marked
        self._draws = draws
        self._masses: dict[Any, list[tuple[Any, Any]] | None] = {}

    @property
    def function(self) -> Callable[..., Any]:
        """Return the plain function."""
        return self._plain.function

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Return its arguments by name, a Domain for each database."""
        return self._plain.arguments

    def probability(self, x: Any, y: Any) -> tuple[Any, str]:
        """Return P(output = y) on one input given the evidence, and the method.

        Raises:
            Misreading: a sample of the function differs from the reading.
        """
        ends = self._marked.ends
        shown: Callable[[Any], Any] = (lambda output: output) if ends is None else ends.marked
        return self._of(x, lambda output: agree(y, shown(output)), lambda: replay(self._marked, x, y))

    def closeness(self, x: Any, wanted: TargetDistance, event: Callable[[], Program]) -> tuple[Any, str]:
        """Return the probability that the output is close to its target; ``event`` is the program read for it."""
        read = event()
        exactly = wanted.exactly()
        return self._of(x, lambda output: exactly.close(x, output), lambda: replay(read, x, True), read)

    def distances(self, x: Any, wanted: TargetDistance, gap: Callable[[], Program]) -> tuple[dict[Any, Any], str]:
        """Return the distribution of the distance from the target on one input; ``gap`` is the program read for it.

        Rounded floats as outputs do not determine exact distances, which are taken from the terms then.
        """
        ends = gap().ends
        masses = self._all_runs(x, gap())
        if masses and not any(_has_float(output) for output, _ in masses):
            exactly = wanted.exactly()
            total = sum([mass for _, mass in masses[1:]], start=masses[0][1])
            found: dict[Any, Any] = {}
            for output, mass in masses:
                far = exactly.gap(x, output)
                far = far.fraction if isinstance(far, FractionFloat) else far
                far = far if ends is None else ends.marked(far)
                found[far] = found[far] + mass / total if far in found else mass / total
            return found, "function"
        masses_by_terms, how = replay_distribution(gap(), x)
        return masses_by_terms, "function, sampled" if self._compare(x) else how

    def _of(
        self, x: Any, event: Callable[[Any], bool], by_terms: Callable[[], tuple[Any, str]], read: Program | None = None
    ) -> tuple[Any, str]:
        masses = self._all_runs(x, read)
        if masses:
            total = sum([mass for _, mass in masses[1:]], start=masses[0][1])
            found = sum([mass for output, mass in masses if event(output)], start=Fraction(0))
            return found / total, "function"
        compared = self._compare(x)
        probability, how = by_terms()
        return probability, "function, sampled" if compared else how

    def _compare(self, x: Any) -> bool:
        """Compare samples of the function on an input with the reading; return False if they cannot be compared."""
        compare_at(self._plain, self._program, self._draws, x, _SAMPLES)
        return True

    def _all_runs(self, x: Any, read: Program | None = None) -> list[tuple[Any, Any]] | None:
        """Return the outputs and weights of all runs on one input that meet the evidence; None if too many.

        Unbounded noise is clamped to the window of the program ``read`` for the question.
        """
        ends = (self._marked if read is None else read).ends
        window = None if ends is None else ends.window
        key = self._program.entries(x), window
        if key not in self._masses:
            database = self._program.database(key[0])
            with quietly():
                masses, rounded = _runs(self._plain, database, window)
                if rounded:
                    exactly = PlainFunction(exact_copy(self._plain.function), self._plain.arguments)
                    masses, _ = _runs(exactly, database, window)
            self._masses[key] = masses
        return self._masses[key]


def _has_float(output: Any) -> bool:
    return any(map(_has_float, output)) if isinstance(output, tuple) else isinstance(output, float)


def _runs(plain: PlainFunction, x: Any, window: tuple[int, int] | None) -> tuple[list[tuple[Any, Any]] | None, bool]:
    """Return all runs (None if too many, or one fails), and True if floats may have rounded a distribution."""
    script = _EveryRun(window)
    masses: dict[Any, Any] = {}
    for _ in range(_MOST_RUNS):
        script.start()
        result = plain.run(x, script)
        if result.problem is not None or result.ended:
            return None, script.rounded
        if not result.rejected:
            known = masses.get(result.value)
            masses[result.value] = script.weight if known is None else known + script.weight
        if script.choices.product > _MOST_RUNS or script.draws > _MOST_DRAWS:
            return None, False
        if not script.choices.advance():
            return list(masses.items()), script.rounded
    return None, False


class _EveryRun:
    """A script that enumerates all runs, with the distributions of the arguments that Python computes."""

    def __init__(self, window: tuple[int, int] | None) -> None:
        self.window = window
        self.choices = AllSequences()
        self.weight: Any = Fraction(1)
        self.rounded = False
        self.draws = 0

    def start(self) -> None:
        self.weight = Fraction(1)

    def draw(self, name: str, arguments: tuple[Any, ...], position: Position | None) -> Any:
        self.draws += 1
        if self.draws > 2 * _MOST_DRAWS:
            raise ScriptEnds
        outcomes, weights = DISTRIBUTIONS[name](*map(self._exact, with_ends(name, arguments, self.window)))
        place = self.choices.choose(len(outcomes))
        self.weight = self.weight * weights[place]
        return outcomes[place]

    def _exact(self, value: Any) -> Any:
        if isinstance(value, FractionFloat):
            return value.fraction
        if isinstance(value, float):
            self.rounded = True
        elif isinstance(value, list):
            return [self._exact(item) for item in value]
        elif isinstance(value, tuple):
            return tuple([self._exact(item) for item in value])
        elif isinstance(value, dict):
            return {key: self._exact(item) for key, item in value.items()}
        return value
