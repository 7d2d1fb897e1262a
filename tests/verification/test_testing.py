"""The pytest plugin and ``taut.testing``."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import taut
from taut import NoNeighbors, bits, categories, ints
from taut.mechanisms import above_threshold, randomized_response, rr_count
from taut.verification.testing import assert_accurate, assert_private, databases, neighbor_pairs

CLAIMS = """
import taut
from taut import bits, flip, mechanism

@taut.claim(x=bits(3), lam="1/4", ratio=3)
@taut.claim(x=bits(3), lam="1/5", epsilon=1)
@mechanism
def noisy(x, lam):
    return [bit ^ flip(lam) for bit in x]

@taut.claim(ratio=3)
def incomplete(x):
    return x[0] ^ flip("1/4")

def test_ordinary():
    assert True
"""


def pytest_run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "pytest_taut", "-q", *options]
    source = str(Path(taut.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {name: value for name, value in environment.items() if not name.startswith("PYTEST")}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = (
        "1"  # also where the plugin is installed, it is loaded by name, once
    )
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


def test_claims_are_collected(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(CLAIMS)
    ran = pytest_run(tmp_path)
    assert ran.returncode == 1 and "2 failed, 2 passed" in ran.stdout, ran.stdout + ran.stderr
    assert (
        "noisy: fails: eps <= 1 for one_differ neighbours; eps = 1.38629 (e^eps = 4 exactly), at x=(0, 0, 0)"
        in ran.stdout
    )
    assert "claim on 'incomplete': x is not given" in ran.stdout and "Traceback" not in ran.stdout
    chosen = pytest_run(tmp_path, "test_mine.py::noisy[x=bits(3): e^eps <= 3]")
    assert chosen.returncode == 0 and "1 passed" in chosen.stdout


def test_an_unrelated_run_does_not_import_taut(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text("import sys\n\ndef test_it():\n    assert 'taut' not in sys.modules\n")
    ran = pytest_run(tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_entry_point_is_declared() -> None:
    project = (Path(taut.__file__).parents[2] / "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\ntaut = "pytest_taut"' in project


def test_assertions() -> None:
    model = randomized_response(bits(3), lam="1/5")
    assert assert_private(model, ratio=5).slack == 1
    with pytest.raises(AssertionError, match=r"fails: eps <= 1 .* at x=\(0, 0, 0\)"):
        assert_private(model, 1)
    with pytest.raises(AssertionError, match="fails: delta <= 1/10"):
        assert_private(model, 1, "1/10")
    assert assert_accurate(rr_count(bits(4), lam="1/5"), sum, 1, "0.8").value == Fraction(512, 625)
    with pytest.raises(AssertionError, match=r"fails: 1-beta >= 0\.9 within 1 of sum"):
        assert_accurate(rr_count(bits(4), lam="1/5"), sum, 1, "0.9")


@given(st.data())
def test_databases_and_pairs_belong_to_their_domain(data: Any) -> None:
    domain = data.draw(st.sampled_from([bits(3), ints(2, -1, 2), categories(2, "abc"), bits(2).optional()]))
    assert data.draw(databases(domain)) in domain
    name = "add_remove" if None in domain.values else data.draw(st.sampled_from(["one_differ", "one_step"]))
    if name == "one_step" and not all(isinstance(value, int) for value in domain.values):
        name = "one_differ"
    x, x_prime = data.draw(neighbor_pairs(domain, name))
    assert x in domain and x_prime in domain and x != x_prime
    assert sum(a != b for a, b in zip(x, x_prime, strict=True)) == 1


def test_pairs_of_a_model_are_those_it_declares() -> None:
    from hypothesis import find

    model = above_threshold(ints(3, 0, 3), threshold=1, ratio="1/2", high=3)
    far = find(neighbor_pairs(model), lambda pair: all(abs(a - b) == 1 for a, b in zip(*pair, strict=True)))
    assert far[0] != far[1], "all entries may differ by one step"
    apart = find(neighbor_pairs(bits(40), lambda x, x_prime: sum(x) == 0 and sum(x_prime) == 40), lambda pair: True)
    assert apart == ((0,) * 40, (1,) * 40)
    with pytest.raises(NoNeighbors):
        neighbor_pairs(categories(1, "a"))
    with pytest.raises(taut.InvalidInput, match="expected a domain"):
        databases((0, 1))  # type: ignore[arg-type]
