"""Operations on coded values: native ones of Dice and PRISM where possible, else case distinctions over all values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from taut.peers.lowering.coding import MOST_VALUES, Coded, Coding, Possible, coding_of, distinct, listed
from taut.peers.lowering.expressions import Builder, Node
from taut.program import UNDEFINED, Operation
from taut.program.values import IntegerRange
from taut.support.errors import TooLarge
from taut.support.limits import checkpoints

__all__ = ["NATIVE", "Operations"]

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


_BOOLEAN = Coding("bool", (False, True))
_ON_BITS = {"bitxor", "bitand", "bitor", "min", "max", "eq", "ne", "lt", "le", "gt", "ge"}
_ON_INTEGERS = {"eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "mul", "min", "max", "abs", "neg", "pos"}
NATIVE = _ON_BITS | _ON_INTEGERS | {"and", "or", "not", "truth"}
"""Operations that are mostly not tabulated."""
