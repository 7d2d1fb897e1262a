"""The tree of all runs of a function: each draw is a node, each outcome of positive probability a branch."""

from __future__ import annotations

import functools
import math
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn, Protocol, TypeVar, cast

from taut.languages.python.distributions import DISTRIBUTIONS, is_open, noise_of, outside_at_most, with_ends
from taut.languages.python.failures import TooManyRuns
from taut.languages.python.scripted import Position, Rejection
from taut.support.errors import EndlessLoop, Place, TautError, TooLarge, UnsupportedValue
from taut.support.exact import ends, surely_zero
from taut.support.limits import checkpoint
from taut.support.options import active

__all__ = [
    "REJECTED",
    "SMALL",
    "UNFOLLOWED",
    "Answer",
    "ChoiceTree",
    "Probe",
    "Refused",
    "RestIsKnown",
    "StateRepeats",
    "is_closed",
    "place_of",
    "too_many_runs",
    "undisturbed",
    "unwatched",
]

F = TypeVar("F", bound=Callable[..., Any])
_DEEP = 40
"""Number of draws up to which a run is followed however improbable it is."""
_LONGEST = 100_000
_FAR = 220.0
"""Bits of the probability up to which random runs look at whole numbers without ends, as the runs themselves do."""
_MANY = 1000
"""Draws after which a random run tells nothing about the number of runs."""
SMALL = 64
"""Number of values up to which whole numbers are decided at once, since C code needs plain integers."""


class Refused(BaseException):
    """Raised when code that is run has no exact distribution; no ``except Exception`` of the user catches it."""

    def __init__(self, problem: TautError) -> None:
        super().__init__(str(problem))
        self.problem = problem


class StateRepeats(BaseException):
    """Raised where a loop returns to the state that it had after ``depth`` draws."""

    def __init__(self, depth: int) -> None:
        super().__init__(depth)
        self.depth = depth


class _GivenUp(BaseException):
    """Raised to end a run that is too improbable to be followed."""


class RestIsKnown(BaseException):
    """A loop has come to a state from which the distribution of the result is known."""

    def __init__(self, masses: Mapping[Any, Any]) -> None:
        super().__init__()
        self.masses = masses


@contextmanager
def undisturbed() -> Iterator[None]:
    """Suspend the watch over the run; a profiler of the interpreter's own could not be put back, so it goes on."""
    profile, trace = sys.getprofile(), sys.gettrace()
    if profile is None and trace is None:
        yield  # what is switched on inside goes on
        return
    if callable(profile):
        sys.setprofile(None)
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(trace)
        if callable(profile):
            sys.setprofile(profile)


def unwatched(function: F) -> F:
    """Suspend the watch over the run inside a function of taut."""

    @functools.wraps(function)
    def called(*args: Any, **keywords: Any) -> Any:
        profile, trace = sys.getprofile(), sys.gettrace()
        if profile is None and trace is None:
            return function(*args, **keywords)
        with undisturbed():
            return function(*args, **keywords)

    return cast(F, called)


@dataclass(frozen=True)
class _Mark:
    """Marks of runs that end without a result."""

    name: str


UNFOLLOWED = _Mark("unfollowed")
"""The mark of runs that are not followed."""
REJECTED = _Mark("rejected")
"""The mark of runs in which an observation fails."""


@dataclass(frozen=True)
class _Back:
    """The end of a run that returned to the state of the node at this depth."""

    depth: int


def is_closed(masses: Mapping[Any, Any]) -> bool:
    """Return True if no run among these came back to a state before them."""
    return not any(isinstance(end, _Back) for end in masses)


@dataclass(frozen=True, eq=False)
class _Rest:
    """The end of a run in a state from which the masses of the results are known."""

    masses: Mapping[Any, Any]


@dataclass
class _Node:
    """A draw: its weights, the branch that the current run takes, and the masses of the branches before."""

    weights: tuple[Any, ...]
    places: list[int]
    given: Sequence[Any]
    bits: float
    """Minus the binary logarithm of the probability of coming here."""
    taken: int = 0
    masses: dict[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a table to a call, made after ``depth`` draws of a run; no row if the call was made instead."""

    depth: int
    number: int
    args: tuple[Any, ...]
    keywords: Mapping[str, Any]
    row: Any


class Watch(Protocol):
    """The watch over a run, which need not see again what an earlier run did."""

    def note(self, depth: int) -> None:
        """Note the state of the run at a draw that no run made before."""

    def resume(self) -> None:
        """Go on at the draw whose outcome differs from that of the last run."""


class ChoiceTree:
    """Runs a function once for each sequence of its draws, depth first; also the script that decides these draws.

    Parameters:
        name: name of the function that is run, for messages.
        max_runs: runs after which the function is refused.
        max_remainder: the largest probability of runs that may be left out; runs without end need some.
        small: whole numbers below at most so many are listed when they are drawn; others when something asks.
        inner: True for a function that is called in a run, which looks itself at what is not followed here.
    """

    def __init__(
        self, name: str, max_runs: int, max_remainder: Fraction, small: int = SMALL, inner: bool = False
    ) -> None:
        self.name = name
        self.inner = inner
        self.small = small
        self.lossy = False
        """True once some runs cannot be followed anyway: improbable ones are then given up at any depth."""
        self.machine = active().randomness == "machine"
        """True if uniform numbers are the doubles of the machine."""
        self.runs = 0
        self.draws: set[str] = set()
        """Names of the distributions that were drawn from."""
        self._max_runs = max_runs
        self._remainder = max_remainder
        self._bits = math.inf
        self._path: list[_Node] = []
        self.memory: dict[Any, Any] = {}
        """Values computed from a draw, reused when the run is repeated."""
        self._depth = 0
        self._first: Any = None
        self.refusal: TautError | None = None
        self.wants_floats = False
        """True once a number without a value was needed as a float, as it is to be put into an array of floats."""
        self.stopped = False
        self.settled: Callable[[int, dict[Any, Any]], None] | None = None
        """Called with the depth of each finished draw and the masses of the results from there."""
        self.sharing = True
        """False while a run is repeated, which must then go to its end."""
        self.watch: Watch | None = None
        """Told where a run leaves what earlier runs did, so that only what is new has to be watched."""
        self.answers: list[Answer] = []
        """The calls of the current run that tables have answered, in order; first those of the last run that it
        repeats."""
        self._asked = 0

    def begun(self, variable: Any) -> ChoiceTree:
        """Return the tree that decides questions about a new uniform number."""
        return self

    @property
    def repeated(self) -> int:
        """The number of draws that the current run repeats from the last one, with the one that differs."""
        return len(self._path)

    def answered(self) -> Answer | None:
        """Return the next answer of the last run, if this call repeats one of its calls."""
        if self._asked < len(self.answers):
            self._asked += 1
            return self.answers[self._asked - 1]
        return None

    def answer(self, answer: Answer) -> None:
        """Record the answer to a call that the last run did not make."""
        self.answers.append(answer)
        self._asked += 1

    def differs(self) -> None:
        """Forget the answers from the last one on: the code makes other calls now."""
        del self.answers[self._asked - 1 :]
        self._asked = len(self.answers)

    @property
    def depth(self) -> int:
        """The number of draws of the current run so far."""
        return self._depth

    def distribution(self, run: Callable[[], Any]) -> dict[Any, Any]:
        """Return the results of all runs with their exact probabilities, UNFOLLOWED and REJECTED among them.

        Raises:
            TautError: there are too many runs, a draw has no exact distribution, or two runs with the same outcomes
                differ.
        """
        most = -math.log2(self._remainder) if self._remainder else math.inf
        for spare in (0,) if self.inner else (12, 40, 100):
            self._bits = most + spare
            masses = self._all(run)
            missing = ends(masses.get(UNFOLLOWED, Fraction(0)))[1]
            if missing <= self._remainder or self.inner:
                self._repeat(run)
                return masses
        raise EndlessLoop(
            f"'{self.name}' has too many improbable runs: those that are not followed have probability "
            f"{float(missing):.3g}, more than max_remainder={float(self._remainder):.3g}.",
            value=missing,
        )

    def _all(self, run: Callable[[], Any]) -> dict[Any, Any]:
        self._path = []
        self._first = None
        while True:
            end = self._one(run)
            self._first = self._first or end
            found = end.masses if isinstance(end, _Rest) else {end: Fraction(1)}
            while self._path:
                node = self._path[-1]
                for key, mass in found.items():
                    share = node.weights[node.taken] * mass
                    node.masses[key] = node.masses[key] + share if key in node.masses else share
                node.taken += 1
                if node.taken < len(node.weights):
                    break
                self._path.pop()
                found = self._finished(node, len(self._path))
                if self.settled is not None:
                    self.settled(len(self._path), found)
            else:
                return dict(found)

    def _repeat(self, run: Callable[[], Any]) -> None:
        """Run the first sequence of draws again; it must end as it did."""
        self._path = []
        self.sharing = False
        end = self._one(run)
        self.sharing = True
        if isinstance(self._first, _Rest):
            same = end in self._first.masses or isinstance(end, _Back)
        else:
            same = end == self._first
        if not same and end is not UNFOLLOWED:
            raise self.unsteady("returns something else")

    def _finished(self, node: _Node, depth: int) -> dict[Any, Any]:
        """Return the masses of a finished node; mass that comes back is distributed over the others in proportion."""
        back = node.masses.pop(_Back(depth), None)
        if back is None:
            return node.masses
        if not node.masses:
            raise self._never_ends()
        return {key: mass / (1 - back) for key, mass in node.masses.items()}

    def _one(self, run: Callable[[], Any]) -> Any:
        """Run once; return the result, or a mark for another end."""
        self.runs += 1
        if self.runs > self._max_runs:
            raise too_many_runs(self.name, self._max_runs)
        if self.runs & 15 == 1:
            checkpoint()
        self._depth = self._asked = 0
        while self.answers and self.answers[-1].depth >= len(self._path):
            self.answers.pop()
        self.refusal, self.stopped = None, False
        try:
            end = run()
        except StateRepeats as repeated:
            if repeated.depth == self._depth:
                raise self._never_ends() from None
            end = _Back(repeated.depth)
        except RestIsKnown as known:
            end = _Rest(known.masses)
        except _GivenUp:
            end = UNFOLLOWED
        except Rejection:
            end = REJECTED
        except Refused as refused:
            raise refused.problem from None
        if self.refusal is not None:
            raise self.refusal  # the code has caught it, and gone on
        if self.stopped and end is not UNFOLLOWED and not isinstance(end, (_Back, _Rest)):
            raise UnsupportedValue(
                f"'{self.name}' catches every exception ('except:' or 'finally' with 'return') around a loop that ends "
                "only with probability 1; catch 'Exception' there.",
                value=self.name,
            )
        if self._depth < len(self._path):
            raise self.unsteady("draws less")
        return end

    def stop(self, reason: BaseException) -> NoReturn:
        """End the current run before its end."""
        self.stopped = True
        raise reason

    def choose(self, weights: Sequence[Any], followed: int | None = None) -> int:
        """Return the branch that this run takes at a draw with these weights, which sum to 1.

        With ``followed`` only the first so many branches are; the others count as runs that are not followed.
        """
        if self._depth < len(self._path) and self._path[self._depth].given is weights:
            node = self._path[self._depth]
            self._depth += 1
            if self._depth == len(self._path) and self.watch is not None:
                self.watch.resume()
            return node.places[node.taken]
        places = [place for place, weight in enumerate(weights) if not surely_zero(weight)]
        if len(places) == 1:
            return places[0]
        lost = [weights[place] for place in places if followed is not None and place >= followed]
        places = places[: len(places) - len(lost)]
        if not places:
            self.stop(_GivenUp())
        kept = tuple([weights[place] for place in places])
        depth = self._depth
        self._depth += 1
        if depth < len(self._path):
            node = self._path[depth]
            if self._depth == len(self._path) and self.watch is not None:
                self.watch.resume()
            if node.weights != kept:
                self.refuse(self.unsteady("draws from another distribution"))
        else:
            before = self._path[-1] if self._path else None
            bits = 0.0 if before is None else before.bits - _log2(before.weights[before.taken])
            if bits > self._bits and (self.lossy or depth >= _DEEP):
                self._depth -= 1
                self.stop(_GivenUp())
            if depth >= _LONGEST:
                self.refuse(TooLarge(f"'{self.name}' makes more than {_LONGEST} draws in one run.", value=_LONGEST))
            node = _Node(kept, places, weights, bits)
            if lost:
                node.masses[UNFOLLOWED] = sum(lost[1:], start=lost[0])
            self._path.append(node)
            if self.watch is not None:
                self.watch.note(depth)
        return places[node.taken]

    def choose_or_stop(self, weights: Sequence[Any]) -> int:
        """Return the branch at a draw with infinitely many outcomes; the last weight is that of unfollowed runs."""
        place = self.choose(weights, len(weights) - 1)
        if place == len(weights) - 1:
            self.stop(_GivenUp())
        return place

    @property
    def bits_left(self) -> float:
        """Return the bits b such that the rest of the run is followed down to probability 2**-b."""
        if not self._depth:
            return self._bits
        node = self._path[self._depth - 1]
        return self._bits - node.bits + _log2(node.weights[node.taken])

    @property
    def smallest(self) -> float:
        """The probability below which the rest of infinitely many outcomes is not followed."""
        return float(2.0 ** -min(self._bits, 1000.0))

    @unwatched
    def draw(self, name: str, arguments: tuple[Any, ...], position: Position | None) -> Any:
        """Return the outcome of a draw with one of taut's own functions."""
        try:
            window = None
            if is_open(name, arguments):
                reach, center = outside_at_most(noise_of(name, arguments), Fraction(self.smallest)), int(arguments[0])
                window = center - reach, center + reach
            outcomes, weights = DISTRIBUTIONS[name](*with_ends(name, arguments, window))
        except TautError as problem:
            self.refuse(problem)
        self.draws.add(f"taut.{name}")
        outcome = outcomes[self.choose(weights)]
        if window is not None and outcome in window and outcome not in arguments[2:] and len(outcomes) > 1:
            self.stop(_GivenUp())
        return outcome

    def refuse(self, problem: TautError) -> Any:
        """End this run and all others, because the code does something that has no exact distribution."""
        self.refusal = problem.at(_place_of_user())
        raise Refused(problem)

    def _never_ends(self) -> EndlessLoop:
        return EndlessLoop(
            f"'{self.name}' has a loop that never ends: its state repeats, and no draw leads out of it.",
            value=self.name,
        )

    def unsteady(self, what: str) -> UnsupportedValue:
        """Make the error of a function that does something else when it is run again."""
        return UnsupportedValue(
            f"'{self.name}' {what} when it is run again with the same outcomes of its draws, so it depends on more "
            "than its arguments and draws.",
            value=self.name,
        )


def too_many_runs(name: str, most: int, about: float = 0) -> TooManyRuns:
    """Make the error of a function that has more runs than may be made; with the number if that is known roughly."""
    told = f"about {about:.0e} runs, more than max_runs={most}" if about else f"more than max_runs={most} runs"
    return TooManyRuns(
        f"'{name}' has {told}: one for each sequence of its draws. A smaller domain or fewer draws in one call would "
        "help, or taut.options(max_runs=...).",
        value=most,
    )


class Probe(ChoiceTree):
    """Estimates how many runs a function has by random ones (Knuth 1975): the product of the numbers of branches."""

    def __init__(self, name: str) -> None:
        super().__init__(name, _LONGEST, Fraction(0), small=2)
        self._bits = _FAR
        self._random = 1
        self._product = 1.0
        self._draws = 0

    def size(self, run: Callable[[], Any]) -> float:
        """Return the estimate by one run; 0 for a run that draws very often."""
        self._product, self._draws = 1.0, 0
        return 0.0 if self._one(run) is UNFOLLOWED else self._product

    def choose(self, weights: Sequence[Any], followed: int | None = None) -> int:
        places = [place for place, weight in enumerate(weights) if not surely_zero(weight)]
        self._product *= len(places)
        self._draws += 1
        if self._draws > _MANY:
            self.stop(_GivenUp())
        self._random = self._random * 6364136223846793005 % 2**64 + 1442695040888963407
        return places[(self._random >> 33) % len(places)]


def place_of(problem: BaseException) -> Place | None:
    """Return the line of the user's code that raised an exception."""
    found, typed, step = None, None, problem.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file.startswith("<"):
            typed = Place(file, step.tb_lineno, 1)  # at a prompt, or made by exec
        elif _is_users(file):
            found = Place(os.path.basename(file), step.tb_lineno, 1)
        step = step.tb_next
    return found or typed


def _place_of_user() -> Place | None:
    """Return the line of the user's code that is being run: the innermost outside of taut and of the library.

    Frames below the start of the run belong to the caller and are skipped.
    """
    frame = sys._getframe()
    while frame is not None and frame.f_code is not ChoiceTree._one.__code__:
        file = frame.f_code.co_filename
        if _is_users(file) and not file.startswith("<"):
            return Place(os.path.basename(file), frame.f_lineno, 1)
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _is_users(file: str) -> bool:
    """Return True for a file of the user's own, or of a package that has mechanisms.

    Packages may be installed below the folder of the standard library.
    """
    if file.startswith(_OURS):
        return False
    parts = Path(file).parts
    for folder in _PACKAGES:
        if folder in parts:
            return parts[parts.index(folder) + 1] not in _NUMERIC
    return not file.startswith(_STANDARD)


_OURS = str(Path(__file__).parents[3]) + os.sep
_STANDARD = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib")})
_PACKAGES = ("site-packages", "dist-packages")
_NUMERIC = frozenset({"numpy", "scipy", "pandas", "numba"})
"""Packages that only compute: what they raise is told with the line that called them."""


def _log2(weight: Any) -> float:
    if isinstance(weight, Fraction):
        return math.log2(weight.numerator) - math.log2(weight.denominator)
    return math.log2(max(float(weight), 5e-324))
