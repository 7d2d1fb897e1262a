"""Calls: of functions that are read themselves, of built-ins, of draws, and of ordinary Python on ordinary values."""

from __future__ import annotations

import ast
import inspect
import math
import sysconfig
import types
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from taut.errors import EndlessLoop, Place, RealRandomness, TautError, UnsupportedValue
from taut.frontend.python import randomness
from taut.frontend.python.builtins import BUILTINS, FORBIDDEN, Builtins
from taut.frontend.python.distributions import DISTRIBUTIONS
from taut.frontend.python.scopes import Outside, names_of
from taut.frontend.python.source import source_of
from taut.frontend.python.values import (
    Alternatives,
    Box,
    Code,
    Frame,
    Method,
    Symbolic,
    has_symbolic,
    is_scalar,
    kind_of,
)
from taut.frontend.python.worlds import PathEnds, failure_like
from taut.limits import checkpoint

__all__ = ["MARK", "Calls", "code_of", "is_library"]

MARK = "__taut_function__"
"""The attribute under which a mechanism or helper keeps the plain function that is to be read."""

_DRAWS = {getattr(randomness, name): name for name in DISTRIBUTIONS}
_LIBRARY = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_DEPTH = 200
_EXACT_MATHEMATICS = {
    math.floor,
    math.ceil,
    math.trunc,
    math.gcd,
    math.lcm,
    math.comb,
    math.perm,
    math.factorial,
    math.isqrt,
    math.prod,
}
_READABLE = {"get", "items", "keys", "values", "index", "count", "copy"}


class Calls(Builtins):
    """Function calls in the current world."""

    code: Code
    node: ast.AST
    frames: tuple[Frame, ...]
    depth: int

    @property
    def place(self) -> Place | None:
        return self.code.source.place(self.node)

    def run_body(self, code: Code) -> Any:
        """Interpret the body of a function whose arguments stand in the innermost frame."""
        raise NotImplementedError

    def call(self, function: Any, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        if isinstance(function, Alternatives):
            return self.each(function, lambda option: self.call(self.bound(option), args, keywords))
        if isinstance(function, Code):
            return self.call_code(function, args, keywords)
        if isinstance(function, Method):
            return self.method(function.owner, function.name, args, keywords)
        if isinstance(function, (Symbolic, Box)) or not callable(function):
            return self.fail(failure_like(TypeError(), f"{kind_of(function)} is not a function and cannot be called."))
        marked = getattr(function, MARK, None)
        if marked is not None:
            return self.call_code(code_of(marked), args, keywords)
        known = _lookup(BUILTINS, function)
        if known is not None:
            return self._built_in(function, known, args, keywords)
        name = _lookup(_DRAWS, function)
        if name is not None:
            bound = self._bound(function, args, keywords)
            return self.draw(name, list(bound.values()))
        if function is randomness.observe:
            return self.observe(*self._bound(function, args, keywords).values())
        self._refuse_world_outside(function)
        if isinstance(function, types.FunctionType) and not is_library(function):
            if _is_generator(function):
                raise UnsupportedValue(f"'{function.__name__}' is a generator function; return a list instead.")
            if has_symbolic([*args, *keywords.values()]) or _has_source(function):
                return self.call_code(code_of(function, may_branch=function.__name__ == "<lambda>"), args, keywords)
        return self._native(function, args, keywords)

    def native_method(self, owner: Any, name: str, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        if type(owner) in (list, dict, set):
            if name not in _READABLE:
                raise UnsupportedValue(
                    f"'.{name}' would change something that is defined outside the mechanism; change a copy of it."
                )
            return self.method(self.import_value(owner), name, args, keywords)
        try:
            function = getattr(owner, name)
        except AttributeError as problem:
            return self.fail(failure_like(problem))
        if isinstance(owner, str) and name == "join" and has_symbolic(args):
            return self._joined_text(owner, self.items(args[0]))
        return self.call(function, args, keywords)

    def call_code(self, code: Code, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Interpret a function on these arguments."""
        local, _ = names_of(code.source.node)
        variables = self._arguments(code, args, keywords)
        outer = (self.code, self.frames, self.node)
        self.depth += 1
        checkpoint()
        if self.depth > _DEPTH:
            raise EndlessLoop(
                f"calls of '{code.name}' are nested more than {_DEPTH} deep; a recursion must end after finitely "
                "many rounds whatever the coins.",
                value=code.name,
            )
        if self.depth > 16 and self.depth & (self.depth - 1) == 0 and not self.alive():
            self.depth -= 1
            raise PathEnds
        self.code, self.frames = code, (*code.frames, Frame(variables, self.world, local))
        try:
            return self.run_body(code)
        except TautError as problem:
            problem.at(self.place)
            raise
        finally:
            self.code, self.frames, self.node = outer
            self.depth -= 1

    def alive(self) -> bool:
        """Whether the current world is possible at all."""
        return self.feasible(self.terms.true)

    def _arguments(self, code: Code, args: Sequence[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        """The variables of a call, as Python binds them."""
        spec = code.source.node.args
        names = [argument.arg for argument in [*spec.posonlyargs, *spec.args]]
        rest = list(args[len(names) :])
        variables = dict(zip(names, args, strict=False))
        if rest and spec.vararg is None:
            return self._wrong_call(code, f"takes {len(names)} arguments, got {len(args)}")
        if spec.vararg is not None:
            variables[spec.vararg.arg] = tuple(rest)
        optional = dict(zip(names[len(names) - len(code.defaults) :], code.defaults, strict=True))
        optional.update(code.keyword_defaults)
        allowed = {*[argument.arg for argument in [*spec.args, *spec.kwonlyargs]]}
        extra = {}
        for name, value in keywords.items():
            if name in variables and name in allowed:
                return self._wrong_call(code, f"got two values for '{name}'")
            if name in allowed:
                variables[name] = value
            else:
                extra[name] = value
        if extra and spec.kwarg is None:
            return self._wrong_call(code, f"has no argument '{next(iter(extra))}'")
        if spec.kwarg is not None:
            variables[spec.kwarg.arg] = self.import_value(extra)
        for name in [*names, *[argument.arg for argument in spec.kwonlyargs]]:
            if name not in variables:
                if name not in optional:
                    return self._wrong_call(code, f"misses the argument '{name}'")
                variables[name] = self.import_value(optional[name])
        return variables

    def _wrong_call(self, code: Code, problem: str) -> NoReturn:
        self.fail(failure_like(TypeError(), f"{code.name}() {problem}."))

    def _bound(self, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return dict(inspect.signature(function).bind(*args, **keywords).arguments)
        except TypeError as problem:
            return self.fail(failure_like(problem, f"{function.__name__}: {problem}."))

    def _built_in(self, function: Any, known: Any, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        try:
            inspect.signature(known).bind(self, *args, **keywords)
        except TypeError as problem:
            name = getattr(function, "__name__", "the function")
            return self.fail(failure_like(problem, f"{name}(...): {problem}."))
        return known(self, *args, **keywords)

    def _joined_text(self, separator: str, items: Sequence[Any]) -> Any:
        text: Any = ""
        for place, item in enumerate(items):
            text = self.binary("add", text, separator if place else "")
            text = self.binary("add", text, item)
        return text

    def _refuse_world_outside(self, function: Any) -> None:
        owner = getattr(function, "__self__", None)
        modules = {
            str(getattr(function, "__module__", None)),
            str(getattr(owner, "__module__", None)) if isinstance(owner, type) else type(owner).__module__,
            str(getattr(owner, "__name__", "")) if isinstance(owner, types.ModuleType) else "",
        }
        for module in modules:
            if any(module == name or module.startswith(name + ".") for name in FORBIDDEN):
                name = getattr(function, "__name__", repr(function))
                raise RealRandomness(
                    f"'{module}.{name}' inside a mechanism: real randomness, the clock and the outside world have no "
                    "exact distribution. Draw with taut.flip, discrete, uniform, binomial, geometric or exponential.",
                    value=name,
                )

    def _native(self, function: Any, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Ordinary Python on ordinary values; what it is given is a copy, so it must not change it."""
        name = getattr(function, "__name__", repr(function))
        if has_symbolic([*args, *keywords.values()]):
            if function in _EXACT_MATHEMATICS and not keywords:
                return self._mathematical(function, args)
            raise UnsupportedValue(
                f"'{name}' is ordinary Python that cannot take a random value exactly. Write it as a function marked "
                "@taut.helper, or with the operators that a mechanism knows."
            )
        plain = [self.export_value(arg) for arg in args]
        before = repr(plain)
        try:
            result = function(*plain, **{key: self.export_value(value) for key, value in keywords.items()})
        except TautError:
            raise
        except Exception as problem:
            return self.fail(failure_like(problem))
        if any(isinstance(arg, Box) for arg in args) and repr(plain) != before:
            raise UnsupportedValue(f"'{name}' changes a list in place, which cannot be followed; use list methods.")
        return self.import_value(result)

    def _mathematical(self, function: Any, args: Sequence[Any]) -> Any:
        values = [self.tuple_(arg) if isinstance(arg, Box) else arg for arg in args]
        if function is math.prod:
            product: Any = 1
            for item in self.items(values[0]):
                product = self.binary("mul", product, item)
            return product
        for value in values:
            if isinstance(value, Alternatives) or not (isinstance(value, Symbolic) or is_scalar(value)):
                raise UnsupportedValue(f"math.{function.__name__} of {kind_of(value)} has no exact meaning here.")
        return self.pointwise(function, *values)


def code_of(function: Any, may_branch: bool = True) -> Code:
    """A plain Python function as code that can be interpreted."""
    return Code(
        source=source_of(function),
        name=function.__name__,
        frames=(),
        outside=Outside(function),
        defaults=function.__defaults__ or (),
        keyword_defaults=function.__kwdefaults__ or {},
        may_branch=may_branch,
    )


def is_library(function: types.FunctionType) -> bool:
    """Whether a function is not the user's own: it is called, not read."""
    return function.__code__.co_filename.startswith(_LIBRARY) or (function.__module__ or "").split(".")[0] == "taut"


def _is_generator(function: types.FunctionType) -> bool:
    return bool(function.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR))


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
