"""Exact answers about terms while a program is being read: if an event can happen, which values a term can take."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from taut.diagrams import Diagrams
from taut.diagrams.compile.compiler import Compiler
from taut.diagrams.compile.linear import are_integers, is_linear, linear_parts
from taut.diagrams.compile.order import interleaved_order
from taut.program import (
    UNDEFINED,
    Apply,
    Coin,
    CoinVariable,
    Input,
    InputVariable,
    Select,
    Term,
    Terms,
    evaluate,
    operation,
)
from taut.program.operations import typed
from taut.program.program import children, reachable, substituted
from taut.support.errors import DiagramTooLarge
from taut.support.exact import largest
from taut.support.limits import checkpoint, checkpoints
from taut.support.process import cached_property

__all__ = ["Oracle", "SampledRuns"]


_RUNS = 64
_STEPS_OF_RUNS = 128
"""Limit for the steps of one walk towards a run in which an event happens."""
_RUNS_IN_VAIN = 8_192
"""Limit for the steps of all walks that found nothing."""


class _Run:
    """One input, one outcome of every coin, and the values that terms have there."""

    def __init__(self, entries: list[Any] | None = None, coins: dict[int, Any] | None = None) -> None:
        self.entries: list[Any] = entries or []
        self.coins: dict[int, Any] = coins or {}
        self.known: dict[Term, Any] = {}

    def holds(self, part: Term) -> bool:
        value = evaluate(part, self.entries, self.coins, self.known)
        return value is not UNDEFINED and bool(value)


class SampledRuns:
    """Terms evaluated in the same few runs, each term once per run.

    Every outcome of a coin is as likely as any other, whatever its weight, and the runs are always the same.
    """

    def __init__(self, inputs: Sequence[InputVariable], coins: Sequence[CoinVariable]) -> None:
        self.inputs, self.coins = inputs, coins
        self._source = random.Random(0)
        self._runs = [_Run() for _ in range(_RUNS)]
        self._oldest = 0
        self._spare = _RUNS_IN_VAIN

    def find(self, parts: Sequence[Term]) -> tuple[list[Any], dict[int, Any]] | None:
        """Return the entries and coins of a run in which all parts of a conjunction hold. If None, nothing is known."""
        return self.known(parts) or self._walk(parts)

    def known(self, parts: Sequence[Term]) -> tuple[list[Any], dict[int, Any]] | None:
        """Return such a run if it is among those that are known already."""
        for run in self._runs:
            checkpoint()
            self._extend(run)
            if all(run.holds(part) for part in parts):
                return run.entries, run.coins
        return None

    def possible(self, parts: Sequence[Term]) -> bool:
        """Return True if such a run is found with little work, and keep it."""
        return self._apart(parts) or self._walk(parts) is not None

    def _apart(self, parts: Sequence[Term]) -> bool:
        """Find a run in which all parts hold by the values of their comparisons, as if these were independent.

        Inputs and coins that several comparisons share have the values of a run; what is left of each comparison is
        about variables of its own, so that any of the values met there may go with any of the others'.
        """
        comparisons = _comparisons(parts)
        if not 1 < len(comparisons) <= _MOST_COMPARISONS:
            return False
        variables = {one: [v for v in reachable([one]) if isinstance(v, (Input, Coin))] for one in comparisons}
        users = Counter(variable for own in variables.values() for variable in own)
        for run in self._runs[:: _RUNS // _SHARED_RUNS]:
            met = {one: self._values_met(one, [v for v in own if users[v] == 1], run) for one, own in variables.items()}
            chosen = self._independent.values(parts, {one: list(values) for one, values in met.items()})
            if chosen is None:
                continue
            entries, coins = list(run.entries), dict(run.coins)
            for one, value in chosen.items():
                for variable, own_value in met[one][value].items():
                    if isinstance(variable, Input):
                        entries[variable.index] = own_value
                    else:
                        assert isinstance(variable, Coin)
                        coins[variable.index] = own_value
            found = _Run(entries, coins)
            if all(found.holds(part) for part in parts):
                self._keep(found)
                return True
        return False

    @cached_property
    def _independent(self) -> _Independent:
        return _Independent()

    def _values_met(self, term: Term, own: Sequence[Term], run: _Run) -> dict[bool, dict[Term, Any]]:
        """Return values that a Boolean term takes where other variables than its own stay, with its own there."""
        found: dict[bool, dict[Term, Any]] = {}
        for _ in range(_TRIES if own else 1):
            checkpoint()
            entries, coins = list(run.entries), dict(run.coins)
            changed: dict[Term, Any] = {}
            for variable in own if found else ():
                if isinstance(variable, Input):
                    changed[variable] = entries[variable.index] = self._source.choice(
                        self.inputs[variable.index].values
                    )
                else:
                    assert isinstance(variable, Coin)
                    changed[variable] = coins[variable.index] = self._source.choice(self.coins[variable.index].outcomes)
            value = evaluate(term, entries, coins)
            if value is not UNDEFINED:
                found.setdefault(bool(value), changed)
            if len(found) == 2:
                break
        return found

    def _keep(self, run: _Run) -> None:
        self._runs[self._oldest] = run
        self._oldest = (self._oldest + 1) % _RUNS

    def _walk(self, parts: Sequence[Term]) -> tuple[list[Any], dict[int, Any]] | None:
        """Walk randomly towards a run in which all parts hold; keep a run that is found."""
        run = max(self._runs, key=lambda run: sum(run.holds(part) for part in parts))
        variables: dict[Term, list[Term]] = {}
        for step in range(min(_STEPS_OF_RUNS, self._spare)):
            checkpoint()
            failing = [part for part in parts if not run.holds(part)]
            if not failing:
                self._spare += step
                self._keep(run)
                return run.entries, run.coins
            self._spare -= 1
            part = self._source.choice(failing)
            if part not in variables:
                variables[part] = [term for term in reachable([part]) if isinstance(term, (Input, Coin))]
            if not variables[part]:
                return None
            run = self._changed(run, self._source.choice(variables[part]))
        return None

    def _changed(self, run: _Run, variable: Term) -> _Run:
        """Return the run with another value of an input or a coin."""
        entries, coins = list(run.entries), dict(run.coins)
        if isinstance(variable, Input):
            entries[variable.index] = self._source.choice(self.inputs[variable.index].values)
        else:
            assert isinstance(variable, Coin)
            coins[variable.index] = self._source.choice(self.coins[variable.index].outcomes)
        return _Run(entries, coins)

    def _extend(self, run: _Run) -> None:
        """Draw what has been added to the program since the run was last looked at."""
        for variable in self.inputs[len(run.entries) :]:
            run.entries.append(self._source.choice(variable.values))
        for coin in range(len(run.coins), len(self.coins)):
            run.coins[coin] = self._source.choice(self.coins[coin].outcomes)


_COMPARING = frozenset(["lt", "le", "gt", "ge", "eq", "ne"])
_MOST_COMPARISONS, _SHARED_RUNS, _TRIES, _MOST_FAILS = 1 << 10, 4, 24, 4
"""Limits for comparisons that are told apart, the runs whose shared values are tried, the tries for each, and failed
attempts."""


def _comparisons(parts: Sequence[Term]) -> list[Term]:
    """Return the comparisons below some terms with no other comparison below them; none if other terms read coins."""
    above: set[Term] = set()
    found: dict[Term, None] = {}
    for term in reachable(parts):
        if any(child in above for child in children(term)):
            above.add(term)
        elif isinstance(term, Apply) and term.operation.name in _COMPARING:
            above.add(term)
            found[term] = None
    seen, stack = set(parts), list(parts)
    while stack:
        term = stack.pop()
        if isinstance(term, (Input, Coin)):
            return []
        for child in children(term) if term not in found else ():
            if child not in seen:
                seen.add(child)
                stack.append(child)
    return list(found)


class _Independent:
    """Events as functions of comparisons alone, each of which may have either value."""

    def __init__(self) -> None:
        self._terms = Terms()
        self._coins: list[CoinVariable] = []
        self._known: dict[Term, Term] = {}
        self._comparisons: list[Term] = []
        self._oracle = Oracle([], self._coins, _IN_VAIN)
        self._fails = 0

    def values(self, parts: Sequence[Term], met: Mapping[Term, Sequence[bool]]) -> dict[Term, bool] | None:
        """Return one of the values met of each comparison with which all parts hold; None if that takes much work."""
        if self._fails >= _MOST_FAILS or not all(met.values()):
            return None
        terms = self._terms
        for one in met:
            if one not in self._known:
                number = len(self._coins)
                self._known[one] = terms.coin(number, (False, True))
                self._coins.append(CoinVariable(f"a{number}", (False, True), (Fraction(1, 2),) * 2, number))
                self._comparisons.append(one)
        settled = [
            self._known[one] if values[0] else terms.negate(self._known[one])
            for one, values in met.items()
            if len(values) == 1
        ]
        made = [*settled, *substituted(terms, parts, [], [], {}, self._known)]
        root = self._oracle._joined(made, _THOROUGH)
        if root is None or not _ever_true(self._oracle.diagrams, root):
            self._fails += root is None
            return None
        _, told = self._oracle._assignment(root)
        chosen = {one: values[0] for one, values in met.items()}
        chosen.update((self._comparisons[number], value) for number, value in told.items())
        return chosen


_AND = operation("and")
_QUICK = 2_000
"""New nodes within which a question counts as cheap."""
_THOROUGH = 50_000
"""New nodes that one question may cost."""
_IN_VAIN = 500_000
"""Limit for the new nodes of all questions that were left without an answer."""
_FEW_SUMMANDS, _FEW_PARTS, _MOST_TOTALS = 8, 64, 1 << 17
"""Summands of a sum that is worth its totals, parts of a function of it, and totals."""
_STEPS = 4
"""Limit for the steps of one operation, per new node allowed."""


class Oracle(Compiler):
    """Compiles terms as they come, variables in the order in which they are met.

    Every value of an input and every outcome of a coin counts as possible, so coins must not list impossible ones.
    """

    def __init__(self, inputs: list[InputVariable], coins: list[CoinVariable], max_nodes: int) -> None:
        super().__init__(Diagrams(max_nodes))
        self.inputs = inputs
        self.coins = coins
        self._levels: list[Input | Coin] = []
        self._runs = SampledRuns(inputs, coins)
        self._spare = _IN_VAIN
        self._hard: dict[Term, int] = {}
        """Parts with the number of new nodes that was not enough for them."""

    def compile(self, roots: Sequence[Term]) -> list[int]:
        """Return the diagrams of the roots; new variables come in the order in which a walk from the roots meets them.

        So an input stands beside the coins that are read together with it, not above all coins.
        """
        asked = [root for root in roots if root not in self._made]
        for variable in interleaved_order(asked, reachable(asked), self.coins):
            if variable not in self._made:
                self._made[variable] = self.variable(variable)
        return super().compile(roots)

    def variable(self, term: Input | Coin) -> int:
        values = self.inputs[term.index].values if isinstance(term, Input) else self.coins[term.index].outcomes
        self._levels.append(term)
        return self.diagrams.variable(len(self._levels) - 1, values)

    def possible(self, event: Term) -> bool:
        """Return True if a Boolean term is true in some run."""
        found = self._of_one_sum(event)
        if found is not None:
            return True in found
        (root,) = self.compile([event])
        return _ever_true(self.diagrams, root)

    def surely_impossible(self, event: Term) -> bool:
        """Return True if little work proves that a Boolean term is never true.

        Its parts are joined one by one, those of few variables first: often a few of them exclude each other already.
        If that does not decide it, a run in which the event happens is looked for; else more nodes are allowed. The
        cost of failed attempts is limited over all questions.
        """
        parts = _conjuncts(event)
        if self._runs.known(parts) is not None:
            return False
        found = self._never(parts, _QUICK)
        if found is not None:
            return found
        if self._runs.possible(parts):
            return False
        before = len(self.diagrams)
        found = self._never(parts, min(_THOROUGH, self._spare))
        if found is None:
            self._spare -= len(self.diagrams) - before
        return found is True

    def _never(self, parts: Sequence[Term], budget: int) -> bool | None:
        """Return True if the parts are never true together; None if that takes more than ``budget`` new nodes."""
        joined = self._joined(parts, _QUICK)
        return None if joined is None else not _ever_true(self.diagrams, joined)

    def _joined(self, parts: Sequence[Term], budget: int) -> int | None:
        """Return the diagram of a conjunction, or of first parts that exclude each other; None if too large."""
        diagrams, limit = self.diagrams, self.diagrams.max_nodes
        diagrams.max_nodes, diagrams.max_steps = min(limit, len(diagrams) + budget), _STEPS * budget
        try:
            together: int | None = None
            for part in parts:
                if self._hard.get(part, 0) >= budget:
                    return None
                try:
                    (root,) = self.compile([part])
                except DiagramTooLarge:
                    self._hard[part] = budget
                    return None
                together = root if together is None else diagrams.apply(self._operation(_AND), together, root)
                if not _ever_true(diagrams, together):
                    break
            return together
        except DiagramTooLarge:
            return None
        finally:
            diagrams.max_nodes, diagrams.max_steps = limit, math.inf

    @property
    def nodes(self) -> int:
        """The number of nodes made so far."""
        return len(self.diagrams)

    def run(self, event: Term) -> tuple[dict[int, Any], dict[int, Any]] | bool:
        """Return entries and coin outcomes for which a Boolean term is true; those that do not matter are left out.

        False if there are none, and True if that cannot be told with little work.
        """
        parts = _conjuncts(event)
        joined = self._joined(parts, _QUICK)
        if joined is not None:
            return self._assignment(joined) if _ever_true(self.diagrams, joined) else False
        found = self._runs.find(parts)
        return True if found is None else (dict(enumerate(found[0])), dict(found[1]))

    def chance(self, event: Term, entries: Mapping[int, Any]) -> Any:
        """Return the probability of a Boolean term on an input with these entries; None if that takes much work.

        Entries that are left out have their first values.
        """

        def at(index: int, of_values: Sequence[Any]) -> Any:
            values = self.inputs[index].values
            return of_values[values.index(entries.get(index, values[0]))]

        return self._weighed(event, at)

    def most(self, event: Term) -> Any:
        """Return an upper bound of the probability of a Boolean term on any input; None if that takes much work."""
        return self._weighed(event, lambda index, of_values: largest(of_values))

    def _weighed(self, event: Term, chosen: Callable[[int, Sequence[Any]], Any]) -> Any:
        """Return the probability of a Boolean term; ``chosen`` gives that of an input from those of its values."""
        root = self._joined(_conjuncts(event), _QUICK)
        if root is None:
            return None
        diagrams, known = self.diagrams, dict[int, Any]()
        for node in diagrams.reachable([root]):
            if diagrams.is_leaf(node):
                (value,) = diagrams.leaves(node)
                known[node] = Fraction(value is not UNDEFINED and bool(value))
                continue
            variable, partition = self._levels[diagrams.level[node]], diagrams.partitions[diagrams.partition[node]]
            below = [known[child] for child in diagrams.children[node]]
            if isinstance(variable, Input):
                places = range(len(self.inputs[variable.index].values))
                known[node] = chosen(variable.index, [below[partition.place(place)] for place in places])
            else:
                weights = self.coins[variable.index].weights
                shares = [sum(weights[start:stop]) * below[number] for start, stop, number in partition.runs()]
                known[node] = sum(shares[1:], start=shares[0])
        return known[root]

    def values(self, term: Term) -> list[Any]:
        """Return the values that a term really takes."""
        sums = self._totals(term)
        if sums is None:
            sums = self._of_one_sum(term)
        if sums is not None:
            return sums
        (root,) = self.compile([term])
        return [value for value in self.diagrams.leaves(root) if value is not UNDEFINED]

    def few_values(self, term: Term, most: int, work: int) -> list[Any] | None:
        """Return the values that a term really takes; None if over ``most``, or if they cost over ``work`` nodes."""
        diagrams, limit = self.diagrams, self.diagrams.max_nodes
        diagrams.max_nodes, diagrams.max_steps = min(limit, len(diagrams) + work), _STEPS * work
        try:
            found = self.values(term)
        except DiagramTooLarge:
            return None
        finally:
            diagrams.max_nodes, diagrams.max_steps = limit, math.inf
        return found if len(found) <= most else None

    def _of_one_sum(self, term: Term) -> list[Any] | None:
        """Return the values of a function of one sum of independent integers, or of a draw that such a sum chooses;
        None for other terms.
        """
        found: list[Term] = []
        stack, seen = [term], {term}
        while stack:
            part = stack.pop()
            if isinstance(part, (Input, Coin)) or len(found) > 1 or len(seen) > _FEW_PARTS:
                return None
            if _is_long_sum(part) or _is_chosen_draw(part):
                found.append(part)
                continue
            more = [child for child in children(part) if child not in seen]
            seen.update(more)
            stack += more
        totals = self._values_of(found[0]) if len(found) == 1 else None
        if totals is None or len(totals) > _MOST_TOTALS:
            return None
        terms = Terms()
        (output,) = substituted(terms, [term], [], self.coins, {}, {found[0]: terms.input(0, tuple(totals))})
        values = [evaluate(output, (total,), {}) for total in checkpoints(totals, 256)]
        return list({typed(value): value for value in values if value is not UNDEFINED}.values())

    def _values_of(self, term: Term) -> list[Any] | None:
        """Return the values of a sum, or of a draw from the row that a sum chooses."""
        if not isinstance(term, Select):
            return self._totals(term)
        totals = self._totals(term.index)
        if totals is None or not {item for item in reachable([term.index]) if isinstance(item, Coin)}.isdisjoint(
            term.items
        ):
            return None
        items = dict(zip(term.keys, term.items, strict=True))
        rows = [self.coins[items[total].index].outcomes for total in totals if total in items]
        different = {id(row): row for row in rows}
        values = {typed(value): value for row in different.values() for value in row}
        return list(values.values()) if len(values) <= _MOST_TOTALS else None

    def _totals(self, term: Term) -> list[int] | None:
        """Return the values of a sum of integers that share no input and no coin; None for other terms.

        Each part takes its values whatever the others do, so a set of totals is a whole number with a bit for each,
        which a part moves by all its values at once.
        """
        if not is_linear(term) or not are_integers(term.values):
            return None
        parts = linear_parts(term, _Sums())  # type: ignore[arg-type]
        variables: set[Term] = set()
        for _, part in parts:
            own = [below for below in reachable([part]) if isinstance(below, (Input, Coin))]
            if not variables.isdisjoint(own):
                return None
            variables.update(own)
        totals, least = 1, 0
        moves: dict[tuple[Term, ...] | Any, list[int]] = {}
        for factor, part in checkpoints(parts, 64):
            key = (factor, self.inputs[part.index].values if isinstance(part, Input) else part)
            if key not in moves:
                values = self.inputs[part.index].values if isinstance(part, Input) else self._leaves(part)
                if not all(isinstance(value, int) for value in values):
                    return None
                moves[key] = sorted({factor * value for value in values})
            if not moves[key]:
                return []
            least += moves[key][0]
            totals = _moved(totals, [value - moves[key][0] for value in moves[key]])
        return [least + place for place in range(totals.bit_length()) if totals >> place & 1]

    def _leaves(self, term: Term) -> list[Any]:
        (root,) = self.compile([term])
        return list(self.diagrams.leaves(root))

    def example(self, event: Term) -> dict[int, Any]:
        """Return entries of an input for which a Boolean term can be true; entries that do not matter are left out."""
        (node,) = self.compile([event])
        return self._assignment(node)[0]

    def _assignment(self, node: int) -> tuple[dict[int, Any], dict[int, Any]]:
        """Return entries and coin outcomes on a path to True; those that are not looked at are left out."""
        diagrams = self.diagrams
        entries: dict[int, Any] = {}
        coins: dict[int, Any] = {}
        while not diagrams.is_leaf(node):
            variable = self._levels[diagrams.level[node]]
            for position, child in enumerate(diagrams.children[node]):
                if _ever_true(diagrams, child):
                    place = diagrams.partitions[diagrams.partition[node]].first(position)
                    if isinstance(variable, Input):
                        entries[variable.index] = self.inputs[variable.index].values[place]
                    else:
                        coins[variable.index] = self.coins[variable.index].outcomes[place]
                    node = child
                    break
        return entries, coins


class _Sums:
    """Linear view of the terms in which inner sums are opened."""

    def __contains__(self, term: Term) -> bool:
        return is_linear(term)


def _moved(totals: int, added: Sequence[int]) -> int:
    """Return a set of totals with any of some numbers added to each."""
    if len(added) > 2 and added == list(range(len(added))):  # all numbers up to the last: double what is reached
        width = 1
        while 2 * width <= len(added):
            totals |= totals << width
            width *= 2
        return totals | totals << (len(added) - width)
    moved = 0
    for number in added:
        moved |= totals << number
    return moved


def _is_long_sum(term: Term) -> bool:
    """Return True if a term adds up many integers."""
    if not is_linear(term) or not are_integers(term.values):
        return False
    return any(len(children(one)) > _FEW_SUMMANDS for one in (term, *children(term)) if is_linear(one))


def _is_chosen_draw(term: Term) -> bool:
    """Return True if a term is a draw from the row that a sum of many integers chooses."""
    return isinstance(term, Select) and _is_long_sum(term.index) and all(type(item) is Coin for item in term.items)


def _ever_true(diagrams: Diagrams, root: int) -> bool:
    return any(value is not UNDEFINED and bool(value) for value in diagrams.leaves(root))


def _conjuncts(event: Term) -> list[Term]:
    """Return the parts of a conjunction, those with few variables first."""
    parts: dict[Term, None] = {}
    stack = [event]
    while stack:
        part = stack.pop()
        if isinstance(part, Apply) and part.operation is _AND:
            stack.extend(part.args)
        else:
            parts[part] = None
    if len(parts) == 1:
        return list(parts)
    return sorted(parts, key=lambda part: sum(isinstance(term, (Input, Coin)) for term in reachable([part])))
