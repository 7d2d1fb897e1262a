"""Core expressions: Booleans, bounded integers and tosses, which is all that Dice and PRISM have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

__all__ = ["Builder", "Node", "TossDistribution", "ordered", "rational_text"]


@dataclass(frozen=True)
class TossDistribution:
    """One distribution of a toss: the values of the index that select it, and its outcomes with weights."""

    keys: tuple[int | bool, ...]
    outcomes: tuple[tuple[int | bool, Fraction], ...]


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """An expression; only a ``Builder`` makes them, so that equal ones are one object.

    ``low`` and ``high`` bound an integer and are None for a Boolean. ``time`` is the last toss that the value depends
    on, -1 if none; so sorting by time and serial puts arguments before what uses them, and tosses in their order.
    ``data`` is the value of a literal, the name of a variable, or the rows of a toss.
    """

    op: str
    args: tuple[Node, ...]
    data: Any
    low: int | None
    high: int | None
    time: int
    serial: int

    @property
    def boolean(self) -> bool:
        return self.low is None

    @property
    def bounds(self) -> tuple[int, int]:
        assert self.low is not None and self.high is not None
        return self.low, self.high


class Builder:
    """A factory of expressions: constants are folded, and equal expressions are shared."""

    def __init__(self) -> None:
        self._made: dict[Any, Node] = {}
        self.true = self.literal(True)
        self.false = self.literal(False)

    def literal(self, value: int | bool) -> Node:
        if isinstance(value, bool):
            return self._node("literal", (), value, None, None)
        return self._node("literal", (), value, value, value)

    def variable(self, name: str, low: int | None, high: int | None) -> Node:
        """Return a variable with a value from outside: an input, or a state variable."""
        return self._node("variable", (), name, low, high)

    def toss(self, number: int, index: Node | None, rows: Sequence[TossDistribution]) -> Node:
        """Return a random choice with the weights of the row that ``index`` selects; ``number`` orders the tosses."""
        values = [value for row in rows for value, _ in row.outcomes]
        low, high = (None, None) if isinstance(values[0], bool) else (min(values), max(values))
        key = ("toss", number)
        node = self._made.get(key)
        if node is None:
            args = () if index is None else (index,)
            node = self._made[key] = Node("toss", args, tuple(rows), low, high, number, len(self._made))
        return node

    # -- Booleans ------------------------------------------------------------------------------------------------

    def negate(self, a: Node) -> Node:
        if a.op == "literal":
            return self.literal(not a.data)
        return a.args[0] if a.op == "not" else self._node("not", (a,))

    def both(self, a: Node, b: Node) -> Node:
        if a is self.false or b is self.false or a is self.negate(b):
            return self.false
        if a is self.true or a is b:
            return b
        return a if b is self.true else self._node("and", (a, b))

    def either(self, a: Node, b: Node) -> Node:
        if a is self.true or b is self.true or a is self.negate(b):
            return self.true
        if a is self.false or a is b:
            return b
        return a if b is self.false else self._node("or", (a, b))

    def differ(self, a: Node, b: Node) -> Node:
        """Return the exclusive or."""
        if a.op == "literal":
            return self.negate(b) if a.data else b
        if b.op == "literal":
            return self.negate(a) if b.data else a
        return self.false if a is b else self._node("xor", (a, b))

    def equal(self, a: Node, b: Node) -> Node:
        """Return the expression that two integers are equal."""
        (a_low, a_high), (b_low, b_high) = a.bounds, b.bounds
        if a_high < b_low or b_high < a_low:
            return self.false
        if a is b:
            return self.true
        if a.op == "literal":
            a, b = b, a
        if a.op == "if" and b.op == "literal" and all(arg.op == "literal" for arg in a.args[1:]):
            test, then, other = a.args
            return self.choose(test, self.equal(then, b), self.equal(other, b))
        return self._node("eq", (a, b))

    def less(self, a: Node, b: Node) -> Node:
        (a_low, a_high), (b_low, b_high) = a.bounds, b.bounds
        if a_high < b_low:
            return self.true
        return self.false if a_low >= b_high or a is b else self._node("lt", (a, b))

    def at_most(self, a: Node, b: Node) -> Node:
        (a_low, a_high), (b_low, b_high) = a.bounds, b.bounds
        if a_high <= b_low or a is b:
            return self.true
        return self.false if a_low > b_high else self._node("le", (a, b))

    # -- integers ------------------------------------------------------------------------------------------------

    def add(self, a: Node, b: Node) -> Node:
        (a_low, a_high), (b_low, b_high) = a.bounds, b.bounds
        if a.op == "literal" and a.data == 0:
            return b
        if b.op == "literal" and b.data == 0:
            return a
        return self._integer("add", (a, b), [a_low + b_low, a_high + b_high])

    def subtract(self, a: Node, b: Node) -> Node:
        (a_low, a_high), (b_low, b_high) = a.bounds, b.bounds
        if b.op == "literal" and b.data == 0:
            return a
        return self._integer("sub", (a, b), [a_low - b_high, a_high - b_low])

    def multiply(self, a: Node, b: Node) -> Node:
        ends = [p * q for p in a.bounds for q in b.bounds]
        if a.op == "literal" and a.data == 1:
            return b
        return a if b.op == "literal" and b.data == 1 else self._integer("mul", (a, b), ends)

    def choose(self, test: Node, then: Node, other: Node) -> Node:
        """``then`` where the test is true, else ``other``; both are Booleans or both integers."""
        if test.op == "literal":
            return then if test.data else other
        if then is other:
            return then
        if test.op == "not":
            test, then, other = test.args[0], other, then
        then = then.args[1] if then.op == "if" and then.args[0] is test else then
        other = other.args[2] if other.op == "if" and other.args[0] is test else other
        if then is other:
            return then
        if not then.boolean:
            (low, high), (other_low, other_high) = then.bounds, other.bounds
            return self._node("if", (test, then, other), None, min(low, other_low), max(high, other_high))
        if then is self.true or then is test:
            return self.either(test, other)
        if other is self.false or other is test:
            return self.both(test, then)
        if then is self.false:
            return self.both(self.negate(test), other)
        if other is self.true:
            return self.either(self.negate(test), then)
        return self.differ(test, other) if then is self.negate(other) else self._node("if", (test, then, other))

    def case(self, index: Node, items: Mapping[int | bool, Node]) -> Node:
        """Return the item at the value of the index; an arbitrary item at other values."""
        if index.boolean:
            fallback = next(iter(items.values()))
            return self.choose(index, items.get(True, fallback), items.get(False, fallback))
        if len(items) > 1 and all(item.op == "literal" and not item.boolean for item in items.values()):
            shifts = {item.data - value for value, item in items.items()}
            if len(shifts) == 1:
                return self.add(index, self.literal(shifts.pop()))
        runs: list[tuple[int, int, Node]] = []
        for value, item in sorted(items.items()):
            if runs and runs[-1][2] is item:
                runs[-1] = (runs[-1][0], value, item)
            else:
                runs.append((value, value, item))
        if len(runs) == 3 and runs[0][2] is runs[2][2] and runs[1][0] == runs[1][1]:
            return self.choose(self.equal(index, self.literal(runs[1][0])), runs[1][2], runs[0][2])
        result = runs[-1][2]
        for first, last, item in reversed(runs[:-1]):
            single = first == last
            test = (self.equal if single else self.at_most)(index, self.literal(last))
            result = self.choose(test, item, result)
        return result

    # -- inside --------------------------------------------------------------------------------------------------

    def remake(self, node: Node, args: tuple[Node, ...]) -> Node:
        """Return the same operation on other arguments."""
        if args == node.args:
            return node
        makers: dict[str, Callable[..., Node]] = {
            "not": self.negate,
            "and": self.both,
            "or": self.either,
            "xor": self.differ,
            "eq": self.equal,
            "lt": self.less,
            "le": self.at_most,
            "add": self.add,
            "sub": self.subtract,
            "mul": self.multiply,
            "if": self.choose,
        }
        return makers[node.op](*args)

    def _integer(self, op: str, args: tuple[Node, ...], ends: list[int]) -> Node:
        low, high = min(ends), max(ends)
        return self.literal(low) if low == high else self._node(op, args, None, low, high)

    def _node(
        self, op: str, args: tuple[Node, ...], data: Any = None, low: int | None = None, high: int | None = None
    ) -> Node:
        key = (op, type(data), data, low, high, *args)
        node = self._made.get(key)
        if node is None:
            time = max((arg.time for arg in args), default=-1)
            node = self._made[key] = Node(op, args, data, low, high, time, len(self._made))
        return node


def ordered(roots: Iterable[Node]) -> list[Node]:
    """Return all expressions below the roots: tosses in order, arguments before their users."""
    seen = set(roots)
    stack = list(seen)
    while stack:
        for arg in stack.pop().args:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return sorted(seen, key=lambda node: (node.time, node.serial))


def rational_text(value: Fraction) -> str:
    """Return a probability as the languages of peers have it: 1/5."""
    return f"{value.numerator}/{value.denominator}"
