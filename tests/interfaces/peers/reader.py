"""A strict reader of the Dice that is exported: it types like Dice, and runs every outcome of the flips.

It knows the written subset only, wants every operation in parentheses, and shares no code with the package.
"""

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

TOKEN = re.compile(r"\s+|//[^\n]*\n|([A-Za-z_]\w*|\d+|<=|>=|==|!=|&&|\|\||[-+*/<^!=(),:{}])")
KEYWORDS = {"let", "in", "if", "then", "else", "flip", "observe", "true", "false", "int", "fun", "bool"}


@dataclass(frozen=True)
class Int:
    width: int
    value: int


class Toss(Exception):
    pass


def distribution(text: str, call: list[Any] | None = None) -> dict[tuple[Any, ...], Fraction]:
    """The distribution of a program over flat rows of its result; ``call`` replaces the arguments of the last line."""
    assert text.endswith("\n")
    tree = Parser(text).program()
    mass: dict[tuple[Any, ...], Fraction] = {}
    runs: list[tuple[list[bool], Fraction]] = [([], Fraction(1))]
    while runs:
        tossed, weight = runs.pop()
        run = Run(tree[0], list(tossed))
        try:
            value = run.value(tree[1], {})
        except Toss as toss:
            p = toss.args[0]
            runs += [([*tossed, True], weight * p), ([*tossed, False], weight * (1 - p))]
            continue
        if run.accepted and weight:
            row = flat(value)
            mass[row] = mass.get(row, Fraction(0)) + weight
    total = sum(mass.values())
    return {row: share / total for row, share in mass.items()}


def flat(value: Any) -> tuple[Any, ...]:
    row = []
    while isinstance(value, tuple):
        row.append(value[0])
        value = value[1]
    return tuple(item.value if isinstance(item, Int) else item for item in [*row, value])


@dataclass
class Parser:
    text: str
    tokens: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        place = 0
        while place < len(self.text):
            found = TOKEN.match(self.text, place)
            assert found, f"no token at {self.text[place : place + 20]!r}"
            if found[1]:
                self.tokens.append(found[1])
            place = found.end()
        self.tokens.reverse()

    def take(self, wanted: str | None = None) -> str:
        token = self.tokens.pop()
        assert wanted is None or token == wanted, f"expected {wanted}, found {token}"
        return token

    def peek(self) -> str:
        return self.tokens[-1] if self.tokens else ""

    def name(self) -> str:
        token = self.take()
        assert re.fullmatch(r"[A-Za-z_]\w*", token) and token not in KEYWORDS, token
        return token

    def program(self) -> Any:
        function = None
        if self.peek() == "fun":
            self.take()
            name, parameters = self.name(), []
            self.take("(")
            while self.peek() != ")":
                parameters.append((self.name(), self.take(":"), self.type())[::2])
                if self.peek() == ",":
                    self.take()
            self.take(")")
            self.take("{")
            body = self.expression()
            self.take("}")
            function = (name, parameters, body)
        result = self.expression()
        assert not self.tokens, self.tokens[-5:]
        return function, result

    def type(self) -> Any:
        if self.take() == "bool":
            return "bool"
        self.take("(")
        width = int(self.take())
        self.take(")")
        return width

    def expression(self) -> Any:
        """Lets and operations may stand bare at the top of a let or of the program."""
        lets = []
        while self.peek() == "let":
            self.take()
            name = self.name()
            self.take("=")
            lets.append((name, self.expression()))
            self.take("in")
        tree = self.operation()
        for name, bound in reversed(lets):
            tree = ("let", name, bound, tree)
        return tree

    def operation(self) -> Any:
        if self.peek() == "!":
            self.take()
            return ("!", self.atom())
        if self.peek() == "observe":
            self.take()
            return ("observe", self.atom())
        if self.peek() == "if":
            return self.branch()
        left = self.atom()
        if self.peek() in {"<=", "<", "==", "&&", "||", "^", "+", "-", "*"}:
            operator = self.take()
            left = (operator, left, self.atom())
        assert self.peek() in {"", ")", "}", "in", ",", "then", "else"}, (
            f"two operations without parentheses: {self.peek()}"
        )
        return left

    def branch(self) -> Any:
        self.take("if")
        test = self.atom()
        self.take("then")
        then = self.atom()
        self.take("else")
        return ("if", test, then, self.branch() if self.peek() == "if" else self.atom())

    def atom(self) -> Any:
        token = self.take()
        if token == "(":
            inner = self.operation()
            if self.peek() == ",":
                self.take()
                inner = ("pair", inner, self.operation())
            self.take(")")
            return inner
        if token in ("true", "false"):
            return ("literal", token == "true")
        if token == "flip":
            numerator = int(self.take())
            self.take("/")
            return ("flip", Fraction(numerator, int(self.take())))
        if token == "int":
            self.take("(")
            width = int(self.take())
            self.take(",")
            value = int(self.take())
            self.take(")")
            assert width >= 1 and 0 <= value < 2**width
            return ("literal", Int(width, value))
        assert token not in KEYWORDS and re.fullmatch(r"[A-Za-z_]\w*", token), token
        if self.peek() != "(":
            return ("name", token)
        self.take()
        args = []
        while self.peek() != ")":
            args.append(self.atom())
            if self.peek() == ",":
                self.take()
        self.take(")")
        return ("call", token, args)


@dataclass
class Run:
    function: Any
    tossed: list[bool]
    accepted: bool = True
    used: int = 0

    def value(self, tree: Any, names: dict[str, Any]) -> Any:
        while tree[0] == "let":
            names = {**names, tree[1]: self.value(tree[2], names)}
            tree = tree[3]
        kind, *parts = tree
        if kind == "literal":
            return parts[0]
        if kind == "name":
            return names[parts[0]]
        if kind == "flip":
            assert 0 <= parts[0] <= 1
            self.used += 1
            if self.used > len(self.tossed):
                raise Toss(parts[0])
            return self.tossed[self.used - 1]
        if kind == "call":
            name, parameters, body = self.function
            assert name == parts[0] and len(parameters) == len(parts[1])
            given = [self.value(arg, names) for arg in parts[1]]
            for value, (_, wanted) in zip(given, parameters, strict=True):
                assert value.width == wanted if wanted != "bool" else isinstance(value, bool)
            return self.value(body, {name: value for value, (name, _) in zip(given, parameters, strict=True)})
        if kind == "if":
            test = self.value(parts[0], names)
            assert isinstance(test, bool)
            return self.value(parts[1] if test else parts[2], names)
        values = [self.value(part, names) for part in parts]
        if kind == "pair":
            return tuple(values)
        if kind in ("!", "observe", "&&", "||", "^"):
            assert all(isinstance(value, bool) for value in values), kind
        if kind == "observe":
            self.accepted = self.accepted and values[0]
            return True
        if kind == "!":
            return not values[0]
        if kind in ("&&", "||", "^"):
            a, b = values
            return (a and b) if kind == "&&" else (a or b) if kind == "||" else a != b
        a, b = values
        assert isinstance(a, Int) and isinstance(b, Int) and a.width == b.width, (kind, a, b)
        if kind in ("<", "<=", "=="):
            return a.value < b.value if kind == "<" else a.value <= b.value if kind == "<=" else a.value == b.value
        result = a.value + b.value if kind == "+" else a.value - b.value if kind == "-" else a.value * b.value
        return Int(a.width, result % 2**a.width)
