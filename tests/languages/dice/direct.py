"""Dice, run directly: another reader and the plainest meaning, all outcomes one after the other. Shares no code."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

TOKEN = re.compile(
    r"\s+|//[^\n]*|(?P<t>[0-9]*\.[0-9]*(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|-?[0-9]+|[A-Za-z_]\w*"
    r"|<=>|<=|>=|==|!=|&&|\|\||<<|>>|::|[-+*/<>^!=()\[\]{},:])"
)
TIGHT = {"||": 1, "&&": 2, "<=>": 4, "^": 5, "::": 7, "*": 9, "/": 9}
TIGHT.update(dict.fromkeys(["<=", ">=", "<", ">", "!="], 6))
TIGHT.update(dict.fromkeys(["+", "-", "==", "<<", ">>"], 8))
WORDS = ("observe", "fst", "snd", "head", "tail", "length")


class Reject(Exception):
    pass


class Reader:
    """Precedence climbing."""

    def __init__(self, text: str) -> None:
        self.tokens = [match["t"] for match in TOKEN.finditer(text) if match["t"]]

    def take(self, wanted: str | None = None) -> str:
        token = self.tokens.pop(0)
        assert wanted is None or token == wanted, (token, wanted)
        return token

    def program(self) -> tuple[dict[str, Any], Any]:
        functions = {}
        while self.tokens[0] == "fun":
            self.take()
            name = self.take()
            self.take("(")
            parameters = []
            while self.tokens[0] != ")":
                parameters.append(self.take())
                self.take(":")
                self.type()
                if self.tokens[0] == ",":
                    self.take()
            self.take(")")
            if self.tokens[0] == ":":
                self.take()
                self.type()
            self.take("{")
            functions[name] = (parameters, self.expression(1))
            self.take("}")
        main = self.expression(1)
        assert not self.tokens, self.tokens
        return functions, main

    def type(self) -> None:
        token = self.take()
        if token == "(":
            self.type()
            self.take(",")
            self.type()
            self.take(")")
        elif token == "int":
            self.take("(")
            self.take()
            self.take(")")
        elif token == "list":
            self.take("(")
            self.type()
            self.take(")")

    def number(self) -> Fraction:
        value = Fraction(self.take())
        if self.tokens and self.tokens[0] == "/" and re.fullmatch(r"-?\d+", self.tokens[1]):
            self.take()
            value /= int(self.take())
        return value

    def expression(self, least: int) -> Any:
        left = self.operand()
        while self.tokens and TIGHT.get(self.tokens[0], 0) >= least:
            operator = self.take()
            if operator in ("<<", ">>"):
                left = (operator, left, int(self.take()))
            else:
                left = (operator, left, self.expression(TIGHT[operator] + (operator != "::")))
        return left

    def list(self, read: Any, end: str) -> list[Any]:
        found = []
        while self.tokens[0] != end:
            found.append(read())
            if self.tokens[0] == ",":
                self.take()
        self.take(end)
        return found

    def operand(self) -> Any:
        token = self.take()
        if token == "(":
            left = self.expression(1)
            if self.take() == ")":
                return left
            right = self.expression(1)
            self.take(")")
            return ("pair", left, right)
        if token == "!":
            return ("!", self.expression(4))
        if token in WORDS:
            return (token, self.expression(1))
        if token in ("true", "false"):
            return ("constant", token == "true")
        if token == "if":
            test = self.expression(1)
            self.take("then")
            then = self.expression(1)
            self.take("else")
            return ("if", test, then, self.expression(1))
        if token == "let":
            name = self.take()
            self.take("=")
            value = self.expression(1)
            self.take("in")
            return ("let", name, value, self.expression(1))
        if token == "[":
            items = self.list(lambda: self.expression(1), "]")
            if not items:
                self.take(":")
                self.type()
            return ("list", items)
        if token == "flip":
            if self.tokens[0] == "(":
                self.take()
                chance = self.number()
                self.take(")")
                return ("flip", chance)
            return ("flip", self.number())
        if token == "iterate":
            self.take("(")
            name = self.take()
            self.take(",")
            start = self.expression(1)
            self.take(",")
            rounds = int(self.take())
            self.take(")")
            return ("iterate", name, start, rounds)
        if token in ("int", "discrete", "uniform", "binomial"):
            self.take("(")
            return (token, self.list(self.number, ")"))
        if self.tokens and self.tokens[0] == "(":
            self.take()
            return ("call", token, self.list(lambda: self.expression(1), ")"))
        return ("name", token)


class Run:
    """One run; the choices so far are followed, the next ones take their first outcome."""

    def __init__(self, functions: Any, limit: int, bound: int, choices: list[int]) -> None:
        self.functions, self.limit, self.bound = functions, limit, bound
        self.choices, self.made, self.weight = choices, [], Fraction(1)

    def choose(self, outcomes: list[tuple[Any, Fraction]]) -> Any:
        outcomes = [pair for pair in outcomes if pair[1]]
        place = self.choices[len(self.made)] if len(self.made) < len(self.choices) else 0
        self.made.append((place, len(outcomes)))
        self.weight *= outcomes[place][1]
        return outcomes[place][0]

    def value(self, node: Any, scope: dict[str, Any], where: tuple[str, int]) -> Any:
        kind = node[0]

        def at(part: Any) -> Any:
            return self.value(part, scope, where)

        if kind == "constant":
            return node[1]
        if kind == "name":
            return scope[node[1]]
        if kind == "int":
            return (int(node[1][0]), int(node[1][1]))
        if kind == "flip":
            return self.choose([(True, node[1]), (False, 1 - node[1])])
        if kind == "discrete":
            total, most = sum(node[1]), len(node[1]) - 1
            width = max(1, len(f"{most:b}"))
            return self.choose([((width, value), weight / total) for value, weight in enumerate(node[1])])
        if kind == "uniform":
            width, low, high = map(int, node[1])
            return self.choose([((width, value), Fraction(1, high - low)) for value in range(low, high)])
        if kind == "binomial":
            width, tosses, chance = int(node[1][0]), int(node[1][1]), node[1][2]
            return (width, sum(self.choose([(1, chance), (0, 1 - chance)]) for _ in range(tosses)))
        if kind == "pair":
            return ("pair", at(node[1]), at(node[2]))
        if kind == "list":
            return ["list", *[at(item) for item in node[1]]]
        if kind == "if":
            return at(node[2] if at(node[1]) else node[3])
        if kind == "let":
            return self.value(node[3], {**scope, node[1]: at(node[2])}, where)
        if kind == "call":
            if node[1] == "nth_bit":
                (_, place), (width, value) = [at(argument) for argument in node[2]]
                return f"{value:0{width}b}"[place] == "1"
            return self.call(node[1], [at(argument) for argument in node[2]], where)
        if kind == "iterate":
            value = at(node[2])
            for _ in range(node[3]):
                value = self.call(node[1], [value], where)
            return value
        if kind in ("<<", ">>"):
            shifted = at(node[1])
            if isinstance(shifted, bool):
                assert node[2] == 0
                return shifted
            width, value = shifted
            return (width, (value << node[2]) % 2**width if kind == "<<" else value >> node[2])
        if kind == "!":
            return not at(node[1])
        if kind in WORDS:
            return self.word(kind, at(node[1]))
        return self.operator(kind, at(node[1]), at(node[2]))

    def word(self, word: str, value: Any) -> Any:
        if word == "observe":
            if not value:
                raise Reject
            return True
        if word in ("fst", "snd"):
            return value[1 if word == "fst" else 2]
        if word == "length":
            return (len(f"{self.bound:b}"), len(value) - 1)
        if len(value) == 1:
            raise Reject
        return value[1] if word == "head" else ["list", *value[2:]]

    def operator(self, sign: str, a: Any, b: Any) -> Any:
        if sign in ("&&", "||", "^", "<=>"):
            return {"&&": a and b, "||": a or b, "^": a != b, "<=>": a == b}[sign]
        if sign == "::":
            return ["list", *[a, *b[1:]][: self.bound]]
        (width, p), (_, q) = a, b
        if sign in ("+", "-", "*"):
            return (width, {"+": p + q, "-": p - q, "*": p * q}[sign] % 2**width)
        return {"==": p == q, "!=": p != q, "<": p < q, "<=": p <= q, ">": p > q, ">=": p >= q}[sign]

    def call(self, name: str, arguments: list[Any], where: tuple[str, int]) -> Any:
        copy = where[1] + 1 if where[0] == name else 0
        if copy > self.limit:
            raise Reject
        parameters, body = self.functions[name]
        return self.value(body, dict(zip(parameters, arguments, strict=True)), (name, copy))


def text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(text_of, value[1:]))}]"
    return f"({text_of(value[1])}, {text_of(value[2])})" if value[0] == "pair" else str(value[1])


def run_directly(text: str, limit: int = 10, bound: int | None = None) -> tuple[dict[str, Fraction], Fraction]:
    """The distribution by text, and the probability of the evidence; ({}, 0) if that is impossible."""
    functions, main = Reader(text).program()
    mass: dict[str, Fraction] = {}
    choices: list[int] | None = []
    while choices is not None:
        run = Run(functions, limit, limit if bound is None else bound, choices)
        try:
            shown = text_of(run.value(main, {}, ("", 0)))
            mass[shown] = mass.get(shown, Fraction(0)) + run.weight
        except Reject:
            pass
        made = run.made
        while made and made[-1][0] + 1 == made[-1][1]:
            made.pop()
        choices = [*[place for place, _ in made[:-1]], made[-1][0] + 1] if made else None
    total = sum(mass.values(), start=Fraction(0))
    return {shown: weight / total for shown, weight in mass.items()} if total else {}, total
