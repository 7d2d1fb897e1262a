"""Loops: rounds that only some runs enter, and iteration over anything with items."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import PathEnds
from taut.languages.python.iterators import is_settled, keep_private
from taut.languages.python.sequences import LONGEST
from taut.languages.python.values import (
    ENDED,
    Alternatives,
    Cases,
    DictBox,
    DictView,
    IteratorBox,
    ListBox,
    SetBox,
    Symbolic,
    Thinned,
    is_scalar,
)
from taut.languages.python.worlds import Flow, World
from taut.program import Term
from taut.support.errors import EndlessLoop
from taut.support.limits import checkpoint

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["Loops", "unchanging"]

_ORDINARY_ROUNDS = 20
_STEP = 8
"""Number of rounds between checks whether the runs still in a loop have become improbable."""
Body = Callable[[Any], Flow]


class Loops:
    """Repetition in the current world."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds
        self.terms = reader.worlds.terms
        self.flows = reader.flows

    # -- rounds --------------------------------------------------------------------------------------------------

    def rounds(
        self, advance: Callable[[], Term | None], body: Callable[[], Flow], orelse: Callable[[], Flow] | None = None
    ) -> Flow:
        """Run a loop; each round that not all runs enter is a world inside that of the previous round.

        So what is ordinary stays ordinary inside (a counter is 0, 1, 2, ...), and the worlds are merged from the
        innermost outwards when the loop is over.
        """
        worlds = self.worlds
        stack: list[tuple[str, Term, World | None, Flow]] = []
        dead, true, false = self.flows.dead, self.terms.true, self.terms.false
        tail = dead
        try:
            while True:
                checkpoint()
                test = advance()
                if test is None:
                    tail = orelse() if orelse is not None else self.flows.normal
                    break
                if test is not true:
                    self.reader.expressions.decide(test)
                    stack.append(("enter", test, worlds.open(test), dead))
                try:
                    flow = body()
                except PathEnds:
                    flow = dead
                proceed = self.terms.any(flow.normal, flow.continues)
                if proceed is true:
                    continue
                if proceed is false:
                    stack.append(("end", false, None, flow))
                    break
                stack.append(("proceed", proceed, worlds.open(proceed), flow))
        except PathEnds:
            pass
        for kind, test, outer, flow in reversed(stack):
            changes = {} if outer is None else worlds.close(outer)
            if kind == "enter":
                ended, others = worlds.explore(self.terms.negate(test), orelse or (lambda: self.flows.normal))
                over = ended if isinstance(ended, Flow) else dead
                worlds.merge_changes(test, changes, others, dead=(tail is dead, over is dead))
                tail = self.flows.fork(test, tail, over)
            else:
                worlds.merge_changes(test, changes, {}, dead=(tail is dead, False))
                tail = self.flows.round(flow, test, tail)
            tail = self.flows.alive(tail)
        return tail

    def while_(self, node: ast.While, body: Callable[[], Flow], orelse: Callable[[], Flow] | None) -> Flow:
        count = 0

        def advance() -> Term | None:
            nonlocal count
            count += 1
            self._limit(node, count)
            value = self.reader.expressions.evaluate(node.test)
            self.reader.node = node
            test = self.reader.operators.truth(value)
            self.reader.expressions.note(node.test, test)
            if test is self.terms.false:
                return None
            if count == 2:
                self._refuse_unchanging(node)
            return test

        return self.rounds(advance, body, orelse)

    def _refuse_unchanging(self, node: ast.While) -> None:
        """Refuse a loop after its first round if it provably never ends; errors of that round come first."""
        names = unchanging(self.reader, node)
        if names is None or not self.reader.alive():
            return
        if names:
            listed = " and ".join(", ".join(f"'{name}'" for name in names).rsplit(", ", 1))
            why = f"its condition depends on {listed}, and no round changes that. Change it, or leave with 'break'"
        else:
            why = "its condition is always the same. Leave it with 'break'"
        raise EndlessLoop(f"'while' never ends: {why}.", value=names)

    def _limit(self, node: ast.AST, count: int, what: str = "'while'") -> None:
        """Stop a loop if further rounds are impossible; refuse one with too many rounds."""
        self.reader.node = node
        most = self.reader.max_rounds
        if self.worlds.ordinary:
            if count > _ORDINARY_ROUNDS * most:
                raise EndlessLoop(
                    f"{what} still runs after {count - 1} rounds; if it ends, raise max_rounds with taut.options.",
                    value=count,
                )
            return
        if (count <= 16 or count & (count - 1) == 0) and not self.reader.alive():
            raise PathEnds
        if count % _STEP == 0 and self.reader.improbable():
            self.worlds.give_up(self.terms.true)
            raise PathEnds
        if count > most:
            if not self.reader.alive():
                raise PathEnds
            raise EndlessLoop(
                f"{what} may still be running after {most} rounds; it must end after "
                "finitely many, whatever the coins. Count the rounds and stop, or raise max_rounds with taut.options.",
                value=most,
            )

    # -- running through -----------------------------------------------------------------------------------------

    def drive(
        self,
        value: Any,
        body: Body,
        what: str,
        orelse: Callable[[], Flow] | None = None,
        node: ast.AST | None = None,
        nested: bool = False,
    ) -> Flow:
        """Run ``body`` for each item; ``node`` is the expression of the iterable if known.

        With ``nested``, this loop produces items for an enclosing loop, which a stopping flow leaves too.

        A private iterator is consumed in nested loops; all others are taken item by item, so that later users continue
        from their position.
        """
        iterator = self.reader.iterators.of(value, what)
        fresh = iterator is not value
        if isinstance(iterator, IteratorBox):
            if fresh or iterator.owned or iterator.kind.whole or (node is not None and iterator.node is node):
                keep_private(iterator)
                drive = iterator.kind.drive
                if drive is not None and iterator.kind.conditional(self.reader, iterator):
                    flow = self._driven(iterator, body, orelse)
                    return flow if nested else self.flows.stopped(flow)
        elif fresh and isinstance(iterator, Alternatives):
            for _, option in iterator.options:
                keep_private(option)
        return self._item_by_item(iterator, body, what, orelse)

    def _item_by_item(self, iterator: Any, body: Body, what: str, orelse: Callable[[], Flow] | None) -> Flow:
        current: list[Any] = [None]
        step, split = self.reader.iterators.step, self.worlds.split
        endless = isinstance(iterator, IteratorBox) and iterator.kind.endless
        settled = is_settled(iterator)
        count = 0

        def advance() -> Term | None:
            nonlocal count
            count += 1
            if count > LONGEST:
                raise EndlessLoop(f"{what} has no end: more than {LONGEST} items.", value=LONGEST)
            if endless:
                self._limit(self.reader.node, count, "'for'")
            there, current[0] = split(step(iterator), ENDED)
            if there is not self.terms.true and not settled and not self.worlds.feasible(there):
                return None  # where it has come to is random, so only this tells that it is over
            return None if there is self.terms.false else there

        return self.rounds(advance, lambda: body(current[0]), orelse)

    def _driven(self, iterator: IteratorBox, body: Body, orelse: Callable[[], Flow] | None) -> Flow:
        """Run the loops that produce the items, with the body in the innermost."""
        flow: Flow = iterator.kind.drive(self.reader, iterator, lambda item: self.flows.stopping(body(item)))
        if orelse is not None:
            flow = self.flows.then(flow, self.after(flow, orelse))
        return flow

    def after(self, flow: Flow, action: Callable[[], Flow]) -> Flow:
        """Run ``action`` where a flow falls through."""
        if flow.normal is self.terms.true:
            return action()
        found, changes = self.worlds.explore(flow.normal, action)
        rest = found if isinstance(found, Flow) else self.flows.dead
        self.worlds.merge_changes(flow.normal, changes, {}, dead=(rest is self.flows.dead, False))
        return rest

    def run_through(self, value: Any, action: Callable[[Any], Any], what: str = "this") -> None:
        """Apply ``action`` to each item."""

        def body(item: Any) -> Flow:
            action(item)
            return self.flows.normal

        if self.drive(value, body, what) is self.flows.dead:
            raise PathEnds

    def collected(self, value: Any, what: str = "this", ordered: bool = True) -> ListBox:
        """Return the items of any iterable as a new list."""
        world = self.worlds.world
        if isinstance(value, DictBox):
            return ListBox(self.reader.dicts.rows(value), world)
        if isinstance(value, DictView):
            return ListBox(self.reader.dicts.rows(value.box, value.part), world)
        if isinstance(value, SetBox):
            return ListBox(self.reader.sets.rows(value, ordered), world)
        if isinstance(value, ListBox):
            content = value.content
            if isinstance(content, Thinned):
                return ListBox(content.copy(), world)
            if isinstance(content, Cases):
                return ListBox(Cases([(guard, list(items)) for guard, items in content.options]), world)
            return ListBox(list(content), world)
        made = ListBox([], world)
        self.run_through(value, lambda item: self.reader.lists.append(made, item), what)
        return made

    def mapped(self, value: Any, action: Callable[[Any], Any]) -> ListBox:
        """Return a new list with ``action`` applied to each present item."""
        made = ListBox([], self.worlds.world)
        self.run_through(value, lambda item: self.reader.lists.append(made, action(item)))
        return made

    def first_that(self, value: Any, test: Callable[[Any], Term], what: str) -> Term:
        """Return the condition that ``test`` holds for some item; items after the first such one are not taken."""
        found = ListBox([False], self.worlds.world)

        def body(item: Any) -> Flow:
            holds = test(item)
            self.worlds.choose(holds, lambda: self.reader.sequences.write(found, 0, True), lambda: None)
            return self.flows.fork(holds, self.flows.breaks, self.flows.normal)

        if self.drive(value, body, what) is self.flows.dead:
            raise PathEnds
        return self.worlds.term(found.content[0])


_PURE = (len, abs, sum, min, max, any, all, int, bool)
_READING = (
    ast.Name,
    ast.Constant,
    ast.Compare,
    ast.BoolOp,
    ast.UnaryOp,
    ast.BinOp,
    ast.IfExp,
    ast.Subscript,
    ast.Tuple,
    ast.Call,
    ast.expr_context,
    ast.boolop,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
)
_LEAVING = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)


def unchanging(reader: Reader, node: ast.While) -> list[str] | None:
    """Return the variables in a 'while' condition if no round can change it, else None.

    Guarantee:
        If the answer is not None, runs for which the condition holds never leave the loop, other than by an error.
    """
    names = _names_read(node)
    if names is None or not reader.frames:
        return None
    frame = reader.frames[-1]
    variables = []
    for name in names:
        if name in frame.names:
            if not _is_fixed(frame.content.get(name)):
                return None
            variables.append(name)
        else:
            value = reader.code.outside.get(name)
            if any(name in outer.names for outer in reader.frames) or not any(value is pure for pure in _PURE):
                return None
    inner = ast.walk(reader.code.source.node)
    return None if any(isinstance(one, ast.Nonlocal) for one in inner) else variables


@functools.lru_cache(maxsize=256)
def _names_read(node: ast.While) -> tuple[str, ...] | None:
    """Return the names in the condition; None if it does more than read, or if the body assigns one or may leave."""
    test = list(ast.walk(node.test))
    if not all(isinstance(part, _READING) for part in test):
        return None
    called = [part.func for part in test if isinstance(part, ast.Call)]
    if not all(isinstance(function, ast.Name) for function in called):
        return None
    names = dict.fromkeys(part.id for part in test if isinstance(part, ast.Name))
    for statement in node.body:
        for part in ast.walk(statement):
            if isinstance(part, _LEAVING):
                return None
            if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load) and part.id in names:
                return None
            if isinstance(part, (ast.FunctionDef, ast.ClassDef)) and part.name in names:
                return None
            if isinstance(part, (ast.Import, ast.ImportFrom)):
                return None
    return tuple(names)


def _is_fixed(value: Any) -> bool:
    """Return True if a value cannot be changed in place: it is not and does not contain a list or the like."""
    if isinstance(value, Alternatives):
        return all(_is_fixed(option) for _, option in value.options)
    if isinstance(value, tuple):
        return all(map(_is_fixed, value))
    return isinstance(value, (Symbolic, range)) or is_scalar(value)
