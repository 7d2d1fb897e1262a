"""Values that equal others of another class or look: members of enumerations, texts and records of classes of their own,
and what functions that are run take and give.
"""

# Mechanisms are written without annotations, as users write them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, misc, operator, arg-type, var-annotated"
# ruff: noqa

import enum
import json
import random
from dataclasses import dataclass

from tests.oracle.traps.trap import trap

from taut import flip, uniform


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(str, enum.Enum):
    A = "a"


class Other(str, enum.Enum):
    A = "a"


class Name(str):
    def __repr__(self):
        return "Name"


@dataclass(frozen=True)
class Point:
    x: object


NAME, ONE, YES = Name("a"), Point(1), Point(True)


@trap
def member_or_integer(x):
    level = Level.LOW if flip("1/2") else 1
    return (level == 1, f"{level!r}", repr([level]), repr(level + 1))


@trap
def sum_of_members(x):
    return repr(sum([Level.LOW if flip("1/2") else Level.HIGH, x[0]]))


@trap
def largest_member(x):
    level = Level.LOW if flip("1/2") else Level.HIGH
    return repr((max(level, x[0]), max(x[1], level), min(level, 1), abs(level)))


@trap
def member_or_text(x):
    word = Word.A if flip("1/2") else "a"
    return (word == "a", f"{word}", repr(word), {"a": 1}[word], isinstance(word, Word))


@trap
def members_of_two_classes(x):
    word = Word.A if flip("1/2") else Other.A
    return (repr(word), word == Word.A, word is Other.A)


@trap
def text_of_a_class(x):
    return repr(NAME if flip("1/2") else "a")


@trap
def member_as_key(x):
    d = {Word.A if flip("1/2") else "a": 1}
    d["a"] = 2
    return repr(list(d))


@trap
def equal_records(x):
    point = ONE if flip("1/2") else YES
    return (repr(point), point == ONE)


@trap
def complex_or_integer(x):
    number = 1 + 0j if flip("1/2") else 1
    return (repr(number), number == 1)


@trap
def argument_of_a_run(x):
    v = True if flip("1/2") else 1
    return json.dumps([v, {"v": v}])


@trap
def result_of_a_run(x):
    return repr(json.loads("true" if flip("1/2") else "1" if x[0] else "1.0"))


@trap
def list_of_a_run(x):
    return repr(json.loads("[true, 1]" if flip("1/2") else "[1, 1.0]"))
