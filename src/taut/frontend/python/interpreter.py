"""Statements: a mechanism read from its source, every random branch tried in its own world and merged."""

from __future__ import annotations

import ast
import enum
import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

from taut.errors import EndlessLoop, MechanismError, RealRandomness, UnsupportedSyntax, UnsupportedValue
from taut.frontend.python.builtins import FORBIDDEN
from taut.frontend.python.draws import Questions
from taut.frontend.python.expressions import Expressions
from taut.frontend.python.flow import Flow, Flows
from taut.frontend.python.operators import BINARY
from taut.frontend.python.values import (
    UNBOUND,
    Alternatives,
    Code,
    DictBox,
    Frame,
    Generator,
    ListBox,
    SetBox,
    Symbolic,
    is_scalar,
    kind_of,
)
from taut.frontend.python.worlds import PathEnds, World, failure_like
from taut.ir import CoinVariable, InputVariable, Term, Terms
from taut.limits import checkpoint

__all__ = ["Interpreter"]

_ORDINARY_ROUNDS = 20


class Interpreter(Expressions):
    """Reads one mechanism: symbolically, or with ``real`` randomness as an ordinary run."""

    def __init__(
        self,
        code: Code,
        terms: Terms,
        inputs: list[InputVariable],
        coins: list[CoinVariable],
        questions: Questions,
        max_rounds: int,
        real: bool = False,
    ) -> None:
        super().__init__(terms)
        self.inputs = inputs
        self.coins = coins
        self.questions = questions
        self.max_rounds = max_rounds
        self.real = real
        self.code = code
        self.node = code.source.node
        self.frames = ()
        self.depth = 0
        self.returned: ast.AST = self.node
        self.flows = Flows(self)

    def output(self, value: Any) -> Term:
        """A returned value as one term; lists become tuples."""
        value = self.bound(value, "the returned value")
        if isinstance(value, Symbolic):
            return value.term
        if isinstance(value, tuple):
            return self.terms.tuple([self.output(item) for item in value])
        if isinstance(value, Generator):
            raise UnsupportedValue("a mechanism cannot return a generator; return list(...) of it.", value=value)
        if isinstance(value, (ListBox, list)):
            return self._one_of([(guard, tuple(items)) for guard, items in self.rows(value)])
        if isinstance(value, Alternatives):
            return self._one_of(value.options)
        if isinstance(value, (DictBox, SetBox)) or not is_scalar(value) or _has_no_value(value):
            raise UnsupportedValue(
                f"a mechanism returns numbers, text, None, or lists and tuples of these; got {kind_of(value)}.",
                value=value,
            )
        return self.terms.const(value)

    def _one_of(self, options: Sequence[tuple[Term, Any]]) -> Term:
        made = [(guard, self.output(value)) for guard, value in options]
        result = made[-1][1]
        for guard, term in reversed(made[:-1]):
            result = self.terms.ite(guard, term, result)
        return result

    # -- bodies and blocks ---------------------------------------------------------------------------------------

    def run_body(self, code: Code) -> Any:
        body = code.source.node.body
        if isinstance(body, ast.expr):
            return self.evaluate(body)
        flow = self.block(body)
        if flow is self.flows.dead:
            raise PathEnds
        if flow.normal is not self.terms.false and flow.returns is not self.terms.true:
            flow = self.flows.then(flow, self.flows.returning(None))
        if not flow.results:
            raise PathEnds
        return self.flows.value(flow)

    def block(self, statements: Sequence[ast.stmt]) -> Flow:
        for place, statement in enumerate(statements):
            flow = self.statement(statement)
            if flow is self.flows.normal:
                continue
            if flow.normal is self.terms.false or place == len(statements) - 1:
                return flow
            following = functools.partial(self.block, statements[place + 1 :])
            found, changes = self.explore(flow.normal, following)
            rest = found if isinstance(found, Flow) else self.flows.dead
            self.merge_changes(flow.normal, changes, {}, dead=(rest is self.flows.dead, False))
            return self.flows.then(flow, rest)
        return self.flows.normal

    def statement(self, node: ast.stmt) -> Flow:
        self.node = node
        checkpoint()
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise UnsupportedSyntax(_ADVICE.get(type(node), _NO_ADVICE), value=type(node).__name__)
        flow = handler(self, node)
        return self.flows.normal if flow is None else flow

    # -- simple statements ---------------------------------------------------------------------------------------

    def return_(self, node: ast.Return) -> Flow:
        if self.depth == 1:
            self.returned = node
        return self.flows.returning(None if node.value is None else self.evaluate(node.value))

    def expression(self, node: ast.Expr) -> None:
        self.evaluate(node.value)

    def assign_all(self, node: ast.Assign) -> None:
        value = self.evaluate(node.value)
        for target in node.targets:
            self.assign(target, value)

    def assign_annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.evaluate(node.value))

    def assign_augmented(self, node: ast.AugAssign) -> None:
        name = BINARY.get(type(node.op))
        if name is None:
            raise UnsupportedSyntax("matrix multiplication '@' is not supported; write the sums.", value="@")
        if isinstance(node.target, ast.Subscript):
            container, index = self.evaluate(node.target.value), self.evaluate(node.target.slice)
            self.node = node.target
            old = self.read(container, index)
            new = self._augmented(node, name, old)
            self.node = node
            self.write(container, index, new)
            return
        if not isinstance(node.target, ast.Name):
            raise UnsupportedSyntax("attributes cannot be changed in a mechanism; use a variable.", value=name)
        old = self.name(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
        self.assign(node.target, self._augmented(node, name, old))

    def _augmented(self, node: ast.AugAssign, name: str, old: Any) -> Any:
        """The new value; lists grow in place."""
        value = self.evaluate(node.value)
        self.node = node
        if isinstance(old, Alternatives) and name == "add":
            return self.each(self.bound(old), lambda option: self._grown(option, value))
        if isinstance(old, ListBox) and name == "add":
            return self._grown(old, value)
        if isinstance(old, SetBox) and name == "bitor":
            for element in self.items(value):
                self.add_element(old, element)
            return old
        return self.binary(name, old, value)

    def _grown(self, old: Any, value: Any) -> Any:
        if not isinstance(old, ListBox):
            return self.binary("add", old, value)
        self.extend(old, value)
        return old

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.change(self._frame_of(target.id))[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        elif isinstance(target, ast.Subscript):
            container, index = self.evaluate(target.value), self.evaluate(target.slice)
            self.node = target
            self.write(container, index, value)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value)
        else:
            self.node = target
            raise UnsupportedSyntax("attributes cannot be set in a mechanism; use variables and lists.", value=target)

    def _frame_of(self, name: str) -> Frame:
        for frame in reversed(self.frames):
            if name in frame.names:
                return frame
        raise UnsupportedSyntax(
            f"'{name}' belongs to the world outside the mechanism and cannot be assigned in it; return the value.",
            value=name,
        )

    def _unpack(self, target: ast.Tuple | ast.List, value: Any) -> None:
        self.node = target
        if isinstance(value, Alternatives) and not all(isinstance(option, tuple) for _, option in value.options):
            rows = self.rows(value)
            value = self.alternatives([(guard, tuple(items)) for guard, items in rows])
        if isinstance(value, Alternatives):
            self.each(value, lambda option: self._unpack(target, option))
            return
        items = self.items(value, "what is unpacked")
        parts = target.elts
        starred = [place for place, part in enumerate(parts) if isinstance(part, ast.Starred)]
        if starred:
            after = len(parts) - starred[0] - 1
            if len(items) < len(parts) - 1:
                self.fail(failure_like(ValueError(), f"not enough values to unpack: {len(items)}."))
            middle = self.new_list(items[starred[0] : len(items) - after])
            items = [*items[: starred[0]], middle, *items[len(items) - after :]]
        if len(items) != len(parts):
            self.fail(failure_like(ValueError(), f"{len(items)} values cannot be unpacked into {len(parts)} names."))
        for part, item in zip(parts, items, strict=True):
            self.assign(part, item)

    def delete_all(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.change(self._frame_of(target.id))[target.id] = UNBOUND
            elif isinstance(target, ast.Subscript):
                container, index = self.evaluate(target.value), self.evaluate(target.slice)
                self.node = target
                if isinstance(container, ListBox) and isinstance(index, Symbolic):
                    self.pop(container, index)
                else:
                    self.delete(container, index)
            else:
                raise UnsupportedSyntax("'del' of an attribute is not supported in a mechanism.", value="del")

    def assert_(self, node: ast.Assert) -> None:
        holds = self.truth(self.evaluate(node.test))
        self.node = node
        problem = failure_like(AssertionError(), f"the assertion '{ast.unparse(node.test)}' fails.")
        self.must_not(self.terms.negate(holds), problem)

    def raise_(self, node: ast.Raise) -> Flow:
        what = "raise" if node.exc is None else ast.unparse(node.exc)
        return self.fail(MechanismError(f"the mechanism raises {what}.", value=what))

    def define(self, node: ast.FunctionDef) -> None:
        for inner in ast.walk(node):
            if isinstance(inner, (ast.Yield, ast.YieldFrom)):
                self.node = inner
                raise UnsupportedSyntax("'yield' makes a generator; collect the values in a list and return it.")
        value: Any = self.closure(node, node.name, node.args)
        for decorator in node.decorator_list:
            mark = self.evaluate(decorator)
            self.node = decorator
            if getattr(mark, "__module__", "").split(".")[0] != "taut":
                raise UnsupportedSyntax("a function inside a mechanism may only be decorated by @taut.helper.")
        self.change(self._frame_of(node.name))[node.name] = value

    def import_(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            module = node.module if isinstance(node, ast.ImportFrom) else alias.name
            if module is None or module.split(".")[0] in FORBIDDEN:
                raise RealRandomness(
                    f"'import {module}' inside a mechanism: real randomness, the clock and the outside world have no "
                    "exact distribution. Draw with taut.flip and the like.",
                    value=module,
                )
            try:
                loaded: Any = importlib.import_module(module)
                if isinstance(node, ast.ImportFrom):
                    loaded = getattr(loaded, alias.name)
                elif alias.asname is None:
                    loaded = importlib.import_module(module.split(".")[0])
            except (ImportError, AttributeError) as problem:
                raise MechanismError(f"cannot import '{alias.name}': {problem}.", value=alias.name) from None
            name = (alias.asname or alias.name).split(".")[0]
            self.change(self._frame_of(name))[name] = loaded

    def nothing(self, node: ast.stmt) -> None:
        """pass, and declarations that scopes have dealt with."""

    def break_(self, node: ast.Break) -> Flow:
        return self.flows.breaks

    def continue_(self, node: ast.Continue) -> Flow:
        return self.flows.continues

    # -- branches and loops --------------------------------------------------------------------------------------

    def if_(self, node: ast.If) -> Flow:
        value = self.evaluate(node.test)
        self.node = node
        test = self.decide(self.truth(value))
        if test is self.terms.true:
            return self.block(node.body)
        if test is self.terms.false:
            return self.block(node.orelse)
        a, b = self.branch(test, lambda: self.block(node.body), lambda: self.block(node.orelse))
        return self.flows.fork(
            test, a if isinstance(a, Flow) else self.flows.dead, b if isinstance(b, Flow) else self.flows.dead
        )

    def for_(self, node: ast.For) -> Flow:
        value = self.evaluate(node.iter)
        self.node = node
        rows = iter(self.presence(value, "what 'for' runs through"))

        current: list[Any] = [None]

        def advance() -> Term | None:
            row = next(rows, None)
            if row is None:
                return None
            current[0] = row[1]
            self.running[-1][1] += 1
            return row[0]

        def body() -> Flow:
            self.assign(node.target, current[0])
            return self.block(node.body)

        with self.running_through(value):
            return self._rounds(node, advance, body, node.orelse, self.running[-1][0].clear)

    def while_(self, node: ast.While) -> Flow:
        rounds = 0

        def advance() -> Term | None:
            nonlocal rounds
            rounds += 1
            self._limit(node, rounds)
            value = self.evaluate(node.test)
            self.node = node
            test = self.truth(value)
            return None if test is self.terms.false else test

        return self._rounds(node, advance, lambda: self.block(node.body), node.orelse)

    def _limit(self, node: ast.AST, rounds: int) -> None:
        """Stop a loop whose further rounds are impossible, and refuse one that goes on for too long."""
        self.node = node
        if self.world.guard is self.terms.true:
            if rounds > _ORDINARY_ROUNDS * self.max_rounds:
                raise EndlessLoop(
                    f"'while' still runs after {rounds - 1} rounds; if it ends, raise max_rounds with taut.options.",
                    value=rounds,
                )
            return
        if (rounds <= 16 or rounds & (rounds - 1) == 0) and not self.alive():
            raise PathEnds
        if rounds > self.max_rounds:
            if not self.alive():
                raise PathEnds
            raise EndlessLoop(
                f"'while' may still be running after {self.max_rounds} rounds; its condition must become false after "
                "finitely many, whatever the coins. Count the rounds and stop, or raise max_rounds with taut.options.",
                value=self.max_rounds,
            )

    def _rounds(
        self,
        node: ast.AST,
        advance: Callable[[], Term | None],
        body: Callable[[], Flow],
        orelse: Sequence[ast.stmt],
        finished: Callable[[], None] = lambda: None,
    ) -> Flow:
        """A loop. Each round that not all runs enter is a world inside the world of the round before.

        So what is ordinary stays ordinary inside (a counter is 0, 1, 2, ...), and the worlds are merged from the
        innermost outwards when the loop is over.
        """
        stack: list[tuple[str, Term, World | None, Flow]] = []
        dead, true, false = self.flows.dead, self.terms.true, self.terms.false
        tail = dead
        try:
            while True:
                checkpoint()
                test = advance()
                if test is None:
                    finished()
                    tail = self.block(orelse) if orelse else self.flows.normal
                    break
                self.decide(test)
                if test is not true:
                    stack.append(("enter", test, self.open(test), dead))
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
                stack.append(("proceed", proceed, self.open(proceed), flow))
        except PathEnds:
            pass
        finished()
        for kind, test, outer, flow in reversed(stack):
            changes = {} if outer is None else self.close(outer)
            if kind == "enter":
                ended, others = self.explore(self.terms.negate(test), lambda: self.block(orelse))
                over = ended if isinstance(ended, Flow) else dead
                self.merge_changes(test, changes, others, dead=(tail is dead, over is dead))
                tail = self.flows.fork(test, tail, over)
            else:
                self.merge_changes(test, changes, {}, dead=(tail is dead, False))
                tail = self.flows.round(flow, test, tail)
            if tail.normal is false and tail.returns is false:
                tail = dead
        return tail

    def loop(self, node: ast.comprehension, rows: Any, action: Callable[[], None]) -> None:
        items = iter(self.presence(rows, "what the comprehension runs through"))
        current: list[Any] = [None]

        def advance() -> Term | None:
            row = next(items, None)
            if row is None:
                return None
            current[0] = row[1]
            self.running[-1][1] += 1
            return row[0]

        def body() -> Flow:
            self.assign(node.target, current[0])
            action()
            return self.flows.normal

        with self.running_through(rows):
            if self._rounds(node.iter, advance, body, ()) is self.flows.dead:
                raise PathEnds


def _has_no_value(value: Any) -> bool:
    """Whether an object is equal to itself only, so that it is no output that two runs could share."""
    plain = getattr(type(value), "__eq__", None) is object.__eq__
    return plain and not isinstance(value, enum.Enum) and value is not None


_NO_ADVICE = "this statement is not supported in a mechanism."
_ADVICE: dict[type[ast.stmt], str] = {
    ast.Try: "'try' cannot depend on a random value. Decide with 'if', or move it outside the mechanism.",
    ast.With: "'with' is not supported in a mechanism; move it outside.",
    ast.ClassDef: "'class' is not supported in a mechanism; use tuples, lists and dictionaries.",
    ast.AsyncFunctionDef: "'async' is not supported in a mechanism; write a plain function.",
    ast.AsyncFor: "'async' is not supported in a mechanism; write a plain 'for'.",
    ast.AsyncWith: "'async' is not supported in a mechanism; move it outside.",
    ast.Match: "'match' is not supported in a mechanism; write 'if' and 'elif'.",
    ast.Global: "'global' is not supported in a mechanism: it would change the world outside; return the value.",
}
if hasattr(ast, "TryStar"):
    _ADVICE[ast.TryStar] = _ADVICE[ast.Try]
_HANDLERS: dict[type[ast.stmt], Callable[[Any, Any], Flow | None]] = {
    ast.Return: Interpreter.return_,
    ast.Expr: Interpreter.expression,
    ast.Assign: Interpreter.assign_all,
    ast.AnnAssign: Interpreter.assign_annotated,
    ast.AugAssign: Interpreter.assign_augmented,
    ast.Delete: Interpreter.delete_all,
    ast.Assert: Interpreter.assert_,
    ast.Raise: Interpreter.raise_,
    ast.FunctionDef: Interpreter.define,
    ast.Import: Interpreter.import_,
    ast.ImportFrom: Interpreter.import_,
    ast.Pass: Interpreter.nothing,
    ast.Nonlocal: Interpreter.nothing,
    ast.Break: Interpreter.break_,
    ast.Continue: Interpreter.continue_,
    ast.If: Interpreter.if_,
    ast.For: Interpreter.for_,
    ast.While: Interpreter.while_,
}
