"""A program as one relation G(x, coins, y): true exactly when the program on x, with these coins, returns y."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from taut.diagrams import BinaryOperation, Diagrams, Kind, LevelArrays, export_levels
from taut.diagrams.compile.compiler import Compiler
from taut.diagrams.compile.order import Variable, candidate_orders
from taut.diagrams.compile.segments import (
    Segment,
    SegmentCompiler,
    close_segments,
    compile_quickly,
    last_positions,
    segments,
)
from taut.diagrams.compile.shape import Bare, Leaf, Sequence_, Shape, shape_of, slots_of, sort_key
from taut.diagrams.compile.totals import require_at_most_one_output, require_defined_outputs, require_one_output
from taut.program import UNDEFINED, Apply, Coin, CoinVariable, Const, Input, InputVariable, Program, Select, Term
from taut.program.placeholders import plain_output
from taut.program.program import children, conjuncts, reachable
from taut.support.algebra.rational import RationalFunction
from taut.support.errors import DiagramTooLarge, InvalidInput
from taut.support.exact import Ball
from taut.support.options import Options
from taut.support.process import cached_property, collector_paused

__all__ = ["OutputVariable", "Relation", "RelationCache", "RelationCompiler", "compile_program", "structure"]


@dataclass(frozen=True)
class OutputVariable:
    """A slot of the output with its possible values."""

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Relation:
    """The compiled program: level arrays with the meaning of each level.

    Guarantee:
        For inputs and coin outcomes within their values exactly one output makes the relation true if the evidence
        holds there, and none if it does not.
    """

    name: str
    arrays: LevelArrays
    inputs: tuple[InputVariable, ...]
    coins: tuple[CoinVariable, ...]
    outputs: tuple[OutputVariable, ...]
    shape: Shape
    order: str

    def encode(self, y: Any) -> list[int] | None:
        """Return the positions of the output variables for an output, None if it is not a possible output."""
        try:
            slots = list(self.shape.encode(y))
            return [_position(variable.values, slot) for variable, slot in zip(self.outputs, slots, strict=True)]
        except (KeyError, TypeError):
            return None

    def decode(self, positions: Sequence[int]) -> Any:
        """Return the output for positions of the output variables."""
        slots = [variable.values[place] for variable, place in zip(self.outputs, positions, strict=True)]
        return self.shape.decode(iter(slots))

    @cached_property
    def exact(self) -> bool:
        """True if all weights are rational."""
        return not any(Ball in coin.kinds for coin in self.coins)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that its weights are functions of."""
        free = [coin for coin in self.coins if RationalFunction in coin.kinds]
        weights = {weight for coin in free for weight in coin.weights if isinstance(weight, RationalFunction)}
        return tuple(sorted({name for weight in weights for name in weight.names}))

    def in_positions(self) -> Relation:
        """Return the same relation with positions in place of values, free of objects of the user.

        It serves code that uses positions, and can be pickled.
        """
        return replace(
            self,
            inputs=tuple(InputVariable(one.name, tuple(range(len(one.values)))) for one in self.inputs),
            coins=tuple(replace(coin, outcomes=tuple(range(len(coin.outcomes)))) for coin in self.coins),
            outputs=tuple(OutputVariable(one.name, tuple(range(len(one.values)))) for one in self.outputs),
            shape=Sequence_((Leaf(),) * len(self.outputs)),
        )

    def reweighted(self, coins: Sequence[CoinVariable]) -> Relation:
        """Return the same relation with other weights of its coins, which must have the same outcomes."""
        if [coin.outcomes for coin in coins] != [coin.outcomes for coin in self.coins]:
            raise InvalidInput(
                f"other weights for '{self.name}' need its {len(self.coins)} coins with their outcomes; got "
                f"{len(coins)} coins, or other outcomes.",
                value=coins,
            )
        return replace(self, coins=tuple(coins))


def compile_program(program: Program, options: Options) -> Relation:
    """Compile with the order that the options name; 'search' builds all candidates and keeps the smallest.

    'auto' takes the most promising one, and another only where that passes ``max_nodes``.
    """
    shape = shape_of(program.output)
    slots = slots_of(program.terms, program.output, shape)
    orders = candidate_orders([*slots, program.evidence], program.coins)
    if options.order in orders:
        orders = {options.order: orders[options.order]}
    best: Relation | None = None
    problem: DiagramTooLarge | None = None
    for name, order in orders.items():
        try:
            with collector_paused():
                found = _checked(program, shape, slots, order, name, options)
        except DiagramTooLarge as too_large:
            problem = too_large
            continue
        if best is None or found.arrays.size < best.arrays.size:
            best = found
        if options.order != "search":
            break
    if best is None:
        assert problem is not None
        raise problem
    return best


def _checked(
    program: Program, shape: Shape, slots: list[Term], order: list[Variable], name: str, options: Options
) -> Relation:
    """Check the guarantee of a relation and return it; an output must be defined wherever the evidence holds."""
    met: set[int] = set()
    found = _compile(program, shape, slots, order, name, options, met)
    if program.evidence is program.terms.true:
        require_one_output(found.name, found.arrays, found.coins)
        return found
    require_at_most_one_output(found.name, found.arrays)
    if met:
        told = _compile(program, shape, slots, order, name, options, None)
        undefined = {
            number: len(output.values) - 1
            for number, output in enumerate(told.outputs)
            if output.values[-1] is UNDEFINED
        }
        require_defined_outputs(told.name, told.arrays, told.coins, undefined)
    return found


class RelationCompiler(Compiler):
    """Compiles terms whose variables have fixed levels."""

    def __init__(self, diagrams: Diagrams, program: Program, level_of: Mapping[Any, int]) -> None:
        super().__init__(diagrams)
        self.program = program
        self.level_of = level_of

    def variable(self, term: Input | Coin) -> int:
        values = (
            self.program.inputs[term.index].values
            if isinstance(term, Input)
            else (self.program.coins[term.index].outcomes)
        )
        return self.diagrams.variable(self.level_of[term], values)


def _compile(
    program: Program,
    shape: Shape,
    slots: list[Term],
    order: list[Variable],
    name: str,
    options: Options,
    undefined: set[int] | None,
) -> Relation:
    """Return the relation in one order of the variables.

    An undefined output makes it false, and its level is added to ``undefined``; if that is None, UNDEFINED is the last
    of the values of the output.
    """
    parts = conjuncts(program.evidence)
    terms = reachable([*slots, *parts])
    last = last_positions(terms, order)
    settled = list(dict.fromkeys([*slots, *parts]))
    cut = segments(settled, terms, last, len(order))
    ladder = _ladder(slots, order, last)
    level_of = {rung: level for level, rung in enumerate(ladder) if not isinstance(rung, int)}
    output_level = {rung: level for level, rung in enumerate(ladder) if isinstance(rung, int)}

    def describe(level: int) -> str:
        return _describe(program, ladder, level)

    try:
        diagrams = Diagrams(options.max_nodes, describe)
        compiler = RelationCompiler(diagrams, program, level_of)
        grafts: dict[int, int] | None = None
        roots = None
        if len(cut) == 1:
            close = close_segments(settled, terms, last, len(order))
            roots = compile_quickly(compiler, [*slots, program.evidence], None if close is None else close[1])
            cut = cut if close is None else close[0]
        if roots is not None:
            relation, made, grafts = _relation(diagrams, roots, output_level, undefined)
        else:
            diagrams = Diagrams(options.max_nodes, describe)
            compiler = RelationCompiler(diagrams, program, level_of)
            whole = SegmentCompiler(compiler, settled, terms, cut)
            relation, made = _chained(whole, slots, set(parts), cut, output_level, undefined)
    except DiagramTooLarge as problem:
        problem.message = problem.message.replace("the diagram", f"'{program.name}'", 1)
        raise
    kinds: list[tuple[Kind, int, int]] = []
    for rung in ladder:
        if isinstance(rung, Input):
            kinds.append(("input", rung.index, len(program.inputs[rung.index].values)))
        elif isinstance(rung, Coin):
            kinds.append(("coin", rung.index, len(program.coins[rung.index].outcomes)))
        else:
            kinds.append(("output", rung, len(made[rung].values)))
    arrays = export_levels(diagrams, relation, kinds, grafts)
    return Relation(program.name, arrays, program.inputs, program.coins, made, shape, name)


def _ladder(slots: Sequence[Term], order: Sequence[Variable], last: Mapping[Term, int]) -> list[Variable | int]:
    """Return the variables in order, each output slot (a number) just below the last one that it needs."""
    waiting: dict[int, list[int]] = {}
    for number, slot in enumerate(slots):
        waiting.setdefault(last[slot], []).append(number)
    ladder: list[Variable | int] = list(waiting.get(-1, []))
    for place, variable in enumerate(order):
        ladder.append(variable)
        ladder += waiting.get(place, [])
    return ladder


def _relation(
    diagrams: Diagrams, roots: Sequence[int], output_level: Mapping[int, int], undefined: set[int] | None
) -> tuple[int, tuple[OutputVariable, ...], dict[int, int] | None]:
    """Return the conjunction of all 'this output variable is that value' and the evidence, the last root.

    For a single output without evidence only the leaves are replaced, which the export does; the diagram is not built
    again.
    """
    *slots, evidence = roots
    conjunction = BinaryOperation(lambda a, b: a and b, absorbing=False, neutral=True)
    outputs: dict[int, OutputVariable] = {}
    relation = diagrams.true
    for slot in sorted(range(len(slots)), key=output_level.__getitem__, reverse=True):
        name = _name(slot, len(slots))
        outputs[slot], grafts = _graph(diagrams, [slots[slot]], output_level[slot], name, undefined)
        if len(slots) == 1 and evidence == diagrams.true and _may_be_renamed(diagrams, grafts):
            return slots[0], (outputs[0],), grafts
        relation = diagrams.apply(conjunction, diagrams.graft(slots[slot], grafts), relation)
    relation = diagrams.apply(conjunction, evidence, relation)
    return relation, tuple(outputs[slot] for slot in range(len(slots))), None


def _chained(
    compiler: SegmentCompiler,
    slots: Sequence[Term],
    evidence: set[Term],
    cut: Sequence[Segment],
    output_level: Mapping[int, int],
    undefined: set[int] | None,
) -> tuple[int, tuple[OutputVariable, ...]]:
    """Return the same conjunction by segments: find states downwards, then join segments upwards."""
    diagrams = compiler.compiler.diagrams
    conjunction = BinaryOperation(lambda a, b: a and b, absorbing=False, neutral=True)
    numbers: dict[Term, list[int]] = {}
    for number, slot in enumerate(slots):
        numbers.setdefault(slot, []).append(number)
    outputs: dict[int, OutputVariable] = {}
    pieces: list[dict[int, int]] = []
    states = {diagrams.leaf(()): ()}
    for place, segment in enumerate(cut):
        following = cut[place + 1].state if place + 1 < len(cut) else ()
        made = [compiler.compile(segment, state, following) for state in states.values()]
        relations = [diagrams.true] * len(made)
        settled = [(number, at) for at, root in enumerate(segment.roots) for number in numbers.get(root, ())]
        for number, at in sorted(settled, key=lambda pair: output_level[pair[0]], reverse=True):
            values = [roots[at] for roots, _ in made]
            name = _name(number, len(slots))
            outputs[number], grafts = _graph(diagrams, values, output_level[number], name, undefined)
            graphs = diagrams.graft_all(values, grafts)
            relations = [diagrams.apply(conjunction, g, r) for g, r in zip(graphs, relations, strict=True)]
        for at, root in enumerate(segment.roots):
            if root in evidence:
                relations = [
                    diagrams.apply(conjunction, roots[at], r) for (roots, _), r in zip(made, relations, strict=True)
                ]
        found = [diagrams.ite(r, rows, diagrams.false) for r, (_, rows) in zip(relations, made, strict=True)]
        pieces.append(dict(zip(states, found, strict=True)))
        leaves = [node for node in diagrams.reachable(found) if diagrams.is_leaf(node) and node != diagrams.false]
        states = {leaf: diagrams.value(leaf) for leaf in leaves}
    below = dict.fromkeys(states, diagrams.true)
    for piece in reversed(pieces):
        whole = diagrams.graft_all(list(piece.values()), {**below, diagrams.false: diagrams.false})
        below = dict(zip(piece, whole, strict=True))
    return below[diagrams.leaf(())], tuple(outputs[number] for number in range(len(slots)))


def _name(slot: int, slots: int) -> str:
    return "y" if slots == 1 else f"y{slot}"


def _may_be_renamed(diagrams: Diagrams, grafts: Mapping[int, int]) -> bool:
    """Return True if replacing the leaves keeps all nodes above different: none becomes equal to another."""
    different = len(set(grafts.values())) == len(grafts) > 1
    return different and diagrams.true not in grafts and diagrams.false not in grafts


def _graph(
    diagrams: Diagrams, roots: Sequence[int], level: int, name: str, undefined: set[int] | None
) -> tuple[OutputVariable, dict[int, int]]:
    """Return an output variable, and the node that replaces each leaf: the variable equals the leaf's value.

    Values that are equal in Python are one value. UNDEFINED is the last one if ``undefined`` is None, else none, and
    the level is added there.
    """
    found = diagrams.below(roots[0]) if len(roots) == 1 else diagrams.reachable(roots)
    leaves = [node for node in found if diagrams.is_leaf(node)]
    positions: dict[Any, int] = {}
    for leaf in sorted(leaves, key=lambda leaf: sort_key(diagrams.value(leaf))):
        value = diagrams.value(leaf)
        if value is not UNDEFINED:
            plain_output(value.value if isinstance(value, Bare) else value)
            positions.setdefault(value, len(positions))
    if any(diagrams.value(leaf) is UNDEFINED for leaf in leaves):
        if undefined is None:
            positions[UNDEFINED] = len(positions)
        else:
            undefined.add(level)
    grafts = {}
    for leaf in leaves:
        value = diagrams.value(leaf)
        if value is UNDEFINED and undefined is not None:
            grafts[leaf] = diagrams.false
        elif len(positions) == 1:
            grafts[leaf] = diagrams.true
        else:
            place = positions[value]
            children = (diagrams.true, diagrams.false) if place == 0 else (diagrams.false, diagrams.true)
            grafts[leaf] = diagrams.node(level, diagrams.partitions.single(len(positions), place), children)
    return OutputVariable(name, tuple(positions)), grafts


def _describe(program: Program, ladder: Sequence[Variable | int], level: int) -> str:
    rung = ladder[level]
    if isinstance(rung, Input):
        return f"input {program.inputs[rung.index].name}"
    if isinstance(rung, Coin):
        tossed = [variable for variable in ladder if isinstance(variable, Coin)]
        return f"coin {tossed.index(rung) + 1} of {len(tossed)} ({program.coins[rung.index].name})"
    return f"output {rung}"


def _position(values: Sequence[Any], value: Any) -> int:
    try:
        return values.index(value)
    except ValueError:
        raise KeyError(value) from None


class RelationCache:
    """A compiler with a cache: programs of the same structure share one relation, with their own weights."""

    def __init__(self) -> None:
        self._known: dict[Any, Relation] = {}
        self.compilations = 0

    def __call__(self, program: Program, options: Options) -> Relation:
        key = structure(program), options
        if key not in self._known:
            self.compilations += 1
            self._known[key] = compile_program(program, options)
        return self._known[key].reweighted(program.coins)


def structure(program: Program) -> Any:
    """Return the structure of a program, all but its weights, as a value that can be compared.

    Guarantee:
        Programs with equal structures have the same relation but for the weights, at which compilation never looks.
    """
    order = reachable([program.output, program.evidence])
    place = {term: number for number, term in enumerate(order)}
    rows: list[Any] = []
    for term in order:
        parts = tuple(place[part] for part in children(term))
        if isinstance(term, Const):
            rows.append(("const", _typed(term.value)))
        elif isinstance(term, (Input, Coin)):
            rows.append((type(term).__name__, term.index))
        elif isinstance(term, Apply):
            rows.append((term.operation, parts))
        else:
            rows.append((type(term).__name__, _typed(term.keys) if isinstance(term, Select) else (), parts))
    variables = tuple((variable.name, _typed(variable.values)) for variable in program.inputs)
    coins = tuple((_typed(coin.outcomes), coin.draw, coin.dice) for coin in program.coins)
    return program.name, program.domains, variables, coins, tuple(rows), place[program.output], place[program.evidence]


def _typed(value: Any) -> Any:
    """Return a key under which True differs from 1, and 0.0 from -0.0."""
    if isinstance(value, tuple):
        return tuple(map(_typed, value))
    return (float, repr(value)) if type(value) is float and value == 0 else (type(value), value)
