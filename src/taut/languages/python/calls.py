"""Calls: of user functions that are read, of built-ins, of draws, of classes, and of ordinary Python."""

from __future__ import annotations

import ast
import functools
import inspect
import sysconfig
import types
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from taut.languages.python import randomness
from taut.languages.python.builtin_functions import BUILTINS
from taut.languages.python.distributions import DISTRIBUTIONS
from taut.languages.python.failures import PathEnds, failure_like, wrong_call
from taut.languages.python.generators import GeneratorFunction
from taut.languages.python.iterators import Body
from taut.languages.python.kinds import is_record, refuse_unlike_tuple
from taut.languages.python.library import LIBRARY
from taut.languages.python.prelude import prelude
from taut.languages.python.run.needs import draws_itself, draws_really, is_source, makes_generator
from taut.languages.python.source import MARK, Outside, is_generator, names_of, source_of
from taut.languages.python.values import (
    Alternatives,
    Box,
    Code,
    DictView,
    Followed,
    Frame,
    Method,
    Partial,
    RecordValue,
    Symbolic,
    Uniform,
    has_symbolic,
    kind_of,
)
from taut.languages.python.worlds import Flow
from taut.program import Term
from taut.support.errors import EndlessLoop, TautError, UnsupportedValue
from taut.support.limits import checkpoint

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["Calls", "Recursion", "code_of", "is_library"]

_DRAWS = {getattr(randomness, name): name for name in DISTRIBUTIONS}
_LIBRARY = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_SPOKEN = prelude.__module__
_FOLLOWED = {**LIBRARY, **BUILTINS}


class Calls:
    """Function calls in the current world."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds
        self._fitting: set[tuple[Any, ...]] = set()
        """Functions with argument counts and keyword names that are known to fit them."""
        self._run: dict[tuple[int, int], tuple[Any, Any, bool]] = {}
        """Functions by identity, with their owners, and True for those that are run."""
        self._recursion = Recursion(reader)

    def call(self, function: Any, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        if isinstance(function, Alternatives):
            return self.worlds.each(function, lambda option: self.call(option, args, keywords))
        if isinstance(function, Code):
            return self.call_code(function, args, keywords)
        if isinstance(function, Method):
            return self.reader.attributes.call(function, args, keywords)
        if isinstance(function, Partial):
            return self.call(function.function, [*function.args, *args], {**function.keywords, **keywords})
        if isinstance(function, Followed):
            return self._followed(function, function.function, args, keywords)
        if isinstance(function, (Symbolic, Box, RecordValue, DictView)) or not callable(function):
            message = f"{kind_of(function)} is not a function and cannot be called."
            return self.worlds.fail(failure_like(TypeError(), message))
        if self.reader.inline is not None and makes_generator(function):
            return self.reader.inline.generator(
                function, any(value is not None for value in [*args, *keywords.values()])
            )
        kept = self.reader.inline is not None and any(map(_is_kept, args))
        if kept and self.reader.kept.knows(function):
            return self.reader.kept.call(function, args)
        if self._is_run(function, args, keywords):
            if not self.reader.may_draw:  # so that a source of random numbers is refused, and not asked pair by pair
                self.reader.foreign.refuse_forbidden(function)
            if self.reader.inline is not None and (kept or self.reader.runs.are_many([*args, *keywords.values()])):
                inner = getattr(function, "__func__", function)
                if isinstance(inner, types.FunctionType) and not is_library(inner) and not is_source(function):
                    owner = [function.__self__] if isinstance(function, types.MethodType) else []
                    return self.call_code(code_of(inner), [*owner, *args], keywords)
            return self.reader.runs.call(function, args, keywords)
        if _is_read_method(function, args, keywords):
            inner, args = function.__func__, [function.__self__, *args]
            if isinstance(inner, types.FunctionType) and not is_library(inner):
                return self.call_code(code_of(inner), args, keywords)
            return self.call(inner, args, keywords)
        marked = marked_function(function)
        if marked is not None:
            return self.call_code(code_of(marked), args, keywords)
        spoken = prelude(function)
        if spoken is not None:
            return self.call_code(code_of(spoken), args, keywords)
        known = _lookup(_FOLLOWED, function)
        if known is not None:
            return self._followed(function, known, args, keywords)
        name = _lookup(_DRAWS, function)
        if name is not None:
            return self.reader.draws.draw(name, list(self._bound(function, args, keywords).values()))
        if function is randomness.observe:
            return self.reader.draws.observe(*self._bound(function, args, keywords).values())
        if isinstance(function, type):
            return self._instance(function, args, keywords)
        self.reader.foreign.refuse_forbidden(function)
        own = isinstance(function, types.FunctionType) and (not is_library(function) or function.__module__ == _SPOKEN)
        if own and (has_symbolic([*args, *keywords.values()]) or _has_source(function)):
            return self.call_function(function, args, keywords)
        return self.reader.foreign.call(function, args, keywords)

    def _is_run(self, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
        """Return True for sources of randomness, and for functions and methods that draw with them."""
        if isinstance(function, type) or marked_function(function) is not None or _lookup(_FOLLOWED, function):
            return False
        if any(map(is_source, [*args, *keywords.values()])):
            return True
        owner = getattr(function, "__self__", None)
        key = id(getattr(function, "__func__", function)), id(owner)
        known = self._run.get(key)
        if known is None or known[0] is not owner:
            own = isinstance(function, types.FunctionType) and not is_library(function)
            runs = is_source(function) or draws_itself(function) or (not own and draws_really(function))
            known = self._run[key] = owner, function, runs
        return known[2]

    def call_function(self, function: types.FunctionType, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Interpret a user function at its call; only a lambda or a marked function may branch on random values.

        Code that draws with real sources of randomness knows no marks, so there every function may.
        """
        marked = marked_function(function) is not None or function.__module__ == _SPOKEN
        marked = marked or self.reader.inline is not None
        return self.call_code(code_of(function, marked or function.__name__ == "<lambda>"), args, keywords)

    def _followed(self, function: Any, known: Any, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        shape = (known, len(args), *keywords)
        if shape not in self._fitting:
            try:
                signature_of(known).bind(self.reader, *args, **keywords)
            except TypeError as problem:
                name = getattr(function, "__name__", "the function")
                return self.worlds.fail(wrong_call(name, signature_of(known), problem, skip=1))
            self._fitting.add(shape)
        return known(self.reader, *args, **keywords)

    # -- classes -------------------------------------------------------------------------------------------------

    def _instance(self, kind: type, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Make an instance of a class; namedtuples and frozen dataclasses may have random fields."""
        if issubclass(kind, tuple) and hasattr(kind, "_fields") and kind.__new__ is not tuple.__new__:
            refuse_unlike_tuple(kind)
            try:
                return kind(*args, **keywords)
            except TypeError as problem:
                return self.worlds.fail(failure_like(problem))
        values = [*args, *keywords.values()]
        if is_record(kind) and any(has_symbolic(value) or isinstance(value, (Box, tuple)) for value in values):
            return self._record(kind, args, keywords)
        if is_record(kind) and not hasattr(kind, "__post_init__"):
            try:
                return kind(*args, **keywords)
            except TypeError as problem:
                return self.worlds.fail(failure_like(problem))
        if has_symbolic(values):
            if issubclass(kind, BaseException):
                return kind()
            raise UnsupportedValue(
                f"an instance of '{kind.__name__}' with random values in it cannot be followed; use a tuple, a "
                "namedtuple or a frozen dataclass."
            )
        self.reader.foreign.refuse_forbidden(kind)
        return self.reader.foreign.call(kind, args, keywords)

    def _record(self, kind: Any, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        if hasattr(kind, "__post_init__"):
            raise UnsupportedValue(f"'{kind.__name__}' has a __post_init__, which cannot take random values.")
        bound = inspect.signature(kind).bind(*args, **keywords)
        bound.apply_defaults()
        names = tuple(kind.__dataclass_fields__)
        if set(names) != set(bound.arguments):
            raise UnsupportedValue(f"'{kind.__name__}' has fields that its call does not give.")
        return RecordValue(kind, names, tuple([bound.arguments[name] for name in names]))

    # -- functions that are read ---------------------------------------------------------------------------------

    def call_code(self, code: Code, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Interpret a function on these arguments."""
        variables = self._arguments(code, args, keywords)
        if is_generator(code.source.node):
            return self.reader.iterators.new(GeneratorFunction(code, variables), "new")
        return self._entered(code, variables, lambda: self.reader.statements.run_body(code))

    def run_generator(self, code: Code, variables: dict[str, Any], body: Body) -> Flow:
        """Interpret a generator function; ``body`` runs at each 'yield'."""
        reader = self.reader
        terms = self.worlds.terms
        outer = (reader.code, reader.frames)
        results: list[tuple[Term, Any]] = []
        returned: list[Term] = []

        def consume(item: Any) -> Flow:
            inner = (reader.code, reader.frames, reader.yields)
            reader.code, reader.frames = outer
            reader.yields = before
            try:
                flow = body(item)
            finally:
                reader.code, reader.frames, reader.yields = inner
            if not flow.results:
                return flow
            # To return from the loop is to want no more items; what is returned is kept under the whole condition.
            here = terms.all(self.worlds.world.guard, flow.returns)
            results.extend([(terms.all(here, own), value) for own, value in flow.results])
            returned.append(here)
            stops = terms.any(flow.stops, flow.returns)
            return Flow(flow.normal, terms.false, flow.breaks, flow.continues, stops)

        before, reader.yields = reader.yields, consume
        try:
            flow = self._entered(code, variables, lambda: reader.statements.block(code.source.node.body))  # type: ignore[arg-type]
        finally:
            reader.yields = before
        assert isinstance(flow, Flow)
        if flow is reader.flows.dead:
            return flow
        normal, returns = terms.any(flow.normal, flow.returns), terms.any(*returned)
        stops = terms.all(flow.stops, terms.negate(returns))
        return Flow(normal, returns, terms.false, terms.false, stops, tuple(results))

    def _entered(self, code: Code, variables: dict[str, Any], action: Any) -> Any:
        reader = self.reader
        local, _ = names_of(code.source.node)
        outer = (reader.code, reader.frames, reader.node, reader.called_at)
        own = code.python is not None and is_library(code.python)
        reader.called_at = reader.called_at or reader.place if own else None
        try:
            checkpoint()
            with self._recursion.call(code):
                reader.code, reader.frames = code, (*code.frames, Frame(variables, self.worlds.world, local))
                try:
                    return action()
                except TautError as problem:
                    problem.at(reader.error_place)
                    raise
        finally:
            reader.code, reader.frames, reader.node, reader.called_at = outer

    def _arguments(self, code: Code, args: Sequence[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        """Return the variables of a call, bound as in Python."""
        spec = code.source.node.args
        names = [argument.arg for argument in [*spec.posonlyargs, *spec.args]]
        rest = list(args[len(names) :])
        variables = dict(zip(names, args, strict=False))
        if rest and spec.vararg is None:
            return self._wrong_call(code, f"is called with {len(args)} arguments")
        if spec.vararg is not None:
            variables[spec.vararg.arg] = tuple(rest)
        optional = dict(zip(names[len(names) - len(code.defaults) :], code.defaults, strict=True))
        optional.update(code.keyword_defaults)
        allowed = {*[argument.arg for argument in [*spec.args, *spec.kwonlyargs]]}
        extra = {}
        for name, value in keywords.items():
            if name in variables and name in allowed:
                return self._wrong_call(code, f"is called with two values for '{name}'")
            if name in allowed:
                variables[name] = value
            else:
                extra[name] = value
        if extra and spec.kwarg is None:
            return self._wrong_call(code, f"has no argument '{next(iter(extra))}'")
        if spec.kwarg is not None:
            variables[spec.kwarg.arg] = self.reader.dicts.new(list(extra.items()))
        for name in [*names, *[argument.arg for argument in spec.kwonlyargs]]:
            if name not in variables:
                if name not in optional:
                    return self._wrong_call(code, f"is called without '{name}', which has no default")
                default = optional[name]
                variables[name] = default if code.python is None else self.reader.import_outside(default)
        return variables

    def _wrong_call(self, code: Code, problem: str) -> NoReturn:
        shape = f"{code.name}({ast.unparse(code.source.node.args)})"
        self.worlds.fail(failure_like(TypeError(), f"{shape} {problem}."))

    def _bound(self, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        try:
            bound = signature_of(function).bind(*args, **keywords)
            bound.apply_defaults()
            return dict(bound.arguments)
        except TypeError as problem:
            return self.worlds.fail(wrong_call(function.__name__, signature_of(function), problem))


@functools.lru_cache(maxsize=1024)
def signature_of(function: Any) -> inspect.Signature:
    """Return the signature of one of taut's functions, cached."""
    return inspect.signature(function)


def _is_kept(value: Any) -> bool:
    """Return True for a uniform number that is kept, and for what may be one."""
    if isinstance(value, Alternatives):
        return any(isinstance(option, Uniform) for _, option in value.options)
    return isinstance(value, Uniform)


def marked_function(function: Any) -> Any:
    """Return the plain function of a mechanism or helper; None for a wrapper that merely copies the mark."""
    marked = getattr(function, MARK, None)
    if marked is None or isinstance(function, type):
        return None
    own = marked is function or getattr(function, "function", None) is marked
    return marked if own else None


def _is_read_method(function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Return True for a method that is interpreted as a function with its owner as first argument.

    These are the methods of classes, helpers, and methods of the user that are given something random.
    """
    if not isinstance(function, types.MethodType):
        return False
    inner = function.__func__
    if isinstance(function.__self__, type) or marked_function(inner) is not None:
        return True
    own = isinstance(inner, types.FunctionType) and not is_library(inner)
    return own and has_symbolic([*args, *keywords.values()])


def code_of(function: Any, may_branch: bool = True) -> Code:
    """Return a plain Python function as interpretable code."""
    return Code(
        source=source_of(function),
        name=function.__name__,
        frames=(),
        outside=Outside(function),
        defaults=function.__defaults__ or (),
        keyword_defaults=function.__kwdefaults__ or {},
        may_branch=may_branch,
        python=function,
    )


def is_library(function: types.FunctionType) -> bool:
    """Return True if a function belongs to a library: it is called, not interpreted."""
    return function.__code__.co_filename.startswith(_LIBRARY) or (function.__module__ or "").split(".")[0] == "taut"


def _has_source(function: types.FunctionType) -> bool:
    try:
        source_of(function)
    except TautError:
        return False
    return True


def _lookup(table: Mapping[Any, Any], function: Any) -> Any:
    try:
        return table.get(function)
    except TypeError:
        return None


_DEPTH = 200
_CALLS = 20
"""Number of calls allowed per allowed loop round: a tree of calls has more calls than a loop has rounds."""


class Recursion:
    """The calls that are being read.

    A function that calls itself in two branches of a random value has a tree of calls, most of which contradict the
    conditions that lead to them: ``v < 0`` and then ``-v < 0``. So each call inside a call of the same function asks
    whether any run gets there. The calls that remain in random branches are counted like rounds of a loop.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._open: Counter[int] = Counter()
        """Number of open calls of a function, by the identity of its syntax tree."""
        self._made: Counter[int] = Counter()
        """Number of calls in random branches made by the outermost call."""

    @contextmanager
    def call(self, code: Code) -> Iterator[None]:
        """Enter a call of a function; refuse one nested too deeply, end the path if no run reaches it."""
        key = id(code.source.node)
        self.reader.depth += 1
        self._open[key] += 1
        try:
            self._check(code, key)
            yield
        finally:
            self.reader.depth -= 1
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key], self._made[key]

    def _check(self, code: Code, key: int) -> None:
        reader = self.reader
        if self._open[key] > 1 and not reader.worlds.ordinary:
            if not reader.alive():
                raise PathEnds
            self._made[key] += 1
            most = _CALLS * reader.max_rounds
            if self._made[key] > most:
                raise EndlessLoop(
                    f"'{code.name}' has called itself more than {most} times in branches of random "
                    "values; a recursion must end after finitely many calls, whatever the coins. Write a loop or raise "
                    "max_rounds with taut.options.",
                    value=code.name,
                )
        if reader.depth > _DEPTH:
            raise EndlessLoop(
                f"calls of '{code.name}' are nested more than {_DEPTH} deep; a recursion must end after finitely "
                "many rounds whatever the coins. Write it as a loop.",
                value=code.name,
            )
