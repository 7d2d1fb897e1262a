"""Base of all models: a mechanism on a domain, compiled when first needed, with the solution of its problems."""

from __future__ import annotations

import contextlib
import copy
import functools
import os
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

import numpy as np

from taut.diagrams.compile import Relation, compile_program
from taut.inference.channel import Channel
from taut.inference.engine import ByRelation, Engine, InferenceQuery, weighed
from taut.inference.matrix import Distribution, ProbabilityMatrix
from taut.inference.sums import BySumOfParts
from taut.languages.python.logs import Account
from taut.languages.python.reading import Reading
from taut.languages.python.validation import FunctionReplay, Validation
from taut.model.arguments import relation_for
from taut.model.views import History
from taut.neighbors import DEFAULT, Neighbors
from taut.program import Program, added_noise, replay, replay_all, unfollowed_runs
from taut.program.domains import InputSpace, as_tuples
from taut.questions.accuracy import EventProbability
from taut.questions.bound import Bound, Interval
from taut.questions.loss import LossDistribution
from taut.questions.measure import Measure
from taut.questions.pair_measure import DivergenceBound
from taut.questions.question import How
from taut.support.errors import ImpossibleEvidence, InvalidInput, OutOfMemory, OutOfTime, impossible_evidence
from taut.support.exact import ends
from taut.support.interruption import Interruption, interrupted_by
from taut.support.limits import checkpoint, end_now
from taut.support.options import Options, active, captured_options, options, worked
from taut.support.pictures.notebook import Picture
from taut.support.process import cached_property
from taut.synthesis import Budget, Known, Problem, Solver, Uncompiled, solve
from taut.synthesis.facts import Reached, narrowed
from taut.synthesis.proved import Proved
from taut.synthesis.unfinished import nothing_known, stopped_by

if TYPE_CHECKING:
    from taut.model.model import Model

__all__ = ["ModelBase", "Progress", "kept_whole", "limited"]

T = TypeVar("T")
Progress = Callable[[Interval], None] | bool
Compile = Callable[[Program, Options], Relation]
P = ParamSpec("P")


def limited(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
    """Make a method respect the limits of time and memory in force; it refuses to start once one has been passed."""

    @functools.wraps(method)
    def within(self: Any, /, *args: P.args, **keywords: P.kwargs) -> T:
        def work() -> T:
            checkpoint()
            return method(self, *args, **keywords)

        return worked(lambda: kept_whole(self, work), self._settings)

    return within


def kept_whole(model: Any, work: Callable[[], T]) -> T:
    """Return the result of ``work``; if it is interrupted, the model drops its caches."""
    try:
        return work()
    except (Interruption, KeyboardInterrupt):
        model.forget()
        raise


class ModelBase(ABC):
    """A mechanism on a domain: its distributions, and the way from a problem to its bound.

    Questions about many inputs are in classes of their own, one per kind, from which ``Model`` is put together.
    """

    validation: Validation = Validation(reason="there is no Python function to compare with")
    """Outcome of comparing the reading with the function when the model was made."""
    function: FunctionReplay | None = None
    """The function that the model was read from, to replay witnesses with."""
    reading: Account = Account()
    """Account of the parts of the mechanism that were read, and of those that were run."""

    _declared: Any = DEFAULT
    _engines: Sequence[Engine] = (BySumOfParts(), ByRelation())
    """Engines that compute the distribution of the output on one input."""

    def __init__(self, program: Program, reading: Reading | None = None, neighbors: Any = DEFAULT) -> None:
        self.program = program
        self._compile: Compile = compile_program
        self._begin(reading, neighbors)

    def _begin(self, reading: Reading | None = None, neighbors: Any = DEFAULT) -> None:
        """Set the attributes that every model has; nothing is compiled yet."""
        self._reading = reading
        self._declared = neighbors
        self._settings = dict(captured_options())
        self._channel: Channel | None = None
        self._known = Known()
        self._proved = Proved()

    def __repr__(self) -> str:
        domains = ", ".join(str(domain) for domain in self.program.domains)
        return f"<Model {self.program.name}({domains}), {len(self.program.coins)} coins>"

    @property
    def name(self) -> str:
        """The name of the mechanism."""
        return self.program.name

    @property
    def domain(self) -> Any:
        """The domain of the database; a tuple of domains if there are several."""
        return self.program.domains[0] if len(self.program.domains) == 1 else self.program.domains

    @property
    def space(self) -> InputSpace:
        """All inputs: the domains of the databases, entries numbered through."""
        return self.program.space

    def neighbors(self, given: Any = None) -> Neighbors:
        """Return the neighbour relation that a user names, defines or lists; a predicate is read like a mechanism.

        Left out, it is the one that the mechanism declares (``@mechanism(neighbors=...)``; built-in ones do), else
        'one_differ'.
        """
        asked = self._declared if given is None else given
        return worked(lambda: relation_for(asked, self.space, self.options), self._settings)

    @property
    def options(self) -> Options:
        """The limits in force: those of when the model was made, and of an enclosing ``with taut.options(...)``."""
        return active(self._settings)

    @property
    def relation(self) -> Relation:
        """The compiled relation G(x, coins, y), inputs left free."""
        return self._compiled().relation

    @property
    def size(self) -> int:
        """The number of nodes of the relation, its two leaves included."""
        return self.relation.arrays.size

    @property
    def exact(self) -> bool:
        """True if all weights are rational, so that answers are Fractions and not Balls."""
        return self.program.exact

    @cached_property
    def remainder(self) -> Any:
        """The largest probability, over all inputs, of runs that were not followed; 0 where all were.

        Loops that can go on and unbounded noise leave some; ``max_remainder`` limits it. These runs have the output
        ``taut.UNFOLLOWED``, and every answer accounts for them.
        """
        unfollowed = None if self._terms is None else unfollowed_runs(self._terms)
        if unfollowed is None:
            return Fraction(0)
        told = self.derived(replace(self.program, output=unfollowed))
        how = How(start=time.perf_counter())
        most = worked(lambda: told.solved(EventProbability(best=True), how).upper, self._settings)
        return ends(most)[1]

    def slip(self) -> str | None:
        """Return a hint at what is usually a mistake behind an infinite bound; None where there is none."""
        if self.reading.has_open_sums:
            return (
                "a random number is compared with a sum of probabilities that rounding may keep just below 1; what the "
                "code does above it counts, however improbable, so make the last threshold 1"
            )
        return None if self._terms is None else added_noise(self._terms)

    def channel(self) -> Channel:
        """Return the mechanism as analysis sees it: a value that can be pickled, with the relation and its coins.

        >>> import pickle
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> channel = pickle.loads(pickle.dumps(randomized_response(bits(2), lam="1/5").channel()))
        >>> channel.probability((0, 1), (0, 1))
        Fraction(16, 25)
        """
        return self._compiled()

    def compiled_by(self, compiler: Compile) -> Self:
        """Return the same model with another way to compile, such as a ``RelationCache`` that several models share."""
        model = copy.copy(self)
        model._compile, model._channel, model._known, model._proved = compiler, None, Known(), Proved()
        return model

    # -- one input -----------------------------------------------------------------------------------------------

    def fix(self, x: Any) -> Self:
        """Return the model for one input only: no inputs are left, so queries take the empty database ().

        Parameters
        ----------
        x
            A database of the domain; with several databases, the tuple of them.

        Raises
        ------
        InvalidInput
            x is not a database of the domain.
        """
        return self._with_settings(type(self)(self.program.fix(x)))

    @cached_property
    @limited
    def bdd_size(self) -> int:
        """The number of binary nodes as Dice counts them, for a model without inputs (``model.fix(x)``)."""
        if self.program.inputs:
            raise InvalidInput(
                f"'{self.name}' still has inputs; bdd_size is for one input, as in model.fix(x).bdd_size.", value=self
            )
        from taut.diagrams.compile.binary import binary_size

        return binary_size(self.program, self.options)

    @limited
    def distribution(self, x: Any = (), semiring: str = "auto") -> dict[Any, Any]:
        """Return the distribution of the output on input x, given the evidence.

        Parameters
        ----------
        x
            A database of the domain.
        semiring
            'auto' computes exactly, in Fractions or (where exp occurs) in Balls; 'float64' is quicker.

        Returns
        -------
        dict
            Outputs with their probabilities; outputs of probability 0 are not listed. A notebook shows it as a table.
            Where runs were not followed (``remainder``), ``taut.UNFOLLOWED`` has their probability, and any other
            output may have as much more than is listed.

        Raises
        ------
        ImpossibleEvidence
            The evidence has probability 0 at x.
        TooLarge
            There are more than ``max_outcomes`` outputs.
        """
        asked = InferenceQuery(
            self.name,
            x,
            self._terms if semiring in ("auto", "exact") else None,
            self.options,
            functools.partial(self._channel_at, x),
            ready=self._channel is not None,
            semiring=semiring,
        )
        found = weighed(asked, self._engines)
        if not self._conditioned:
            return Distribution(found.masses)
        evidence = sum(found.masses.values())
        if not evidence:
            raise self._impossible(x)
        return Distribution({y: mass / evidence for y, mass in found.masses.items()})

    @limited
    def probability(self, x: Any, y: Any) -> Any:
        """Return P(A(x) = y), given the evidence; 0 for what the mechanism can never return.

        Where runs were not followed, it is the probability of those that were: the truth is at most ``remainder`` more.
        Unbounded noise returns every number beyond its window as ``taut.AtLeast(bound)`` or ``taut.AtMost(bound)``;
        y may be one of these, or any number.

        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> randomized_response(bits(2), lam="1/5").probability((0, 1), (0, 0))
        Fraction(4, 25)
        """
        marked, share = self._in_tails(y)
        return share * self._at(x, lambda channel, at: channel.probability(at, marked)) if share else Fraction(0)

    @limited
    def sample(self, x: Any = (), count: int = 1, seed: int | None = None) -> list[Any]:
        """Return ``count`` independent outputs on input x; the same seed gives the same outputs."""
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise InvalidInput(f"sample: count must be a whole number, 0 or more; got {count!r}.", value=count)
        found = self._at(x, lambda channel, at: channel.sample(at, count, seed))
        ends = None if self._terms is None else self._terms.ends
        return found if ends is None or not ends.groups else ends.drawn(found, random.Random(seed))

    # -- many inputs ---------------------------------------------------------------------------------------------

    @limited
    def inference(self, pairs: Iterable[tuple[Any, Any]]) -> ProbabilityMatrix:
        """Return the exact probabilities of the given pairs (x, y): the paper's Algorithm 1, on the one relation."""
        if not isinstance(pairs, Iterable):
            raise InvalidInput(f"inference: expected pairs (x, y); got {pairs!r}.", value=pairs)
        asked = [_pair(pair) for pair in pairs]
        tails = [self._in_tails(y) for _, y in asked]
        found = self.channel().probabilities([(x, y) for (x, _), (y, _) in zip(asked, tails, strict=True)])
        masses = [share * mass if share else Fraction(0) for (_, share), mass in zip(tails, found, strict=True)]
        return ProbabilityMatrix(dict(zip(asked, masses, strict=True)))

    @limited
    def batch(self, pairs: Sequence[tuple[Any, Any]]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return the probabilities of many pairs (x, y) in float64, evaluated together; a few ulp per level off."""
        return self.channel().batch(pairs) if pairs else np.zeros(0)

    @limited
    def draw(self, path: str | os.PathLike[str] | None = None) -> Picture | None:
        """Draw the relation.

        Parameters
        ----------
        path
            A file: .svg, .png or .pdf as a picture, .dot as text. Left out, the picture is returned, and a notebook
            shows it.

        Raises
        ------
        InvalidInput
            The path cannot be written.
        TooLarge
            There are more nodes than can be read in a drawing.
        """
        from taut.diagrams.drawing import LevelLabel, draw, rendered  # Matplotlib takes a second to import

        relation = self.relation
        labels = []
        for level in relation.arrays.levels:
            if level.kind == "coin":
                coin = relation.coins[level.index]
                labels.append(LevelLabel(coin.name, tuple(map(str, coin.outcomes)), tuple(map(str, coin.weights))))
            else:
                variable = (relation.inputs if level.kind == "input" else relation.outputs)[level.index]
                labels.append(LevelLabel(variable.name, tuple(map(str, variable.values)), None))
        if path is None:
            return Picture(self.name, rendered(relation.arrays, labels, ".svg", self.name).decode())
        draw(relation.arrays, labels, path, title=self.name)
        return None

    # -- what the kinds of questions need of each other -----------------------------------------------------------

    @abstractmethod
    def loss(self, x: Any, x_prime: Any, neighbors: Any = None) -> LossDistribution: ...

    @abstractmethod
    def derived(self, program: Program) -> Model:
        """Return a model of another program, compiled as this one is."""

    # -- inside --------------------------------------------------------------------------------------------------

    @limited
    def _compiled(self) -> Channel:
        """Return the channel, compiled when it is first needed."""
        if self._channel is None:
            relation = self._compile(self.program, self.options)
            self._channel = Channel(relation, self.program.domains, self.program.conditioned)
        return self._channel

    def _channel_at(self, x: Any, nodes: int | None = None) -> tuple[Channel, Any]:
        """Return the compiled channel, else one for x alone of at most ``nodes`` nodes; and the position of x in it."""
        self.program.entries(x)
        whole = self._channel is not None or not self.program.inputs
        with contextlib.nullcontext() if nodes is None else options(max_nodes=nodes):
            return (self.channel(), x) if whole else (self.fix(x).channel(), ())

    def _at(self, x: Any, ask: Callable[[Channel, Any], T]) -> T:
        """Return the answer to a question about one input."""
        try:
            return ask(*self._channel_at(x))
        except ImpossibleEvidence:
            raise self._impossible(x) from None

    def _impossible(self, x: Any) -> ImpossibleEvidence:
        """Return the error for an input at which the evidence is impossible."""
        return impossible_evidence(self.name, x)

    def _in_tails(self, y: Any) -> tuple[Any, Any]:
        """Return the output that stands for y in the program, and the probability of y given that."""
        ends = None if self._terms is None else self._terms.ends
        return (y, 1) if ends is None or not ends.groups else ends.share(y)

    def _budget(self, progress: Callable[[Interval], None] | None = None) -> Budget:
        return Budget(self.options.max_beliefs, progress)

    @property
    def _conditioned(self) -> bool:
        """True if something is observed."""
        return self.program.conditioned

    @property
    def _terms(self) -> Program | None:
        """Return the program for solvers that read terms; None if it has no draws."""
        return self.program

    def _problem(self, neighbors: Neighbors | None, measure: Measure) -> Problem:
        """Return the problem that a measure asks of this mechanism; it is compiled if a solver needs that."""
        source = Uncompiled(self.name, self.space, self.channel, self._distribution_alone, self._terms)
        return Problem(source, neighbors, measure, self._known)

    def _solved(self, problem: Problem, solver: str | Solver, how: How) -> Bound:
        """Return the bound of a problem, with the time that it took to make the problem."""
        built = time.perf_counter() - how.start
        history = (
            None if how.progress is None or how.progress is False else History(how.progress, how.start, problem.measure)
        )
        reached = Reached(problem.measure)
        try:
            bound = solve(problem, solver, replace(self._budget(history), reached=reached))
        except (Interruption, KeyboardInterrupt, OutOfTime, OutOfMemory) as error:
            bound = self._rescued(problem, solver, reached, error)
        if bound.stats.get("stopped") == "interrupted":
            self.forget()
            end_now()
        if isinstance(solver, str):
            if not bound.complete:
                with contextlib.suppress(Interruption, OutOfTime, OutOfMemory):
                    for fact in self._proved.facts(problem):  # one by one, so that a late one costs no earlier one
                        bound = narrowed(bound, problem.measure, [fact])
            self._proved.note(problem, bound)
        seconds = round(built + bound.stats.get("build_seconds", 0.0), 6)
        seen = () if history is None else history.until(bound.lower, bound.upper)
        return replace(bound, stats={**bound.stats, "build_seconds": seconds}, history=seen)

    def _rescued(self, problem: Problem, solver: str | Solver, reached: Reached, error: BaseException) -> Bound:
        """Return the interval of a solver that a limit or Ctrl-C ended; raise the error again if there is none."""
        if isinstance(error, Interruption):
            cause: Any = interrupted_by()
            self.forget()
        else:
            cause = error
        adaptive = not isinstance(solver, str) and solver.name == "adaptive"
        if not (isinstance(solver, str) or adaptive) or problem.unrelated:  # given cases only, or perhaps none
            raise cause
        bound = nothing_known(problem.measure, cause, stopped_by(cause, "before any method had an answer"))
        if isinstance(bound, DivergenceBound):
            bound = replace(bound, adaptive=adaptive)
        if problem.neighbors is not None:
            bound = replace(bound, neighbors=problem.neighbors.name)
        return narrowed(bound, problem.measure, reached.facts())

    def forget(self) -> None:
        """Drop all caches, which an interruption may have left half-made."""
        self._channel, self._known = None, Known()

    def _distribution_alone(self, x: Any, most: int) -> Mapping[Any, Any]:
        """Return the distribution on one input from a diagram for it alone; TooLarge if it has many outputs."""
        return self.fix(x).channel().distribution((), "auto", most)

    def limited(self, work: Callable[[Any], T]) -> Callable[[Any], T]:
        """Return ``work``, to be done within the limits that the model has now."""
        settings = {**self._settings, **captured_options()}

        def checked(witness: Any) -> T:
            checkpoint()
            return work(witness)

        return lambda witness: worked(lambda: checked(witness), settings)

    def replayed(self, x: Any, y: Any) -> tuple[Any, str]:
        """Return P(A(x) = y) without a diagram, and how it was found: by the function if there is one, or the terms."""
        return replay(self.program, x, y) if self.function is None else self.function.probability(x, y)

    def _enumerated(self, x: Any) -> dict[Any, Any] | None:
        """Return the distribution of A(x) by the enumerator, if that is quick."""
        return replay_all(self.program, x)

    def _with_settings(self, model: Self) -> Self:
        """Give a derived model the limits of this one and those in force now."""
        model._settings = {**self._settings, **captured_options()}
        return model


def _pair(pair: Any) -> tuple[Any, Any]:
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise InvalidInput(f"inference: expected pairs (x, y); got {pair!r}.", value=pair)
    return as_tuples(pair[0]), as_tuples(pair[1])
