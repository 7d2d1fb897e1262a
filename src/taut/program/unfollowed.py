"""The output of runs that were not followed: one value that stands for whatever they return."""

from __future__ import annotations

from taut.program.program import Program
from taut.program.terms import Const, Ite, Term

__all__ = ["UNFOLLOWED", "Unfollowed", "unfollowed_runs"]


class Unfollowed:
    """The type of UNFOLLOWED, which equals only itself, also after pickling."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "(not followed)"

    def __reduce__(self) -> str:
        return "UNFOLLOWED"


UNFOLLOWED = Unfollowed()
"""In place of the output of a run that was not followed to its end."""


def unfollowed_runs(program: Program) -> Term | None:
    """Return the condition under which a run of a program is not followed; None if all runs are.

    An output is marked where the program is finished, so the mark is a branch of the output and never inside of one.
    """
    terms = program.terms
    made: dict[Term, Term] = {}
    stack = [program.output]
    while stack:
        term = stack[-1]
        if isinstance(term, Ite):
            missing = [branch for branch in (term.then, term.other) if branch not in made]
            if missing:
                stack += missing
                continue
            made[term] = terms.ite(term.test, made[term.then], made[term.other])
        else:
            made[term] = terms.true if isinstance(term, Const) and term.value is UNFOLLOWED else terms.false
        stack.pop()
    found = made[program.output]
    return None if found is terms.false else found
