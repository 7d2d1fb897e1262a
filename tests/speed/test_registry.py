"""Cases of benchmarks: found, selected, and run in processes of their own."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import Any

import pytest
from benchmarks import registry
from benchmarks.measurement import measure
from benchmarks.registry import Case, case, growth, load, select

TINY = """
import sys, time
from benchmarks.registry import case

@case(n=3, answer="6")
@case(n=4, answer="7")
def double(n):
    return str(2 * n)

@case()
def prepared():
    sum(range(3_000_000))
    yield
    return "done", {"told": 5}

@case()
def loads():
    import xml.dom.minidom
    return "loaded" if "xml.dom.minidom" in sys.modules else ""

@case()
def fails():
    raise KeyError("nothing")

@case()
def dies():
    sys.stdout.flush()
    import os
    os._exit(7)

@case(limit=1)
def never():
    while True:
        pass

@case()
def large():
    return str(len(bytearray(b"x") * (200 << 20)))
"""


def none(**parameters: Any) -> str:
    return ""


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "tiny_cases.py").write_text(TINY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def run(name: str, repeat: int = 1, **more: Any) -> dict[str, Any]:
        return measure(Case(name, "tiny_cases", none, {}, **more), repeat)

    return run


def test_every_case_is_found() -> None:
    cases = load()
    assert len(cases) > 100 and all(name == one.name for name, one in cases.items())
    assert {"core", "search", "peers", "reference"} <= {one.suite for one in cases.values()}
    assert any(one.quick for one in cases.values())
    for one in cases.values():
        assert one.answer is not None or one.tool != "taut" or one.family is not None, f"{one.name} checks nothing"


def test_families_have_sizes_that_show_growth() -> None:
    families: dict[str, list[Case]] = {}
    for one in load().values():
        if one.family is not None:
            families.setdefault(one.family, []).append(one)
    for family, members in families.items():
        sizes = sorted(one.size for one in members if one.size is not None)
        assert len(sizes) == len(members) == len(set(sizes)) > 2, family
        if members[0].growth == "power":
            assert all(1.5 <= b / a <= 4 for a, b in itertools.pairwise(sizes)), family


def test_the_decorator_refuses_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_CASES", {})
    case(n=1, answer="1")(none)
    with pytest.raises(ValueError, match=r"none\[n=1\].* already in"):
        case(n=1)(none)
    with pytest.raises(ValueError, match="'power' or 'exponential'"):
        case(n=2, growth="fast")(none)
    growth("n", [2, 4], family="a family", answer=lambda n: str(n + 1), quick=[2], method="search")(none)
    two, four = list(registry._CASES.values())[1:]
    assert two.name == "none[n=2,method=search]" and two.parameters == {"n": 2, "method": "search"}
    assert (two.answer, four.answer, two.quick, four.quick) == ("3", "5", True, False)
    every = registry._CASES.values()
    assert list(select(every, only=["a fam"])) == [two, four] and list(select(every, quick=True)) == [two]
    assert list(select(every, ["test_registry"])) == list(every) and not list(select(every, ["other"]))


def test_answers_right_and_wrong(tiny: Any) -> None:
    right = tiny("double[n=3]", 3)
    assert (right["status"], right["answer"], right["runs"]) == ("answer", "6", 3)
    assert right["cpu_seconds"] == min(right["cpu_seconds_of_runs"]) and right["megabytes"] > 5
    wrong = tiny("double[n=4]")
    assert (wrong["status"], wrong["answer"], wrong["why"]) == ("wrong", "8", "expected 7")


def test_preparation_and_imports_are_start_up(tiny: Any) -> None:
    prepared = tiny("prepared")
    assert prepared["answer"] == "done" and prepared["told"] == 5
    assert prepared["cpu_seconds"] < prepared["startup_seconds"]
    loads = tiny("loads")
    assert loads["answer"] == "loaded" and loads["cpu_seconds"] < loads["startup_seconds"]


def test_memory_is_that_of_the_run(tiny: Any) -> None:
    kept = bytearray(b"x") * (300 << 20)  # of the process that measures
    assert tiny("double[n=3]")["megabytes"] < 150 and 200 < tiny("large")["megabytes"] < 300
    assert len(kept) == 300 << 20


@pytest.mark.parametrize(
    ("name", "status", "why"), [("fails", "failed", "KeyError: 'nothing'"), ("dies", "died", "code 7")]
)
def test_runs_that_fail(tiny: Any, name: str, status: str, why: str) -> None:
    record = tiny(name, 3)
    assert record["status"] == status and why in record["why"] and record["runs"] == 1


def test_a_run_without_end(tiny: Any) -> None:
    record = tiny("never", limit=1)
    assert record["status"] == "time-out" and "1 CPU s" in record["why"]


def test_what_is_not_installed_is_said() -> None:
    one = next(iter(load().values()))
    gone = measure(dataclasses.replace(one, needs=("no_such_module",)))
    assert (gone["status"], gone["why"]) == ("missing", "no_such_module is not installed")
    assert dataclasses.replace(one, needs=("!no-such-program",)).missing() == "no-such-program is not installed"
    assert dataclasses.replace(one, needs=("json", "!sh")).missing() is None
