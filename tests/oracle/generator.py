"""Random mechanisms, as text: what a user might write, made so that plain Python always runs it to the end.

Every program halts, never fails, and makes so few draws that all its runs can be listed. That is by construction:
lists that are read at a place are never empty, divisors are constants, loops count their rounds, and a draw is only
written where the number of runs, counted on the safe side, stays below ``RUNS``.
"""

import itertools
import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from tests.corpus.case import Case

from taut import Domain, bits, categories, integer, ints

__all__ = ["FEATURES", "GeneratedProgram", "loaded", "programs", "write_program"]

RUNS = 150
"""At most that many sequences of random choices for one input."""

FEATURES = frozenset({"text", "types", "grow", "alias", "keys", "rows", "evidence", "functions", "while"})
"""What can be switched off: text put together; types told apart; lists that change while they are run through;
lists with two names; dictionaries some of whose keys are random; lists of lists; observe; functions; while."""

_HEADER = """\
from fractions import Fraction

import taut
from taut import binomial, discrete, exponential, flip, geometric, helper, mechanism, observe, uniform

TABLE = [Fraction(1, 4), Fraction(1, 2), Fraction(2, 3)]
p = TABLE[2]
"""
_PROBABILITIES = ('"1/3"', '"1/2"', "p", "1 - p", '"0.2"', "Fraction(3, 4)", "TABLE[1]", "0.25")
_WORDS = ('"a"', '"b"', '"c"')
_SERIAL = itertools.count()


@dataclass(frozen=True)
class GeneratedProgram:
    """The text of a mechanism ``generated`` and what it is to be called with."""

    text: str
    databases: dict[str, Domain]
    parameters: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"{self.databases} {self.parameters}\n{self.text}"


@contextmanager
def loaded(program: GeneratedProgram) -> Iterator[Case]:
    """The program as a mechanism whose source can be had, as long as the context lasts."""
    file = f"generated_{next(_SERIAL)}.py"
    linecache.cache[file] = (len(program.text), None, program.text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "generated"}
    try:
        exec(compile(program.text, file, "exec"), names)
        yield Case("generated", names["generated"], program.databases, program.parameters)
    finally:
        del linecache.cache[file]


@st.composite
def programs(draw: st.DrawFn, without: frozenset[str] = frozenset()) -> GeneratedProgram:
    """Mechanisms of a few dozen lines on small domains."""
    return write_program(lambda low, high: draw(st.integers(low, high)), without)


def write_program(number: Callable[[int, int], int], without: frozenset[str] = frozenset()) -> GeneratedProgram:
    """A program whose every choice is a number between two bounds, made by ``number``."""
    return _Writer(number, FEATURES - without).program()


@dataclass
class _Scope:
    """The variables that surely have a value, by kind, and where the text stands."""

    numbers: list[str] = field(default_factory=list)
    full: list[str] = field(default_factory=list)
    """Lists of numbers that are never empty."""
    open: list[str] = field(default_factory=list)
    """Lists of numbers that may be empty."""
    pairs: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    """Dictionaries with the keys 0, 1 and 2."""
    rows: list[str] = field(default_factory=list)
    """Lists of two lists that are never empty, which may be one list."""
    fixed: list[str] = field(default_factory=list)
    """Numbers that must not be assigned: counters of loops, arguments of the mechanism."""
    functions: list[tuple[str, int, int]] = field(default_factory=list)
    """Functions of numbers: name, number of arguments, outcomes of one call."""
    loop: str = ""
    """The innermost loop: 'for', 'while', or none."""
    running: bool = False
    """Whether a list is being run through by its name."""
    local: bool = False
    """Whether this is the body of an inner function."""

    def inner(self, **changes: Any) -> "_Scope":
        copied = {name: list(value) if isinstance(value, list) else value for name, value in self.__dict__.items()}
        return _Scope(**{**copied, **changes})


class _Writer:
    """Writes one program; small numbers make small programs."""

    def __init__(self, number: Callable[[int, int], int], features: frozenset[str]) -> None:
        self.number = number
        self.features = features
        self.runs = 1
        self.rounds = 1
        self.names = (f"v{number}" for number in itertools.count())
        self.statements_left = number(2, 14)

    # -- choices -------------------------------------------------------------------------------------------------

    def one(self, options: Any) -> Any:
        return options[self.number(0, len(options) - 1)]

    def chance(self, one_in: int) -> bool:
        return self.number(0, one_in - 1) == one_in - 1

    def may_draw(self, outcomes: int) -> bool:
        """Whether a draw fits, here, in every round of the loops around; if so it is counted."""
        if self.rounds > 6 or self.runs * outcomes**self.rounds > RUNS:
            return False
        self.runs *= outcomes**self.rounds
        return True

    # -- the whole -----------------------------------------------------------------------------------------------

    def program(self) -> GeneratedProgram:
        scope, databases = _Scope(), dict[str, Domain]()
        self._database("x", scope, databases)
        if self.chance(6):
            self._database("z", scope, databases)
        parameters: dict[str, Any] = {"p": self.one(("1/3", "0.4", 0.25))}
        lines = [_HEADER]
        if "functions" in self.features and self.chance(4):
            lines += ["", "@helper", *self._function("outside", _Scope(local=True), scope), ""]
        body = self._start(scope)
        body += self.block(scope, 4, top=True)
        body.append(f"return {self.result(scope)}")
        lines += ["", "@mechanism", f"def generated({', '.join(databases)}, p):", *_indented(body)]
        return GeneratedProgram("\n".join(lines) + "\n", databases, parameters)

    def _database(self, name: str, scope: _Scope, databases: dict[str, Domain]) -> None:
        small = bool(databases)
        kind = self.one(("bits", "ints", "words", "bare", "mixed"))
        if kind == "bits":
            n = self.number(1, 2 if small else 3)
            databases[name] = bits(n)
        elif kind == "ints":
            low = self.number(-1, 1)
            n = 1 if small else self.number(1, 2)
            databases[name] = ints(n, low, low + self.number(1, 2))
        elif kind == "bare":
            low = self.number(-2, 1)
            databases[name] = integer(low, low + self.number(1, 3))
            scope.fixed.append(name)
            return
        elif kind == "mixed":
            n = 1
            databases[name] = categories(1, [0, 1, 5] if self.chance(2) else [True, 2])
        else:
            n = 1 if small else self.number(1, 2)
            databases[name] = categories(n, ["a", "b"] if n == 2 else ["a", "b", "c"])
            scope.words += [f"{name}[{place}]" for place in range(n)]
            scope.fixed.append(f'{{"a": 0, "b": 2, "c": 1}}[{name}[{n - 1}]]')
            return
        scope.fixed += [f"{name}[{place}]" for place in range(n)]
        scope.full.append(f"list({name})")
        scope.pairs.append(f"({name}[0], {name}[{n - 1}])")

    def _start(self, scope: _Scope) -> list[str]:
        """A few variables of each kind, so that there is something to work with."""
        lines = []
        for _ in range(self.number(1, 2)):
            name = next(self.names)
            lines.append(f"{name} = {self.integer(scope, 2)}")
            scope.numbers.append(name)
        name = next(self.names)
        lines.append(f"{name} = [{self.integer(scope, 1)}, {self.integer(scope, 1)}]")
        scope.full.append(name)
        return lines

    # -- statements ----------------------------------------------------------------------------------------------

    def block(self, scope: _Scope, depth: int, top: bool = False) -> list[str]:
        lines: list[str] = []
        for _ in range(self.number(1, 6 if top else 3)):
            if self.statements_left <= 0:
                break
            self.statements_left -= 1
            lines += self.statement(scope, depth)
            if lines and lines[-1].split(" ")[0] in ("break", "continue", "return"):
                break
        return lines or ["pass"]

    def statement(self, scope: _Scope, depth: int) -> list[str]:
        options: list[Callable[[_Scope, int], list[str]]] = [
            self._assign,
            self._grow,
            self._change_item,
            self._make,
        ]
        if depth > 0:
            options += [self._if, self._if, self._for, self._both, self._guarded_exit]
            if "while" in self.features:
                options.append(self._while)
        if "evidence" in self.features and self.chance(3):
            options.append(self._observe)
        if "functions" in self.features and not scope.local and not scope.loop and self.chance(2):
            options.append(self._define)
        return self.one(options)(scope, depth)

    def _assign(self, scope: _Scope, depth: int) -> list[str]:
        kind = self.number(0, 5)
        if kind == 0 and scope.numbers:
            return [f"{self.one(scope.numbers)} {self.one(('+=', '-=', '^=', '|='))} {self.integer(scope, 1)}"]
        if kind == 1 and len(scope.numbers) > 1:
            a, b = self.one(scope.numbers), self.one(scope.numbers)
            return [f"{a}, {b} = {b}, {self.integer(scope, 1)}"]
        if kind == 2 and scope.numbers:
            return [f"{self.one(scope.numbers)} = {self.integer(scope, 3)}"]
        if kind == 3 and scope.pairs and scope.numbers:
            return [f"{self.one(scope.numbers)}, _ = {self.pair(scope)}"]
        if kind == 4 and scope.numbers:
            return [f"{self.one(scope.numbers)} = {self.integer(scope, 2)} % 5"]
        name = next(self.names)
        line = f"{name} = {self.integer(scope, 3)}"
        scope.numbers.append(name)
        return [line]

    def _make(self, scope: _Scope, depth: int) -> list[str]:
        """A new variable of another kind, or another value for an old one."""
        kind = self.one(("full", "open", "pair", "table", "word", "alias", "rows", "starred", "keys"))
        name = next(self.names)
        if kind == "alias" and "alias" in self.features:
            lists = self._named(scope.full)
            if not lists:
                return ["pass"]
            new = f"{self.one(lists)} if {self.condition(scope, 1)} else {self.one(lists)}"
            if self.chance(2) or scope.running or scope.local:
                scope.full.append(name)
                return [f"{name} = {new}"]
            return [f"{self.one(lists)} = {new}"]
        if kind == "starred":
            rest = next(self.names)
            line = f"{name}, *{rest} = {self.fixed_list(scope)}"
            scope.numbers.append(name)
            scope.open.append(rest)
            return [line]
        if kind == "keys" and "keys" in self.features:
            values = f"{{key: {self.integer(scope, 1)} for key in range(3) if key != 1 or {self.condition(scope, 1)}}}"
            line = f"{name} = {values}.get(({self.integer(scope, 1)}) % 3, 4)"
            scope.numbers.append(name)
            return [line]
        if kind == "rows" and "rows" in self.features:
            first, second = self.full(scope, 1), self.list_of(scope)
            scope.rows.append(name)
            return [f"{name} = [{first}, {second}]" if self.chance(2) else f"{name} = [{first}] * 2"]
        if kind == "full":
            line = f"{name} = {self.full(scope, 2)}"
            scope.full.append(name)
        elif kind == "open":
            line = f"{name} = {self.open(scope, 2)}"
            scope.open.append(name)
        elif kind == "pair":
            line = f"{name} = {self.pair(scope)}"
            scope.pairs.append(name)
        elif kind == "table":
            items = ", ".join(f"{key}: {self.integer(scope, 1)}" for key in range(3))
            line = f"{name} = {{{items}}}"
            scope.tables.append(name)
        else:
            line = f"{name} = {self.word(scope)}"
            scope.words.append(name)
        return [line]

    def _grow(self, scope: _Scope, depth: int) -> list[str]:
        """Lists grow and shrink; where one is being run through, only up to a length."""
        lists = self._named(scope.full) + scope.open
        if not lists or (scope.running and "grow" not in self.features):
            return self._assign(scope, depth)
        name, kind = self.one(lists), self.number(0, 7)
        if kind == 6 and not scope.local:
            return [f"if len({name}) > 1:", f"    {self.place_in(name, scope)}"]
        if kind == 7:
            return [f"{name}.{self.one(('sort()', 'reverse()', 'sort(reverse=True)'))}"]
        value = self.integer(scope, 2)
        line = (
            f"{name}.append({value})",
            f"{name} += [{value}]" if not scope.local else f"{name}.append({value})",
            f"{name}.extend({self.open(scope, 1)})",
            f"{name}.insert({self.number(0, 1)}, {value})",
            f"{name}.append({value})",
            f"{name}.insert(({self.integer(scope, 1)}) % 2, {value})",
        )[kind % 6]
        guarded = scope.running or scope.local or self.chance(4)
        return [f"if len({name}) < 5:", f"    {line}"] if guarded else [line]

    def place_in(self, name: str, scope: _Scope) -> str:
        place = f"({self.integer(scope, 1)}) % len({name})"
        return self.one(
            (f"{name}.pop()", f"{name}.pop(0)", f"{name}.pop({place})", f"del {name}[0]", f"del {name}[-1]")
        )

    def _change_item(self, scope: _Scope, depth: int) -> list[str]:
        lists = self._named(scope.full)
        if scope.running and "grow" not in self.features:
            return self._assign(scope, depth)
        if scope.rows and self.chance(2):
            row = f"{self.one(scope.rows)}[{self.one((*scope.numbers, *scope.fixed, '1'))} % 2]"
            value, place = self.integer(scope, 1), f"({self.integer(scope, 1)}) % len({row})"
            if scope.running or scope.local or self.chance(2):
                return [f"{row}[{self.one(('0', '-1', place))}] {self.one(('=', '+='))} {value}"]
            return [self.one((f"{row}.append({value})", f"{row} += [{value}]", f"{row}.insert(0, {value})"))]
        if scope.tables and (self.chance(3) or not lists):
            name, key = self.one(scope.tables), f"({self.integer(scope, 1)}) % 3"
            return [f"{name}[{key}] {self.one(('=', '+='))} {self.integer(scope, 2)}"]
        if not lists:
            return self._assign(scope, depth)
        name = self.one(lists)
        place = self.one(("0", "-1", f"({self.integer(scope, 1)}) % len({name})", f"{self.condition(scope, 0)} - 1"))
        if self.chance(6) and not scope.running:
            new = f"[{self.integer(scope, 1)}, {self.integer(scope, 1)}]"
            return [f"{name}[{self.number(0, 1)}:{self.number(1, 2)}] = {new}"]
        return [f"{name}[{place}] {self.one(('=', '+=', '*='))} {self.integer(scope, 1)}"]

    def _observe(self, scope: _Scope, depth: int) -> list[str]:
        return [f"observe({self.condition(scope, 2)})"]

    def _if(self, scope: _Scope, depth: int) -> list[str]:
        lines = [f"if {self.condition(scope, 2)}:", *_indented(self.block(scope.inner(), depth - 1))]
        if self.chance(3):
            lines += [f"elif {self.condition(scope, 1)}:", *_indented(self.block(scope.inner(), depth - 1))]
        if self.chance(2):
            lines += ["else:", *_indented(self.block(scope.inner(), depth - 1))]
        return lines

    def _both(self, scope: _Scope, depth: int) -> list[str]:
        """A variable that both branches set."""
        name, kind = next(self.names), self.one(("number", "full", "pair"))
        make = {"number": lambda s: self.integer(s, 2), "full": lambda s: self.full(s, 1), "pair": self.pair}[kind]
        lines = [f"if {self.condition(scope, 2)}:"]
        for keyword in ("else:", ""):
            inner = scope.inner()
            body = self.block(inner, depth - 1) if self.chance(3) else []
            if body and body[-1].split(" ")[0] in ("break", "continue", "return"):
                body = []
            lines += _indented([*body, f"{name} = {make(inner)}"])
            lines += [keyword] if keyword else []
        {"number": scope.numbers, "full": scope.full, "pair": scope.pairs}[kind].append(name)
        return lines

    def _guarded_exit(self, scope: _Scope, depth: int) -> list[str]:
        """An early end under a condition."""
        test = f"if {self.condition(scope, 2)}:"
        if scope.loop and self.chance(2):
            return [test, f"    {self.one(('break', 'continue'))}"]
        return [test, f"    return {self.integer(scope, 1) if scope.local else self.result(scope)}"]

    def _for(self, scope: _Scope, depth: int) -> list[str]:
        name, other = next(self.names), next(self.names)
        inner = scope.inner(loop="for")
        inner.numbers.append(name)
        kind = self.one(("range", "some", "list", "enumerate", "zip", "random"))
        rounds = 2
        if kind == "range":
            rounds = self.number(1, 3)
            head = f"{name} in range({rounds})" if self.chance(2) else f"{name} in range({rounds}, 0, -1)"
        elif kind == "some":
            head = f"{name} in {self.list_of(scope)}[:2]"
        elif kind == "list":
            lists = self._named(scope.full) + scope.open
            chosen = self.one(lists) if lists else "[1, 2]"
            head, inner.running, rounds = f"{name} in {chosen}", True, 100
        elif kind == "enumerate":
            inner.numbers.append(other)
            head = f"{name}, {other} in enumerate({self.list_of(scope)}[:2])"
        elif kind == "zip":
            inner.numbers.append(other)
            last = self.list_of(scope) + ("" if "grow" in self.features else "[:3]")
            head = f"{name}, {other} in zip({self.list_of(scope)}[:2], {last})"
        else:
            head = f"{name} in range(({self.integer(scope, 1)}) % 3)"
        before, self.rounds = self.rounds, self.rounds * rounds
        body = self.block(inner, depth - 1)
        self.rounds = before
        lines = [f"for {head}:", *_indented(body)]
        if self.chance(4):
            lines += ["else:", *_indented(self.block(scope.inner(), depth - 1))]
        return lines

    def _while(self, scope: _Scope, depth: int) -> list[str]:
        counter = next(self.names)
        rounds = self.number(1, 3)
        inner = scope.inner(loop="while")
        inner.fixed.append(counter)
        before, self.rounds = self.rounds, self.rounds * (rounds + 1)
        test = self.condition(scope, 2)
        body = self.block(inner, depth - 1)
        self.rounds = before
        if self.chance(3):
            lines = [f"{counter} = 0", "while True:"]
            lines += _indented([f"{counter} += 1", f"if {counter} > {rounds} or {test}:", "    break", *body])
        else:
            mixed = self.one((f"{counter} < {rounds} and {test}", f"{test} and {counter} < {rounds}"))
            mixed = f"{counter} < {rounds}" if self.chance(4) else mixed
            lines = [f"{counter} = 0", f"while {mixed}:", *_indented([f"{counter} += 1", *body])]
            if self.chance(4):
                lines += ["else:", *_indented(self.block(scope.inner(), depth - 1))]
        scope.fixed.append(counter)
        return lines

    def _define(self, scope: _Scope, depth: int) -> list[str]:
        name = next(self.names)
        return self._function(name, scope.inner(local=True), scope)

    def _function(self, name: str, inner: _Scope, scope: _Scope) -> list[str]:
        """A function of one or two numbers; an inner one reads, and sometimes sets, what is around it."""
        count = self.number(1, 2)
        arguments = [next(self.names) for _ in range(count)]
        outer = list(inner.numbers)
        inner.numbers = list(arguments)
        inner.fixed += outer
        if not inner.full:
            inner.full.append("[1, 0]")
        runs, rounds, self.runs, self.rounds = self.runs, self.rounds, 1, 1
        body = []
        if outer and self.chance(2):
            changed = self.one(outer)
            body += [f"nonlocal {changed}", f"{changed} {self.one(('+=', '='))} {self.integer(inner, 1)}"]
        body += self.block(inner, 1)
        body.append(f"return {self.integer(inner, 2)}")
        scope.functions.append((name, count, self.runs))
        self.runs, self.rounds = runs, rounds
        optional = "=1" if count == 2 and self.chance(2) else ""
        return [f"def {name}({', '.join(arguments)}{optional}):", *_indented(body)]

    # -- expressions ---------------------------------------------------------------------------------------------

    def integer(self, scope: _Scope, depth: int) -> str:
        """A number: an int, or a Boolean where Python has one."""
        if depth <= 0 or self.chance(4):
            known = scope.numbers + scope.fixed
            if known and not self.chance(4):
                return self.one(known)
            return str(self.number(0, 3)) if self.chance(2) else self.toss(scope, 0)
        kind = self.number(0, 13)
        a = self.integer(scope, depth - 1)
        if kind <= 1:
            return f"({a} {self.one('+-')} {self.integer(scope, depth - 1)})"
        if kind == 2:
            return self.toss(scope, depth - 1)
        if kind == 3:
            return self.one((f"({a} * {self.number(0, 3)})", f"({a} // 2)", f"({a} % 3)", f"-{a}", f"(({a}) % 3) ** 2"))
        if kind == 4:
            return f"({a} if {self.condition(scope, depth - 1)} else {self.integer(scope, depth - 1)})"
        if kind == 5:
            b = self.integer(scope, depth - 1)
            return self.one((f"min({a}, {b})", f"max({a}, {b})", f"abs({a})", f"max({a}, {b}, 1)"))
        if kind == 6:
            return f"({a} {self.one(('and', 'or'))} {self.integer(scope, depth - 1)})"
        if kind == 7:
            chosen = self.list_of(scope)
            return f"{chosen}[{self.one((f'({a}) % len({chosen})', '0', '-1'))}]"
        if kind == 8:
            items = self.open(scope, depth - 1)
            return self.one(
                (
                    f"sum({items})",
                    f"len({items})",
                    f"max({items}, default=0)",
                    f"{items}.count({a})",
                    f"sum({items}, 1)",
                )
            )
        if kind == 9 and scope.functions:
            return self.call(scope, depth)
        if kind == 10 and scope.tables:
            table = self.one(scope.tables)
            return self.one((f"{table}[({a}) % 3]", f"{table}.get({a}, 7)", f"sum({table}.values())"))
        if kind == 11 and scope.rows and self.chance(2):
            row = self.one(scope.rows)
            return self.one((f"{row}[({a}) % 2][0]", f"len({row}[({a}) % 2])", f"sum([sum(row) for row in {row}])"))
        if kind == 11 and scope.pairs:
            return f"{self.one(scope.pairs)}[{self.number(0, 1)}]"
        if kind == 12:
            return f"({a} {self.one('^&|')} {self.integer(scope, depth - 1)})"
        if kind == 13:
            chosen = self.list_of(scope)
            return self.one(
                (f"{chosen}.index({chosen}[-1])", f"sorted({chosen})[0]", f"min({chosen})", f"{chosen}[::-1][0]")
            )
        return self.condition(scope, depth - 1)

    def call(self, scope: _Scope, depth: int) -> str:
        name, count, outcomes = self.one(scope.functions)
        if outcomes > 1 and not self.may_draw(outcomes):
            return self.one(scope.numbers + scope.fixed + ["1"])
        arguments = [self.integer(scope, depth - 1) for _ in range(count)]
        return f"{name}({', '.join(arguments)})"

    def toss(self, scope: _Scope, depth: int) -> str:
        """A draw, its parameters sometimes random or read from the input; a number where no draw fits."""
        kind = self.number(0, 9)
        outcomes = (2, 2, 2, 3, 3, 3, 3, 3, 2, 2)[kind]
        if not self.may_draw(outcomes):
            return self.one(scope.numbers + scope.fixed + ["2"])
        if kind <= 1:
            return f"flip({self.one(_PROBABILITIES)})"
        a = self.integer(scope, depth - 1)
        if kind == 2:
            chosen = f"{self.one(_PROBABILITIES)} if {self.condition(scope, depth - 1)} else {self.one(_PROBABILITIES)}"
            return self.one((f"flip({chosen})", f"flip(TABLE[({a}) % 3])", f"flip(Fraction(({a}) % 3, 2))"))
        if kind == 3:
            return self.one(("uniform(0, 2)", "uniform(-1, 1)", f"uniform(0, ({a}) % 3)", f"uniform(({a}) % 3, 2)"))
        if kind == 4:
            return f'discrete({{0: "1/2", {self.number(1, 3)}: "1/3", 5: "1/6"}})'
        if kind == 5:
            return self.one(
                ('discrete(["1/2", "1/4", "1/4"])', 'discrete(["1/2", 0, "1/2"])', "discrete(TABLE[1:2] * 2)")
            )
        if kind == 6:
            return self.one((f"binomial(2, {self.one(_PROBABILITIES)})", f"binomial(({a}) % 3, p)"))
        if kind == 7:
            return f"geometric({a}, {self.one((chr(34) + '1/2' + chr(34), 'p', '0'))}, 0, 2)"
        if kind == 8:
            return f"exponential([{a}, 1], {self.one((2, 3))})"
        return self.one((f"flip({self.number(0, 1)})", "uniform(0, 1)", f"binomial(1, TABLE[({a}) % 3])"))

    def condition(self, scope: _Scope, depth: int) -> str:
        kind = self.number(0, 11)
        if kind <= 1 and self.may_draw(2):
            return f"flip({self.one(_PROBABILITIES)})"
        a = self.integer(scope, depth - 1)
        compare = self.one(("==", "!=", "<", "<=", ">", ">="))
        if depth <= 0 or kind <= 4:
            return f"({a} {compare} {self.number(0, 2)})"
        if kind == 5:
            other = self.one(("<", "<=", "==", "!="))
            return f"({a} {compare} {self.integer(scope, depth - 1)} {other} {self.integer(scope, depth - 1)})"
        if kind == 6:
            joined = self.one(("and", "or"))
            return f"({self.condition(scope, depth - 1)} {joined} {self.condition(scope, depth - 1)})"
        if kind == 7:
            return f"(not {self.condition(scope, depth - 1)})"
        if kind == 8:
            return f"({a} {self.one(('in', 'not in'))} {self.one((self.open(scope, depth - 1), '(0, 2)', 'range(2)'))})"
        if kind == 9:
            name = next(self.names)
            inner = scope.inner()
            inner.numbers.append(name)
            rows = self.list_of(scope)
            before, self.rounds = self.rounds, 100
            test = self.condition(inner, depth - 1)
            self.rounds = before
            return f"{self.one(('any', 'all'))}({test} for {name} in {rows})"
        if kind == 10 and scope.words:
            return f"({self.word(scope)} {self.one(('==', '!=', '<'))} {self.word(scope)})"
        if kind == 11 and self._named(scope.full):
            a_list, b_list = self.list_of(scope), self.list_of(scope)
            return self.one((f"({a_list} == {b_list})", f"({a_list} is {b_list})", f"({a_list}[:1] < {b_list}[:1])"))
        return f"({a} {compare} {self.integer(scope, depth - 1)})"

    def list_of(self, scope: _Scope) -> str:
        return self.one(scope.full) if scope.full else "[2, 0]"

    def fixed_list(self, scope: _Scope) -> str:
        """A new list of known length."""
        return f"[{', '.join(self.integer(scope, 1) for _ in range(self.number(1, 3)))}]"

    def full(self, scope: _Scope, depth: int) -> str:
        """A new list that is not empty."""
        kind = self.number(0, 6)
        chosen = self.list_of(scope)
        if kind == 0 or depth <= 0:
            return f"[{', '.join(self.integer(scope, depth - 1) for _ in range(self.number(1, 2)))}]"
        if kind == 1:
            mapped = f"list(map(lambda w: w + {self.integer(scope, 0)}, {chosen}))"
            ordered = f"sorted({chosen}, key=lambda w: (w % 2, -w))"
            return self.one(
                (f"list({chosen})", f"sorted({chosen})", f"{chosen}[::-1]", f"{chosen}.copy()", mapped, ordered)
            )
        if kind == 2:
            return f"{chosen}[:{self.number(1, 2)}] + {self.open(scope, depth - 1)}"
        if kind == 3:
            name = next(self.names)
            inner = scope.inner()
            inner.numbers.append(name)
            before, self.rounds = self.rounds, self.rounds * 2
            item = self.integer(inner, depth)
            self.rounds = before
            return f"[{item} for {name} in {chosen}[:2]]"
        if kind == 4:
            other = self.full(scope, depth - 1)
            return f"({self.full(scope, depth - 1)} if {self.condition(scope, depth - 1)} else {other})"
        if kind == 5:
            return f"({self.open(scope, depth - 1)} or {self.full(scope, depth - 1)})"
        return f"[{self.integer(scope, depth - 1)}] * (1 + ({self.integer(scope, depth - 1)}) % 2)"

    def open(self, scope: _Scope, depth: int) -> str:
        """A list that may be empty."""
        kind = self.number(0, 4)
        if scope.open and self.chance(2):
            return self.one(scope.open)
        if kind == 0 or depth <= 0:
            return self.list_of(scope)
        if kind == 1:
            chosen = self.list_of(scope)
            a, b = self.integer(scope, depth - 1), self.integer(scope, depth - 1)
            return self.one(
                (f"{chosen}[1:]", f"{chosen}[({a}) % 2:]", f"{chosen}[:({a}) % 3]", f"{chosen}[({a}) % 2:({b}) % 3]")
            )
        name = next(self.names)
        inner = scope.inner()
        inner.numbers.append(name)
        before, self.rounds = self.rounds, self.rounds * 2
        test = self.condition(inner, depth - 1)
        item = self.integer(inner, depth - 1)
        self.rounds = before
        if kind == 4 and self.chance(2):
            return f"[{item} for {name} in range(({self.integer(scope, depth - 1)}) % 3)]"
        return f"[{item} for {name} in {self.list_of(scope)}[:2] if {test}]"

    def pair(self, scope: _Scope) -> str:
        if scope.pairs and self.chance(2):
            a, b = self.one(scope.pairs), self.one(scope.pairs)
            return self.one((a, f"({a} if {self.condition(scope, 1)} else {b})", f"({a}[1], {b}[0])", f"min({a}, {b})"))
        return f"({self.integer(scope, 1)}, {self.integer(scope, 1)})"

    def word(self, scope: _Scope) -> str:
        known = [*scope.words, *_WORDS]
        kind = self.number(0, 5)
        if kind == 1:
            return f"({self.one(known)} if {self.condition(scope, 1)} else {self.one(known)})"
        if kind == 2 and self.may_draw(2):
            return 'discrete({"a": "1/3", "b": "2/3"})'
        if "text" in self.features:
            if kind == 3:
                return f"({self.one(known)} + {self.one(known)})"
            if kind == 4:
                value = self.integer(scope, 1) if "types" in self.features else f"({self.integer(scope, 1)} + 0)"
                return self.one((f"str({value})", f"f'<{{{value}}}>'" if '"' not in value else f"str({value})"))
        return self.one(known)

    def result(self, scope: _Scope) -> str:
        """What is returned: numbers, lists, tuples, text, nothing."""
        kind = self.number(0, 9)
        if kind <= 1:
            return self.integer(scope, 2)
        if kind == 2:
            return f"{self.integer(scope, 1)}, {self.list_of(scope)}"
        if kind == 3:
            return self.list_of(scope)
        if kind == 4:
            return self.open(scope, 2)
        if kind == 5:
            return self.one(("None", "()", "[]", '"stop"'))
        if kind == 6:
            return self.word(scope)
        if kind == 7 and scope.rows:
            return self.one((self.one(scope.rows), f"{self.one(scope.rows)}[0] + {self.list_of(scope)}"))
        if kind == 7 and scope.tables:
            table = self.one(scope.tables)
            return self.one((f"list({table}.values())", f"list({table}.items())"))
        if kind == 8:
            return f"[{self.pair(scope)}, {self.open(scope, 1)}]"
        return f"({', '.join([*scope.numbers[:3], *self._named(scope.full)[:2], *scope.open[:1], '0'])})"

    def _named(self, lists: list[str]) -> list[str]:
        """The lists that have a name of their own, so that they can be changed."""
        return [name for name in lists if name.isidentifier()]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
