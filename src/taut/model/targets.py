"""Targets of a model: the distance between its output and the value that is wanted, read like a mechanism."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.inference.channel import Channel
from taut.languages.python.reading import Reading
from taut.languages.python.validation import TargetDistance
from taut.model.arguments import top_of
from taut.model.base import ModelBase, limited
from taut.model.views import view_of
from taut.program import AtLeast, AtMost, Program, evaluate, replay, replay_distribution
from taut.questions.accuracy import Accuracy, InputClass, reach_of
from taut.questions.bound import View, not_answered
from taut.questions.drawn import ClassList
from taut.support.errors import InvalidInput, TautError, TooLarge, shortened
from taut.support.exact import is_number
from taut.support.options import worked
from taut.synthesis import Problem, value_classes

if TYPE_CHECKING:
    from taut.model.model import Model
    from taut.synthesis.sets import AccuracySet

__all__ = ["TargetDistances", "misfit", "not_a_number"]


class TargetDistances(ModelBase):
    """The distance between the output and a target, from which questions about accuracy and error are answered."""

    @limited
    def accuracies(self, inputs: Iterable[Any], target: Any, alpha: Any, *, distance: Any = None) -> dict[Any, Any]:
        """Return P(distance(output, target(x)) <= alpha) for given inputs."""
        asked = list(inputs)
        if self.remainder:
            raise not_answered("accuracies", self.remainder)
        model = self.closeness(target, distance, reach_of(alpha))
        matrix = model.inference([(x, True) for x in asked])
        return {x: matrix[x, True] for x in asked}

    def input_classes(
        self, target: Any, alpha: Any, *, distance: Any = None, executor: Executor | None = None
    ) -> ClassList[InputClass]:
        """Return all different accuracies over all inputs, the lowest first, with their counts."""
        return self._input_classes(target, alpha, distance, None, executor)

    def worst_inputs(
        self, target: Any, alpha: Any, top: int = 4, *, distance: Any = None, executor: Executor | None = None
    ) -> ClassList[InputClass]:
        """Return the lowest different 1 - beta, each with a witness and the number of inputs that share it."""
        most = top_of(top)
        return ClassList(self._input_classes(target, alpha, distance, most, executor)[:most])

    @limited
    def accuracy_set(self, target: Any, *, distance: Any = None) -> AccuracySet:
        """Return inputs, one for each orbit of the symmetries that keep the distribution of the distance to the target.

        Every input is as accurate as one of them, whatever alpha.
        """
        group = self.gap(target, distance).symmetries()
        return group.without(lambda permutation: bool(permutation.outputs)).input_set()

    # -- what questions need -----------------------------------------------------------------------------------------

    def closeness(self, target: Any, distance: Any, alpha: Any) -> Model:
        """Return the model that tells whether the output is within alpha of the target."""
        return self.derived(self._event(target, distance, alpha))

    def gap(self, target: Any, distance: Any) -> Model:
        """Return the model that returns the distance to the target."""
        return self.derived(self._read_target(target, distance, lambda reading: reading.gap(target, distance)))

    def distances(self, gap: Model, distance: Any) -> list[Any]:
        """Return the distances that can occur, the smallest first; refuse those that are not numbers."""
        relation = gap.relation
        if len(relation.outputs) == 1:
            distances = [relation.decode([place]) for place in range(len(relation.outputs[0].values))]
            if all(is_number(one) or isinstance(one, (AtLeast, AtMost)) for one in distances):
                return sorted(
                    distances, key=lambda one: Fraction(one.bound if isinstance(one, (AtLeast, AtMost)) else one)
                )
        raise not_a_number(distance, gap.program)

    def close_outputs(self, target: Any, distance: Any, alpha: Any) -> Callable[[Any], list[Any]]:
        """Return a function that lists, for an input, the outputs within alpha of the target."""
        return _close_outputs(self.channel(), self._require_reading(target), target, distance, alpha)

    def replayed_closeness(self, x: Any, target: Any, distance: Any, alpha: Any) -> tuple[Any, str]:
        """Return P(the output on x is within alpha of the target) without any diagram, and how."""

        def event() -> Program:
            return self._event(target, distance, alpha)

        if self.function is None:
            return replay(event(), x, True)
        return self.function.closeness(x, TargetDistance(target, distance, alpha), event)

    def replayed_distances(self, x: Any, target: Any, distance: Any, gap: Model) -> tuple[Mapping[Any, Any], str]:
        """Return the distribution of the distance on x without any diagram, and how."""
        if self.function is None:
            return replay_distribution(gap.program, x)
        return self.function.distances(x, TargetDistance(target, distance), lambda: gap.program)

    def view_of_target(self, target: Any, distance: Any) -> View:
        """Return the data for a picture of the distance to a target."""

        def distances(x: Any) -> Mapping[Any, Any]:
            return view_of(self.gap(target, distance)).distribution(x)

        def aim(x: Any) -> Any:
            value = self._read_target(target, None, lambda reading: reading.aim(target))
            (only,) = view_of(self.derived(value)).distribution(x)
            return only

        return view_of(self, distances, aim if distance is None else None)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _input_classes(
        self, target: Any, alpha: Any, distance: Any, top: int | None, executor: Executor | None
    ) -> ClassList[InputClass]:
        """Return the different accuracies, at least the ``top`` lowest."""
        asked = Accuracy(target, alpha, distance=distance)
        if self.remainder:
            raise not_answered("accuracies of inputs", self.remainder)

        def work() -> ClassList[InputClass]:
            channel = self.closeness(target, distance, asked.reach).channel()
            return ClassList(value_classes(Problem(channel, None, asked.to_measure()), self._budget(), top))

        return worked(work, self._settings, executor=executor)

    def _require_reading(self, target: Any) -> Reading:
        if self._reading is None:
            raise InvalidInput(
                "accuracy is for mechanisms with inputs, not for formulas or fixed inputs.", value=target
            )
        return self._reading

    def _event(self, target: Any, distance: Any, alpha: Any) -> Program:
        """Return the program that returns whether the output is within alpha of the target."""
        return self._read_target(target, distance, lambda reading: reading.event(target, distance, alpha))

    def _read_target(self, target: Any, distance: Any, read: Callable[[Reading], Program]) -> Program:
        reading = self._require_reading(target)
        try:
            return read(reading)
        except TautError as problem:
            raise misfit(self.program, reading, target, distance, problem) from None


def _close_outputs(
    channel: Channel, reading: Reading, target: Any, distance: Any, alpha: Any
) -> Callable[[Any], list[Any]]:
    """Return a function that gives, for an input, the possible outputs within alpha of its target, decided exactly."""
    if len(channel.relation.outputs) != 1:
        raise InvalidInput("restricted accuracy needs a mechanism with a single output value.", value=channel.name)
    possible = [channel.y([position]) for position in range(len(channel.relation.outputs[0].values))]
    if any(isinstance(y, (AtLeast, AtMost)) for y in possible):
        raise InvalidInput(
            "restricted accuracy compares outputs one by one, and unbounded noise has outputs such as "
            f"'{next(y for y in possible if isinstance(y, (AtLeast, AtMost)))}'; leave the sets out, or give the noise "
            "low and high.",
            value=channel.name,
        )
    within = reading.within(target, distance, alpha)

    def close(x: Any) -> list[Any]:
        channel.entries(x)
        if isinstance(target, Mapping) and x not in target:
            raise InvalidInput(f"the target gives no value for the input {x!r}.", value=x)
        try:
            return [y for y in possible if within(x, y)]
        except TautError as problem:
            if isinstance(target, Mapping):
                raise InvalidInput(
                    f"the outputs cannot be compared with the target of x={x!r} ({problem.message}); give distance=.",
                    value=x,
                ) from None
            raise misfit(reading.program, reading, target, distance, problem) from None

    return close


def misfit(program: Program, reading: Reading, target: Any, distance: Any, problem: TautError) -> TautError:
    """Return the error to raise where the distance between output and target cannot be read.

    It names output and target, with one value of each, if the functions are ours; else it is ``problem``,
    whose place is a line that the user wrote.
    """
    if isinstance(problem, TooLarge):
        return problem
    try:
        aim = reading.aim(target)
    except TautError as earlier:
        if not _is_ours(target):
            return earlier
        domains = " and ".join(map(str, program.domains))
        return InvalidInput(f"the target '{_name(target)}' cannot be had on {domains}: {earlier.message}", value=target)
    if distance is not None and not _is_ours(distance):
        return problem if problem.place is not None else _compared(reading, target, distance, problem)
    y, wanted = _example(program), _example(aim)
    why = "they have no difference" if distance is None else f"the distance '{_name(distance)}' cannot compare them"
    both = f"'{program.name}' returns {_described(y)}, the target {_described(wanted)}; {why}"
    return InvalidInput(f"{both}. {_advice(y)}", value=wanted)


def not_a_number(distance: Any, gap: Program) -> InvalidInput:
    """Return the error for a distance that is not always a number; ``gap`` is the program that returns the distance."""
    values = gap.output.values if isinstance(gap.output.values, frozenset) else ()
    far = next((value for value in sorted(values, key=repr) if not is_number(value)), None)
    far = _example(gap) if far is None and None not in values else far
    name = f" '{_name(distance)}'" if distance is not None and _name(distance) != "<lambda>" else ""
    return InvalidInput(f"the distance{name} must return a number; it returns {_described(far)}.", value=far)


def _compared(reading: Reading, target: Any, distance: Any, problem: TautError) -> TautError:
    """Return the error for a distance of the user's own that cannot be compared with alpha."""
    try:
        return not_a_number(distance, reading.gap(target, distance))
    except TautError:
        return problem


def _advice(y: Any) -> str:
    if isinstance(y, tuple):
        return (
            "Compare lists with lists: with the database itself (--target identity --distance hamming), or with a list "
            "of your own (--target file.py:name --distance largest)."
        )
    if isinstance(y, (int, Fraction)):
        return "Choose a target that is a number, such as --target sum, and --distance absolute."
    return "Choose a target that returns such a value, and --distance different."


def _described(value: Any) -> str:
    text = _text(value)
    if isinstance(value, tuple):
        return f"a list of {len(value)} (such as {text})"
    return f"a number (such as {text})" if isinstance(value, (int, Fraction)) else f"a value such as {text}"


def _text(value: Any) -> str:
    return shortened(repr(value) if not isinstance(value, Fraction) else str(value))


def _example(program: Program) -> Any:
    """Return the output of the program for the first value of each input and of each coin."""
    entries = [variable.values[0] for variable in program.inputs]
    return evaluate(program.output, entries, {number: coin.outcomes[0] for number, coin in enumerate(program.coins)})


def _is_ours(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).partition(".")[0] in ("taut", "builtins")


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", function))
