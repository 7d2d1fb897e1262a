"""Programs that the page opens on: built-in mechanisms with their real source, files, or a new one."""

from __future__ import annotations

import ast
import difflib
import inspect
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import taut
from taut.interfaces.play.form import typed
from taut.interfaces.queries import starter
from taut.interfaces.queries.functions import is_file
from taut.interfaces.queries.query import read_query
from taut.mechanisms import CATALOG, Wrapper, resolve
from taut.mechanisms.wrappers import WrapperEntry
from taut.model import Mechanism
from taut.questions.field import literal
from taut.support.errors import InvalidInput

__all__ = ["NEW", "Opening", "open_built_in", "open_new", "open_target", "program_of"]


_ORDINARY = "one_differ"


def program_of(name: str) -> str:
    """Return the program of a built-in mechanism.

    Guarantee:
        Run as a file, it defines a mechanism of that name with the distribution, and the neighbour relation, of the
        built-in one; it imports taut, the standard library and nothing else.

    Examples
    --------
    >>> print(program_of("rr_count"))  # doctest: +ELLIPSIS
    from taut import bits, flip, mechanism
    <BLANKLINE>
    <BLANKLINE>
    @mechanism
    def randomized_response(x, lam):
    ...
    if __name__ == "__main__":
        model = rr_count(bits(4), lam="1/5")
        print(model.privacy())
    <BLANKLINE>
    """
    entry = CATALOG[name]
    if isinstance(entry, WrapperEntry):
        text, arguments, used = _unwrapped(entry)
    else:
        text, arguments = _plain_source(entry.source), entry.arguments()
        used = [entry.mechanism.function]
    relation = str(entry.mechanism.neighbors_with(entry.arguments()))
    if relation != _ORDINARY:
        text = re.sub(r"^@mechanism$", f'@mechanism(neighbors="{relation}")', text, count=1, flags=re.MULTILINE)
    call = _call(entry.name, _parameters(text), arguments)
    pieces = [*_helpers(used, entry.name), text]
    body = "\n\n\n".join(piece.strip() for piece in pieces)
    tail = f'if __name__ == "__main__":\n    model = {call}\n    print(model.privacy())\n'
    imports = _imports(f"{body}\n{tail}", used)
    return f"{imports}\n\n\n{body}\n\n\n{tail}"


def _call(name: str, wanted: Iterable[tuple[str, Any]], arguments: dict[str, Any]) -> str:
    """Return a call of the mechanism; arguments that are the default are left out."""
    words = []
    for place, (key, default) in enumerate(wanted):
        if key in arguments and (place == 0 or repr(arguments[key]) != default):
            text = literal(arguments[key])
            words.append(text if place == 0 else f"{key}={text}")
    return f"{name}({', '.join(words)})"


def _parameters(text: str) -> list[tuple[str, str | None]]:
    """Return the parameters of the function that a text defines, with their defaults as text."""
    arguments = _function(ast.parse(text)).args
    names = [one.arg for one in arguments.args]
    defaults = [None] * (len(names) - len(arguments.defaults)) + [ast.unparse(one) for one in arguments.defaults]
    return list(zip(names, defaults, strict=True))


def _function(tree: ast.Module) -> ast.FunctionDef:
    return next(node for node in tree.body if isinstance(node, ast.FunctionDef))


def _plain_source(source: str) -> str:
    """Return a function as a user would write it: without annotations, and without the tests in its documentation."""
    source = textwrap.dedent(source)
    source = re.sub(r'(\n\s*)+>>> .*?(?=\n\s*""")', "", source, flags=re.DOTALL)
    source = re.sub(r'"""(.+)\n\s*"""', r'"""\1"""', source, count=1)
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    data = source.encode()
    cuts = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.arg) and node.annotation is not None:
            begin = starts[node.lineno - 1] + node.col_offset + len(node.arg.encode())
            cuts.append((begin, _end(starts, node.annotation)))
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            end = _end(starts, node.returns)
            cuts.append((data.rindex(b"->", 0, end), end))
    for begin, end in sorted(cuts, reverse=True):
        rest = data[end:]
        data = data[:begin].rstrip(b" ") + (b"=" + rest[3:] if rest.startswith(b" = ") else rest)
    text = data.decode()
    # a signature that was broken for its annotations fits on one line now
    return re.sub(r"^(def \w+)\(\n\s+(.*)\n\):", r"\1(\2):", text, count=1, flags=re.MULTILINE)


def _end(starts: list[int], node: ast.expr) -> int:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return starts[node.end_lineno - 1] + node.end_col_offset


def _ours(value: Any) -> Any:
    """Return the function of a built-in mechanism or of one of its helpers; None for anything else."""
    function = value.function if isinstance(value, Mechanism) else value
    ours = inspect.isfunction(function) and function.__module__.startswith("taut.mechanisms.")
    return function if ours else None


def _helpers(used: list[Any], without: str) -> list[str]:
    """Return the sources of our other functions that some functions use, each after what it uses itself."""
    found: dict[str, str] = {}

    def visit(function: Any) -> None:
        source = textwrap.dedent(inspect.getsource(function))
        for name in sorted(_names(source) & function.__globals__.keys()):
            inner = _ours(function.__globals__[name])
            if inner is not None and name not in found and name != without and _in_body(function, name):
                visit(inner)
        if function.__name__ != without:
            text = re.sub(r"\A.*?(?=^ *@(\w+\.)?(mechanism|helper)$|^def )", "", source, flags=re.DOTALL | re.MULTILINE)
            found[function.__name__] = _plain_source(text)

    for function in used:
        visit(function)
    return list(found.values())


def _in_body(function: Any, name: str) -> bool:
    """Return True if a name is used in the body of a function, not only in its decorators."""
    node = _function(ast.parse(textwrap.dedent(inspect.getsource(function))))
    return any(isinstance(part, ast.Name) and part.id == name for line in node.body for part in ast.walk(line))


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def _imports(body: str, used: list[Any]) -> str:
    """Return the imports that a body needs: from the standard library by what its functions saw, and from taut."""
    names = _names(body)
    seen = {key: value for function in used for key, value in function.__globals__.items()}
    for entry in CATALOG.values():
        seen |= {key: value for key, value in entry.mechanism.function.__globals__.items() if key not in seen}
    lines = []
    for name in sorted(names):
        value = seen.get(name)
        module = getattr(value, "__module__", None)
        if module and not module.startswith("taut") and module != "builtins" and name != "Any" and _ours(value) is None:
            lines.append(f"from {module} import {name}")
    public = sorted(name for name in names if name in taut.__all__ and _ours(seen.get(name)) is None)
    first = "\n".join(lines)
    return f"{first}\n\nfrom taut import {', '.join(public)}" if first else f"from taut import {', '.join(public)}"


# ----------------------------------------------------------------------------------------------------------- wrappers


def _unwrapped(entry: WrapperEntry) -> tuple[str, dict[str, Any], list[Any]]:
    """Return a wrapper around the mechanism that it is tried on, with that one's name and parameters in place."""
    wrapper: Wrapper = entry.wrapper
    arguments = entry.arguments()
    inner, mechanism = wrapper.wrapped(arguments[wrapper.inner])
    assert inner is not None
    prepared = wrapper.prepared(arguments)
    one_client = prepared.pop(wrapper.inner) is not mechanism
    handed = [name for name in inspect.signature(mechanism.function).parameters if name != "x"]
    tree = ast.parse(_plain_source(entry.source))
    function = _Inlined(wrapper.inner, inner.name, handed, one_client).visit(_function(tree))
    text = ast.unparse(ast.fix_missing_locations(function))
    text = re.sub(r"^(    )'''|'''$", r'\1"""', text)
    return text, prepared, [mechanism.function]


class _Inlined(ast.NodeTransformer):
    """Puts a mechanism in the place of the argument that stands for one, and its parameters in that of ``**``."""

    def __init__(self, argument: str, mechanism: str, handed: list[str], one_client: bool) -> None:
        self.argument, self.mechanism, self.handed, self.one_client = argument, mechanism, handed, one_client

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        own = node.args
        required = len(own.args) - len(own.defaults)
        kept = [one for one in own.args[:required] if one.arg != self.argument]
        own.args = [*kept, *[ast.arg(name) for name in self.handed], *own.args[required:]]
        own.kwarg = None
        node.body = [self.visit(line) for line in node.body]
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Name) and node.func.id == self.argument):
            return node
        node.func.id = self.mechanism
        node.keywords = [ast.keyword(name, ast.Name(name)) for name in self.handed]
        if not self.one_client:
            return node
        node.args = [ast.List([node.args[0]])]
        return ast.Subscript(node, ast.Constant(0))


NEW = "new mechanism"
FILE = "mechanism.py"
"""The name of the program in the editor, unless it was opened from a file."""


@dataclass(frozen=True)
class Opening:
    """A program for the editor, its chosen mechanism, and the initial texts of the form.

    It may be that of a built-in mechanism, or come from the file at ``path``.
    """

    code: str
    file: str
    mechanism: str | None = None
    texts: dict[str, str] = field(default_factory=dict)
    built_in: str | None = None
    path: Path | None = None

    @property
    def name(self) -> str:
        """The entry of the menu of programs."""
        return self.built_in or (NEW if self.path is None else self.file)


def open_built_in(name: str) -> Opening:
    """Return the program of a built-in mechanism."""
    return Opening(program_of(name), FILE, name, built_in=name)


def open_new() -> Opening:
    """Return the program that ``taut new`` writes."""
    return Opening(starter(FILE, "mechanism_of_mine"), FILE, "mechanism_of_mine")


def open_target(target: str | None, settings: Sequence[str]) -> Opening:
    """Open the target of ``taut play TARGET NAME=VALUE...``; a user's file is only read here, and not run.

    Raises:
        InvalidInput: there is no such mechanism or file, or a setting is not ``name=value``.
    """
    if target is None:
        return open_built_in("randomized_response")
    if not is_file(target):
        if target.endswith(".dice") or ".dice:" in target:
            raise InvalidInput("play: the page is for Python; 'taut run' and 'taut privacy' take Dice programs.")
        entry = resolve(target)
        if isinstance(entry, WrapperEntry) and settings:
            raise InvalidInput(
                f"play: {entry.name} opens with the mechanism that it is tried on; fill in its form on the page."
            )
        arguments = read_query(entry.name, settings).arguments
        texts = {name: typed(value) for name, value in arguments.items()} if settings else {}
        opening = open_built_in(entry.name)
        return Opening(
            opening.code,
            opening.file,
            entry.name,
            {name: text for name, text in texts.items() if text is not None},
            built_in=entry.name,
        )
    return _open_file(target, settings)


def _open_file(target: str, settings: Sequence[str]) -> Opening:
    name, _, function = target.rpartition(":") if ".py:" in target else (target, "", "")
    path = Path(name)
    if not path.is_file():
        near = difflib.get_close_matches(path.name, [one.name for one in path.parent.glob("*.py")], n=1)
        hint = f"; did you mean {near[0]}?" if near else "; 'taut new' writes one to start from."
        raise InvalidInput(f"there is no file '{path}'{hint}", value=str(path))
    try:
        code = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise InvalidInput(f"'{path}' cannot be read: {problem}.", value=str(path)) from None
    texts = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key.strip().isidentifier():
            raise InvalidInput(f"'{setting}' is not a setting; write name=value, like lam=1/5.", value=setting)
        texts[key.strip()] = text
    return Opening(code, path.name, function or None, texts, path=path.resolve())
