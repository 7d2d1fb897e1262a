"""The verdict on taut's reading of a program, by running it as plain Python: right, refused, wrong, or a crash."""

import copy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.oracle.generator import GeneratedProgram, loaded
from tests.oracle.native import Rebuild, RunAbandoned, Script, frozen, parameter, plain

import taut
from taut import ImpossibleEvidence, Misreading, TautError

__all__ = ["TooMany", "Verdict", "judge", "plain_distribution"]

MOST_RUNS = 256
MOST_STEPS = 2000
MOST_ROUNDS = 100


@dataclass(frozen=True)
class Verdict:
    """``kind`` is one of

    - 'right': every distribution is that of plain Python;
    - 'refused': taut does not read it, with a reason;
    - 'fails': plain Python raises, and taut refuses it too;
    - 'skipped': too many runs for plain Python to judge it;
    - 'caught': misread, and validation found it;
    - 'wrong': a number that is not right, or an answer where plain Python raises;
    - 'crash': an exception that taut did not raise on purpose.
    """

    kind: str
    detail: str = ""

    @property
    def good(self) -> bool:
        return self.kind in ("right", "refused", "fails", "skipped")


class TooMany(BaseException):
    """There are more runs, or more steps in a run, than can be made."""


@contextmanager
def limited_steps() -> Iterator[None]:
    """Stop plain Python after so many lines of the program: some programs do not halt."""
    left = MOST_STEPS

    def step(frame: Any, event: str, argument: Any) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith("generated_"):
            return None
        left -= 1
        if left < 0 and left % 100 == 0:  # not at each step: what is cleaned up on the way out needs some
            raise TooMany
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        yield
    finally:
        sys.settrace(before)


def judge(program: GeneratedProgram, validated: bool = False) -> Verdict:
    """Compare the distributions that taut gives with those of plain Python, on all inputs.

    Without ``validated`` the reading itself is judged: what it gets wrong is 'caught' if validation finds it.
    """
    with loaded(program) as case:
        expected, problem = dict[Any, Any](), None
        for x, arguments in case.inputs():
            try:
                expected[x] = plain_distribution(case.mechanism, arguments)
            except TooMany:
                return Verdict("skipped", "too many runs, or too long ones")
            except Exception as raised:
                problem = raised
        found = _read(case, "default" if validated else "off", expected, problem)
        if found.kind == "wrong" and not validated:
            again = _read(case, "default", expected, problem)
            if again.kind == "caught":
                return Verdict("caught", found.detail)
        return found


def _read(case: Any, level: str, expected: dict[Any, Any], problem: Exception | None) -> Verdict:
    try:
        with taut.options(validate=level, max_rounds=MOST_ROUNDS):
            model = case.mechanism(**case.databases, **case.parameters)
            if problem is not None:
                answers = {x: model.distribution(x) for x, _ in case.inputs()}
                return Verdict("wrong", f"plain Python raises {problem!r}, taut says {_shown(answers)}")
            for x, distribution in expected.items():
                if distribution is None:
                    try:
                        return Verdict("wrong", f"at x={x!r} no run counts, taut says {_shown(model.distribution(x))}")
                    except ImpossibleEvidence:
                        continue
                answer = model.distribution(x)
                if answer != distribution:
                    return Verdict(
                        "wrong", f"at x={x!r} plain Python has {_shown(distribution)}, taut {_shown(answer)}"
                    )
    except Misreading as raised:
        return Verdict("caught", str(raised))
    except TautError as raised:
        return Verdict("refused" if problem is None else "fails", f"{type(raised).__name__}: {raised}")
    except Exception as raised:
        return Verdict("crash", f"{type(raised).__name__}: {raised}")
    return Verdict("right")


def plain_distribution(function: Any, args: dict[str, Any]) -> dict[Any, Fraction] | None:
    """All runs of the function, each with fresh copies of what it finds outside; None if its evidence is impossible."""
    script = Script()
    masses: dict[Any, Fraction] = {}
    while script.unfinished:
        rebuild = Rebuild(script)
        run = rebuild.function(plain(function))
        arguments = {name: rebuild.value(parameter(value)) for name, value in args.items()}
        script.start()
        try:
            with limited_steps():
                output = frozen(run(**copy.deepcopy(arguments)))
        except RunAbandoned:
            pass
        else:
            masses[output] = masses.get(output, Fraction(0)) + script.probability
        if script.runs > MOST_RUNS:
            raise TooMany
        script.advance()
    total = sum(masses.values(), Fraction(0))
    return {output: mass / total for output, mass in masses.items()} if masses else None


def _shown(answer: Any) -> str:
    text = str({key: str(value) for key, value in answer.items()})
    return text if len(text) <= 300 else text[:297] + "..."
