"""The model that users hold: a mechanism on a domain, compiled when first needed, asked many questions."""

from __future__ import annotations

import copy
import functools
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

import numpy as np

from taut.channel import Distribution, ProbabilityMatrix
from taut.channel.channel import Channel
from taut.compile import Relation, compile_program
from taut.compile.binary import binary_size
from taut.domains import InputSpace, as_tuples
from taut.errors import ImpossibleEvidence, InvalidInput, InvalidSet, TautError
from taut.frontend.python.trace import Reading
from taut.frontend.python.validation import FunctionReplay, Goal, Validation
from taut.ir import Program, replay, replay_all
from taut.limits import checkpoint
from taut.measures import EventProbability, LargestRatio, Measure
from taut.model.closeness import close_outputs, distance_bound
from taut.model.error import DistanceError
from taut.model.measured import PairQuestions
from taut.model.misfit import misfit
from taut.model.predicates import relation_for
from taut.model.views import History, view_of
from taut.neighbors import DEFAULT, Neighbors
from taut.notebook import Picture
from taut.numbers import quotient
from taut.options import Options, active, captured_options, check_seconds, working
from taut.results import (
    AccuracyBound,
    AccuracyWitness,
    Bound,
    ClassList,
    InputClass,
    Interval,
    PrivacyBound,
    RatioClass,
    View,
    Witness,
)
from taut.solvers import Budget, BySets, Problem, Solver, Uncompiled, solve, solvers_of, value_classes
from taut.solvers.by_symmetry import symmetries_of
from taut.solvers.sets import AccuracySet, InferenceSet, PrivacySet
from taut.solvers.sums import distribution_of_sum
from taut.solvers.symmetry import Permutation, SymmetryCheck, SymmetryGroup, check_symmetry, read_permutation

__all__ = ["Model", "limited"]

T = TypeVar("T")
Progress = Callable[[Interval], None] | bool
Compile = Callable[[Program, Options], Relation]
P = ParamSpec("P")


def limited(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
    """A method that works within the limits of time and memory that are in force; not at all if one is passed."""

    @functools.wraps(method)
    def within(self: Any, /, *args: P.args, **keywords: P.kwargs) -> T:
        with working(self._settings):
            checkpoint()
            return method(self, *args, **keywords)

    return within


class Model(PairQuestions):
    """A mechanism on a domain.

    The relation is compiled when it is first needed, with the limits in force when the model was made. Questions about
    a single input are answered from a diagram for that input alone, which is much smaller; questions about many inputs
    from the one relation with inputs left free. Bounds are problems (a channel, neighbours, a measure) that are handed
    to ``solve``.

    Parameters
    ----------
    program
        What the mechanism computes.
    reading
        Where the program comes from, so that targets and distances can be read for it; without, there is no accuracy.
    neighbors
        The relation that the mechanism declares, which is meant where a question names none.
    """

    validation: Validation = Validation(reason="there is no Python function to compare with")
    """How the reading was compared with the function when the model was made."""
    function: FunctionReplay | None = None
    """The function that the model was read from, to replay witnesses with."""

    _declared: Any = DEFAULT

    def __init__(self, program: Program, reading: Reading | None = None, neighbors: Any = DEFAULT) -> None:
        self.program = program
        self._reading = reading
        self._declared = neighbors
        self._compile: Compile = compile_program
        self._settings = dict(captured_options())
        self._channel: Channel | None = None

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
        """The neighbour relation that a user names, defines or lists; a predicate is read like a mechanism.

        Left out, it is the one that the mechanism declares (``@mechanism(neighbors=...)``; built-in ones do), else
        'one_differ'.
        """
        with working(self._settings):
            return relation_for(self._declared if given is None else given, self.space, self.options)

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
        """Whether all weights are rational, so that answers are Fractions and not Balls."""
        return self.program.exact

    def channel(self) -> Channel:
        """The mechanism as analysis sees it: a value that can be pickled, with the relation and its coins.

        >>> import pickle
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> channel = pickle.loads(pickle.dumps(randomized_response(bits(2), lam="1/5").channel()))
        >>> channel.probability((0, 1), (0, 1))
        Fraction(16, 25)
        """
        return self._compiled()

    def compiled_by(self, compiler: Compile) -> Self:
        """The same model with another way to compile, such as a ``RelationCache`` that several models share."""
        model = copy.copy(self)
        model._compile, model._channel = compiler, None
        return model

    # -- one input -----------------------------------------------------------------------------------------------

    def fix(self, x: Any) -> Self:
        """The model for one input only: no inputs are left, so queries take the empty database ().

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

    @functools.cached_property
    @limited
    def bdd_size(self) -> int:
        """The number of binary nodes as Dice counts them, for a model without inputs (``model.fix(x)``)."""
        if self.program.inputs:
            raise InvalidInput(
                f"'{self.name}' still has inputs; bdd_size is for one input, as in model.fix(x).bdd_size.", value=self
            )
        return binary_size(self.program, self.options)

    @limited
    def distribution(self, x: Any = (), semiring: str = "auto") -> dict[Any, Any]:
        """The distribution of the output on input x, given the evidence.

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

        Raises
        ------
        ImpossibleEvidence
            What the mechanism observes has probability 0 at x.
        TooLarge
            There are more than ``max_outcomes`` outputs.
        """
        most = self.options.max_outcomes
        listed = distribution_of_sum(self.program, x, most) if semiring in ("auto", "exact") else None
        if listed is None:
            listed = self._at(x, lambda channel, at: channel.distribution(at, semiring, most))
        return Distribution(listed)

    @limited
    def probability(self, x: Any, y: Any) -> Any:
        """P(A(x) = y), given the evidence; 0 for what the mechanism can never return.

        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> randomized_response(bits(2), lam="1/5").probability((0, 1), (0, 0))
        Fraction(4, 25)
        """
        return self._at(x, lambda channel, at: channel.probability(at, y))

    @limited
    def sample(self, x: Any = (), count: int = 1, seed: int | None = None) -> list[Any]:
        """``count`` independent outputs on input x; the same seed gives the same outputs."""
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise InvalidInput(f"sample: count must be a whole number, 0 or more; got {count!r}.", value=count)
        return self._at(x, lambda channel, at: channel.sample(at, count, seed))

    # -- many inputs ---------------------------------------------------------------------------------------------

    @limited
    def inference(self, pairs: Iterable[tuple[Any, Any]]) -> ProbabilityMatrix:
        """The exact probabilities of the given pairs (x, y): the paper's Algorithm 1, on the one relation."""
        if not isinstance(pairs, Iterable):
            raise InvalidInput(f"inference: expected pairs (x, y); got {pairs!r}.", value=pairs)
        asked = [_pair(pair) for pair in pairs]
        return ProbabilityMatrix(dict(zip(asked, self.channel().probabilities(asked), strict=True)))

    @limited
    def batch(self, pairs: Sequence[tuple[Any, Any]]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The probabilities of many pairs (x, y) in float64, evaluated together; a few ulp per level off."""
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
        from taut.diagram.drawing import LevelLabel, draw, rendered  # Matplotlib takes a second to import

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

    # -- privacy -------------------------------------------------------------------------------------------------

    def privacy(
        self,
        neighbors: Any = None,
        method: str = "auto",
        inference_set: InferenceSet | Iterable[Any] | None = None,
        privacy_set: PrivacySet | Iterable[Any] | None = None,
        time_limit: float | None = None,
        progress: Progress | None = None,
    ) -> PrivacyBound:
        """The smallest e^epsilon for which the mechanism is epsilon-differentially private, with a worst case.

        Parameters
        ----------
        neighbors
            'one_differ', 'one_step', 'all_step', 'add_remove', a predicate f(x, x_prime), or ordered pairs. Left out,
            it is the relation that the mechanism declares, else 'one_differ'; the bound's ``neighbors`` names it.
        method
            'search' (no enumeration), 'exhaustive' (all inputs, neighbours and outputs), or 'restricted' to the given
            sets, without sets to one triple of each orbit of the mechanism's symmetries. 'auto' takes 'restricted' if
            sets are given, 'exhaustive' where there is little to look at, else 'search', and if that is too large what
            the symmetries leave. The result's ``method`` is what was really done, and ``stats["why"]`` says why.
        inference_set, privacy_set
            The pairs (x, y) to infer, and the triples (x, x', y) to compare; their obligations are checked.
        time_limit
            Seconds for everything: compiling, planning, looking for symmetries, searching. What is out of time, of
            memory (``max_memory``), of room (``max_beliefs``) or interrupted by Ctrl-C returns the certified interval
            that it has reached, and ``stats`` says why it is no better.
        progress
            Called with the interval as it closes; ``bound.plot()`` then draws that too. True is for the drawing alone.

        Returns
        -------
        PrivacyBound
            ``max_ratio`` is e^epsilon: a Fraction, a Ball or INFINITY; ``witness`` the triple that attains it.

        Raises
        ------
        NoNeighbors
            The relation relates no two inputs of the domain.
        ImpossibleEvidence
            What the mechanism observes has probability 0 at some input.
        InvalidSet
            A pair that is needed is not in the inference set, or a triple is not of neighbours.
        TooLarge
            There are too many inputs to look at all of them; OutOfTime or OutOfMemory where a limit was passed before
            anything could be said.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> randomized_response(bits(8), lam="1/5").privacy().max_ratio
        Fraction(4, 1)
        """
        start = time.perf_counter()
        solver: str | Solver = _method(method, inference_set is not None or privacy_set is not None, time_limit)
        if inference_set is not None or privacy_set is not None:
            if privacy_set is None:
                raise InvalidSet("method='restricted' needs privacy_set=, triples (x, x', y).", value=None)
            solver = BySets(_set(PrivacySet, privacy_set), _set(InferenceSet, inference_set))
        with working(self._settings, time_limit):
            problem = self._problem(self.neighbors(neighbors), LargestRatio())
            bound = self._solved(problem, solver, start, progress)
        kept = functools.partial(self.save_result, None)
        replayed = self._limited(self._replay_ratio)
        return cast(PrivacyBound, replace(bound, replay=replayed, keep=kept, view=view_of(self)))

    @limited
    def ratio_classes(self, neighbors: Any = None) -> ClassList[RatioClass]:
        """All different quotients P(A(x)=y) / P(A(x')=y) over related pairs, the largest first, with their counts."""
        problem = Problem(self.channel(), self.neighbors(neighbors), LargestRatio())
        return ClassList(value_classes(problem, self._budget()))

    def worst_pairs(self, top: int = 4, neighbors: Any = None) -> ClassList[RatioClass]:
        """The largest different quotients, each with a witness and the number of ordered triples that attain it."""
        most = _top(top)
        return ClassList(self.ratio_classes(neighbors)[:most])

    # -- accuracy ------------------------------------------------------------------------------------------------

    def accuracy(
        self,
        target: Any,
        alpha: Any,
        *,
        distance: Any = None,
        method: str = "auto",
        accuracy_set: AccuracySet | Iterable[Any] | None = None,
        inference_set: InferenceSet | Iterable[Any] | None = None,
        time_limit: float | None = None,
        progress: Progress | None = None,
        best: bool = False,
    ) -> AccuracyBound:
        """The smallest probability, over all inputs x, that the output is within alpha of target(x), with a worst x.

        Parameters
        ----------
        target
            A function of the database, read like a mechanism, or a mapping from inputs to values.
        alpha
            The largest distance that still counts as close.
        distance
            A function of the output and the target's value; by default their absolute difference.
        accuracy_set, inference_set
            The inputs to look at, and the pairs (x, y) to infer.
        best
            Ask for the largest probability instead: the best case.
        method, time_limit, progress
            As for ``privacy``.

        Returns
        -------
        AccuracyBound
            ``probability`` is 1 - beta; ``witness.x`` the input that attains it.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import rr_count
        >>> rr_count(bits(4), lam="1/5").accuracy(sum, 1).probability
        Fraction(512, 625)
        """
        start = time.perf_counter()
        bound, sets = distance_bound(alpha), accuracy_set is not None or inference_set is not None
        solver: str | Solver = _method(method, sets, time_limit)
        event = functools.cache(lambda: self._event(target, distance, bound))
        if solver == "restricted" and best:
            raise InvalidInput("method='restricted' is for the worst case; leave best out.", value=best)
        if sets and accuracy_set is None:
            raise InvalidSet("an inference set for accuracy needs accuracy_set=, inputs x, too.", value=None)
        measure = EventProbability(alpha, best)
        with working(self._settings, time_limit):
            if sets:
                channel = self.channel()
                close = close_outputs(channel, self._require_reading(target), target, distance, bound)
                solver = BySets(_set(AccuracySet, accuracy_set), _set(InferenceSet, inference_set), close)
                answer = self._solved(Problem(channel, None, measure), solver, start, progress)
            else:
                derived = self._derived(event())
                answer = derived._solved(derived._problem(None, measure), solver, start, progress)

        def replayed(witness: AccuracyWitness) -> tuple[Any, str]:
            if self.function is None:
                return replay(event(), witness.x, True)
            return self.function.closeness(witness.x, Goal(target, distance, bound), event)

        def kept(answer: Bound, path: Any) -> None:
            self.save_result(Goal(target, distance, bound).exactly().close, answer, path)

        view = self._view_of_goal(target, distance)
        return cast(AccuracyBound, replace(answer, replay=self._limited(replayed), keep=kept, view=view))

    @limited
    def accuracies(self, inputs: Iterable[Any], target: Any, alpha: Any, *, distance: Any = None) -> dict[Any, Any]:
        """P(distance(output, target(x)) <= alpha) for given inputs."""
        asked = list(inputs)
        model = self._derived(self._event(target, distance, distance_bound(alpha)))
        matrix = model.inference([(x, True) for x in asked])
        return {x: matrix[x, True] for x in asked}

    @limited
    def input_classes(self, target: Any, alpha: Any, *, distance: Any = None) -> ClassList[InputClass]:
        """All different accuracies over all inputs, the lowest first, with their counts."""
        channel = self._derived(self._event(target, distance, distance_bound(alpha))).channel()
        return ClassList(value_classes(Problem(channel, None, EventProbability(alpha)), self._budget()))

    def worst_inputs(self, target: Any, alpha: Any, top: int = 4, *, distance: Any = None) -> ClassList[InputClass]:
        """The lowest different 1 - beta, each with a witness and the number of inputs that share it."""
        most = _top(top)
        return ClassList(self.input_classes(target, alpha, distance=distance)[:most])

    def error(
        self,
        target: Any,
        *,
        distance: Any = None,
        method: str = "auto",
        time_limit: float | None = None,
        progress: Progress | None = None,
    ) -> DistanceError:
        """How far the output is from target(x) on the worst input x: mean, variance, moments and quantiles.

        Parameters
        ----------
        target, distance
            As for ``accuracy``; a distance may be signed, such as ``lambda output, wanted: output - wanted``.
        method, time_limit, progress
            As for ``privacy``; the limit is for each statistic.

        Returns
        -------
        DistanceError
            ``mean``, ``mean_square``, ``variance``, ``moment(order)`` and ``quantile(share)``; each a bound that is
            computed when it is asked for, with its ``value`` and ``witness.x``.

        Raises
        ------
        InvalidInput
            The distance is not a number, or the method does not serve the statistic.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import rr_count
        >>> error = rr_count(bits(4), lam="1/5").error(sum)
        >>> print(error.mean)
        mean of the distance = 4/5 = 0.8 exactly, at x=(0, 0, 0, 0); found by exhaustive
        """
        return DistanceError(self, target, distance, _method(method, False, time_limit), time_limit, progress)

    # -- symmetries and sets -------------------------------------------------------------------------------------

    @limited
    def symmetries(self) -> SymmetryGroup:
        """The symmetries that can be found, each verified: P(A(g x) = g y) = P(A(x) = y) for all x and y.

        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> print(randomized_response(bits(40), lam="1/5").symmetries())
        Symmetries of randomized_response, by exact comparison:
        - entries 0..39 may be permuted together with their outputs
        - entry 0: 0 <-> 1 together with output 0: 0 <-> 1, and likewise in each of the others
        """
        return symmetries_of(self._compiled())

    @limited
    def check_symmetry(
        self,
        entries: Mapping[int, int] | Sequence[int] | None = None,
        values: Mapping[Any, Any] | None = None,
        outputs: Any = None,
        output_values: Mapping[Any, Any] | None = None,
        *,
        permutation: Permutation | None = None,
    ) -> SymmetryCheck:
        """Whether a claimed symmetry holds; if not, with an input and an output at which it fails.

        Parameters
        ----------
        entries
            Where entries go, {0: 1, 1: 0}.
        values
            Which value becomes which: {0: 1, 1: 0} in all entries, or {2: {0: 1, 1: 0}} in entry 2 only.
        outputs, output_values
            The same for the components of the output and their values; where the output is a single value,
            ``outputs`` maps values, or is a function.
        permutation
            The claim as a Permutation, instead of the others.

        Returns
        -------
        SymmetryCheck
            Its ``demand()`` raises InvalidSymmetry if the claim does not hold.
        """
        if permutation is None:
            permutation = read_permutation(self.relation, entries, values, outputs, output_values)
        return check_symmetry(self._compiled(), permutation)

    @limited
    def inference_set(self) -> InferenceSet:
        """Pairs (x, y), one for each orbit of the symmetries: every probability is that of one of them."""
        return self.symmetries().inference_set()

    @limited
    def privacy_set(self, neighbors: Any = None) -> PrivacySet:
        """Triples (x, x', y) of neighbours, one for each orbit: every quotient is that of one of them."""
        return self.symmetries().privacy_set(self.neighbors(neighbors))

    @limited
    def accuracy_set(self, target: Any, *, distance: Any = None) -> AccuracySet:
        """Inputs, one for each orbit of the symmetries that keep the distribution of the distance to the target.

        Every input is as accurate as one of them, whatever alpha.
        """
        gap = self._read_target(target, distance, lambda reading: reading.gap(target, distance))
        group = self._derived(gap).symmetries()
        return group.without(lambda permutation: bool(permutation.outputs)).input_set()

    # -- inside --------------------------------------------------------------------------------------------------

    @limited
    def _compiled(self) -> Channel:
        """The channel, compiled when it is first needed."""
        if self._channel is None:
            relation = self._compile(self.program, self.options)
            self._channel = Channel(relation, self.program.domains, self.program.conditioned)
        return self._channel

    def _at(self, x: Any, ask: Callable[[Channel, Any], T]) -> T:
        """The answer to a question about one input: of the whole channel if there is one, else of one for x alone."""
        self.program.entries(x)
        whole = self._channel is not None or not self.program.inputs
        try:
            return ask(self.channel(), x) if whole else ask(self.fix(x).channel(), ())
        except ImpossibleEvidence:
            raise self._impossible(x) from None

    def _impossible(self, x: Any) -> ImpossibleEvidence:
        """The error for an input at which the evidence is impossible."""
        return ImpossibleEvidence(
            f"'{self.name}': what it observes has probability 0 at x={x!r}, so it has no distribution there.", value=x
        )

    def _budget(self, progress: Callable[[Interval], None] | None = None) -> Budget:
        return Budget(self.options.max_beliefs, progress)

    @property
    def _terms(self) -> Program | None:
        """The terms that solvers may look at; None where there are no draws in them."""
        return self.program

    def _problem(self, neighbors: Neighbors | None, measure: Measure) -> Problem:
        """The problem that a measure asks of this mechanism; it is compiled if a solver needs that."""
        return Problem(Uncompiled(self.space, self.channel, self._distribution_alone, self._terms), neighbors, measure)

    def _solved(self, problem: Problem, method: str | Solver, start: float, progress: Progress | None) -> Bound:
        """The bound of a problem, with the time that it took to make the problem."""
        built = time.perf_counter() - start
        history = None if progress is None or progress is False else History(progress, start)
        bound = solve(problem, method, self._budget(history))
        seconds = round(built + bound.stats.get("build_seconds", 0.0), 6)
        seen = () if history is None else history.until(bound.lower, bound.upper)
        return replace(bound, stats={**bound.stats, "build_seconds": seconds}, history=seen)

    def _distribution_alone(self, x: Any, most: int) -> Mapping[Any, Any]:
        """The distribution on one input, from a diagram for that input alone; TooLarge if it has many outputs."""
        return self.fix(x).channel().distribution((), "auto", most)

    def _limited(self, work: Callable[[Any], T]) -> Callable[[Any], T]:
        """The same work, within the limits of memory that the model has now."""
        settings = {**self._settings, **captured_options()}

        def within(witness: Any) -> T:
            with working(settings):
                checkpoint()
                return work(witness)

        return within

    def _replay_ratio(self, witness: Witness) -> tuple[Any, str]:
        p, method = self.replayed(witness.x, witness.y)
        q, other = self.replayed(witness.x_prime, witness.y)
        return quotient(p, q), method if method == other else f"{method}, {other}"

    def replayed(self, x: Any, y: Any) -> tuple[Any, str]:
        """P(A(x) = y) without any diagram, and how: by the function where there is one, else from the terms."""
        return replay(self.program, x, y) if self.function is None else self.function.probability(x, y)

    def save_result(self, close: Callable[[Any, Any], bool] | None, bound: Bound, path: Any) -> None:
        """Write a bound to a file; ``close`` tells which outputs are close to the target of an accuracy bound."""
        from taut.model.saved import save_result  # which knows all kinds of models

        save_result(self, close, bound, path)

    def _enumerated(self, x: Any) -> dict[Any, Any] | None:
        """The distribution of A(x) by the enumerator, if that is quick."""
        return replay_all(self.program, x)

    def _require_reading(self, target: Any) -> Reading:
        if self._reading is None:
            raise InvalidInput(
                "accuracy is for mechanisms with inputs, not for formulas or fixed inputs.", value=target
            )
        return self._reading

    def _event(self, target: Any, distance: Any, alpha: Any) -> Program:
        """The program that returns whether the output is within alpha of the target."""
        return self._read_target(target, distance, lambda reading: reading.event(target, distance, alpha))

    def _view_of_goal(self, target: Any, distance: Any) -> View:
        """What a picture of the distance to a target is drawn from."""

        def distances(x: Any) -> Mapping[Any, Any]:
            gap = self._read_target(target, distance, lambda reading: reading.gap(target, distance))
            return view_of(self._derived(gap)).distribution(x)

        def aim(x: Any) -> Any:
            value = self._read_target(target, None, lambda reading: reading.aim(target))
            (only,) = view_of(self._derived(value)).distribution(x)
            return only

        return view_of(self, distances, aim if distance is None else None)

    def _read_target(self, target: Any, distance: Any, read: Callable[[Reading], Program]) -> Program:
        reading = self._require_reading(target)
        try:
            return read(reading)
        except TautError as problem:
            raise misfit(self.program, reading, target, distance, problem) from None

    def _derived(self, program: Program) -> Model:
        """A model of another program, compiled as this one is."""
        model = Model(program)
        model._settings, model._compile = self._settings, self._compile
        return model

    def _with_settings(self, model: Self) -> Self:
        """A model made from this one, with the limits of both times."""
        model._settings = {**self._settings, **captured_options()}
        return model


def _method(method: Any, sets_given: bool, time_limit: Any) -> str:
    """The name of the method that is meant, or a refusal of arguments that do not go together."""
    if method != "auto":
        solvers_of(method)
    check_seconds(time_limit, "time_limit", InvalidInput)
    if sets_given and method not in ("auto", "restricted"):
        raise InvalidInput(f"method={method!r} takes no sets; leave them out.", value=method)
    return "restricted" if sets_given else str(method)


def _set(kind: type[Any], given: Any) -> Any:
    """A set of one kind, made of whatever the user lists; None stays None."""
    return given if given is None or isinstance(given, kind) else kind(given)


def _pair(pair: Any) -> tuple[Any, Any]:
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise InvalidInput(f"inference: expected pairs (x, y); got {pair!r}.", value=pair)
    return as_tuples(pair[0]), as_tuples(pair[1])


def _top(top: Any) -> int:
    if isinstance(top, bool) or not isinstance(top, int) or top < 1:
        raise InvalidInput(f"top must be a whole number of at least 1; got {top!r}.", value=top)
    return top
