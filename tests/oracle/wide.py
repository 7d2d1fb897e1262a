"""Random programs that use Python's objects as Python has them: aliases, iterators, views, closures, generators.

Unlike those of ``generator`` they may raise: plain Python decides what a program does, and taut must then refuse it.
They always halt: loops run through something finite that they do not make longer, or count their rounds.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.generator import GeneratedProgram

from taut import bits, categories, integer, ints

__all__ = ["write_wide_program"]

_HEADER = """\
from collections import namedtuple
from fractions import Fraction

from taut import binomial, discrete, flip, helper, mechanism, observe, uniform

Pair = namedtuple("Pair", "first second")
TABLE = [1, 2, 3]
WEIGHTS = {0: Fraction(1, 4), 1: Fraction(1, 3), 2: Fraction(1, 2)}


@helper
def noisy(v, p=Fraction(1, 3)):
    return v + 1 if flip(p) else v


@helper
def first(items, default=0):
    for item in items:
        return item
    return default

"""
_DRAWS = ('flip("1/2")', 'flip("1/3")', "uniform(0, 2)", 'discrete({0: "1/4", 2: "3/4"})', 'binomial(2, "1/3")')
_TOSSES = ('flip("1/2")', 'flip("1/3")', 'flip("1/4")')
_TAKEN = frozenset(ord(name) - ord("a") for name in "cknuvx")
"""Names that the text uses otherwise."""
_KEYS = ('"a"', '"b"', "0", "1")


@dataclass
class _Names:
    """The variables that may have a value, by kind."""

    numbers: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    tuples: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    sets: list[str] = field(default_factory=list)
    iterators: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    makers: list[str] = field(default_factory=list)
    """Functions of no argument that make an iterator."""
    pairs: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    """Lists of lists, some of which may be one list."""
    words: list[str] = field(default_factory=list)
    changers: list[str] = field(default_factory=list)
    """Functions that change the list they are given."""
    fixed: list[str] = field(default_factory=list)
    """Numbers that are never assigned."""

    def inner(self) -> "_Names":
        return _Names(**{name: list(value) for name, value in self.__dict__.items()})


def write_wide_program(number: Callable[[int, int], int]) -> GeneratedProgram:
    """A program whose every choice is a number between two bounds, made by ``number``."""
    return _Writer(number).program()


class _Writer:
    def __init__(self, number: Callable[[int, int], int]) -> None:
        self.number = number
        self.fresh = (
            f"{chr(97 + place % 26)}{place // 26 or ''}" for place in itertools.count(1) if place not in _TAKEN
        )
        self.dense = self.chance(2)
        """Whether most conditions are tosses: then there are more of them, and few other draws."""
        self.draws_left = 6 if self.dense else 4
        self.rounds = 1
        self.in_loop = False
        self.left = number(3, 12)

    def one(self, options: Any) -> Any:
        return options[self.number(0, len(options) - 1)]

    def chance(self, one_in: int) -> bool:
        return self.number(0, one_in - 1) == one_in - 1

    def program(self) -> GeneratedProgram:
        domain, bare = self.one(
            (
                (bits(2), False),
                (bits(2), False),
                (ints(2, 0, 2), False),
                (categories(1, [0, 2, 5]), False),
                (integer(0, 2), True),
            )
        )
        names = _Names(fixed=["x"] if bare else ["x[0]", f"x[{'1' if domain.n > 1 else '0'}]"])
        body = ["a = [1, 2, 3]", f"n = {self.one(names.fixed)}"]
        names.lists.append("a")
        names.numbers.append("n")
        while self.left > 0:
            body += self.statement(names, 0)
        body.append(f"return {self.result(names)}")
        text = _HEADER + "\n@mechanism\ndef generated(x):\n" + "".join(f"    {line}\n" for line in body)
        return GeneratedProgram(text, {"x": domain})

    # -- statements ----------------------------------------------------------------------------------------------

    def block(self, names: _Names, depth: int) -> list[str]:
        """An indented block; what it names for the first time may have no value after it."""
        lines = []
        for _ in range(self.number(1, 2)):
            lines += self.statement(names, depth + 1)
        return [f"    {line}" for line in lines] or ["    pass"]

    def statement(self, names: _Names, depth: int) -> list[str]:
        self.left -= 1
        simple = [
            self._number,
            self._list,
            self._alias,
            self._in_place,
            self._list_method,
            self._slice,
            self._table,
            self._table_method,
            self._set,
            self._iterator,
            self._consume,
            self._unpack,
            self._pair,
            self._effect,
            self._walrus,
            self._rows,
            self._rows,
            self._exchange,
            self._word,
            self._change,
        ]
        nested = [self._if, self._if, self._for, self._for, self._while, self._function, self._maker, self._changer]
        if depth >= 2 or self.left <= 0:
            return self.one(simple)(names)
        return self.one(simple)(names) if self.number(0, 2) else self.one(nested)(names, depth)

    def _new(self, kind: list[str], again: bool = True) -> str:
        if kind and again and self.chance(3):
            return str(self.one(kind))
        return next(self.fresh)

    def _assign(self, kind: list[str], value: str) -> list[str]:
        name = self._new(kind)
        if name not in kind:
            kind.append(name)
        return [f"{name} = {value}"]

    def _number(self, names: _Names) -> list[str]:
        if names.numbers and self.chance(2):
            return [f"{self.one(names.numbers)} {self.one(('+=', '-=', '*='))} {self.integer(names)}"]
        return self._assign(names.numbers, self.integer(names))

    def _list(self, names: _Names) -> list[str]:
        return self._assign(names.lists, self.list(names))

    def _alias(self, names: _Names) -> list[str]:
        kind = self.one([kind for kind in (names.lists, names.tables, names.sets, names.iterators) if kind])
        name = self._new(kind, again=self.chance(2))
        other = self.one(kind)
        if name not in kind:
            kind.append(name)
        if self.chance(3) and len(kind) > 2:
            return [f"{name} = {other} if {self.condition(names)} else {self.one(kind[:-1])}"]
        return [f"{name} = {other}"]

    def _in_place(self, names: _Names) -> list[str]:
        choices = [
            lambda: f"{self.one(names.lists)} += {self.more(names)}",
            lambda: f"{self.one(names.lists)} *= {self.number(0, 2 if self.rounds == 1 else 1)}",
            lambda: f"{self.one(names.lists)}[{self.place(names)}] += {self.integer(names)}",
            lambda: f"{self.one(names.lists)}[{self.place(names)}] = {self.integer(names)}",
        ]
        if names.tables:
            choices += [
                lambda: f"{self.one(names.tables)} |= {{{self.key(names)}: {self.integer(names)}}}",
                lambda: f"{self.one(names.tables)}[{self.key(names)}] = {self.integer(names)}",
                lambda: f"{self.one(names.tables)}[{self.one(_KEYS)}] += {self.integer(names)}",
            ]
        if names.sets:
            choices.append(lambda: f"{self.one(names.sets)} {self.one(('|=', '-=', '&=', '^='))} {self.set(names)}")
        if names.tuples:
            choices.append(lambda: f"{self.one(names.tuples)} += ({self.integer(names)},)")
        return [self.one(choices)()]

    def _list_method(self, names: _Names) -> list[str]:
        name = self.one(names.lists)
        return [
            self.one(
                (
                    lambda: f"{name}.append({self.integer(names)})",
                    lambda: f"{name}.append({self.integer(names)})",
                    lambda: f"{name}.extend({self.more(names)})",
                    lambda: f"{name}.insert({self.place(names)}, {self.integer(names)})",
                    lambda: f"if {name}: {name}.pop({self.one(('', '0', '-1'))})",
                    lambda: f"if {self.integer(names)} in {name}: {name}.remove({self.integer(names)})",
                    lambda: f"{name}.reverse()",
                    lambda: f"{name}.sort({self.one(('', 'reverse=True', 'key=lambda v: -v', 'key=lambda v: v % 2'))})",
                    lambda: f"{name}.clear()",
                )
            )()
        ]

    def _slice(self, names: _Names) -> list[str]:
        name = self.one(names.lists)
        low, high = self.one(("", "0", "1", "-1", "n")), self.one(("", "1", "2", "-1", "n"))
        part = f"{name}[{low}:{high}{self.one(('', '', '', ':2', ':-1'))}]"
        plain = f"{name}[{low}:{high}]"
        return self.one(
            (
                lambda: [f"del {plain}"],
                lambda: [f"{plain} = {self.list(names)}"],
                lambda: self._assign(names.lists, part),
                lambda: [f"if {name}: del {name}[{self.one(('0', '-1'))}]"],
                lambda: self._assign(names.lists, f"{name}.copy()"),
            )
        )()

    def _table(self, names: _Names) -> list[str]:
        return self._assign(names.tables, self.table(names))

    def _table_method(self, names: _Names) -> list[str]:
        if not names.tables:
            return self._table(names)
        name, key = self.one(names.tables), self.key(names)
        return self.one(
            (
                lambda: [f"if {key} in {name}: del {name}[{key}]"],
                lambda: self._assign(names.numbers, f"{name}.pop({key}, {self.integer(names)})"),
                lambda: self._assign(names.numbers, f"{name}.setdefault({key}, {self.integer(names)})"),
                lambda: self._assign(names.numbers, f"{name}.get({key}, 7)"),
                lambda: [f"{name}.update({{{self.key(names)}: {self.integer(names)}}})"],
                lambda: [f"{name}.clear()"],
                lambda: self._assign(names.iterators, f"{name}.{self.one(('keys', 'values', 'items'))}()"),
                lambda: self._assign(names.lists, f"list({name}.values())"),
                lambda: self._assign(names.lists, f"[len(str(key)) for key in {name}]"),
            )
        )()

    def _set(self, names: _Names) -> list[str]:
        if names.sets and self.chance(2):
            name = self.one(names.sets)
            return self.one(
                (
                    lambda: [f"{name}.add({self.integer(names)})"],
                    lambda: [f"{name}.discard({self.integer(names)})"],
                    lambda: [f"{name}.update({self.sequence(names)})"],
                    lambda: self._assign(names.lists, f"sorted({name})"),
                    lambda: self._assign(names.numbers, f"len({name} & {self.set(names)})"),
                )
            )()
        return self._assign(names.sets, self.set(names))

    def _iterator(self, names: _Names) -> list[str]:
        return self._assign(names.iterators, self.iterator(names))

    def _consume(self, names: _Names) -> list[str]:
        if not names.iterators:
            return self._iterator(names)
        name = self.one(names.iterators)
        return self.one(
            (
                lambda: self._assign(names.numbers, f"first({name})"),
                lambda: self._assign(names.numbers, f"len(list({name}))"),
                lambda: self._assign(names.numbers, f"next(iter({name}), 5) != 5"),
                lambda: self._assign(names.numbers, f"len([1 for _ in zip({name}, {self.sequence(names)})])"),
                lambda: self._assign(names.numbers, f"{self.integer(names)} in {name}"),
                lambda: self._assign(names.lists, f"[str(v) for v in {name}]"),
                lambda: self._assign(names.numbers, f"any(v == {self.integer(names)} for v in {name})"),
            )
        )()

    def _unpack(self, names: _Names) -> list[str]:
        first, second = next(self.fresh), next(self.fresh)
        rest = next(self.fresh)
        made = self.one(
            (
                (
                    (names.numbers, first),
                    (names.lists, rest),
                    f"{first}, *{rest} = [{self.integer(names)}, *{self.sequence(names)}]",
                ),
                (
                    (names.lists, rest),
                    (names.numbers, second),
                    f"*{rest}, {second} = [*{self.sequence(names)}, {self.integer(names)}]",
                ),
                (
                    (names.numbers, first),
                    (names.numbers, second),
                    f"{first}, {second} = {self.integer(names)}, {self.integer(names)}",
                ),
                (
                    (names.numbers, first),
                    (names.numbers, second),
                    f"({first}, ({second}, *{rest})) = (1, [{self.integer(names)}, 2])",
                ),
            )
        )
        for kind, name in made[:2]:
            kind.append(name)
        return [made[2]]

    def _pair(self, names: _Names) -> list[str]:
        if names.pairs and self.chance(2):
            name = self.one(names.pairs)
            return self.one(
                (
                    lambda: self._assign(names.numbers, f"{name}.first"),
                    lambda: self._assign(names.pairs, f"{name}._replace(second={self.integer(names)})"),
                    lambda: self._assign(names.tuples, f"{name} + (1,)"),
                    lambda: self._assign(names.numbers, f"max({name})"),
                )
            )()
        return self._assign(names.pairs, f"Pair({self.integer(names)}, {self.integer(names)})")

    def _effect(self, names: _Names) -> list[str]:
        """Short circuits and conditional expressions whose parts have effects."""
        name = self.one(names.lists)
        test = self.condition(names)
        return self.one(
            (
                lambda: [f"{test} and {name}.append({self.integer(names)})"],
                lambda: [f"{test} or {name}.append({self.integer(names)})"],
                lambda: self._assign(
                    names.numbers, f"({name}.append({self.integer(names)}) or {self.integer(names)}) + len({name})"
                ),
                lambda: [f"{name}.append(1) if {test} else {name}.clear()"],
                lambda: [f"observe({test} or {self.condition(names)})"],
                lambda: self._assign(names.numbers, f"0 < ({self.call(names)}) < {self.integer(names)}"),
            )
        )()

    def _walrus(self, names: _Names) -> list[str]:
        name = next(self.fresh)
        lines = [f"{name} = 0", f"any(({name} := v) > {self.integer(names)} for v in {self.sequence(names)})"]
        names.numbers.append(name)
        return lines

    def _rows(self, names: _Names) -> list[str]:
        """Lists of lists: two names of one row, rows changed through one of them."""
        if not names.rows or self.chance(3):
            one, other = self.one(names.lists), self.one(names.lists)
            return self._assign(
                names.rows,
                self.one(
                    (
                        f"[{one}, {other}]",
                        f"[[{self.integer(names)}]] * 2",
                        f"[[v] for v in {one}]",
                        f"[{one}, list({one})]",
                    )
                ),
            )
        name = self.one(names.rows)
        return self.one(
            (
                lambda: [f"{name}[0].append({self.integer(names)})"],
                lambda: [f"{name}[-1] = {self.one(names.lists)}"],
                lambda: [f"{name}.append({self.one(names.lists)})"],
                lambda: [f"{name}[{self.place(names)}][0] = {self.integer(names)}"],
                lambda: [f"{name}[0] += [{self.integer(names)}]"],
                lambda: self._assign(names.lists, f"{name}[{self.place(names)}]"),
                lambda: self._assign(names.lists, f"sum({name}, [])"),
                lambda: self._assign(names.lists, f"[len(row) for row in {name}]"),
                lambda: self._assign(names.rows, f"{name}[:]"),
                lambda: self._assign(names.rows, f"[row[:] for row in {name}]"),
                lambda: self._assign(names.lists, f"max({name}, key=len)"),
                lambda: [f"{name}.sort(key=len)"],
                lambda: [f"if {self.condition(names)}: {name}.pop()"],
                lambda: [f"for row in {name}:", f"    row.append({self.integer(names)})"],
                lambda: self._assign(names.rows, f"[list(column) for column in zip(*{name})]"),
                lambda: self._assign(names.numbers, f"{name}.count({self.one(names.lists)})"),
                lambda: self._assign(names.numbers, f"{name}[0] is {name}[-1]"),
            )
        )()

    def _exchange(self, names: _Names) -> list[str]:
        one, other = self.one(names.lists), self.one(names.lists)
        p, q = self.one(names.numbers), self.one(names.numbers)
        return self.one(
            (
                lambda: [f"{one}, {other} = {other}, {one}"],
                lambda: [f"{p}, {q} = {q}, {p}"],
                lambda: [f"if len({one}) > 1: {one}[0], {one}[-1] = {one}[-1], {one}[0]"],
                lambda: [f"{one} = {other} = {self.list(names)}"],
                lambda: [f"{p} = {q} = {self.integer(names)}"],
                lambda: [f"if {one}: {p}, {one}[0] = {self.integer(names)}, {p}"],
            )
        )()

    def _word(self, names: _Names) -> list[str]:
        if not names.words:
            return self._assign(names.words, self.one(('"ab"', "str(n)", 'f"{n}-"', '"".join(str(v) for v in a)')))
        name = self.one(names.words)
        return self.one(
            (
                lambda: [f"{name} += " + self.one(('"a"', "str(n)", '"b"'))],
                lambda: self._assign(names.words, f"{name}[{self.one(('1:', '::-1', ':1'))}]"),
                lambda: self._assign(names.lists, f"[len(c) for c in {name}]"),
                lambda: self._assign(names.numbers, f'{name}.count("a")'),
                lambda: self._assign(names.numbers, f"len({name})"),
                lambda: self._assign(names.words, f'"a" if {self.condition(names)} else {name}'),
            )
        )()

    def _change(self, names: _Names) -> list[str]:
        if not names.changers:
            return self._effect(names)
        return self._assign(names.numbers, f"{self.one(names.changers)}({self.one(names.lists)})")

    # -- blocks --------------------------------------------------------------------------------------------------

    def _if(self, names: _Names, depth: int) -> list[str]:
        lines = [f"if {self.condition(names)}:", *self.block(names.inner(), depth)]
        if self.chance(2):
            lines += ["else:", *self.block(names.inner(), depth)]
        elif self.chance(3):
            lines.insert(1, f"    {self._leave(names)}")
        return lines

    def _leave(self, names: _Names) -> str:
        ways = [f"return {self.result(names)}"]
        return self.one([*ways, "break", "continue", "break"] if self.in_loop else ways)

    def _for(self, names: _Names, depth: int) -> list[str]:
        inner = names.inner()
        name = next(self.fresh)
        inner.numbers.append(name)
        head = self.one(
            (
                lambda: f"for {name} in range({self.one(('2', '3', 'n', 'len(a)'))}):",
                lambda: f"for {name} in {self.list_copy(names)}:",
                lambda: f"for {name} in {self.one(names.iterators or names.lists)}:",
                lambda: (
                    f"for {name}, *_ in zip({self.sequence(names)}, x):"
                    if "x" not in names.fixed
                    else f"for {name} in (1, 2):"
                ),
                lambda: f"for _, {name} in enumerate({self.sequence(names)}):",
                lambda: f"for {name} in {self.one(names.lists)}:",
            )
        )()
        rounds, self.rounds = self.rounds, self.rounds * 3
        in_loop, self.in_loop = self.in_loop, True
        counter = next(self.fresh)
        lines = [head, f"    {counter} += 1", f"    if {counter} > 4:", "        break", *self.block(inner, depth)]
        if self.chance(2) and ("range" in head or "list(" in head):
            del lines[1:4]
        if self.chance(2):
            lines += [f"    if {self.condition(inner)}:", f"        {self._leave(inner)}"]
        if self.chance(3):
            lines += [f"    {line}" for line in self.statement(inner, 3)]
        self.rounds, self.in_loop = rounds, in_loop
        if self.chance(3):
            lines += ["else:", *self.block(names.inner(), depth)]
            if self.in_loop and self.chance(2):
                lines.append(f"    {self.one(('break', 'continue'))}")
        if lines[1] == f"    {counter} += 1":
            lines.insert(0, f"{counter} = 0")
        if self.chance(2):
            lines.insert(0, f"{name} = 0")
            names.numbers.append(name)
        return lines

    def _while(self, names: _Names, depth: int) -> list[str]:
        name = next(self.fresh)
        inner = names.inner()
        inner.fixed.append(name)
        rounds, self.rounds = self.rounds, self.rounds * 3
        in_loop, self.in_loop = self.in_loop, True
        lines = [
            f"{name} = 0",
            f"while {name} < 3 and {self.condition(inner)}:",
            f"    {name} += 1",
            *self.block(inner, depth),
        ]
        self.rounds, self.in_loop = rounds, in_loop
        if self.chance(3):
            lines += ["else:", *self.block(names.inner(), depth)]
        names.fixed.append(name)
        return lines

    def _function(self, names: _Names, depth: int) -> list[str]:
        name, argument = next(self.fresh), next(self.fresh)
        inner = names.inner()
        inner.numbers = [argument]
        inner.fixed = [*names.fixed, *names.numbers]
        in_loop, self.in_loop = self.in_loop, False
        default = self.one(("", "", f", more={self.one(('0', 'n', '[]'))}"))
        lines = [f"def {name}({argument}{default}):"]
        if default.endswith("[]"):
            lines += [f"    more.append({argument})", f"    {argument} = len(more)"]
        if self.chance(3):
            lines += ["    nonlocal n", f"    n += {argument}"] if depth == 0 else []
        rounds, self.rounds = self.rounds, self.rounds * 2
        lines += self.block(inner, depth)
        lines += [f"    return {self.integer(inner)}"]
        self.rounds, self.in_loop = rounds, in_loop
        names.functions.append(name)
        return lines

    def _changer(self, names: _Names, depth: int) -> list[str]:
        """A function that changes its argument, which has names outside."""
        name, items = next(self.fresh), next(self.fresh)
        inner = names.inner()
        inner.lists = [items, items, *names.lists]
        inner.numbers = []
        inner.fixed = [*names.fixed, *names.numbers]
        in_loop, self.in_loop = self.in_loop, False
        rounds, self.rounds = self.rounds, self.rounds * 2
        lines = [f"def {name}({items}):"]
        for _ in range(self.number(1, 2)):
            change = self.one((self._list_method, self._in_place, self._slice, self._effect))(inner)
            lines += [f"    {line}" for line in change]
        if self.chance(2):
            lines += [f"    if {self.condition(inner)}:", f"        return len({items})"]
        lines += [f"    return {self.integer(inner)}"]
        self.rounds, self.in_loop = rounds, in_loop
        names.changers.append(name)
        return lines

    def _maker(self, names: _Names, depth: int) -> list[str]:
        """A generator function, or closures that are called later."""
        name = next(self.fresh)
        if self.chance(2):
            item = next(self.fresh)
            lines = [f"{name} = [lambda v, k={item}: v + k + {item} for {item} in range(2)]"]
            if self.chance(2):
                lines = [f"{name} = []", f"for {item} in range(2):", f"    {name}.append(lambda v: v + {item} + n)"]
            names.functions += [f"{name}[0]", f"{name}[1]"]
            return lines
        inner = names.inner()
        in_loop, self.in_loop = self.in_loop, False
        rounds, self.rounds = self.rounds, self.rounds * 2
        lines = [f"def {name}():", f"    yield {self.integer(inner)}"]
        lines += [f"    {line}" for line in self.one((self._list_method, self._in_place, self._effect))(inner)]
        lines += [self.one((f"    yield from {self.sequence(inner)}", f"    yield {self.integer(inner)}"))]
        self.rounds, self.in_loop = rounds, in_loop
        names.makers.append(name)
        names.iterators.append(item := next(self.fresh))
        return [*lines, f"{item} = {name}()"]

    # -- expressions ---------------------------------------------------------------------------------------------

    def draw(self) -> str | None:
        if self.draws_left <= 0 or self.rounds > 6 or (self.rounds > 1 and self.draws_left < 2):
            return None
        self.draws_left -= 1 if self.rounds == 1 else 2
        return str(self.one(_DRAWS) if self.rounds == 1 and not self.dense else self.one(_TOSSES))

    def integer(self, names: _Names) -> str:
        known = [*names.numbers, *names.fixed]
        options: list[Callable[[], str]] = [
            lambda: str(self.number(0, 3)),
            lambda: str(self.one(known)),
            lambda: str(self.one(known)),
            lambda: f"len({self.one(names.lists)})",
            lambda: f"({self.one(known)} {self.one(('+', '-', '*'))} {self.one(known)})",
            lambda: f"sum({self.sequence(names)})",
            lambda: f"max([*{self.one(names.lists)}, 0])",
            lambda: f"({self.one(known)} if {self.condition(names)} else {self.number(0, 2)})",
            lambda: self.call(names),
        ]
        if names.tables:
            options.append(lambda: f"{self.one(names.tables)}.get({self.key(names)}, 0)")
            options.append(lambda: f"len({self.one(names.tables)})")
        if names.iterators:
            options.append(lambda: f"next(iter({self.one(names.iterators)}), 0)")
        toss = self.draw() if self.chance(6 if self.dense else 3) else None
        return toss or self.one(options)()

    def call(self, names: _Names) -> str:
        value = self.one([*names.numbers, *names.fixed, "1", "2"])
        if names.functions and self.number(0, 2):
            return f"{self.one(names.functions)}({value})"
        if self.draws_left > 0 and self.rounds == 1 and self.chance(3):
            self.draws_left -= 1
            return f"noisy({value})"
        return f"first({self.one([*names.lists, *names.iterators])}, {value})"

    def condition(self, names: _Names) -> str:
        toss = self.draw() if self.dense or self.chance(2) else None
        if toss is not None:
            return toss if toss.startswith("flip") else f"{toss} == {self.number(0, 1)}"
        known = [*names.numbers, *names.fixed]
        options: list[Callable[[], str]] = [
            lambda: f"{self.one(known)} {self.one(('>', '==', '!=', '<='))} {self.number(0, 2)}",
            lambda: str(self.one(names.fixed)),
            lambda: f"len({self.one(names.lists)}) {self.one(('>', '==', '<'))} {self.number(1, 4)}",
            lambda: str(self.one(names.lists)),
            lambda: f"{self.one(known)} in {self.one([*names.lists, *names.sets])}",
            lambda: f"{self.one(names.lists)} is {self.one(names.lists)}",
            lambda: f"{self.one(names.lists)} == {self.one(names.lists)}",
            lambda: f"not {self.one(known)}",
        ]
        if names.tables:
            options.append(lambda: f"{self.key(names)} in {self.one(names.tables)}")
        return self.one(options)()

    def list(self, names: _Names) -> str:
        base = self.one(names.lists)
        options: list[Callable[[], str]] = [
            lambda: f"[{self.integer(names)}, {self.integer(names)}]",
            lambda: "[]",
            lambda: f"[*{base}, {self.integer(names)}]",
            lambda: f"{base} + [{self.integer(names)}]",
            lambda: f"[v {self.one(('+', '*', '-'))} {self.integer(names)} for v in {self.sequence(names)}]",
            lambda: f"[v for v in {base} if {self.condition(names)}]",
            lambda: f"list({self.sequence(names)})",
            lambda: f"sorted({base}{self.one(('', ', reverse=True', ', key=lambda v: -v'))})",
            lambda: f"[u + v for u, v in zip({base}, {self.sequence(names)})]",
            lambda: f"{base} * 2",
        ]
        if names.functions:
            options.append(lambda: f"list(map({self.one(names.functions)}, {base}))")
            options.append(lambda: f"sorted({base}, key={self.one(names.functions)})")
            options.append(lambda: f"[{self.one(names.functions)}(v) for v in {base} if v]")
        return self.one(options)()

    def list_copy(self, names: _Names) -> str:
        return self.one(
            (f"list({self.one(names.lists)})", f"{self.one(names.lists)}[:2]", f"sorted({self.one(names.lists)})")
        )

    def sequence(self, names: _Names) -> str:
        """Something finite to run through."""
        options = [*names.lists, "TABLE", "range(2)", f"reversed({self.one(names.lists)})", "[1, 2]"]
        if names.makers and self.chance(3):
            return f"{self.one(names.makers)}()"
        if names.tuples:
            options.append(self.one(names.tuples))
        return str(self.one(options))

    def more(self, names: _Names) -> str:
        """What a list grows by: in a loop nothing that doubles it."""
        return self.sequence(names) if self.rounds == 1 else f"[{self.integer(names)}]"

    def place(self, names: _Names) -> str:
        return str(self.one(("0", "-1", "1", "n", "n % 2")))

    def key(self, names: _Names) -> str:
        return str(self.one((*_KEYS, *_KEYS, "n", *names.fixed)))

    def table(self, names: _Names) -> str:
        return self.one(
            (
                lambda: "{}",
                lambda: f'{{"a": {self.integer(names)}, "b": {self.integer(names)}}}',
                lambda: f"{{v: {self.integer(names)} for v in {self.sequence(names)}}}",
                lambda: f"dict(enumerate({self.sequence(names)}))",
                lambda: f"{{**{self.one(names.tables or ['{}'])}, {self.key(names)}: {self.integer(names)}}}",
                lambda: "dict.fromkeys(a, 0)",
            )
        )()

    def set(self, names: _Names) -> str:
        return self.one(
            (
                lambda: f"{{{self.integer(names)}, {self.integer(names)}}}",
                lambda: f"set({self.sequence(names)})",
                lambda: f"{{v % 2 for v in {self.sequence(names)}}}",
                lambda: "{1, 2}",
            )
        )()

    def iterator(self, names: _Names) -> str:
        base = self.one(names.lists)
        return self.one(
            (
                lambda: f"iter({base})",
                lambda: f"(v + {self.integer(names)} for v in {base})",
                lambda: f"map(lambda v: v + n, {base})",
                lambda: f"filter(lambda v: v > {self.integer(names)}, {base})",
                lambda: f"zip({base}, {self.sequence(names)})",
                lambda: f"enumerate({base})",
                lambda: f"reversed({base})",
                lambda: f"(v for v in {base} if {self.condition(names)})",
            )
        )()

    def result(self, names: _Names) -> str:
        parts = [*names.numbers[:4], *names.lists[:4], *names.pairs[:1], *names.tuples[:1]]
        parts += [*names.rows[:2], *names.words[:1]]
        parts += [f"list({name}.items())" for name in names.tables[:2]]
        parts += [f"sorted({name})" for name in names.sets[:2]]
        if names.iterators and self.chance(2):
            parts.append(f"list({self.one(names.iterators)})")
        return f"({', '.join(parts)},)" if self.number(0, 5) else str(self.one(names.numbers))
