"""What importing the package, and listing mechanisms, may load: start-up is quick because little is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import taut

SOURCE = str(Path(taut.__file__).parent.parent)
LOADED = """
import sys
{before}
loaded = {{name.partition(".")[0] for name in sys.modules}}
print(*sorted(loaded & {{"flint", "numpy", "scipy", "lark", "oxidd", "matplotlib", "rich", "typer", "networkx"}}))
"""
LISTED = """
import contextlib, io, taut.interfaces.cli
sys.argv = ["taut", "list"]
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as printed:
    taut.interfaces.cli.main()
assert "randomized_response" in printed.getvalue()
"""

RUN = """
import contextlib, io, os, tempfile, taut.interfaces.cli
with tempfile.TemporaryDirectory() as folder:
    sys.argv = ["taut", "run", os.path.join(folder, "p.dice"), "--json"]
    with open(sys.argv[2], "w") as file:
        file.write("let x = flip 1/3 in (x, discrete(0.5, 0.5))")
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as printed:
        taut.interfaces.cli.main()
assert "1/6" in printed.getvalue()
"""


def loaded(code: str) -> list[str]:
    """The libraries of others that a fresh process has loaded after some code."""
    command = [sys.executable, "-c", LOADED.format(before=code)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": SOURCE})
    return done.stdout.split()


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("import taut", {"flint"}),
        ("from taut import mechanism, bits, flip, options", {"flint"}),
        ("import taut.mechanisms", {"flint"}),
        ("import taut.interfaces.cli", {"flint"}),
        (LISTED, {"flint", "rich"}),
        (RUN, {"flint"}),
        ("from taut.interfaces.cli import load_commands; load_commands('show')", {"flint", "numpy", "typer", "rich"}),
        ("import taut; taut.Model, taut.PrivacyBound, taut.PrivacySet", {"flint", "numpy"}),
        ("import taut.interfaces.cli.looking", {"flint", "numpy", "typer", "rich"}),
        ("import taut.interfaces.cli.asking, taut.interfaces.cli.looking", {"flint", "numpy", "typer", "rich"}),
    ],
)
def test_importing_loads_only_what_it_needs(code: str, allowed: set[str]) -> None:
    assert set(loaded(code)) <= allowed


def test_every_public_name_is_there() -> None:
    for name in taut.__all__:
        assert getattr(taut, name) is not None
    assert set(taut.__all__) <= set(dir(taut))


def test_no_name_that_is_imported_late_is_that_of_a_module() -> None:
    code = "import taut, taut.diagrams.compile as compile, taut.model as model\n"
    code += "import taut.model.model, taut.model.dice, taut.languages.python.reading\n"
    code += "for package in (taut, compile, model):\n"
    code += "    for name in package.__all__:\n"
    code += "        assert not isinstance(getattr(package, name), type(taut)), name\n"
    loaded(code)


def test_modules_are_attributes_and_nothing_else_is() -> None:
    assert taut.synthesis.problem.__name__ == "taut.synthesis.problem"  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="no attribute 'privat'"):
        taut.privat  # type: ignore[attr-defined]  # noqa: B018


READ = """
import taut
from taut.mechanisms import randomized_response
randomized_response(taut.bits(2), lam="1/5").privacy()
loaded = [name for name in sys.modules if name.startswith("taut.")]
assert "taut.languages.python.reader" in loaded
assert not {"taut.languages.python.run.tree", "taut.languages.dice", "taut.interfaces"} & set(loaded)
"""


def test_a_mechanism_that_is_read_loads_nothing_that_runs_functions() -> None:
    loaded(READ)
