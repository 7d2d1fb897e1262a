"""Rows of a table of runs: for given arguments the distribution of what a call returns, as values of a program."""

from __future__ import annotations

import dataclasses
import enum
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from taut.languages.python.failures import TooManyRuns, failure_like
from taut.languages.python.logs import ALMOST_ONE
from taut.languages.python.run.arrays import array_replacements, global_state, scripted_generator
from taut.languages.python.run.conversions import converting
from taut.languages.python.run.generators import Replacing, replaced_generators
from taut.languages.python.run.held import holding
from taut.languages.python.run.lazy import LazyNumber
from taut.languages.python.run.loops import LoopHeads
from taut.languages.python.run.needs import imported, is_source
from taut.languages.python.run.nested import Tables
from taut.languages.python.run.purity import Snapshot, watched
from taut.languages.python.run.sources import active_tree, controlled, replacements
from taut.languages.python.run.state import reachable_functions, state_of, without_compiler
from taut.languages.python.run.tree import (
    REJECTED,
    SMALL,
    UNFOLLOWED,
    ChoiceTree,
    Probe,
    place_of,
    too_many_runs,
)
from taut.languages.python.scripted import quietly, scripted
from taut.program.operations import typed
from taut.support.errors import OutOfMemory, OutOfTime, TautError, TooLarge, UnsupportedValue, shortened
from taut.support.exact import Ball, ends
from taut.support.options import REMAINDER_SHARE, active
from taut.support.process import silent_loggers

__all__ = ["Outcome", "Row", "Runner", "outcome_of"]


_SCALARS = (bool, int, float, str, bytes, type(None), Fraction)


@dataclass(frozen=True)
class Outcome:
    """A result: its value with tuples in place of lists, and the kinds of containers that it had."""

    key: Any
    value: Any = field(compare=False)
    shape: Any = None
    raw: Any = field(default=None, compare=False)
    """The value as it was returned."""


def outcome_of(tree: ChoiceTree, value: Any) -> Outcome:
    """Return the outcome of a run that returned this value."""
    plain, shape = _plain(tree, value)
    return Outcome((typed(plain), shape), plain, shape, value)


def _plain(tree: ChoiceTree, value: Any) -> tuple[Any, Any]:
    if type(value) is LazyNumber:
        if tree.inner and not tree.depth and value.is_long():
            tree.refuse(TooLarge(f"'{tree.name}' returns a number that is better left open.", value=tree.name))
        value = value.returned()
    if type(value) in _SCALARS:
        if isinstance(value, float) and value != value:
            tree.refuse(
                UnsupportedValue(
                    f"'{tree.name}' returns nan, which equals no other result, so that runs cannot be counted by it."
                )
            )
        return value, None
    kind = type(value)
    if isinstance(value, enum.Enum):
        return value, None
    if kind.__module__ == "numpy":
        if kind.__name__ == "ndarray":
            plain, _ = _plain(tree, value.tolist())
            return plain, "array"
        if hasattr(value, "item"):
            return _plain(tree, value.item())
    if isinstance(value, (list, tuple)):
        parts = [_plain(tree, item) for item in value]
        shapes = tuple([shape for _, shape in parts])
        made = tuple([part for part, _ in parts])
        if kind is not tuple:
            return made, ("list" if kind is list else kind.__name__, shapes if any(shapes) else None)
        return made, shapes if any(shapes) else None
    if isinstance(value, (range, Iterator)) and kind.__module__ in ("builtins", "itertools"):
        return _plain(tree, list(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
        return _plain(tree, tuple(parts))[0], kind.__name__
    if isinstance(value, (set, frozenset)):
        return _plain(tree, sorted(value, key=repr))[0], "set"
    if isinstance(value, dict):
        return _plain(tree, [(key, value[key]) for key in sorted(value, key=repr)])[0], "dict"
    tree.refuse(
        UnsupportedValue(
            f"'{tree.name}' returns a {kind.__name__}; a mechanism returns numbers, text, None, or lists, tuples and "
            "arrays of these.",
            value=value,
        )
    )
    raise AssertionError


_PROBES = 32
_HOPELESS = 20
"""Multiple of ``max_runs`` above which an estimate is enough to refuse a function."""
_FEW_RUNS = 2000
"""Runs after which draws of small whole numbers are no longer listed at once."""
_LONG = 4096
"""Bits of a denominator from which the weights of rows with a remainder are rounded."""
_LONG_INSIDE = 128
"""The same for functions that are called in a run, whose weights are multiplied and added many times."""
_SPARE = 128
"""Bits that rounded weights keep beyond those of the remainder."""


class _WantsFloats(Exception):
    """Raised where a number without a value is needed as a float, which arrays that can hold it may not need."""

    def __init__(self, problem: TautError) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(frozen=True)
class Row:
    """The distribution of what a call returns."""

    outcomes: tuple[Outcome, ...]
    weights: tuple[Any, ...]
    remainder: Any
    """The probability of runs that were not followed; with ``rejected`` and the weights it sums to 1."""
    rejected: Any
    """The probability of runs in which an observation fails."""
    runs: int
    draws: frozenset[str]


class Runner:
    """Runs one function for one tuple of arguments after the other.

    Guarantee:
        The weights of a row are the exact probabilities of what the function returns, if its draws are independent and
        each has its distribution; the function has changed nothing that it can reach, and repeats what it did.
    """

    def __init__(
        self, function: Any, name: str, max_runs: int, keeps_arguments: bool, tables: Tables | None = None
    ) -> None:
        self.function = function
        self.name = name
        self.max_runs = max_runs
        self.keeps_arguments = keeps_arguments
        self._called = function
        self.tables = Tables(self._inner_row) if tables is None else tables
        self._before: Snapshot | None = None
        self._replacing: Replacing | None = None
        self._holding = False
        """True if arrays have to hold numbers without a value."""

    def row(
        self,
        args: Sequence[Any],
        keywords: dict[str, Any],
        max_remainder: Fraction | None = None,
        max_runs: int | None = None,
    ) -> Row:
        """Return the distribution of the result for these arguments, by at most ``max_runs`` runs.

        Raises:
            TautError: the function fails, changes something, or draws what has no exact distribution; or it has too
                many runs.
        """
        args, keywords = self.controlled(args, keywords)
        try:
            return self._plain_or_holding(args, keywords, max_remainder, max_runs)
        except _WantsFloats as wanted:
            if self._holding or "numpy" not in sys.modules:
                raise wanted.problem from None
            self._holding = True
            try:
                return self._plain_or_holding(args, keywords, max_remainder, max_runs)
            except _WantsFloats as again:
                raise again.problem from None

    def _plain_or_holding(
        self,
        args: Sequence[Any],
        keywords: dict[str, Any],
        max_remainder: Fraction | None,
        max_runs: int | None,
    ) -> Row:
        most = self.max_runs if max_runs is None else min(self.max_runs, max_runs)
        few = min(_FEW_RUNS, most)
        try:
            return self._row(args, keywords, max_remainder, few)
        except TooManyRuns:
            if few == self.max_runs:
                raise
        self._refuse_hopeless(args, keywords)
        try:  # with numbers that have no value until something asks there may be fewer runs
            return self._row(args, keywords, max_remainder, most, 2)
        except (TooManyRuns, OutOfTime, OutOfMemory):
            raise
        except (TautError, _WantsFloats):
            return self._row(args, keywords, max_remainder, most)

    def _refuse_hopeless(self, args: Sequence[Any], keywords: dict[str, Any]) -> None:
        """Refuse a function at once whose runs are surely too many, by sizes that are estimated on random runs."""
        probe = Probe(self.name)
        try:
            with scripted(probe), self.tables.active():
                sizes = sorted(
                    probe.size(lambda: outcome_of(probe, watched(lambda: self.called(*args, **keywords))))
                    for _ in range(_PROBES)
                )
        except (OutOfTime, OutOfMemory, MemoryError):
            raise
        except Exception:  # perhaps of numbers without a value alone; runs tell what fails, and where
            return
        if sizes[_PROBES // 4] > _HOPELESS * self.max_runs:
            hopeless = sizes[_PROBES // 4] > _HOPELESS * active().max_runs
            most = active().max_runs if hopeless else self.max_runs
            problem = too_many_runs(self.name, most, sizes[_PROBES // 2])
            problem.hopeless = hopeless
            raise problem

    def controlled(self, args: Sequence[Any], keywords: dict[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        """Return arguments with stand-ins for the generators that they hold."""
        if self._replacing is None:
            return args, keywords
        replaced = self._replacing.argument
        return [replaced(arg) for arg in args], {key: replaced(arg) for key, arg in keywords.items()}

    def called(self, *args: Any, **keywords: Any) -> Any:
        """Call the function, or its stand-in while draws are controlled, with copies of the arguments."""
        given = _copied((args, keywords)) if _changeable((*args, *keywords.values())) else (args, keywords)
        return self._called(*given[0], **given[1])

    def _row(
        self,
        args: Sequence[Any],
        keywords: dict[str, Any],
        max_remainder: Fraction | None,
        max_runs: int,
        small: int = SMALL,
    ) -> Row:
        """Return the distribution of the result, found by at most ``max_runs`` runs."""
        outermost = active_tree() is None
        outside = global_state() if outermost else None
        most = REMAINDER_SHARE * active().max_remainder if max_remainder is None else max_remainder
        tree = ChoiceTree(self.name, max_runs, most, small, max_remainder is not None)
        tree.lossy = tree.inner and self.tables.cut
        if self._before is None:
            self._before = self.tables.snapshot(self.function)
        heads = LoopHeads(tree, self._before, self.tables.rests)
        changeable = _changeable((*args, *keywords.values()))
        plain = all(type(value) in _PLAIN for value in [*args, *keywords.values()])

        def run() -> Any:
            given = _copied((tuple(args), keywords)) if changeable else (args, keywords)
            before = None if plain else state_of((given if self.keeps_arguments else None, args, keywords))
            try:
                end = outcome_of(tree, watched(lambda: heads.run(lambda: self._called(*given[0], **given[1]))))
            except TautError:
                raise
            except Exception as problem:
                if "dtype('O')" in str(problem) and type(problem).__name__.startswith("UFunc"):
                    raise UnsupportedValue(
                        f"'{self.name}' adds random numbers that have no value yet to an array in place. Write "
                        "a = a + noise in place of a += noise, and leave out=... out.",
                        value=self.name,
                    ).at(place_of(problem)) from None
                rounded = f" It has {ALMOST_ONE}." if ALMOST_ONE in tree.draws else ""
                failure = failure_like(problem, self._failed(problem, args, keywords) + rounded)
                raise failure.at(place_of(problem)) from problem
            finally:
                self._unchanged()
            if not plain and state_of((given if self.keeps_arguments else None, args, keywords)) != before:
                raise UnsupportedValue(
                    f"'{self.name}' changes what it is given, so it cannot be run apart.", value=args
                )
            return end

        try:
            with scripted(tree), self.tables.active(), holding() if self._holding else nullcontext():
                masses = tree.distribution(run)
        except TautError as problem:
            if tree.wants_floats:
                raise _WantsFloats(problem) from None
            raise
        if outermost and global_state() != outside:
            raise UnsupportedValue(
                f"'{self.name}' draws with numpy.random through something that cannot be replaced, such as a function "
                "kept in an object of a C library.",
                value=self.name,
            )
        found = {key: mass for key, mass in masses.items() if key not in (UNFOLLOWED, REJECTED)}
        remainder, rejected = masses.get(UNFOLLOWED, Fraction(0)), masses.get(REJECTED, Fraction(0))
        found, remainder = _without_blurred(found, remainder, most)
        if remainder:
            found, lost = _shortened(found, most, _LONG if max_remainder is None else _LONG_INSIDE)
            remainder += lost
        if max_remainder is not None:  # the most probable first, so that later calls find the rest of longer runs known
            found = dict(sorted(found.items(), key=lambda item: -float(item[1])))
        return Row(
            tuple(found),
            tuple(found.values()),
            remainder,
            rejected,
            tree.runs,
            frozenset(tree.draws),
        )

    def _unchanged(self) -> None:
        """Refuse a run that changed something that the function can reach."""
        changed = [] if self._before is None else self._before.changes()
        if changed:
            raise UnsupportedValue(
                f"'{self.name}' changes {' and '.join(repr(name) for name in changed[:3])}, which the next run would "
                "see, so its runs are not independent. Make what it changes inside of the function that is run, as "
                "in mechanism(lambda x: Class(...).method(x)).",
                value=changed,
            )

    def _under_control(self) -> Any:
        """Return the function, or its stand-in if it is a source of randomness such as random.random."""
        known = {**replacements(), **array_replacements()}.get(id(self.function))
        if known is not None and known[0] is self.function:
            return known[1]
        owner = getattr(self.function, "__self__", None)
        if owner is None or not is_source(owner):
            return without_compiler(self.function)
        stand_in = scripted_generator(owner)
        return getattr(owner if stand_in is None else stand_in, self.function.__name__)

    def _failed(self, problem: Exception, args: Sequence[Any], keywords: dict[str, Any]) -> str:
        shown = ", ".join(
            [*[shortened(repr(arg)) for arg in args], *[f"{key}={shortened(repr(v))}" for key, v in keywords.items()]]
        )
        said = str(problem).rstrip(".")
        tuples = any(type(arg) is tuple for arg in [*args, *keywords.values()])
        wanted = tuples and isinstance(problem, (AttributeError, TypeError)) and "tuple" in said
        hint = " A database is a tuple; as_list() and as_array() of a domain give lists and arrays." if wanted else ""
        return f"{self.name}({shown}) raises {type(problem).__name__}: {said}.{hint}"

    def _inner_row(self, function: Any, name: str, args: tuple[Any, ...], keywords: dict[str, Any], bits: int) -> Row:
        """Return the row of a function that the function calls, run apart."""
        inner = Runner(function, name, self.max_runs, keeps_arguments=True, tables=self.tables)
        inner._before = self.tables.snapshot(function)
        return inner.row(args, keywords, Fraction(1, 2**bits))

    @contextmanager
    def ready(self) -> Iterator[None]:
        """Control all draws inside the ``with`` block."""
        with ExitStack() as stack:
            for function in reachable_functions(self.function):
                imported(function)  # so that its draws are found, and nothing is loaded in a run
            stack.enter_context(quietly())
            scopes = [function.__globals__ for function in reachable_functions(self.function)]
            stack.enter_context(controlled(array_replacements(), scopes))
            self._replacing = stack.enter_context(replaced_generators(self.function))
            stack.enter_context(converting(self.function))
            self._called = self._under_control()
            self._before = Snapshot(self.function)
            stack.enter_context(self.tables.replacing(self.function))
            stack.enter_context(silent_loggers())
            yield


def _without_blurred(masses: dict[Any, Any], remainder: Any, most: Fraction) -> tuple[dict[Any, Any], Any]:
    """Count imprecise masses, such as small differences of balls, as not followed."""
    blurred = {key: ends(mass)[1] for key, mass in masses.items() if isinstance(mass, Ball) and _is_blurred(mass)}
    lost = sum(blurred.values(), start=Fraction(0))
    if not blurred or len(blurred) == len(masses) or lost + ends(remainder)[1] > most:
        return masses, remainder
    return {key: mass for key, mass in masses.items() if key not in blurred}, remainder + lost


def _is_blurred(mass: Ball) -> bool:
    low, high = ends(mass)
    return bool(high - low > low * _BLURRED)


_BLURRED = Fraction(1, 2**64)


def _shortened(masses: dict[Any, Any], remainder: Fraction, long: int) -> tuple[dict[Any, Any], Fraction]:
    """Round fractions of more than ``long`` bits down, and return what that loses, which counts as not followed.

    The weights of a row with a remainder are lower bounds, those of followed runs only, so they may be rounded down;
    otherwise rows of functions that call each other would have more digits at every level. Rounded, they have one
    denominator.
    """
    if not any(type(mass) is Fraction and mass.denominator.bit_length() > long for mass in masses.values()):
        return masses, Fraction(0)
    grid = 2 ** (remainder.denominator.bit_length() + _SPARE)
    short: dict[Any, Any] = {}
    lost = Fraction(0)
    for key, mass in masses.items():
        if type(mass) is not Fraction:
            short[key] = mass
            continue
        kept = Fraction(mass.numerator * grid // mass.denominator, grid)
        lost += mass - kept
        if kept:
            short[key] = kept
    return short, lost


def _changeable(value: Any) -> bool:
    """Return True if a list or another mutable object is among the arguments."""
    if isinstance(value, tuple):
        return any(map(_changeable, value))
    return type(value) in (list, dict, set) or (type(value).__module__ == "numpy" and hasattr(value, "flags"))


def _copied(value: Any) -> Any:
    """Return a value with containers and arrays of its own; other objects are shared."""
    if type(value) in (list, tuple):
        return type(value)([_copied(item) for item in value])
    if type(value) is dict:
        return {key: _copied(item) for key, item in value.items()}
    return value.copy() if _changeable(value) else value


_PLAIN = frozenset({int, float, bool, str, bytes, type(None), Fraction})
