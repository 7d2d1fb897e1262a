"""Models with parts that are run, judged by the function itself: all runs of whole inputs, or single ones.

For a single run Python runs the function with outcomes chosen at random for its draws, also inside of what was run
apart. The draws of the reading are then taken in their order: each part that is run repeats its share of the outcomes,
which decides its coin. All distributions on the way must be equal, no outcome may be left, and the output must be what
Python returned.
"""

from __future__ import annotations

import inspect
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from typing import Any

from taut.languages.python.floats import plain_argument
from taut.languages.python.logs import Cells, Draw
from taut.languages.python.run.calls import MadeDraw
from taut.languages.python.run.inline import is_inline
from taut.languages.python.run.needs import is_source
from taut.languages.python.run.nested import Tables
from taut.languages.python.run.purity import watched
from taut.languages.python.run.table import Row, Runner, outcome_of
from taut.languages.python.run.tree import REJECTED, ChoiceTree, Refused
from taut.languages.python.scripted import Rejection, scripted
from taut.languages.python.validation.choices import all_inputs, corners, sampled
from taut.languages.python.validation.replay import FunctionReplay
from taut.languages.python.validation.result import Validation, agree, canonical, close, misreading, shown
from taut.program import UNFOLLOWED, Coin, Const, Ends, Evaluation, Program, replay_distribution
from taut.program.domains import Domain
from taut.support.errors import Misreading, TooLarge
from taut.support.exact import surely_above, surely_zero
from taut.support.options import active

__all__ = ["Paths", "RunReplay", "validate_runs"]


_SAME = 1e-12
"""Difference up to which two places of a uniform number are taken for one."""
_LISTED = 20_000
"""Number of values up to which whole numbers are decided where they are drawn, so that the order of draws is fixed."""
_Choice = tuple[tuple[Any, ...], int, Any]
"""The positive weights of a draw, the place of the outcome that was chosen among these, and the uniform number that it
is a question about, or None."""


class _OfNumber:
    """A tree that remembers the number that it is asked about."""

    def __init__(self, tree: _SampledTree, variable: Any) -> None:
        self._tree = tree
        self.variable = variable

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tree, name)

    def choose(self, weights: Sequence[Any], followed: int | None = None) -> int:
        return self._tree.choose(weights, followed, self)


class _SampledTree(ChoiceTree):
    """One run, its outcomes chosen at random: often the same place again and again."""

    def __init__(self, name: str, picks: Iterator[int]) -> None:
        super().__init__(name, 1, Fraction(0), small=_LISTED)
        self.taken: list[_Choice] = []
        self.numbers: list[_OfNumber] = []
        """The uniform numbers of the run, in order."""
        self._picks = picks
        self._habit = (None, None, 0, -1)[next(picks) % 4]

    def begun(self, variable: Any) -> Any:
        self.numbers.append(_OfNumber(self, variable))
        return self.numbers[-1]

    def choose(self, weights: Sequence[Any], followed: int | None = None, number: Any = None) -> int:
        places = [place for place, weight in enumerate(weights) if not surely_zero(weight)]
        if len(places) == 1:
            return places[0]
        if self._habit is None or next(self._picks) % 8 == 0:
            chosen = next(self._picks) % len(places)
        else:
            chosen = self._habit % len(places)
        self.taken.append((tuple([weights[place] for place in places]), chosen, number))
        return places[chosen]


class _GivenTree(ChoiceTree):
    """One run that repeats outcomes of an earlier one."""

    def __init__(self, name: str, choices: _Choices) -> None:
        super().__init__(name, 1, Fraction(0), small=_LISTED)
        self._choices = choices

    def begun(self, variable: Any) -> ChoiceTree:
        next(self._choices.numbers, None)
        return self

    def choose(self, weights: Sequence[Any], followed: int | None = None) -> int:
        places = [place for place, weight in enumerate(weights) if not surely_zero(weight)]
        if len(places) == 1:
            return places[0]
        return places[_taken(self._choices, [weights[place] for place in places])]


def _numbers() -> Iterator[int]:
    """Yield endless numbers that look random; Python's own generators are under control while a function is run."""
    state = 0
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 33


class _Differs(Exception):
    """Raised where the run and the reading draw from different distributions."""


class _Choices:
    """The choices of a run that are still to be repeated; those about numbers that were kept are left out."""

    def __init__(self, tree: _SampledTree) -> None:
        self.numbers = iter(tree.numbers)
        self._left = iter(tree.taken)
        self._kept: set[int] = set()

    def kept(self) -> Any:
        """Return the next uniform number of the run, which the reading keeps."""
        number = next(self.numbers, None)
        if number is None or number.variable.joined is not None:
            raise _Differs
        self._kept.add(id(number))
        return number.variable

    def __iter__(self) -> Iterator[_Choice]:
        return self

    def __next__(self) -> _Choice:
        choice = next(self._left)
        while id(choice[2]) in self._kept:
            choice = next(self._left)
        return choice


def _taken(choices: Iterator[_Choice], weights: Sequence[Any]) -> int:
    known, chosen, _ = next(choices, ((), 0, None))
    if len(known) != len(weights) or not all(map(agree, known, weights)):
        raise _Differs
    return chosen


class Paths:
    """Compares single runs of a function with its reading; ``made`` is what is run for draws that stand for calls."""

    def __init__(self, program: Program, draws: Sequence[Draw], made: Sequence[MadeDraw]) -> None:
        self.program = program
        self.draws = draws
        self._made = {id(one.draw): one for one in made}
        self._picks = _numbers()
        self._checked: dict[int, tuple[Cells, bool]] = {}
        self.inline = any(is_inline(one.runner.function) for one in made)
        self.inline |= any(isinstance(draw.chain, Cells) for draw in draws)
        self.inline |= any(is_source(one.runner.function) for one in made)
        """True if some expressions draw in place."""
        self.tables = next((one.runner.tables for one in made if one.runner.tables.cut), None)
        """The rows of functions called in runs that are not all followed: they may have taken long to find."""
        self.comparable = program.ends is None and all(
            isinstance(draw.chain, Cells)
            or (
                draw.chain is None
                and (draw.name != "run" or (id(draw) in self._made and self._made[id(draw)].followed))
            )
            for draw in draws
        )
        """False if some runs are not followed, or a draw is decided by several coins: single runs then tell little."""

    def compare(self, inputs: Sequence[tuple[Any, Callable[[], Any]]], seconds: float) -> int:
        """Compare runs on these inputs, each with a function that calls the mechanism, in turn; return their number.

        Raises:
            Misreading: a run and the reading differ.
        """
        start = time.process_time()
        runs = 0
        with self._ready():
            for x, call in inputs:
                if runs and time.process_time() - start > seconds:
                    break
                runner = Runner(call, self.program.name, 1, keeps_arguments=False)
                with runner.ready():
                    self._one(x, runner.called)
                runs += 1
        return runs

    @contextmanager
    def _ready(self) -> Iterator[None]:
        """Control the draws of everything that is run."""
        with ExitStack() as stack:
            for runner in {id(made.runner): made.runner for made in self._made.values()}.values():
                stack.enter_context(runner.ready())
            yield

    def _one(self, x: Any, call: Callable[[], Any]) -> None:
        tree = _SampledTree(self.program.name, self._picks)
        ran = _end(tree, call)
        choices = _Choices(tree)
        decided: dict[int, Any] = {}
        evaluation = Evaluation(self.program.entries(x), lambda coin: _first(self.program, coin, decided), {})
        try:
            for draw in self.draws:
                if evaluation.value(draw.condition) is True:
                    self._decide(draw, evaluation, choices, decided)
        except _Differs:
            raise self._misread(x, "it draws from other distributions than the reading") from None
        if next(choices, None) is not None:
            raise self._misread(x, "it makes draws that the reading does not have")
        rejected = evaluation.value(self.program.evidence) is False
        if rejected or ran is REJECTED:
            if not (rejected and ran is REJECTED):
                raise self._misread(x, "what it observes is something else in the reading")
            return
        read = evaluation.value(self.program.output)
        if not agree(read, ran):
            raise self._misread(x, f"Python returns {shown(ran)} where the reading says {shown(read)}")

    def _decide(self, draw: Draw, evaluation: Evaluation, choices: _Choices, decided: dict[int, Any]) -> None:
        if isinstance(draw.chain, Cells):
            self._decide_cells(draw.chain, evaluation, choices, decided)
            return
        key = None if draw.index is None else evaluation.value(draw.index)
        made = self._made.get(id(draw))
        if made is None:
            tosses = dict(draw.tosses)
            toss = tosses.get(key) if draw.index is not None else draw.tosses[0][1]
            if toss is None:
                raise _Differs
            if isinstance(toss, Coin):
                if toss.index in evaluation.coins:
                    raise _Differs
                coin = self.program.coins[toss.index]
                rows = [row for row in zip(coin.outcomes, coin.weights, strict=True) if not surely_zero(row[1])]
                place = _taken(choices, [weight for _, weight in rows]) if len(rows) > 1 else 0
                decided[toss.index] = rows[place][0]
            return
        found = made.cases.get(() if draw.index is None else key)
        toss = dict(draw.tosses).get(() if draw.index is None else key)
        if found is None or toss is None:
            raise _Differs
        tree = _GivenTree(made.runner.name, choices)
        if isinstance(toss, Coin) and toss.index in evaluation.coins:
            raise _Differs  # the reading uses a coin before it is tossed
        args, keywords = made.runner.controlled(*found)
        code = made.code(_end(tree, lambda: made.runner.called(*args, **keywords), whole=True))
        if isinstance(toss, Coin):
            if code not in self.program.coins[toss.index].outcomes:
                raise _Differs
            decided[toss.index] = code
        elif not isinstance(toss, Const) or toss.value != code:
            raise _Differs

    def _decide_cells(self, cell: Cells, evaluation: Evaluation, choices: _Choices, decided: dict[int, Any]) -> None:
        """Decide the coins of a kept number by what the run says of it."""
        low, high = map(float, choices.kept().places)
        if not all(any(abs(end - known) <= _SAME for known in _ends_of(cell)) for end in (low, high)):
            raise _Differs
        while cell.toss is not None:
            coin = self.program.coins[cell.toss.index]
            if cell.toss.index in evaluation.coins or not self._has_weights(cell, coin.weights):
                raise _Differs
            place = sum(1 for part in cell.parts if float(part.high) <= (low + high) / 2)
            decided[cell.toss.index] = coin.outcomes[place]
            cell = cell.parts[place]

    def _has_weights(self, cell: Cells, weights: Sequence[Any]) -> bool:
        """Return True if the coin of a cell has the weights of its parts; it is looked at once."""
        if id(cell) not in self._checked:
            size = float(cell.high - cell.low)
            parts = zip(cell.parts, weights, strict=True)
            fits = all(abs(float(part.high - part.low) - float(weight) * size) <= _SAME for part, weight in parts)
            self._checked[id(cell)] = cell, fits
        return self._checked[id(cell)][1]

    def _misread(self, x: Any, told: str) -> Misreading:
        return misreading(self.program.name, x, f"at x={shown(x)} {told}")


def _ends_of(cell: Cells) -> Iterator[float]:
    """Yield the ends of a cell and of all its parts."""
    yield float(cell.low)
    yield float(cell.high)
    for part in cell.parts:
        yield from _ends_of(part)


def _first(program: Program, coin: int, decided: Mapping[int, Any]) -> Any:
    """Return the outcome of a coin; the first one if Python does not toss it, which must change nothing."""
    return decided[coin] if coin in decided else program.coins[coin].outcomes[0]


def _end(tree: ChoiceTree, call: Callable[[], Any], whole: bool = False) -> Any:
    """Return the result of one run, or REJECTED; as an outcome with ``whole``."""
    try:
        with scripted(tree):
            end = outcome_of(tree, watched(call))
    except Rejection:
        return REJECTED
    except Refused as refused:
        raise refused.problem from None
    if tree.refusal is not None:
        raise tree.refusal
    return end if whole else end.value


_MOST_RUNS = 2000
_FEW_INPUTS = 16
_SECONDS = 2.0
_PATHS = {"default": (24, 0.8), "thorough": (1000, 60.0)}
"""Number of single runs that are compared where all are too many, and the seconds for this."""
_SAMPLES = 8
_COARSER = 1024
"""Multiple of ``max_remainder`` that the judge may leave out where it uses rows of the reading."""
_FEW_COINS, _SOME_COINS = 16, 64
"""Numbers of coins, with and without inline draws, above which all runs are surely too many."""


class RunReplay(FunctionReplay):
    """The user's function as a witness of probabilities, run under control of all its draws."""

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: Mapping[str, Any],
        program: Program,
        draws: Sequence[Draw],
        marked: Program | None,
        paths: Paths,
    ) -> None:
        super().__init__(function, arguments, program, draws, marked)
        self._paths = paths

    def _compare(self, x: Any) -> bool:
        """Compare single runs on an input with the reading; return False if they cannot be compared."""
        database = self._program.database(self._program.entries(x))
        if not self._paths.comparable:
            return False
        calls = [(database, _called(self.function, self.arguments, database))] * _SAMPLES
        return self._paths.compare(calls, _SECONDS) > 0

    def _all_runs(self, x: Any, read: Program | None = None) -> list[tuple[Any, Any]] | None:
        key = self._program.entries(x)
        if key not in self._masses:
            database = self._program.database(key)
            row = whole_row(self._plain.function, self._plain.arguments, database, _MOST_RUNS, self._paths.tables)
            self._masses[key] = (
                None
                if row is None or row.remainder
                else [(outcome.value, weight) for outcome, weight in zip(row.outcomes, row.weights, strict=True)]
            )
        return self._masses[key]


def whole_row(
    function: Callable[..., Any], arguments: Mapping[str, Any], x: Any, most: int, tables: Tables | None = None
) -> Row | None:
    """Return the distribution of the function's result on one input by Python; None if that takes too many runs.

    Rows of functions that it calls are taken from ``tables``, as far as they are precise enough for a larger remainder.
    """
    runner = Runner(_called(function, arguments, x), function.__name__, most, keeps_arguments=False, tables=tables)
    with runner.ready():
        try:
            return runner.row((), {}, None if tables is None else _COARSER * active().max_remainder)
        except TooLarge:
            return None


def _called(function: Callable[..., Any], arguments: Mapping[str, Any], x: Any) -> Any:
    domains = {name: value for name, value in arguments.items() if isinstance(value, Domain)}
    databases = dict(zip(domains, [x] if len(domains) == 1 else x, strict=True))
    plain = {key: plain_argument(value) for key, value in {**arguments, **databases}.items()}
    signature = inspect.signature(function)

    def call() -> Any:
        formed = {name: domain.given(plain[name]) for name, domain in domains.items()}  # each run changes its own
        bound = inspect.BoundArguments(signature, {**plain, **formed})
        return function(*bound.args, **bound.kwargs)

    call.__module__ = getattr(function, "__module__", None) or call.__module__  # it stands for the user's function
    return call


def validate_runs(
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    program: Program,
    level: str,
    rows: int,
    whole: bool,
    paths: Paths | None = None,
) -> Validation:
    """Compare the distributions of a model that has parts that are run with those of the whole function.

    A function that was run as a whole has been judged by that. Where it has too many runs, some are sampled and
    compared one by one.

    Raises:
        Misreading: the distributions differ on some input.
    """
    if level == "off":
        return Validation(reason="validation is switched off")
    if whole:
        return Validation(rows, program.size, program.size, True)
    start = time.process_time()
    runs = inputs = 0
    everything = program.size <= _FEW_INPUTS
    for entries in all_inputs(program.inputs) if everything else corners(program.inputs):
        x = program.database(entries)
        few = len(program.coins) <= (_FEW_COINS if paths is not None and paths.inline else _SOME_COINS)
        row = whole_row(function, arguments, x, _MOST_RUNS, None if paths is None else paths.tables) if few else None
        if row is None or time.process_time() - start > _SECONDS:
            everything = False
            break
        read = replay_distribution(program, x)[0]
        _compare(program.name, x, read, row, program.ends)
        runs, inputs = runs + row.runs, inputs + 1
    seconds = time.process_time() - start
    if not runs and paths is not None and paths.inline and paths.comparable and level in _PATHS:
        most, limit = _PATHS[level]
        known = corners(program.inputs)
        generator = random.Random(0)
        rows_of = [known[i] if i < len(known) else sampled(program.inputs, generator) for i in range(most)]
        databases = [program.database(entries) for entries in rows_of]
        runs = paths.compare([(x, _called(function, arguments, x)) for x in databases], limit)
        return Validation(runs, len(set(rows_of[:runs])), seconds=time.process_time() - start)
    if not runs:
        return Validation(reason="the whole function has too many runs; each part that is run was judged by itself")
    return Validation(runs, inputs, inputs, everything, seconds)


def _compare(name: str, x: Any, read: Mapping[Any, Any], row: Row, ends: Ends | None) -> None:
    """Compare two distributions; masses may differ by the probability of the runs that either does not follow."""
    missing = row.remainder
    total = 1 - row.rejected
    ran: dict[Any, Any] = {}
    for outcome, weight in zip(row.outcomes, row.weights, strict=True):
        key = canonical(outcome.value if ends is None else ends.marked(outcome.value))
        ran[key] = ran.get(key, Fraction(0)) + weight / total
    known = {canonical(y): mass for y, mass in read.items() if y is not UNFOLLOWED}
    unread = read.get(UNFOLLOWED, Fraction(0))
    for y in {**ran, **known}:
        p, q = known.get(y, Fraction(0)), ran.get(y, Fraction(0))
        equal = agree(p, q) or close(float(p), float(q))
        apart = surely_above(p, q + missing) is not False or surely_above(q, p + unread) is not False
        if not equal and apart:
            chances = f"{float(q):.6g} by Python and {float(p):.6g} by the reading"
            raise misreading(name, x, f"at x={x!r} it returns {y!r} with probability {chances}")
