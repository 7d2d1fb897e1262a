"""The page of a record, its fits and figures, and what changed between two records."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from benchmarks.compare import changes
from benchmarks.compare import main as compare
from benchmarks.figures import figures_of, figures_of_documents, updated
from benchmarks.fits import curves, fit
from benchmarks.page import picture_of, write_page
from benchmarks.registry import load
from benchmarks.run import main as run

TEXT = """# Title

It takes 1.2 or 14.4 seconds, and 0.05.

<!-- measured
1.2 small
14.4 large[n=2,name=two words]
-->
"""


def record(name: str, seconds: float, **more: Any) -> dict[str, Any]:
    runs = more.pop("runs_of", [seconds])
    base = {"name": name, "suite": "core", "family": None, "size": None, "growth": "power", "tool": "taut"}
    told = {"question": None, "status": "answer", "answer": "4", "cpu_seconds": seconds, "startup_seconds": 0.8}
    return {**base, **told, "megabytes": 60.0, "cpu_seconds_of_runs": runs, "runs": len(runs), **more}


def stored(*records: dict[str, Any], **facts: str) -> dict[str, Any]:
    return {"facts": {"date": "2026-01-01", "commit": "abc", **facts}, "quick": False, "records": list(records)}


FAMILY = [record(f"f[n={n}]", 0.1 * n**2, family="squares", size=n) for n in (1, 2, 4, 8)]
EVERYTHING = stored(
    *FAMILY,
    record("a", 0.5, question="which?"),
    record("b", 2.0, question="which?", tool="Storm"),
    {**record("c", 1.0, question="which?", tool="Dice"), "status": "missing", "why": "dice is not installed"},
    {**record("d", 1.0), "status": "wrong", "why": "expected 5"},
)


def test_slopes_are_found_with_their_error() -> None:
    exact = fit([10, 20, 40, 80], [1, 8, 64, 512], "power")
    assert exact is not None and math.isclose(exact.slope, 3) and exact.error < 1e-9 and exact.points == 4
    bent = fit([10, 20, 40], [1, 2, 8], "power")
    assert bent is not None and math.isclose(bent.slope, 1.5) and math.isclose(bent.error, 1 / math.sqrt(12))
    factor = fit([3, 4, 5], [1, 4, 16], "exponential")
    assert factor is not None and math.isclose(factor.slope, 4) and math.isclose(factor.at(6), 64)
    assert fit([1, 2, 4], [0.001, 0.002, 0.1], "power") is None
    two = fit([1, 2], [1, 2], "power")
    assert two is not None and two.error == math.inf and str(two) == "size^(1.00)"


def test_a_page_from_a_stored_record(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(EVERYTHING))
    page = tmp_path / "out" / "RESULTS.md"
    page.parent.mkdir()
    assert run(["--from", str(path), "--page", str(page)]) == 0
    text = page.read_text()
    assert "| squares | taut | 1, 2, 4, 8 | 0.10, 0.40, 1.60, 6.40 |" in text and "size^(2.00 ± 0.00), 4 points" in text
    assert "| which? | taut | 0.50 |" in text and "|  | Storm | 2.00 |" in text
    assert "- left out: dice is not installed" in text and "- **wrong**: `d`, expected 5" in text
    assert "| README.md:" in text and "| not run |" in text
    assert (page.parent / "pictures" / "squares.svg").read_bytes().startswith(b"<?xml")
    write_page(stored(), page)
    assert not list((page.parent / "pictures").iterdir())


def test_pictures_of_both_kinds() -> None:
    (curve,) = curves(FAMILY)
    assert b"<svg" in picture_of(curve)
    (curve,) = curves([{**one, "growth": "exponential"} for one in FAMILY])
    assert curve.fit is not None and curve.fit.kind == "exponential" and b"<svg" in picture_of(curve)


def test_every_figure_of_the_documents_has_a_case() -> None:
    """Reading them also checks that each stands in the text above its comment."""
    figures = figures_of_documents()
    assert {"README.md", "docs/search.md", "docs/compare.md", "docs/published_bounds.md"} <= {
        f.document for f in figures
    }
    cases = load()
    assert [figure for figure in figures if figure.case not in cases] == []


def test_figures_are_read_in_order() -> None:
    found = figures_of(TEXT, "a.md")
    assert [(one.claim, one.case, one.line) for one in found] == [
        ("1.2", "small", 6),
        ("14.4", "large[n=2,name=two words]", 7),
    ]
    for change in (
        ("14.4 sec", "114.4 sec"),
        ("1.2 or 14.4", "14.4 or 1.2"),
        ("1.2 or", "1.25 or"),
        ("1.2 small", "fast small"),
    ):
        with pytest.raises(ValueError, match=r"^a\.md:[67]: "):
            figures_of(TEXT.replace(*change), "a.md")
    with pytest.raises(ValueError, match=r"does not have the figure 1\.2"):
        figures_of(TEXT.replace("\n<!--", "\n## Next\n\n<!--"), "a.md")


def test_documents_get_the_figures_of_a_record() -> None:
    large = "large[n=2,name=two words]"
    new = updated(TEXT, "a.md", [record("small", 0.051), record(large, 14.0)])
    assert "takes 0.05 or 14.4 seconds, and 0.05." in new and "\n0.05 small\n14.4 large" in new
    assert updated(TEXT, "a.md", [record(large, 3.14)]) == TEXT.replace("14.4", "3.1")
    assert updated(TEXT, "a.md", [{**record("small", 9.0), "status": "wrong"}]) == TEXT


def test_slower_beyond_noise_is_marked() -> None:
    old = stored(
        record("slow", 1.0), record("noisy", 1.0, runs_of=[1.0, 1.6]), record("short", 0.01), record("fast", 2.0)
    )
    new = stored(record("slow", 1.3), record("noisy", 1.3), record("short", 0.02), record("fast", 1.0))
    assert {one.name: one.mark for one in changes(old, new)} == {
        "slow": "slower",
        "noisy": "",
        "short": "",
        "fast": "faster",
    }
    assert {one.name: one.mark for one in changes(old, new, scale=1.3)}["slow"] == ""


@pytest.mark.parametrize(
    ("seconds", "options", "code"),
    [
        (1.3, [], 0),
        (1.3, ["--fail-above", "1.1"], 1),
        (1.3, ["--fail-above", "1.5"], 0),
        (1.05, ["--fail-above", "1.01"], 0),
    ],
)
def test_a_slowdown_fails_if_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seconds: float, options: list[str], code: int
) -> None:
    paths = [tmp_path / "old.json", tmp_path / "new.json"]
    yardstick = record("reference_loop[terms=1]", 1.0)
    paths[0].write_text(json.dumps(stored(record("one", 1.0), yardstick, record("gone", 1.0))))
    paths[1].write_text(json.dumps(stored(record("one", seconds), yardstick, commit="def")))
    assert compare([*map(str, paths), *options]) == code
    said = capsys.readouterr().out
    assert (
        "commit: abc -> def" in said and "the yardstick, plain Python: 1.00" in said and "gone: only in the old" in said
    )


def test_what_became_wrong_fails(tmp_path: Path) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(stored(record("one", 1.0))))
    new.write_text(json.dumps(stored({**record("one", 0.1), "status": "wrong", "why": "expected 5"})))
    assert compare([str(old), str(new), "--fail-above", "1.1"]) == 1 and compare([str(old), str(new)]) == 0


def test_the_command_selects_and_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reference", "--list"]) == 0 and capsys.readouterr().out == "reference_loop[terms=20000]\n"
    assert run(["--only", "no such case"]) == 2
    out = tmp_path / "r.json"
    assert run(["reference", "--quick", "--out", str(out)]) == 0
    (found,) = json.loads(out.read_text())["records"]
    assert found["status"] == "answer" and found["runs"] == 1 and found["cpu_seconds"] > 0
