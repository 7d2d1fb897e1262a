"""Weighted CNF in the format of the Model Counting Competition (DIMACS with ``c p weight`` and ``c p show`` lines).

The competition asks for the weights of both literals of a variable. Where a file gives one only, the other is taken to
be one minus it, as the counters Ganak (through Arjun) and GPMC do; where that would be negative the counters disagree,
so the file is refused. Variables without any weight count (1, 1). Variables that are not shown are projected away, and
their weights with them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from taut.languages.formula.text import assign_roles, names_of
from taut.program import Term, Terms
from taut.program.program import MAX_VARIABLES, Formula, FormulaVariable
from taut.support.errors import DimacsError, DimacsFileError, TooLarge, shortened
from taut.support.exact import fraction_of_text

__all__ = ["parse_dimacs"]

_MAX_BYTES = 64 << 20
_MAX_LITERALS = 3_000_000
_TASKS: dict[str, tuple[str, ...]] = {
    "mc": (),
    "wmc": ("weight",),
    "pmc": ("show",),
    "pwmc": ("weight", "show"),
    "wpmc": ("weight", "show"),
}
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_ONE = Fraction(1)


def parse_dimacs(
    path: str | os.PathLike[str], inputs: Iterable[int | str] = (), outputs: Iterable[int | str] = ()
) -> Formula:
    """Read a weighted CNF file; variables are named by their numbers.

    Inputs and outputs are never projected away and must not have weights other than 1.

    Raises:
        DimacsError: the file cannot be read, or is not in the format; with the file, the line and the text at fault.
        TooLarge: more than 50000 variables, or a file far too long for any diagram.
    """
    reading = _Reading(_path(path))
    for number, line in enumerate(_lines(reading.file), start=1):
        if not reading.take(number, line):
            break
    reading.finish()
    return _formula(reading, inputs, outputs)


@dataclass
class _Reading:
    """The state of reading a file line by line."""

    file: Path
    variables: int = -1
    promised: int = 0
    clauses: list[list[int]] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    literals: int = 0
    line: int = 0
    task: str | None = None
    properties: list[tuple[int, list[str]]] = field(default_factory=list)
    weights: dict[int, Fraction] = field(default_factory=dict)
    shown: set[int] | None = None

    def take(self, number: int, line: str) -> bool:
        """Read one line; return False at the end marker."""
        self.line = number
        words = line.split()
        if not words:
            return True
        if words[0].startswith("%"):
            return False
        if words[0].startswith("c"):
            self._comment(words)
        elif words[0] == "p":
            self._header(words)
        else:
            self._clause(words)
        return True

    def finish(self) -> None:
        """Check the conditions that hold only at the end of the file."""
        if self.variables < 0:
            raise DimacsError(f"{self.file}: there is no line 'p cnf VARIABLES CLAUSES'.", value=str(self.file))
        if self.open:
            raise self.error("the last clause is not ended by 0", " ".join(map(str, self.open)))
        if len(self.clauses) != self.promised:
            raise DimacsError(
                f"{self.file}: 'p cnf' promises {self.promised} clauses, but the file has {len(self.clauses)}.",
                value=len(self.clauses),
            )
        for number, words in self.properties:
            self.line = number
            self._property(words)

    def error(self, problem: str, text: str) -> DimacsError:
        return DimacsError(f"{self.file}:{self.line}: {problem}; got {shortened(text)!r}.", value=text)

    def _comment(self, words: list[str]) -> None:
        if words[0] != "c" or len(words) < 3:
            return
        if words[1] == "t" and len(words) == 3:
            if words[2] not in _TASKS:
                raise self.error(f"the task after 'c t' must be one of {', '.join(_TASKS)}", words[2])
            if self.task is not None and self.task != words[2]:
                raise self.error(f"the file already said 'c t {self.task}'", " ".join(words))
            self.task = words[2]
        elif words[1] == "p" and words[2] in ("weight", "show"):
            self.properties.append((self.line, words))
        elif words[1] == "p" and words[-1] == "0":
            raise self.error("after 'c p' only 'weight' and 'show' are understood", " ".join(words))

    def _header(self, words: list[str]) -> None:
        text = " ".join(words)
        if self.variables >= 0:
            raise self.error("there must be one line 'p cnf VARIABLES CLAUSES' only", text)
        if len(words) != 4 or words[1] != "cnf" or not all(re.fullmatch("[0-9]{1,18}", word) for word in words[2:]):
            raise self.error("the header must read 'p cnf VARIABLES CLAUSES'", text)
        self.variables, self.promised = int(words[2]), int(words[3])
        if self.variables > MAX_VARIABLES:
            raise TooLarge(
                f"{self.file}:{self.line}: at most {MAX_VARIABLES} variables can be compiled; got {self.variables}.",
                value=self.variables,
            )
        if self.promised > _MAX_LITERALS:
            raise TooLarge(
                f"{self.file}:{self.line}: at most {_MAX_LITERALS} clauses can be compiled; got {self.promised}.",
                value=self.promised,
            )

    def _clause(self, words: list[str]) -> None:
        if self.variables < 0:
            raise self.error("expected 'p cnf VARIABLES CLAUSES' before anything else", " ".join(words))
        if words[0] == "w":
            raise self.error("a weight is written 'c p weight LITERAL WEIGHT 0'", " ".join(words))
        for word in words:
            literal = self._literal(word)
            if literal:
                self.open.append(literal)
            else:
                self.clauses.append(self.open)
                self.open = []
        self.literals += len(words)
        if self.literals > _MAX_LITERALS:
            raise TooLarge(
                f"{self.file}:{self.line}: at most {_MAX_LITERALS} literals can be compiled.", value=self.literals
            )

    def _literal(self, word: str) -> int:
        if not _INTEGER.fullmatch(word):
            raise self.error("expected a literal, a whole number", word)
        literal = int(word)
        if abs(literal) > self.variables:
            raise self.error(f"a literal must lie between -{self.variables} and {self.variables}", word)
        return literal

    def _property(self, words: list[str]) -> None:
        if words[2] not in _TASKS[self.task or "pwmc"]:
            raise self.error(f"a file with 'c t {self.task}' has no '{words[2]}' lines", " ".join(words))
        if words[2] == "show":
            self._show(words)
        else:
            self._weight(words)

    def _show(self, words: list[str]) -> None:
        given = [self._literal(word) for word in words[3:]]
        chosen = given[:-1] if given and given[-1] == 0 else given
        if min(chosen, default=1) < 1:
            raise self.error("expected 'c p show VARIABLE ... 0'", " ".join(words))
        self.shown = (self.shown or set()) | set(chosen)

    def _weight(self, words: list[str]) -> None:
        given = words[3:]
        ended = given[-1:] == ["0"]  # 'c p weight 1 0' lacks its weight: that 0 is the end mark
        if len(given) != (3 if ended else 2):
            raise self.error("expected 'c p weight LITERAL WEIGHT 0'", " ".join(words))
        literal, weight = self._literal(given[0]), fraction_of_text(given[1])
        if literal == 0:
            raise self.error("0 is not a literal that has a weight", " ".join(words))
        if weight is None:
            raise self.error("a weight must be a number, like 0.25, 1/4 or 2.5e-1", given[1])
        if weight < 0:
            raise self.error("a weight must not be negative", given[1])
        if self.weights.setdefault(literal, weight) != weight:
            raise self.error(f"literal {literal} already has the weight {self.weights[literal]}", given[1])


def _formula(reading: _Reading, inputs: Iterable[int | str], outputs: Iterable[int | str]) -> Formula:
    known = [str(number) for number in range(1, reading.variables + 1)]
    roles = assign_roles(
        known,
        names_of(inputs, "inputs", DimacsError, (int, str)),
        names_of(outputs, "outputs", DimacsError, (int, str)),
        DimacsError,
    )
    terms = Terms()
    variables: list[FormulaVariable] = []
    hidden: list[str] = []
    coins: dict[int, Term] = {}
    for name, role in roles.items():
        number = int(name)
        weights = (_ONE, _ONE)
        if role == "coin" and reading.shown is not None and number not in reading.shown:
            hidden.append(name)
        else:
            weights = _weights(reading, number)
        if role != "coin" and weights != (_ONE, _ONE):
            raise DimacsError(
                f"{reading.file}: variable {name} is an {role} and has a weight; only what is neither input "
                "nor output has weights.",
                value=number,
            )
        coins[number] = terms.coin(len(variables), (False, True))
        variables.append(FormulaVariable(name, role, weights))
    clauses = [terms.any(*[_literal(terms, coins, literal) for literal in clause]) for clause in reading.clauses]
    return Formula(reading.file.name, tuple(variables), terms.all(*clauses), terms, tuple(hidden))


def _literal(terms: Terms, coins: dict[int, Term], literal: int) -> Term:
    return coins[literal] if literal > 0 else terms.negate(coins[-literal])


def _weights(reading: _Reading, variable: int) -> tuple[Fraction, Fraction]:
    """Return the weights of a variable and of its negation."""
    true, false = reading.weights.get(variable), reading.weights.get(-variable)
    if true is not None and false is not None:
        return true, false
    given = true if true is not None else false
    if given is None:
        return _ONE, _ONE
    if given > 1:
        literal = variable if true is not None else -variable
        raise DimacsError(
            f"{reading.file}: literal {literal} has the weight {given}, so that of {-literal} is not one minus it; "
            f"write a line 'c p weight {-literal} WEIGHT 0'.",
            value=given,
        )
    return (given, _ONE - given) if true is not None else (_ONE - given, given)


def _path(given: str | os.PathLike[str]) -> Path:
    try:
        path = Path(given)
        if not path.exists():
            raise DimacsFileError(f"{path}: there is no such file.", value=str(path))
        if not path.is_file():
            raise DimacsFileError(f"{path}: this is not a file.", value=str(path))
        size = path.stat().st_size
    except DimacsFileError:
        raise
    except TypeError:
        raise DimacsError(f"expected the path of a DIMACS file; got {given!r}.", value=given) from None
    except (OSError, ValueError) as problem:
        raise DimacsFileError(f"{given}: the file cannot be read ({problem}).", value=str(given)) from None
    if size > _MAX_BYTES:
        raise TooLarge(f"{path}: a DIMACS file of at most {_MAX_BYTES >> 20} MB can be read.", value=size)
    return path


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, decoded as Latin-1, so that any byte is accepted in a comment."""
    try:
        with path.open(encoding="latin-1") as file:
            yield from file
    except OSError as problem:
        raise DimacsFileError(f"{path}: the file cannot be read ({problem.strerror}).", value=str(path)) from None
