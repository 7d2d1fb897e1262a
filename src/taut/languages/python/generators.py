"""Comprehensions, generator expressions and generator functions."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import PathEnds, failure_like
from taut.languages.python.iterators import Body, Kind, is_endless, is_untouched, is_whole
from taut.languages.python.values import ENDED, Alternatives, Code, Frame, IteratorBox
from taut.languages.python.worlds import Flow
from taut.program import Term
from taut.support.errors import UnsupportedSyntax, UnsupportedValue

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["Comprehensions", "GeneratorExpression", "GeneratorFunction"]

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Comprehensions:
    """List, set and dictionary comprehensions run at once; generator expressions become iterators."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def list(self, node: ast.ListComp) -> Any:
        made = self.reader.sequences.new_list([])
        append, evaluate = self.reader.lists.append, self.reader.expressions.evaluate
        self._run(node, lambda: append(made, evaluate(node.elt)))
        return made

    def set(self, node: ast.SetComp) -> Any:
        made = self.reader.sets.new()
        self._run(node, lambda: self.reader.sets.add(made, self.reader.expressions.evaluate(node.elt)))
        return made

    def dict(self, node: ast.DictComp) -> Any:
        made = self.reader.dicts.new()

        def add() -> None:
            key = self.reader.expressions.evaluate(node.key)
            value = self.reader.expressions.evaluate(node.value)
            self.reader.node = node.key
            self.reader.dicts.write(made, key, value)

        self._run(node, add)
        return made

    def generator(self, node: ast.GeneratorExp) -> Any:
        reader = self.reader
        first = reader.expressions.evaluate(node.generators[0].iter)
        reader.node = node
        iterator = reader.iterators.owned(first, "what the generator runs through")
        if isinstance(iterator, IteratorBox) and iterator.node is node.generators[0].iter:
            iterator.owned = True
        frames = (*reader.frames, Frame({}, reader.worlds.world, names_in(node)))
        kind = GeneratorExpression(node, frames, reader.code, iterator)
        return reader.iterators.new(kind, (iterator, *[None] * (len(node.generators) - 1)))

    def _run(self, node: Comprehension, action: Callable[[], None]) -> None:
        """Run the loops of a comprehension in their own scope; the first iterable is evaluated in the outer one."""
        reader = self.reader
        first = reader.expressions.evaluate(node.generators[0].iter)
        outer = reader.frames
        reader.frames = (*outer, Frame({}, reader.worlds.world, names_in(node)))

        def body() -> Flow:
            action()
            return reader.flows.normal

        try:
            if levels(reader, node.generators, 0, first, body) is reader.flows.dead:
                raise PathEnds
        finally:
            reader.frames = outer


def levels(
    reader: Reader, generators: Sequence[ast.comprehension], level: int, rows: Any, action: Callable[[], Flow]
) -> Flow:
    """Run the nested loops of a comprehension from ``level`` on, with ``action`` in the innermost."""
    generator = generators[level]
    if generator.is_async:
        raise UnsupportedSyntax("'async for' is not supported in a mechanism.", value="async")

    def inner() -> Flow:
        if level + 1 == len(generators):
            return action()
        more = reader.expressions.evaluate(generators[level + 1].iter)
        return levels(reader, generators, level + 1, more, action)

    def body(item: Any) -> Flow:
        reader.statements.assign(generator.target, item)
        return _filtered(reader, generator.ifs, 0, inner) if generator.ifs else inner()

    reader.node = generator.iter
    return reader.loops.drive(rows, body, "what the comprehension runs through", node=generator.iter, nested=True)


def _filtered(reader: Reader, conditions: Sequence[ast.expr], place: int, action: Callable[[], Flow]) -> Flow:
    if place == len(conditions):
        return action()
    test = condition(reader, conditions[place])
    following = functools.partial(_filtered, reader, conditions, place + 1, action)
    return reader.statements.fork(test, following, lambda: reader.flows.normal)


def condition(reader: Reader, node: ast.expr) -> Term:
    """Return the condition of an 'if'."""
    value = reader.expressions.evaluate(node)
    reader.node = node
    return reader.expressions.tested(node, value)


@functools.lru_cache(maxsize=4096)
def names_in(node: Comprehension) -> frozenset[str]:
    """Return the names that a comprehension assigns."""
    return frozenset(
        inner.id for generator in node.generators for inner in ast.walk(generator.target) if isinstance(inner, ast.Name)
    )


class GeneratorExpression(Kind):
    """A generator expression; its content has the current iterator of each open level, else None.

    The names it uses are looked up when an item is taken, not when it is made.
    """

    def __init__(self, node: ast.GeneratorExp, frames: tuple[Frame, ...], code: Code, first: Any) -> None:
        self.node = node
        self.frames = frames
        self.code = code
        self.parts = (first,)
        self.endless = is_endless(first)
        self.whole = is_whole(first)
        self.in_step = len(node.generators) == 1 and not node.generators[0].ifs
        self.running = False

    def conditional(self, reader: Reader, box: IteratorBox) -> bool:
        levels_ = box.content
        fresh = isinstance(levels_, tuple) and levels_[0] is self.parts[0] and all(item is None for item in levels_[1:])
        if self.whole:
            return fresh and is_untouched(reader, self.parts[0])
        return fresh and (len(self.node.generators) > 1 or bool(self.node.generators[0].ifs))

    def _inside(self, reader: Reader, action: Callable[[], Any]) -> Any:
        if self.running:
            reader.worlds.fail(failure_like(ValueError(), "a generator that is just making an item is asked for one."))
        outer = (reader.code, reader.frames, reader.node)
        reader.code, reader.frames, self.running = self.code, self.frames, True
        try:
            return action()
        finally:
            (reader.code, reader.frames, reader.node), self.running = outer, False

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        content = box.content
        if isinstance(content, Alternatives) or any(isinstance(item, Alternatives) for item in content):
            options = (
                content if isinstance(content, Alternatives) else Alternatives(((reader.worlds.terms.true, content),))
            )
            return reader.worlds.each(options, lambda row: self._spread(reader, box, row))
        return self._resume(reader, box, content)

    def _spread(self, reader: Reader, box: IteratorBox, row: tuple[Any, ...]) -> Any:
        return reader.sequences.spread(row, lambda *known: self._resume(reader, box, known), prune=True)

    def _resume(self, reader: Reader, box: IteratorBox, content: tuple[Any, ...]) -> Any:
        if content[0] is None:
            return ENDED
        deepest = max(place for place, item in enumerate(content) if item is not None)
        return self._inside(reader, lambda: self._advance(reader, box, content, deepest))

    def _advance(self, reader: Reader, box: IteratorBox, content: tuple[Any, ...], level: int) -> Any:
        worlds = reader.worlds
        reader.node = self.node.generators[level].iter
        there, item = worlds.split(reader.iterators.step(content[level]), ENDED)
        return worlds.choose(
            there,
            lambda: self._bind(reader, box, content, level, item),
            lambda: self._leave(reader, box, content, level),
        )

    def _again(self, reader: Reader, box: IteratorBox, content: tuple[Any, ...], level: int) -> Any:
        reader.go_on()
        return self._advance(reader, box, content, level)

    def _leave(self, reader: Reader, box: IteratorBox, content: tuple[Any, ...], level: int) -> Any:
        if self.private and self.in_step:
            return ENDED  # and nobody asks again
        left = (*content[:level], *[None] * (len(content) - level))
        self.move(reader, box, left)
        return ENDED if level == 0 else self._again(reader, box, left, level - 1)

    def _bind(self, reader: Reader, box: IteratorBox, content: tuple[Any, ...], level: int, item: Any) -> Any:
        generator = self.node.generators[level]
        reader.statements.assign(generator.target, item)
        return self._check(reader, box, content, level, generator.ifs)

    def _check(
        self, reader: Reader, box: IteratorBox, content: tuple[Any, ...], level: int, ifs: Sequence[ast.expr]
    ) -> Any:
        if ifs:
            return reader.worlds.choose(
                condition(reader, ifs[0]),
                lambda: self._check(reader, box, content, level, ifs[1:]),
                lambda: self._again(reader, box, content, level),
            )
        if level + 1 == len(self.node.generators):
            return reader.expressions.evaluate(self.node.elt)
        rows = reader.expressions.evaluate(self.node.generators[level + 1].iter)
        entered = (*content[: level + 1], reader.iterators.of(rows), *content[level + 2 :])
        self.move(reader, box, entered)
        return self._advance(reader, box, entered, level + 1)

    def drive(self, reader: Reader, box: IteratorBox, body: Body) -> Flow:
        """Run ``body`` in the innermost loop, in the scope of the consumer."""
        outer = (reader.code, reader.frames)

        def innermost() -> Flow:
            item = reader.expressions.evaluate(self.node.elt)
            inner = (reader.code, reader.frames)
            (reader.code, reader.frames), self.running = outer, False
            try:
                return body(item)
            finally:
                (reader.code, reader.frames), self.running = inner, True

        if not self.whole:  # one that is whole knows itself whether it was left
            self.move(reader, box, (None,) * len(self.node.generators))
        flow = self._inside(reader, lambda: levels(reader, self.node.generators, 0, self.parts[0], innermost))
        assert isinstance(flow, Flow)
        return flow


class GeneratorFunction(Kind):
    """A generator function's call; a loop over it is nested in it, so it cannot be taken item by item."""

    def __init__(self, code: Code, variables: dict[str, Any]) -> None:
        self.code = code
        self.variables = variables

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        if isinstance(box.content, str) and box.content == "finished":
            return ENDED
        whole = "[(key, list(group)) for key, group in groupby(...)]" if self.code.name == "groupby" else "list(...)"
        raise UnsupportedValue(
            f"the generator '{self.code.name}' is taken item by item, or after a loop that has left it; "
            f"run through it once with 'for', or keep all its items with {whole}."
        )

    whole = True

    def conditional(self, reader: Reader, box: IteratorBox) -> bool:
        return isinstance(box.content, str) and box.content == "new"

    def drive(self, reader: Reader, box: IteratorBox, body: Body) -> Flow:
        reader.worlds.replace(box, "left")
        flow: Flow = reader.calls.run_generator(self.code, self.variables, body)
        false = reader.worlds.terms.false
        if flow.stops is false and flow.returns is false:  # who breaks or returns leaves it before its end
            reader.worlds.replace(box, "finished")
        return flow
