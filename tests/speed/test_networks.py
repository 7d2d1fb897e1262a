"""Bayesian networks as Dice programs: a file's numbers are those of the program, and its marginals are exact."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from benchmarks.bif import leaf, read_bif
from benchmarks.networks import main, program_of

from taut import dice

RAIN = """network unknown { property author me; }
// the values of a node may have any names
variable rain { type discrete [ 3 ] { none, <5mm, more }; }
variable wet-grass { type discrete[2] {yes, no}; }
variable sprinkler { type discrete [ 2 ] { on, off }; }
probability ( wet-grass | rain, sprinkler ) {
  (none, on) 0.9, 0.1;
  (<5mm, on) 0.95, 0.05;
  (more, on) 1.0, 0.0;
  (none, off) 1e-05, 0.99999;
  default 0.8, 0.2;
}
probability ( sprinkler | rain ) {
  (none) 0.4, 0.6;
  (<5mm) 0.1, 0.9;
  (more) 0.01, 0.99; /* nobody
  sprinkles then */
}
probability ( rain ) { table 0.7, 0.2, 0.1; }
"""


def test_a_file_is_what_it_says() -> None:
    rain, sprinkler, grass = read_bif(RAIN)
    assert (rain.name, rain.size, rain.parents, rain.rows) == ("rain", 3, [], {(): ["0.7", "0.2", "0.1"]})
    assert (sprinkler.name, sprinkler.parents) == ("sprinkler", ["rain"])
    assert grass.rows[0, 1] == ["0.00001", "0.99999"] and grass.rows[2, 1] == ["0.8", "0.2"]
    assert leaf([rain, sprinkler, grass]) == "wet-grass"


def test_the_program_of_a_file_has_its_marginals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rain.bif"
    path.write_text(RAIN)
    main([str(path)])
    wet = dice(capsys.readouterr().out).distribution()
    rain, on = [Fraction(share, 10) for share in (7, 2, 1)], [Fraction(share, 100) for share in (40, 10, 1)]
    if_on, if_off = (
        [Fraction("0.9"), Fraction("0.95"), Fraction(1)],
        [Fraction("1e-05"), Fraction("0.8"), Fraction("0.8")],
    )
    expected = sum(r * (s * p + (1 - s) * q) for r, s, p, q in zip(rain, on, if_on, if_off, strict=True))
    assert wet == {0: expected, 1: 1 - expected}
    main([str(path), "--ask", "rain"])
    assert dice(capsys.readouterr().out).distribution() == dict(enumerate(rain))


def test_names_that_look_alike_stay_apart() -> None:
    text = "".join(f"variable {name} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for name in ("a-b", "a.b", "if"))
    text += "probability ( a-b ) { table 0.1, 0.9; }\nprobability ( a.b ) { table 0.2, 0.8; }\n"
    text += "probability ( if | a-b, a.b ) { (a, a) 0.5, 0.5; default 1, 0; }\n"
    assert dice(program_of(read_bif(text), "if")).distribution() == {0: Fraction(99, 100), 1: Fraction(1, 100)}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(more) 0.01, 0.99;", "", r"no row for values \(2,\)"),
        ("(more) 0.01, 0.99;", "(much) 0.01, 0.99;", r"\(much\) are not values"),
        ("(more) 0.01, 0.99;", "(more) 0.01, 0.98, 0.01;", "3 weights for 2 values"),
        ("(more) 0.01, 0.99;", "table 0.01, 0.99;", "is no row"),
        ("( sprinkler | rain )", "( sprinkler | snow )", "no variable 'snow'"),
        (RAIN, "a text about rain", "no network"),
        ("probability ( rain ) { table 0.7, 0.2, 0.1; }", "", "no probability"),
        (
            "probability ( rain ) { table 0.7, 0.2, 0.1; }",
            "probability ( rain | sprinkler ) { default 1, 0, 0; }",
            "itself",
        ),
    ],
)
def test_what_is_no_network_is_refused(old: str, new: str, message: str) -> None:
    assert old in RAIN
    with pytest.raises(ValueError, match=message):
        read_bif(RAIN.replace(old, new))


def test_a_node_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rain.bif"
    path.write_text(RAIN)
    for arguments in ([str(path), "--ask", "snow"], [str(tmp_path / "none.bif")], ["alarm", "--ask", "PRESS"]):
        with pytest.raises(SystemExit):
            main(arguments)
        assert "error:" in capsys.readouterr().err
