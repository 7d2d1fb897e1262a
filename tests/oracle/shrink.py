"""Making a program smaller while it stays as bad as it is."""

import ast
import copy
from collections.abc import Callable, Iterator

from tests.oracle.generator import GeneratedProgram

__all__ = ["shrunk"]


def shrunk(program: GeneratedProgram, bad: Callable[[GeneratedProgram], bool], most: int = 1500) -> GeneratedProgram:
    """The smallest program that could be made by taking parts away, and that is still bad."""
    tried: set[str] = set()
    again = True
    while again and len(tried) < most:
        again = False
        for text in _smaller(program.text):
            if text in tried:
                continue
            tried.add(text)
            candidate = GeneratedProgram(text, program.databases, program.parameters)
            if bad(candidate):
                program, again = candidate, True
                break
            if len(tried) >= most:
                break
    return program


def _smaller(text: str) -> Iterator[str]:
    """Texts with one part less: a statement, a branch, an operand; large parts first."""
    tree = ast.parse(text)
    blocks = [
        (number, field, place)
        for number, node in enumerate(ast.walk(tree))
        for field in ("body", "orelse")
        if isinstance(getattr(node, field, None), list)
        for place in range(len(getattr(node, field)))
    ]
    for number, field, place in blocks:
        yield from _written(_without(tree, number, field, place))
        for kept in ("body", "orelse"):
            yield from _written(_unwrapped(tree, number, field, place, kept))
    for number, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.expr):
            for changed in _simpler(node):
                yield from _written(_with(tree, number, changed))


def _written(tree: ast.AST | None) -> Iterator[str]:
    if tree is None:
        return
    try:
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        names: dict[str, object] = {}
        exec(compile(text, "smaller", "exec"), names)
    except Exception:  # a part that something else needs
        return
    if "generated" in names:
        yield text


def _without(tree: ast.Module, number: int, field: str, place: int) -> ast.AST | None:
    made = copy.deepcopy(tree)
    block = getattr(_at(made, number), field)
    if isinstance(block[place], ast.FunctionDef) and block[place].name == "generated":
        return None
    del block[place]
    if not block and field == "body":
        block.append(ast.Pass())
    return made


def _unwrapped(tree: ast.Module, number: int, field: str, place: int, kept: str) -> ast.AST | None:
    made = copy.deepcopy(tree)
    block = getattr(_at(made, number), field)
    inner = getattr(block[place], kept, None)
    if isinstance(block[place], ast.FunctionDef) or not isinstance(inner, list) or not inner:
        return None
    block[place : place + 1] = inner
    return made


def _simpler(node: ast.expr) -> Iterator[ast.expr]:
    """Expressions that may stand in place of one: its parts, itself with an item less, small constants."""
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        for place in range(len(node.elts)):
            less = copy.deepcopy(node)
            del less.elts[place]
            yield less
    if isinstance(node, ast.Dict):
        for place in range(len(node.keys)):
            fewer = copy.deepcopy(node)
            del fewer.keys[place], fewer.values[place]
            yield fewer
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.expr):
            yield part
    if isinstance(node, ast.Constant):
        if type(node.value) is int and node.value not in (0, 1):
            yield ast.Constant(1)
        if type(node.value) is int and node.value != 0:
            yield ast.Constant(0)
    elif isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        yield ast.Constant(0)


def _with(tree: ast.Module, number: int, changed: ast.expr) -> ast.AST | None:
    made = copy.deepcopy(tree)
    target = _at(made, number)
    for parent in ast.walk(made):
        for field, value in ast.iter_fields(parent):
            if value is target:
                setattr(parent, field, copy.deepcopy(changed))
                return made
            if isinstance(value, list):
                for place, item in enumerate(value):
                    if item is target:
                        value[place] = copy.deepcopy(changed)
                        return made
    return None


def _at(tree: ast.AST, number: int) -> ast.AST:
    for place, node in enumerate(ast.walk(tree)):
        if place == number:
            return node
    raise IndexError(number)
