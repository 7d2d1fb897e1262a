"""Evaluation of terms on demand: a coin is chosen when a value first depends on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from taut.program.operations import UNDEFINED
from taut.program.terms import Apply, Coin, Const, Input, Ite, Select, Term, Tuple

__all__ = ["Evaluation", "OneEntry", "Tables"]

Tables = dict[Term, dict[Any, Term]]
"""The items of each selection by key, shared by all evaluations of one program."""


class OneEntry(Sequence[Any]):
    """Entries of which only one is looked at, wherever it stands."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __getitem__(self, place: Any) -> Any:
        return self._value

    def __len__(self) -> int:
        return 1


class Evaluation:
    """The values of terms in one run, for given entries and for coins that ``choose`` decides at first use.

    Guarantee:
        A term's value is the one that ``evaluate`` gives for the coins chosen; a coin is chosen at most once, and only
        if the value depends on it along the branches and the deciding parts of connectives that are looked at.
    """

    def __init__(self, entries: Sequence[Any], choose: Callable[[int], Any], tables: Tables) -> None:
        self.coins: dict[int, Any] = {}
        self._entries = entries
        self._choose = choose
        self._tables = tables
        self._known: dict[Term, Any] = {}
        self._parts_done: dict[Term, int] = {}

    @property
    def work(self) -> int:
        """Return the number of terms evaluated so far."""
        return len(self._known)

    def seen(self, term: Term) -> Any:
        """Return the value of a term if it has been evaluated, else None."""
        return self._known.get(term)

    def coin(self, index: int) -> Any:
        """Return the outcome of a coin; choose it at first use."""
        if index in self.coins:
            return self.coins[index]
        outcome = self.coins[index] = self._choose(index)
        return outcome

    def value(self, root: Term) -> Any:
        """Return the value of a term; parts evaluated before are not evaluated again."""
        known, entries = self._known, self._entries
        if root in known:
            return known[root]
        if type(root) is Coin:
            known[root] = outcome = self.coin(root.index)
            return outcome
        stack = [root]
        while stack:
            term = stack[-1]
            if term in known:
                stack.pop()
                continue
            kind = type(term)
            if kind is Apply:
                operation, args = term.operation, term.args  # type: ignore[attr-defined]
                if operation.name == "and" or operation.name == "or":
                    self._connect(term, operation.name == "or", args, stack)
                    continue
                before = len(stack)
                for arg in args:
                    if arg not in known:
                        if type(arg) is Input:
                            known[arg] = entries[arg.index]
                        else:
                            stack.append(arg)
                if len(stack) == before:
                    known[term] = operation(*[known[arg] for arg in args])
                    stack.pop()
            elif kind is Coin:
                known[term] = self.coin(term.index)  # type: ignore[attr-defined]
            elif kind is Input:
                known[term] = entries[term.index]  # type: ignore[attr-defined]
            elif kind is Const:
                known[term] = term.value  # type: ignore[attr-defined]
            elif kind is Tuple:
                missing = [item for item in term.items if item not in known]  # type: ignore[attr-defined]
                if missing:
                    stack += missing
                    continue
                known[term] = tuple([known[item] for item in term.items])  # type: ignore[attr-defined]
            else:
                self._choose_branch(term, stack)
        return known[root]

    def _connect(self, term: Term, absorbing: bool, args: Sequence[Term], stack: list[Term]) -> None:
        """Evaluate the parts of a conjunction or disjunction in order, up to the first that decides it."""
        known = self._known
        for place in range(self._parts_done.get(term, 0), len(args)):
            part = args[place]
            if part not in known:
                self._parts_done[term] = place
                stack.append(part)
                return
            value = known[part]
            if value is not UNDEFINED and bool(value) is absorbing:
                known[term] = absorbing
                return
        undefined = any(known[part] is UNDEFINED for part in args)
        known[term] = UNDEFINED if undefined else not absorbing

    def _choose_branch(self, term: Term, stack: list[Term]) -> None:
        known = self._known
        if isinstance(term, Ite):
            decider = term.test
            if decider not in known:
                stack.append(decider)
                return
            test = known[decider]
            chosen = None if test is UNDEFINED else term.then if test else term.other
        else:
            assert isinstance(term, Select)
            decider = term.index
            if decider not in known:
                stack.append(decider)
                return
            chosen = self._table(term).get(known[decider])
        if chosen is None:
            known[term] = UNDEFINED
        elif chosen in known:
            known[term] = known[chosen]
        else:
            stack.append(chosen)

    def _table(self, term: Select) -> dict[Any, Term]:
        table = self._tables.get(term)
        if table is None:
            table = self._tables[term] = {}
            for key, item in zip(term.keys, term.items, strict=True):
                table.setdefault(key, item)
        return table
