"""A formula as a relation: the conjuncts become Boolean diagrams, combined from the last variable upwards."""

from __future__ import annotations

from collections.abc import Sequence

from taut.diagrams import Kind, LevelArrays
from taut.diagrams.binary import BDDFunction, BDDManager, BooleanOperator, export_binary, within_limit
from taut.diagrams.compile.order import improved_order
from taut.diagrams.compile.relation import OutputVariable, Relation
from taut.diagrams.compile.shape import Leaf, Sequence_
from taut.program import Apply, Coin, CoinVariable, Const, InputVariable, Ite, Term
from taut.program.program import MAX_VARIABLES, Formula, Role, children, reachable
from taut.support.errors import DiagramTooLarge, TooLarge
from taut.support.options import Options

__all__ = ["compile_formula"]


def compile_formula(formula: Formula, options: Options) -> Relation:
    """Compile with the order that the options name; 'search' builds all candidates and keeps the smallest.

    'program' is the order in which the constraint mentions its variables, 'interleaved' what FORCE makes of it, and
    'auto' the one of the two in which the conjuncts span fewer levels.

    Guarantee:
        For all values of its inputs, outputs and coins the relation is true exactly if some values of the hidden
        variables make the constraint true. Nothing is promised about the number of outputs.

    Raises:
        TooLarge: more than 50000 variables.
        DiagramTooLarge: more than ``options.max_nodes`` nodes in every order tried.
    """
    if len(formula.variables) > MAX_VARIABLES:
        raise TooLarge(
            f"'{formula.name}' has {len(formula.variables)} variables; at most {MAX_VARIABLES} can be compiled.",
            value=len(formula.variables),
        )
    parts = _conjuncts(formula.constraint)
    roles = [variable.kind for variable in formula.variables]
    scopes = [_mentioned(part, roles) for part in parts]
    plain = list(dict.fromkeys([*(v for scope in scopes for v in scope), *range(len(formula.variables))]))
    better = improved_order(plain, scopes)
    orders = {"program": plain} if better is None else {"interleaved": better, "program": plain}
    if options.order in orders:
        orders = {options.order: orders[options.order]}
    elif options.order != "search":
        orders = dict(list(orders.items())[:1])
    best: Relation | None = None
    problem: DiagramTooLarge | None = None
    for name, order in orders.items():
        try:
            arrays = _compile(formula, parts, scopes, order, options)
        except DiagramTooLarge as too_large:
            problem = too_large
            continue
        if best is None or arrays.size < best.arrays.size:
            best = _relation(formula, arrays, name)
    if best is None:
        assert problem is not None
        raise problem
    return best


def _compile(
    formula: Formula, parts: Sequence[Term], scopes: Sequence[list[int]], order: Sequence[int], options: Options
) -> LevelArrays:
    level_of = {variable: level for level, variable in enumerate(order)}
    named = _numbers(formula)
    kinds = [named.get(variable) for variable in order]
    hidden = [variable not in named for variable in range(len(order))]

    def work(manager: BDDManager) -> LevelArrays:
        diagrams = _diagrams(manager, parts, level_of)
        last_first = sorted(range(len(parts)), key=lambda part: _level(diagrams[part]), reverse=True)
        last_use = {v: place for place, part in enumerate(last_first) for v in scopes[part] if hidden[v]}
        forget: dict[int, list[int]] = {}
        for variable, place in last_use.items():
            forget.setdefault(place, []).append(level_of[variable])
        total = manager.true()
        for place, part in enumerate(last_first):
            if place in forget:
                cube = _fold(manager, "and", [manager.var(level) for level in forget[place]])
                total = total.apply_exists(BooleanOperator.AND, diagrams[part], cube)
            else:
                total = diagrams[part] & total
        return export_binary(total, kinds)

    return within_limit(len(order), options.max_nodes, formula.name, work)


def _relation(formula: Formula, arrays: LevelArrays, order: str) -> Relation:
    named = _numbers(formula)
    shown = [variable for number, variable in enumerate(formula.variables) if number in named]
    coins = [variable for variable in shown if variable.kind == "coin"]
    outputs = [variable for variable in shown if variable.kind == "output"]
    return Relation(
        name=formula.name,
        arrays=arrays,
        inputs=tuple(InputVariable(variable.name, (0, 1)) for variable in shown if variable.kind == "input"),
        coins=tuple(
            CoinVariable(coin.name, (False, True), (coin.weights[1], coin.weights[0]), draw, dice=True)
            for draw, coin in enumerate(coins)
        ),
        outputs=tuple(OutputVariable(variable.name, (0, 1)) for variable in outputs),
        shape=Sequence_(tuple(Leaf() for _ in outputs)),
        order=order,
    )


def _numbers(formula: Formula) -> dict[int, tuple[Kind, int, int]]:
    """For each variable that is not hidden: its kind, its number among those of its kind, and its arity."""
    hidden = set(formula.hidden)
    counts: dict[Kind, int] = {"input": 0, "coin": 0, "output": 0}
    named: dict[int, tuple[Kind, int, int]] = {}
    for number, variable in enumerate(formula.variables):
        if variable.name not in hidden:
            named[number] = (variable.kind, counts[variable.kind], 2)
            counts[variable.kind] += 1
    return named


def _conjuncts(constraint: Term) -> list[Term]:
    """Return the parts of a conjunction, those of inner conjunctions included, in reading order, each once."""
    parts: dict[Term, None] = {}
    stack = [constraint]
    while stack:
        term = stack.pop()
        if isinstance(term, Apply) and term.operation.name == "and":
            stack.extend(reversed(term.args))
        else:
            parts[term] = None
    return list(parts)


def _mentioned(root: Term, kinds: Sequence[Role]) -> list[int]:
    """Return the variables of a term as they are met from left to right.

    In an equivalence or difference, inputs come before what reads them, and outputs after what decides them.
    """
    found: dict[int, None] = {}
    seen: set[Term] = set()
    stack = [root]
    while stack:
        term = stack.pop()
        if term not in seen:
            seen.add(term)
            parts = children(term)
            if isinstance(term, Apply) and term.operation.name in ("eq", "ne"):
                parts = tuple(sorted(parts, key=lambda part: _turn(part, kinds)))
            stack.extend(reversed(parts))
            if isinstance(term, Coin):
                found[term.index] = None
    return list(found)


def _turn(term: Term, kinds: Sequence[Role]) -> int:
    kind = kinds[term.index] if isinstance(term, Coin) else "coin"
    return {"input": 0, "coin": 1, "output": 2}[kind]


def _diagrams(manager: BDDManager, parts: Sequence[Term], level_of: dict[int, int]) -> list[BDDFunction]:
    """Return the diagrams of terms, each subterm once."""
    made: dict[Term, BDDFunction] = {}
    for term in reachable(parts):
        if isinstance(term, Const):
            made[term] = manager.true() if term.value else manager.false()
        elif isinstance(term, Coin):
            made[term] = manager.var(level_of[term.index])
        elif isinstance(term, Ite):
            made[term] = made[term.test].ite(made[term.then], made[term.other])
        else:
            assert isinstance(term, Apply), f"{type(term).__name__} in a formula"
            made[term] = _fold(manager, term.operation.name, [made[arg] for arg in term.args])
    return [made[part] for part in parts]


def _fold(manager: BDDManager, operation: str, args: list[BDDFunction]) -> BDDFunction:
    """Apply a connective; fold long ones beginning with the part whose variables come last."""
    if operation == "not":
        return ~args[0]
    if operation == "eq":
        return args[0].equiv(args[1])
    if operation == "ne":
        return args[0] ^ args[1]
    assert operation in ("and", "or"), f"'{operation}' in a formula"
    total = manager.true() if operation == "and" else manager.false()
    for arg in sorted(args, key=_level, reverse=True):
        total = arg & total if operation == "and" else arg | total
    return total


def _level(diagram: BDDFunction) -> int:
    level = diagram.node_level()
    return MAX_VARIABLES if level is None else level
