"""The steps of a Markov chain for a program: one toss each, and registers for the values that are still needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from taut.interfaces.peers.lowering.expressions import Builder, Node, TossDistribution, ordered
from taut.interfaces.peers.lowering.terms import LoweredProgram

__all__ = ["Branch", "CaseChain", "ChainStep", "MarkovChain", "Register", "allocate", "case_chain", "markov_chain"]

_HEAVY = 300
"""Number of parts above which an expression is computed in a step of its own."""


@dataclass(frozen=True)
class Branch:
    """A branch of a step under a guard: new values of the variables, each with its probability."""

    guard: Node
    updates: tuple[tuple[Fraction, tuple[tuple[str, Node], ...]], ...]


@dataclass(frozen=True)
class ChainStep:
    number: int
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class MarkovChain:
    """Variables, steps, and the expressions of the results after the last step."""

    registers: tuple[Register, ...]
    steps: tuple[ChainStep, ...]
    results: tuple[Node, ...]
    evidence: Node

    @property
    def last(self) -> int:
        return len(self.steps)


STEP = "step"
"""The variable that counts the steps."""


def markov_chain(lowered: LoweredProgram) -> MarkovChain:
    """Return the steps of a program."""
    return _ChainBuilder(lowered).chain()


class _ChainBuilder:
    def __init__(self, lowered: LoweredProgram) -> None:
        self.build: Builder = lowered.lowering.build
        self.case_chains = [case_chain(self.build, slot) for slot in lowered.slots]
        self.evidence = lowered.evidence
        roots = [chain.result for chain in self.case_chains] + [self.evidence]
        self.roots = [root for root in dict.fromkeys(roots) if root.op != "literal"]
        self.nodes = ordered(self.roots)
        self.events = self._events()
        position = {event: number for number, event in enumerate(self.events)}
        self.born: dict[Node, int] = {}
        last_use: dict[Node, int] = {}
        for node in self.nodes:
            self.born[node] = position.get(node, max((self.born[arg] for arg in node.args), default=-1))
            for arg in node.args:
                last_use[arg] = max(last_use.get(arg, -1), self.born[node])
        forever = len(self.events)
        last_use.update(dict.fromkeys(self.roots, forever))
        self.implied = self._implied()
        self.lives = {
            node: (self.born[node], last_use[node])
            for node in self.nodes
            if 0 <= self.born[node] < last_use[node] and node.op != "literal" and node not in self.implied
        }
        self.registers, self.register_of = allocate(self.lives, self.roots)

    def chain(self) -> MarkovChain:
        steps = tuple(self._step(number, event) for number, event in enumerate(self.events))
        results = tuple(self._held(chain.result) for chain in self.case_chains)
        return MarkovChain(self.registers, steps, results, self._held(self.evidence))

    def _events(self) -> list[Node]:
        """Return the tosses, and the large deterministic expressions that get steps of their own."""
        weight: dict[Node, int] = {}
        events = []
        for node in self.nodes:
            # What was known after an earlier toss is a variable by now.
            weight[node] = 1 + sum(weight[arg] if arg.time == node.time else 1 for arg in node.args)
            if node.op == "toss" or weight[node] > _HEAVY or (node in self.roots and node.time < 0):
                events.append(node)
                weight[node] = 1
        return sorted(events, key=lambda node: (node.time, node.op != "toss", node.serial))

    def _implied(self) -> dict[Node, Node]:
        """Return the known values of a run with a single chain: no case has applied yet, else it would be over."""
        if len(self.case_chains) != 1 or self.evidence.op != "literal":
            return {}
        build, (chain,) = self.build, self.case_chains
        still = build.literal(chain.open)
        implied: dict[Node, Node] = {}
        for state in chain.states:
            if self.born.get(state, -1) >= 0 and state not in self.events:
                implied[state] = still
                open_ = build.equal(state, still)
                implied[open_] = build.true
                implied[build.negate(open_)] = build.false
        return implied

    def _held(self, node: Node) -> Node:
        return node if node.op == "literal" else self._variable(node)

    def _variable(self, node: Node) -> Node:
        return self.build.variable(self.register_of[node].name, node.low, node.high)

    def _step(self, number: int, event: Node) -> ChainStep:
        before = {node: self._variable(node) for node, (born, end) in self.lives.items() if born < number <= end}
        before.update({node: value for node, value in self.implied.items() if self.born.get(node, number) < number})
        if event.op != "toss":
            return ChainStep(number, (Branch(self.build.true, ((Fraction(1), self._update(number, before)),)),))
        rows: Sequence[TossDistribution] = event.data
        index = self._rewritten([event.args[0]], before)[0] if event.args else None
        branches = []
        for row in rows:
            guard = self.build.true if index is None else self._fits(index, row)
            if guard is self.build.false:
                continue
            updates: dict[tuple[tuple[str, Node], ...], Fraction] = {}
            for outcome, weight in row.outcomes:
                update = self._update(number, {**before, event: self.build.literal(outcome)})
                updates[update] = updates.get(update, Fraction(0)) + weight
            branches.append(Branch(guard, tuple((weight, update) for update, weight in updates.items())))
        return ChainStep(number, tuple(branches))

    def _fits(self, index: Node, row: TossDistribution) -> Node:
        guard = self.build.false
        for key in row.keys:
            same = index if key is True else self.build.negate(index) if key is False else None
            guard = self.build.either(guard, same or self.build.equal(index, self.build.literal(key)))
        return guard

    def _update(self, number: int, known: Mapping[Node, Node]) -> tuple[tuple[str, Node], ...]:
        """Return the new values of all changing variables, given the values before the step and its toss."""
        build = self.build
        born = [node for node, (start, _) in self.lives.items() if start == number]
        died = [node for node, (_, end) in self.lives.items() if end == number]
        stop, jump = self._stop(number, known)
        fresh = dict(zip(born, self._rewritten(born, known), strict=True))
        values: dict[str, Node] = {self.register_of[node].name: self.register_of[node].reset(build) for node in died}
        values.update({self.register_of[node].name: value for node, value in fresh.items()})
        if stop is build.false:
            return ((STEP, build.literal(number + 1)), *_changes(values))
        kept = {
            self.register_of[node].name: self._variable(node)
            for node, (start, end) in self.lives.items()
            if start < number < end
        }
        after = {**kept, **values}
        for register in self.registers:
            name = register.name
            usual = after.get(name, register.reset(build))
            after[name] = build.choose(stop, jump.get(name, register.reset(build)), usual)
        end, following = build.literal(len(self.events)), build.literal(number + 1)
        return ((STEP, build.choose(stop, end, following)), *_changes(after))

    def _stop(self, number: int, known: Mapping[Node, Node]) -> tuple[Node, dict[str, Node]]:
        """Return the condition under which the run ends after this step, and the result variables in that case."""
        build = self.build
        none: dict[str, Node] = {}
        if number + 1 >= len(self.events):
            return build.false, none
        refused = build.false
        part = self.evidence
        while part.op == "and" and self.born.get(part, -1) > number:
            part = part.args[0]
        if part.op != "literal" and self.born[part] <= number:
            refused = build.negate(self._rewritten([part], known)[0])
        settled = self.evidence.op == "literal" or self.born[self.evidence] <= number
        stop, jump = build.literal(settled), none
        for chain in self.case_chains if stop is build.true else []:
            decided, value = self._decided(chain, number, known)
            stop = build.both(stop, decided)
            if chain.result.op != "literal":
                jump[self.register_of[chain.result].name] = value
        if stop is build.false:
            jump = {}
        if self.evidence.op != "literal":
            jump[self.register_of[self.evidence].name] = build.negate(refused)
        return build.either(stop, refused), jump

    def _decided(self, chain: CaseChain, number: int, known: Mapping[Node, Node]) -> tuple[Node, Node]:
        build = self.build
        if chain.result.op == "literal":
            return build.true, chain.result
        if self.born[chain.result] <= number:
            return build.true, self._rewritten([chain.result], known)[0]
        states = [state for state in chain.states if 0 <= self.born.get(state, -1) <= number]
        if not states:
            return build.false, chain.result
        state = self._rewritten([states[-1]], known)[0]
        return chain.decided(build, state), chain.value(build, state)

    def _rewritten(self, targets: Sequence[Node], known: Mapping[Node, Node]) -> list[Node]:
        """Rewrite expressions in terms of the state variables and the toss."""
        made: dict[Node, Node] = dict(known)
        stack = list(targets)
        while stack:
            node = stack[-1]
            if node in made:
                stack.pop()
                continue
            missing = [arg for arg in node.args if arg not in made]
            if missing:
                stack.extend(missing)
                continue
            made[node] = self.build.remake(node, tuple(made[arg] for arg in node.args)) if node.args else node
            stack.pop()
        return [made[target] for target in targets]


def _changes(values: Mapping[str, Node]) -> list[tuple[str, Node]]:
    return [(name, value) for name, value in values.items() if not (value.op == "variable" and value.data == name)]


@dataclass(frozen=True)
class Register:
    """A variable: a Boolean if it has no bounds."""

    name: str
    low: int | None
    high: int | None

    def reset(self, build: Builder) -> Node:
        """Return the value of an unused variable."""
        if self.low is None or self.high is None:
            return build.false
        return build.literal(0 if self.low <= 0 <= self.high else self.low)


def allocate(
    lives: Mapping[Node, tuple[int, int]], results: Sequence[Node]
) -> tuple[tuple[Register, ...], dict[Node, Register]]:
    """Allocate variables for values that live from step ``born`` to step ``end``; results have their own."""
    held: list[list[Node]] = []
    names: list[str] = []
    free_from: list[int] = []
    for position, node in enumerate(results):
        held.append([node])
        names.append(f"y{position}")
        free_from.append(-1)
    own = len(held)
    counts = {True: 0, False: 0}
    for node, (born, end) in sorted(lives.items(), key=lambda item: (item[1][0], item[0].serial)):
        if node in results:
            continue
        fits = [
            position
            for position in range(own, len(held))
            if free_from[position] <= born and held[position][0].boolean == node.boolean
        ]
        if fits:
            chosen = max(fits, key=lambda position: free_from[position])
            held[chosen].append(node)
            free_from[chosen] = end
        else:
            held.append([node])
            names.append(f"{'b' if node.boolean else 'v'}{counts[node.boolean]}")
            counts[node.boolean] += 1
            free_from.append(end)
    registers = tuple(_register(name, nodes) for name, nodes in zip(names, held, strict=True))
    return registers, {node: register for register, nodes in zip(registers, held, strict=True) for node in nodes}


def _register(name: str, nodes: Sequence[Node]) -> Register:
    if nodes[0].boolean:
        return Register(name, None, None)
    return Register(name, min(node.bounds[0] for node in nodes), max(node.bounds[1] for node in nodes))


@dataclass(frozen=True)
class CaseChain:
    """A result, and the state that represents partial knowledge of it.

    Each of ``states`` is the result as far as the first cases tell, or ``open``; for a plain result there are none.
    """

    result: Node
    states: tuple[Node, ...] = ()
    open: int = 0

    def decided(self, build: Builder, state: Node) -> Node:
        return build.negate(build.equal(state, build.literal(self.open)))

    def value(self, build: Builder, state: Node) -> Node:
        """Return the result, given a decided state."""
        return build.equal(state, build.literal(1)) if self.result.boolean else state


def case_chain(build: Builder, root: Node) -> CaseChain:
    """Return nested ifs in the last branch as a chain; any other expression unchanged.

    The cases are looked at one after the other, so that a run need not remember what they were, only what came out.
    """
    cases: list[tuple[Node, Node]] = []
    last = root
    while last.op == "if":
        cases.append((last.args[0], last.args[1]))
        last = last.args[2]
    if len({test.time for test, _ in cases}) < 2:
        return CaseChain(root)
    boolean = root.boolean
    items = [_integer(build, item) for _, item in cases]
    still = build.literal(2 if boolean else max(root.bounds[1], *(item.bounds[1] for item in items)) + 1)
    state = still
    states = []
    for (test, _), item in zip(cases, items, strict=True):
        state = build.choose(build.equal(state, still), build.choose(test, item, still), state)
        states.append(state)
    undecided = build.equal(state, still)
    known = build.equal(state, build.literal(1)) if boolean else state
    return CaseChain(build.choose(undecided, last, known), tuple(states), still.data)


def _integer(build: Builder, node: Node) -> Node:
    return build.choose(node, build.literal(1), build.literal(0)) if node.boolean else node
