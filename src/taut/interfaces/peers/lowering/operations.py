"""Values coded as Booleans and integers, and operations on them: native ones of the tool, else case distinctions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from taut.interfaces.peers.lowering.expressions import Builder, Node
from taut.program import UNDEFINED, Operation
from taut.program.operations import typed
from taut.program.values import IntegerRange
from taut.support.errors import TooLarge
from taut.support.limits import checkpoints

__all__ = [
    "MOST_VALUES",
    "NATIVE",
    "Coded",
    "Coding",
    "Operations",
    "Possible",
    "coding_of",
    "distinct",
    "listed",
    "union",
]

_MOST_CASES = 1 << 16


class Operations:
    """Applies operations to coded values."""

    def __init__(self) -> None:
        self.build = Builder()

    def constant(self, value: Any) -> Coded:
        coding = coding_of((value,))
        return Coded(self.build.literal(coding.code(value)), coding, (value,))

    def truth(self, coded: Coded) -> Node:
        """Return the truth of a value as in Python."""
        if coded.coding.truth:
            return coded.node
        if coded.coding.kind == "int":
            return self.build.negate(self.build.equal(coded.node, self.build.literal(0)))
        return self.cases([coded], bool, "truth").node

    def recoded(self, coded: Coded, coding: Coding) -> Node:
        """Convert an expression to another coding."""
        if coded.coding.same(coding):
            return coded.node
        items = {coded.coding.code(value): self.build.literal(coding.code(value)) for value in listed(coded.values)}
        return self.build.case(coded.node, items)

    def integer(self, coded: Coded) -> Node:
        """Return the expression as an integer, with Booleans as 0 and 1."""
        if coded.coding.kind == "int":
            return coded.node
        items = {coded.coding.code(value): self.build.literal(int(value)) for value in listed(coded.values)}
        return self.build.case(coded.node, items)

    def apply(self, operation: Operation, args: Sequence[Coded]) -> Coded:
        """Apply an operation; n-ary ones are folded pairwise."""
        name = operation.name
        if name in ("and", "or"):
            parts = sorted((self.truth(arg) for arg in args), key=lambda node: node.time)
            node = parts[0]
            for part in parts[1:]:
                node = (self.build.both if name == "and" else self.build.either)(node, part)
            return Coded(node, _BOOLEAN, (False, True))
        if name == "truth" or name == "not":
            node = self.truth(args[0])
            return Coded(node if name == "truth" else self.build.negate(node), _BOOLEAN, (False, True))
        if name in ("add", "min", "max") and len(args) > 2:
            # Integers are added in the order of their tosses, so that a sum so far is all that must be remembered.
            integers = all(arg.integral for arg in args)
            rest = sorted(args, key=lambda arg: arg.node.time) if integers and name == "add" else list(args)
            total = rest[0]
            for arg in rest[1:]:
                total = self._pair(operation, [total, arg])
            return total
        return self._pair(operation, args)

    def cases(self, args: Sequence[Coded], function: Callable[..., Any], name: str) -> Coded:
        """Tabulate a function for all values of its arguments."""
        domains = [listed(arg.values) for arg in args]
        count = 1
        for domain in domains:
            count *= max(1, len(domain))
            if count > _MOST_CASES:
                raise TooLarge(
                    f"'{name}' would have to be written out for more than {_MOST_CASES} combinations of its "
                    f"arguments' values.",
                    value=count,
                )
        results = [function(*values) for values in checkpoints(itertools.product(*domains))]
        values = distinct(value for value in results if value is not UNDEFINED) or (None,)
        coding = coding_of(values)
        # Where the function is undefined no run arrives, so any value will do.
        nodes = [self.build.literal(coding.code(values[0] if v is UNDEFINED else v)) for v in results]
        for arg, domain in zip(reversed(args), reversed(domains), strict=True):
            codes = [arg.coding.code(value) for value in domain]
            width = len(codes)
            nodes = [
                self.build.case(arg.node, dict(zip(codes, nodes[start : start + width], strict=True)))
                for start in range(0, len(nodes), width)
            ]
        return Coded(nodes[0], coding, values)

    # -- inside --------------------------------------------------------------------------------------------------

    def _pair(self, operation: Operation, args: Sequence[Coded]) -> Coded:
        bits = all(arg.coding.truth for arg in args)
        if bits and operation.name in _ON_BITS:
            values = _image(operation, args)
            coding = coding_of(values)
            if coding.kind == "bool":
                return Coded(self._on_bits(operation.name, [arg.node for arg in args]), coding, values)
        unknown = [arg for arg in args if arg.node.op != "literal"]
        short = len(unknown) == 1 and unknown[0].node.boolean  # two cases, which mostly fold to something short
        if short or operation.name not in _ON_INTEGERS or not all(arg.integral for arg in args):
            return self.cases(args, operation, operation.name)
        node = self._on_integers(operation.name, [self.integer(arg) for arg in args])
        if node.boolean:
            return Coded(node, _BOOLEAN, (False, True))
        count = 1
        for arg in args:
            count *= len(arg.values)
        values = _image(operation, args) if count <= MOST_VALUES else IntegerRange(*node.bounds)
        if coding_of(values).kind != "int":
            return self.cases(args, operation, operation.name)
        return Coded(node, Coding("int"), values)

    def _on_bits(self, name: str, nodes: Sequence[Node]) -> Node:
        build, (a, b) = self.build, nodes
        if name in ("eq", "ne", "bitxor"):
            return build.negate(build.differ(a, b)) if name == "eq" else build.differ(a, b)
        if name in ("lt", "gt"):
            return build.both(build.negate(a), b) if name == "lt" else build.both(a, build.negate(b))
        if name in ("le", "ge"):
            return build.either(build.negate(a), b) if name == "le" else build.either(a, build.negate(b))
        return build.both(a, b) if name in ("bitand", "min") else build.either(a, b)

    def _on_integers(self, name: str, nodes: Sequence[Node]) -> Node:
        build = self.build
        a, b = nodes[0], nodes[-1]
        zero = build.literal(0)
        if name in ("eq", "ne"):
            return build.equal(a, b) if name == "eq" else build.negate(build.equal(a, b))
        if name in ("lt", "gt"):
            return build.less(a, b) if name == "lt" else build.less(b, a)
        if name in ("le", "ge"):
            return build.at_most(a, b) if name == "le" else build.at_most(b, a)
        if name in ("add", "sub", "mul"):
            return {"add": build.add, "sub": build.subtract, "mul": build.multiply}[name](a, b)
        if name in ("min", "max"):
            return build.choose(build.less(b, a), b, a) if name == "min" else build.choose(build.less(a, b), b, a)
        if name == "abs":
            return build.choose(build.less(a, zero), build.subtract(zero, a), a)
        return build.subtract(zero, a) if name == "neg" else a


def _image(operation: Operation, args: Sequence[Coded]) -> Possible:
    results = (operation(*values) for values in checkpoints(itertools.product(*[listed(arg.values) for arg in args])))
    return distinct(value for value in results if value is not UNDEFINED) or (None,)


MOST_VALUES = 4096
"""Size up to which a set of values is kept; larger sets of integers are represented by their bounds."""
_WIDEST = 1 << 30

Possible = tuple[Any, ...] | IntegerRange
"""The possible values of a term (with True distinct from 1), or bounds of integers."""


@dataclass(frozen=True)
class Coding:
    """A coding: ``bool`` maps false and true to two values, ``int`` keeps integers, ``code`` numbers a list."""

    kind: str
    values: tuple[Any, ...] = ()

    def code(self, value: Any) -> int | bool:
        """Return the code of a value."""
        if self.kind == "int":
            return int(value)
        wanted = typed(value)
        position = next(position for position, known in enumerate(self.values) if typed(known) == wanted)
        return bool(position) if self.kind == "bool" else position

    def value(self, code: int | bool) -> Any:
        """Return the value of a code."""
        return code if self.kind == "int" else self.values[code]

    def same(self, other: Coding) -> bool:
        """Return True if both codings agree on all values, with True distinct from 1."""
        return self.kind == other.kind and typed(self.values) == typed(other.values)

    @property
    def plain(self) -> bool:
        """Return True if values are coded as themselves, so that no legend is needed."""
        return self.kind == "int" or (self.kind == "bool" and self.values == (0, 1))

    @property
    def truth(self) -> bool:
        """Return True if true is coded as true, and false or 0 as false."""
        return self.kind == "bool" and self.plain


@dataclass(frozen=True)
class Coded:
    """An expression with the coding of its values."""

    node: Node
    coding: Coding
    values: Possible

    @property
    def integral(self) -> bool:
        """Return True if all values are integers or Booleans."""
        return isinstance(self.values, IntegerRange) or all(isinstance(value, int) for value in self.values)


def distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values without repetition, with True distinct from 1."""
    return tuple({typed(value): value for value in values}.values())


def listed(values: Possible) -> tuple[Any, ...]:
    """Return all values, one by one."""
    return tuple(values) if isinstance(values, IntegerRange) else values


def union(parts: Sequence[Possible]) -> Possible:
    """Return the possible values of a choice among the parts."""
    if any(isinstance(part, IntegerRange) for part in parts) and all(_only_integers(part) for part in parts):
        bounds = [end for part in parts for end in _ends(part)]
        return IntegerRange(min(bounds), max(bounds))
    return distinct(value for part in parts for value in listed(part))


def _only_integers(part: Possible) -> bool:
    return isinstance(part, IntegerRange) or all(type(value) is int for value in part)


def _ends(part: Possible) -> tuple[int, int]:
    return (part.low, part.high) if isinstance(part, IntegerRange) else (min(part), max(part))


def coding_of(values: Possible) -> Coding:
    """Return the most natural coding for a set of values."""
    if isinstance(values, IntegerRange):
        return Coding("int")
    if values and all(isinstance(value, bool) for value in values):
        return Coding("bool", (False, True))
    if values and all(type(value) is int for value in values):
        if set(values) <= {0, 1}:
            return Coding("bool", (0, 1))
        if max(abs(value) for value in values) <= _WIDEST:
            return Coding("int")
    return Coding("bool" if len(values) == 2 else "code", _sorted(values))


def _sorted(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Sort the values if they are comparable, so that a program is always written in the same way."""
    try:
        return tuple(sorted(values))
    except TypeError:
        return values


_BOOLEAN = Coding("bool", (False, True))
_ON_BITS = {"bitxor", "bitand", "bitor", "min", "max", "eq", "ne", "lt", "le", "gt", "ge"}
_ON_INTEGERS = {"eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "mul", "min", "max", "abs", "neg", "pos"}
NATIVE = _ON_BITS | _ON_INTEGERS | {"and", "or", "not", "truth"}
"""Operations that are mostly not tabulated."""
