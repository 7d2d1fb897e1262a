"""Dice programs: coins become flips in the order of their tosses, shared parts become lets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.interfaces.peers.lowering.expressions import Node, TossDistribution, ordered, rational_text
from taut.interfaces.peers.lowering.terms import DIGITS, LoweredProgram, Outputs, lower_program
from taut.program import Program

__all__ = ["DiceExport", "IntEncoding", "dice_program", "int_types"]

_KEYWORD = re.compile(
    "int|bool|list|if|then|else|true|false|let|in|fst|snd|fun|flip|discrete|uniform|binomial|observe|iterate|sample|"
    "head|tail|length|nth_bit"
)
_LONGEST = 80
"""Length above which an expression gets a name and a line of its own."""
_SHORT = 8
"""Length up to which a negated expression is repeated instead of named."""
_PER_LINE = 8
_NEXT = "\n    "


@dataclass(frozen=True)
class DiceExport:
    """The text of a Dice program with the decoding of its results."""

    text: str
    outputs: Outputs
    types: tuple[IntEncoding | None, ...]
    """The integer types of the results, None for Booleans; several results form a nested pair."""

    def decode(self, row: Sequence[int | bool]) -> Any:
        """Return the output for one row of Dice's table, with nested pairs flattened."""
        if not self.types:
            return self.outputs.decode(())
        codes = [code if kind is None else kind.value(int(code)) for code, kind in zip(row, self.types, strict=True)]
        return self.outputs.decode(codes)


def dice_program(program: Program, title: str | None = None) -> DiceExport:
    """Translate a program to Dice.

    Without inputs (``program.fix(x)``) it is one expression. With inputs it is a function of them, called on the first
    input of the domain. Probabilities are exact fractions, and no ``discrete`` is used, whose small masses Dice drops.

    Guarantee:
        What Dice computes for it is the program's distribution, up to Dice's own rounding.

    Raises:
        TooLarge: an operation that Dice does not have would be written out with too many cases.
    """
    lowered = lower_program(program)
    writer = _Writer(lowered)
    body = writer.body()
    types = tuple(None if slot.boolean else writer.types[slot] for slot in lowered.slots)
    head = [f"// {line}" for line in [title or program.name, *_notes(lowered, types)]]
    if program.inputs:
        name, first = _function_name(program.name), [variable.values[0] for variable in program.inputs]
        parameters = ", ".join(f"{name}: {kind}" for name, kind in writer.parameters())
        call = f"{name}({', '.join(writer.argument(position, value) for position, value in enumerate(first))})"
        body = [f"fun {name}({parameters}) {{", *[f"  {line}" for line in body], "}", call]
        head.append("// Change the arguments in the last line to ask about another input.")
    return DiceExport("\n".join([*head, *body]) + "\n", lowered.outputs, types)


def _notes(lowered: LoweredProgram, types: Sequence[IntEncoding | None]) -> list[str]:
    notes = list(lowered.outputs.legend)
    signed = {kind.width for kind in types if kind is not None and kind.signed}
    notes += [
        f"Numbers below 0 are written as {1 << width} more: {(1 << width) - 1} stands for -1." for width in signed
    ]
    if lowered.lowering.rounded:
        notes.append(f"Weights that are not fractions are written with {DIGITS} digits.")
    return notes


def _function_name(name: str) -> str:
    clean = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_")
    return (
        clean if re.match(r"[A-Za-z_]", clean) and not _KEYWORD.fullmatch(clean) else f"mechanism_{clean}".rstrip("_")
    )


class _Writer:
    """Writes the expressions of one program."""

    def __init__(self, lowered: LoweredProgram) -> None:
        self.lowered = lowered
        roots = [*lowered.slots, lowered.evidence]
        self.nodes = ordered(roots)
        inputs = [self._input(position) for position in range(len(lowered.program.inputs))]
        self.types = int_types(dict.fromkeys([*self.nodes, *inputs]))
        self.uses: dict[Node, int] = {}
        for node in self.nodes:
            for arg in node.args:
                # The index of a toss is compared with the keys of all rows.
                self.uses[arg] = self.uses.get(arg, 0) + (2 if node.op == "toss" else 1)
        for root in roots:
            self.uses[root] = self.uses.get(root, 0) + 1
        self.texts: dict[Node, str] = {}

    def body(self) -> list[str]:
        """Return the lines of the program, without its function."""
        tail = self._tail()
        lines, count = [], 0
        for node in self.nodes:
            if node.op == "literal" or node in tail:
                continue
            text = self._variable(node) if node.op == "variable" else self._text(node)
            shared = self.uses[node] > 1 and not (node.op == "not" and len(text) <= _SHORT)
            if node.op == "toss" or (node.args and (shared or len(text) > _LONGEST)):
                name = f"c{node.time}" if node.op == "toss" else f"t{count}"
                count += node.op != "toss"
                lines.append(f"let {name} = {_bare(text)} in")
                text = name
            self.texts[node] = text
        evidence = self.lowered.evidence
        if evidence is not self.lowered.lowering.build.true:
            lines.append(f"let evidence = observe {self._operand(evidence, None)} in")
        return [*lines, *self._result(tail)]

    def parameters(self) -> list[tuple[str, str]]:
        parameters = []
        for position in range(len(self.lowered.program.inputs)):
            node = self._input(position)
            parameters.append((str(node.data), "bool" if node.boolean else f"int({self.types[node].width})"))
        return parameters

    def argument(self, position: int, value: Any) -> str:
        """Format the value of an input as an argument of the function."""
        coding = self.lowered.lowering.input(position).coding
        return self._literal(coding.code(value), self.types.get(self._input(position)))

    def _input(self, position: int) -> Node:
        return self.lowered.lowering.input(position).node

    # -- results -------------------------------------------------------------------------------------------------

    def _tail(self) -> dict[Node, None]:
        """Return the nodes of the chain of ifs that is the whole result; it is written line by line."""
        tail: dict[Node, None] = {}
        if len(self.lowered.slots) == 1:
            node = self.lowered.slots[0]
            while node.op == "if" and self.uses[node] == 1:
                tail[node] = None
                node = node.args[2]
        return tail

    def _result(self, tail: dict[Node, None]) -> list[str]:
        slots = self.lowered.slots
        lines = []
        for node in tail:
            kind = self.types.get(node)
            lines.append(f"if {self._operand(node.args[0], None)} then {self._operand(node.args[1], kind)} else")
        if tail:
            last = list(tail)[-1]
            return [*lines, self._operand(last.args[2], self.types.get(last))]
        parts = [self._operand(slot, self.types.get(slot)) for slot in slots] or ["true"]
        if len(parts) == 1:
            return [_bare(parts[0])]
        opened = [f"({part}," for part in parts[:-1]]
        groups = [" ".join(opened[start : start + _PER_LINE]) for start in range(0, len(opened), _PER_LINE)]
        groups[-1] += f" {parts[-1]}{')' * len(opened)}"
        return groups

    # -- expressions ---------------------------------------------------------------------------------------------

    def _text(self, node: Node) -> str:
        if node.op == "toss":
            return self._toss(node)
        kind = self.types.get(node)
        if kind is None and node.op in ("eq", "lt", "le"):
            kind = next(self.types[arg] for arg in node.args if arg.op != "literal")
        if node.op == "if":
            test, then, other = node.args
            branches = f"{self._operand(then, kind)} else {self._operand(other, kind)}"
            return f"(if {self._operand(test, None)} then {branches})"
        args = [self._operand(arg, kind) for arg in node.args]
        if node.op in ("lt", "le") and kind is not None and kind.signed:
            # Dice compares without signs; adding half the range puts numbers below 0 first.
            half = kind.literal(1 << (kind.width - 1))
            args = [f"({arg} + {half})" for arg in args]
        return f"(!{args[0]})" if node.op == "not" else f"({args[0]} {_SIGNS[node.op]} {args[1]})"

    def _operand(self, node: Node, kind: IntEncoding | None) -> str:
        return self._literal(node.data, kind) if node.op == "literal" else self.texts[node]

    def _variable(self, node: Node) -> str:
        return str(node.data)

    def _literal(self, value: int | bool, kind: IntEncoding | None) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        assert kind is not None
        return kind.literal(value)

    def _toss(self, node: Node) -> str:
        kind = self.types.get(node)
        rows: Sequence[TossDistribution] = node.data
        parts = [self._outcomes(row, kind) for row in rows]
        if len(parts) == 1:
            return parts[0]
        (index,) = node.args
        lines = []
        for row, part in zip(rows[:-1], parts[:-1], strict=True):
            tests = [self._is(index, key) for key in row.keys]
            test = tests[0]
            for other in tests[1:]:
                test = f"({test} || {other})"
            lines.append(f"if {test} then {part} else")
        lines.append(parts[-1])
        short = sum(map(len, lines)) <= _LONGEST
        return f"({(' ' if short else _NEXT).join(lines)})"

    def _is(self, index: Node, key: int | bool) -> str:
        if index.boolean:
            return self.texts[index] if key else f"(!{self.texts[index]})"
        return f"({self.texts[index]} == {self.types[index].literal(key)})"

    def _outcomes(self, row: TossDistribution, kind: IntEncoding | None) -> str:
        """Write one draw: a flip, or successive flips until one is true."""
        if kind is None and len(row.outcomes) == 2:
            return f"(flip {rational_text(dict(row.outcomes)[True])})"
        left, text = Fraction(1), ""
        for value, weight in row.outcomes[:-1]:
            text += f"if flip {rational_text(weight / left)} then {self._literal(value, kind)} else "
            left -= weight
        last = self._literal(row.outcomes[-1][0], kind)
        return f"({text}{last})" if text else last


def _bare(text: str) -> str:
    """Strip the parentheses around the whole text."""
    if not text.startswith("("):
        return text
    depth = 0
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[1:-1] if position == len(text) - 1 else text
    return text


_SIGNS = {"and": "&&", "or": "||", "xor": "^", "eq": "==", "lt": "<", "le": "<=", "add": "+", "sub": "-", "mul": "*"}


@dataclass(frozen=True)
class IntEncoding:
    """The type ``int(width)``; with ``signed``, negative numbers are in two's complement."""

    width: int
    signed: bool

    def literal(self, value: int) -> str:
        return f"int({self.width},{value % (1 << self.width)})"

    def value(self, code: int) -> int:
        """Return the number for a code."""
        return code - (1 << self.width) if self.signed and code >> (self.width - 1) else code


def int_types(nodes: Iterable[Node]) -> dict[Node, IntEncoding]:
    """Return the type of every integer expression; a literal takes the type of its context."""
    integers = [node for node in nodes if not node.boolean]
    parent = {node: node for node in integers}

    def root(node: Node) -> Node:
        while parent[node] is not node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for node in nodes:
        if node.op == "toss" or node.op == "literal":
            continue
        parts = [arg for arg in node.args if not arg.boolean and arg.op != "literal"]
        joined = parts if node.boolean else [node, *parts]
        for other in joined[1:]:
            parent[root(other)] = root(joined[0])
    bounds: dict[Node, tuple[int, int]] = {}
    for node in integers:
        low, high = bounds.get(root(node), node.bounds)
        bounds[root(node)] = (min(low, node.bounds[0]), max(high, node.bounds[1]))
    return {node: _type_for(*bounds[root(node)]) for node in integers}


def _type_for(low: int, high: int) -> IntEncoding:
    if low >= 0:
        return IntEncoding(max(1, high.bit_length()), signed=False)
    return IntEncoding(max((-low - 1).bit_length(), high.bit_length()) + 1, signed=True)
