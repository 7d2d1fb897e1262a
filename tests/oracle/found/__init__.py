"""Programs on which taut and plain Python once differed, one per file, as ``tests.hunt`` writes them."""

import ast
from pathlib import Path

from tests.oracle.generator import GeneratedProgram

import taut

__all__ = ["FOLDER", "found_programs", "read", "written"]

FOLDER = Path(__file__).parent


def written(program: GeneratedProgram, detail: str) -> str:
    """A program as a file: its domains, what was wrong, its text."""
    domains = "".join(f"# {name} = {domain}\n" for name, domain in program.databases.items())
    told = "".join(f"#: {line}\n" for line in detail.splitlines())
    return f"{domains}{told}{program.text}"


def read(text: str) -> GeneratedProgram:
    """The program in a file."""
    databases = {}
    for line in text.splitlines():
        if line.startswith("# ") and " = " in line:
            name, domain = line[2:].split(" = ", 1)
            call = ast.parse(domain, mode="eval").body
            assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
            databases[name] = getattr(taut, call.func.id)(*[ast.literal_eval(argument) for argument in call.args])
    return GeneratedProgram(text, databases)


def found_programs() -> dict[str, GeneratedProgram]:
    """All programs that are kept, by the names of their files."""
    files = sorted(path for path in FOLDER.glob("*.py") if path.name != "__init__.py")
    return {path.stem: read(path.read_text()) for path in files}
