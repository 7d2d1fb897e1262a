"""Random functions of lists, with uniform numbers kept in variables; cut points are multiples of 1/16."""

import random

__all__ = ["CELLS", "function_of_lists"]

CELLS = 16
_HEAD = """import bisect, math, random
TABLE = (0.25, 0.5, 0.75)
PAIRS = {{0: 0.5, 1: 0.75}}


def told(u, a):
    return a if u < {first} else int(u > {second})


def answers(x):
    said, total, b = [], 0, 0
    for a in x:
"""
_SOURCES = ["random.random()", "random.random()", "1 - random.random()", "min(random.random(), 0.75)"]


class _Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.draws, self.names, self.lines, self.doubled = 0, [], [], set()

    def level(self):
        return repr(self.random.randint(0, 4) / 4)

    def operator(self):
        return self.random.choice(["<", "<=", ">", ">="])

    def number(self):
        name = self.random.choice(self.names)
        return self.random.choice([name, name, f"(1 - {name})", f"({name} + a)", f"(-{name})", f"({name} / 2)"])

    def threshold(self):
        known = ["TABLE[a]", "(0.25 + a / 4)", "(0.5 if a else 0.75)", "PAIRS.get(a, 0.25)"]
        return self.random.choice([*known, *[self.level() for _ in known]])

    def condition(self):
        pick = self.random.choice
        kind = self.random.randrange(9) if self.names else 0
        if kind == 0:
            return pick(["a", "a == b", "not b", "a > 1"])
        if kind == 1:
            return f"{self.level()} {pick(['<', '<='])} {pick(self.names)} {pick(['<', '<='])} {self.level()}"
        if kind == 2:
            return f"({self.condition()} {pick(['and', 'or'])} {self.condition()})"
        if kind == 3:
            return f"not ({self.condition()})"
        if kind == 4:
            return f"int({pick(self.names)} * {pick([2, 4, 8])}) {pick(['==', '<', '>', '!='])} {pick(range(4))}"
        if kind == 5:
            return f"bisect.bisect(TABLE, {pick(self.names)}) {pick(['==', '<', '>'])} {pick(range(3))}"
        if kind == 6:
            return f"{self.threshold()} {self.operator()} {self.number()}"
        return f"{self.number()} {self.operator()} {self.threshold()}"

    def value(self):
        kind = self.random.randrange(8)
        if kind == 0 and self.names:
            return f"int({self.number()} * {self.random.choice([2, 4])})"
        if kind == 1:
            return f"({self.value()} if {self.condition()} else {self.value()})"
        if kind == 2 and self.names:
            return f"round({self.random.choice(self.names)} * 4)"
        if kind == 3:
            return f"({self.condition()})"
        if kind == 4 and self.names:
            return f"told({self.number()}, a)"
        return self.random.choice(["a", "b", "1 - a", "0", "None", "total"])

    def block(self, indent, depth):
        for _ in range(self.random.choice([2, 3, 3])):
            self.statement(indent, depth)

    def statement(self, indent, depth):
        kind = self.random.randrange(11)
        if self.draws < 2 and (kind <= 2 or not self.names):
            name = f"u{len(self.names)}"
            self.lines.append(f"{indent}{name} = {self.random.choice(_SOURCES)}")
            self.names.append(name)
            self.draws += 1
        elif kind <= 5 and depth:
            known = list(self.names)
            for head in ("if", "elif", "else")[: self.random.choice([1, 2, 3])]:
                self.lines.append(f"{indent}{head}:" if head == "else" else f"{indent}{head} {self.condition()}:")
                self.block(indent + "    ", depth - 1)
                self.names = list(known)
        elif kind == 6:
            self.lines.append(f"{indent}total += {self.random.choice(['a', '1', self.condition()])}")
        elif kind == 7:
            end = self.random.choice(["continue", "break", "return said", "return total"])
            self.lines += [f"{indent}if {self.condition()}:", f"{indent}    {end}"]
        elif kind == 8 and self.names:
            self.lines.append(f"{indent}b = told({self.random.choice(self.names)}, a)")
        elif kind == 9 and self.names:
            self.lines.append(f"{indent}{self.random.choice(self.names)} {self.random.choice(['-= 0.25', '+= a'])}")
        else:
            self.lines.append(f"{indent}said.append({self.value()})")


def function_of_lists(seed):
    """The text of a module with a function ``answers`` of a list of 0, 1 and 2, and its number of draws per entry."""
    writer = _Writer(seed)
    writer.block("        ", 2)
    head = _HEAD.format(first=writer.level(), second=writer.level())
    return head + "\n".join([*writer.lines, "    return said, total", ""]), writer.draws
