"""Drawings hold every node, edge and name, are written whole or not at all, and refuse what is too large."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import matplotlib
import pytest
from PIL import Image

from taut.diagrams import drawing
from taut.diagrams import layout as layout_module
from taut.diagrams.drawing import LevelLabel, draw
from taut.diagrams.levels import Kind, LevelArrays, export_levels
from taut.diagrams.mdd import BinaryOperation, Diagrams
from taut.support.errors import InvalidInput, TautError, TooLarge

Drawn = tuple[LevelArrays, list[LevelLabel]]
MAGIC = {".svg": b"<?xml", ".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-", ".dot": b"digraph", ".gv": b"digraph"}


def randomized_response(n: int) -> Drawn:
    """For each client x_i, a coin c_i and y_i, with y_i == x_i ^ c_i."""
    diagrams = Diagrams(10**6)
    both = BinaryOperation(lambda a, b: a and b, absorbing=False, neutral=True)
    equal, xor = BinaryOperation(lambda a, b: a == b), BinaryOperation(lambda a, b: a ^ b)
    relation, kinds, labels = diagrams.true, list[tuple[Kind, int, int]](), list[LevelLabel]()
    for i in range(n):
        x, coin, y = (diagrams.variable(3 * i + k, [0, 1]) for k in range(3))
        relation = diagrams.apply(both, relation, diagrams.apply(equal, y, diagrams.apply(xor, x, coin)))
        kinds += [("input", i, 2), ("coin", i, 2), ("output", i, 2)]
        labels.append(LevelLabel(f"x{i}", ("0", "1"), None))
        labels.append(LevelLabel(f"flip(1/5) line {i + 3}", ("0", "1"), ("4/5", "1/5")))
        labels.append(LevelLabel(f"y{i}", ("0", "1"), None))
    return export_levels(diagrams, relation, kinds), labels


def above_threshold(n: int) -> Drawn:
    """A noisy threshold, then for each entry x_i its noise and whether it stopped there; edges skip levels."""
    diagrams, noise = Diagrams(10**6), range(-2, 3)
    both = BinaryOperation(lambda a, b: a and b, absorbing=False, neutral=True)
    either = BinaryOperation(lambda a, b: a or b, absorbing=True, neutral=False)
    equal, at_least = BinaryOperation(lambda a, b: a == b), BinaryOperation(lambda a, b: a >= b)
    clamp = BinaryOperation(lambda a, b: min(3, max(0, a + b)))
    four = ("0", "1", "2", "3")
    threshold, done, relation = diagrams.variable(0, range(4)), diagrams.false, diagrams.true
    kinds: list[tuple[Kind, int, int]] = [("coin", 0, 4)]
    labels = [LevelLabel("threshold line 2", four, ("1/6", "1/3", "1/3", "1/6"))]
    for i in range(n):
        x, coin = diagrams.variable(3 * i + 1, range(4)), diagrams.variable(3 * i + 2, noise)
        y = diagrams.variable(3 * i + 3, [False, True])
        hit = diagrams.apply(at_least, diagrams.apply(clamp, x, coin), threshold)
        stopped = diagrams.ite(done, diagrams.false, hit)
        relation = diagrams.apply(both, relation, diagrams.apply(equal, y, stopped))
        done = diagrams.apply(either, done, hit)
        kinds += [("input", i, 4), ("coin", i + 1, 5), ("output", i, 2)]
        labels.append(LevelLabel(f"x{i}", four))
        labels.append(LevelLabel("noise line 4", tuple(map(str, noise)), ("1/12", "1/6", "1/2", "1/6", "1/12")))
        labels.append(LevelLabel(f"stopped at {i}?", ("False", "True")))
    return export_levels(diagrams, relation, kinds), labels


def leaf(value: bool, levels: int) -> Drawn:
    diagrams = Diagrams(100)
    kinds: list[tuple[Kind, int, int]] = [("input", i, 2) for i in range(levels)]
    arrays = export_levels(diagrams, diagrams.leaf(value), kinds)
    return arrays, [LevelLabel(f"x{i}", ("0", "1")) for i in range(levels)]


def chain(width: int, levels: int) -> Drawn:
    """A single node at the top with ``width`` nodes below, on as many levels as asked."""
    diagrams = Diagrams(10**6)
    below = [
        diagrams.node(1, diagrams.partitions.single(width, i), (diagrams.false, diagrams.true)) for i in range(width)
    ]
    top = diagrams.node(0, diagrams.partitions.full(width), tuple(below))
    values = tuple(map(str, range(width)))
    arrays = export_levels(diagrams, top, [("input", i, width) for i in range(levels)])
    return arrays, [LevelLabel(f"x{i}", values) for i in range(levels)]


EXAMPLES = {
    "randomized response": randomized_response(3),
    "above threshold": above_threshold(2),
    "true": leaf(True, 0),
    "false": leaf(False, 0),
    "constant": leaf(False, 3),
}
every_example = pytest.mark.parametrize(("arrays", "labels"), EXAMPLES.values(), ids=EXAMPLES)


def edges(arrays: LevelArrays) -> Iterator[tuple[int, int]]:
    for node, children in enumerate(arrays.lists[1]):
        yield from ((node, child) for child in children)


def texts(path: Path) -> list[str]:
    return [element.text or "" for element in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]


@every_example
@pytest.mark.parametrize("suffix", MAGIC)
def test_the_file_is_what_its_suffix_says_and_stands_alone(
    arrays: LevelArrays, labels: list[LevelLabel], suffix: str, tmp_path: Path
) -> None:
    draw(arrays, labels, tmp_path / f"drawing{suffix}", title="a title")
    assert os.listdir(tmp_path) == [f"drawing{suffix}"]
    assert (tmp_path / f"drawing{suffix}").read_bytes().startswith(MAGIC[suffix])


@every_example
def test_svg_holds_title_names_leaves_and_a_text_for_every_edge(
    arrays: LevelArrays, labels: list[LevelLabel], tmp_path: Path
) -> None:
    draw(arrays, labels, tmp_path / "drawing.svg", title="the title")
    found = texts(tmp_path / "drawing.svg")
    assert "the title" in found
    assert all(label.name in found for label in labels)
    leaves = {arrays.root, *(child for _, child in edges(arrays))}
    assert found.count("TRUE") == (arrays.true in leaves)
    assert found.count("FALSE") == (arrays.false in leaves)
    assert len(found) >= len(list(edges(arrays))) + len(labels)


def test_coins_show_their_weights_and_the_legend_tells_the_kinds_apart(tmp_path: Path) -> None:
    draw(*randomized_response(3), tmp_path / "drawing.svg")
    found = texts(tmp_path / "drawing.svg")
    assert found.count("0: 4/5") == found.count("1: 1/5") == 6
    assert {"input", "coin (value: weight)", "output", "leads to FALSE"} <= set(found)


@every_example
def test_dot_holds_exactly_the_nodes_and_edges_of_the_diagram(
    arrays: LevelArrays, labels: list[LevelLabel], tmp_path: Path
) -> None:
    draw(arrays, labels, tmp_path / "drawing.dot")
    text = (tmp_path / "drawing.dot").read_text(encoding="utf-8")
    names = {arrays.false: "FALSE", arrays.true: "TRUE"} | {node: f"n{node}" for node in range(arrays.nodes)}
    wanted = [(names[a], names[b]) for a, b in edges(arrays)]
    assert re.findall(r"^  (n\d+) -> (\w+) \[label=", text, re.MULTILINE) == wanted
    reached = {names[arrays.root], *(b for _, b in wanted)}
    assert set(re.findall(r"^    (n\d+|TRUE|FALSE) \[shape=", text, re.MULTILINE)) == reached
    assert text.count("{ rank=same;") == len(labels)
    for number, label in enumerate(labels):
        body = re.search(rf"subgraph level_{number} {{(.*?)\n  }}", text, re.DOTALL)
        level = arrays.levels[number]
        assert body is not None and f'label="{label.name}"' in body[1]
        assert re.findall(r"    n(\d+) ", body[1]) == [str(node) for node in range(level.start, level.stop)]
    assert text.count("{") == text.count("}")


def test_names_are_text_and_never_markup(tmp_path: Path) -> None:
    arrays, _ = randomized_response(1)
    name, coin = 'x <"$a_1$"> \\ &', "line\nbreak\x00"
    labels = [LevelLabel(name, ("$", "}")), LevelLabel(coin, ("0", "1"), ("1/2", "1/2")), LevelLabel("名", ("0", "1"))]
    for suffix in MAGIC:
        draw(arrays, labels, tmp_path / f"drawing{suffix}", title="$\\frac{$")
    found = texts(tmp_path / "drawing.svg")
    assert {name, "line break", "名", "$\\frac{$", "$", "}"} <= set(found)
    dot = (tmp_path / "drawing.dot").read_text(encoding="utf-8")
    assert 'label="x <\\"$a_1$\\"> \\\\ &"' in dot


@pytest.mark.parametrize(
    ("members", "weights", "wanted"),
    [
        ([[0, 1, 2, 3, 4, 5, 9], [6, 7, 8]], None, ["0..5, 9", "6..8"]),
        ([[0, 1], [2, 3, 4, 5, 6, 7, 8, 9]], None, ["0, 1", "2..9"]),
        ([[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]], None, ["0, 2, 4, 6, 8", "1, 3, 5, 7, 9"]),
        ([[1, 3, 5, 7, 9], [0, 2, 4, 6, 8]], ["1/10"] * 10, ["1, 3, 5, 7, 9: 1/2", "0, 2, 4, 6, 8: 1/2"]),
        ([[0, 1, 3, 4, 6, 8], [2, 5, 7, 9]], None, ["else", "2, 5, 7, 9"]),
        ([[0, *range(1, 10)], []], ["a"] * 10, ["0..9: a + a + a + a + a…", ": 0"]),
    ],
)
def test_values_of_an_edge_are_named_briefly_and_their_weights_added(
    members: list[list[int]], weights: list[str] | None, wanted: list[str]
) -> None:
    label = LevelLabel("x", tuple(map(str, range(10))), weights and tuple(weights))
    assert drawing._edge_texts(label, members) == wanted


def test_only_one_edge_of_a_node_is_else() -> None:
    members = [list(range(0, 40, 2)), list(range(1, 40, 2))]
    first, second = drawing._edge_texts(LevelLabel("x", tuple(map(str, range(40)))), members)
    assert [first, second].count("else") == 1
    assert "20 values" in first + second


def test_long_weights_are_marked_as_rounded() -> None:
    assert drawing._total(["123456789/1000000000"]) == "≈0.1235"
    assert drawing._total(["1/3", "1/6"]) == "1/2"


@pytest.mark.parametrize("name", ["drawing.jpg", "drawing", "drawing.svg.txt", ".svg"])
def test_other_suffixes_are_refused_with_those_allowed(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"\.svg, \.png, \.pdf, \.dot, \.gv") as caught:
        draw(*randomized_response(1), tmp_path / name)
    assert os.path.splitext(name)[1] in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_suffixes_may_be_upper_case_and_paths_strings(tmp_path: Path) -> None:
    draw(*randomized_response(1), str(tmp_path / "A.SVG"))
    assert (tmp_path / "A.SVG").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("drawn", "size", "limit"),
    [
        (randomized_response(81), "405 nodes", 400),
        (chain(61, 2), "61 nodes on one level", 60),
        (chain(2, 121), "121 levels", 120),
    ],
    ids=["nodes", "width", "levels"],
)
@pytest.mark.parametrize("suffix", [".png", ".dot"])
def test_too_large_a_diagram_is_refused_with_its_size_and_what_to_do(
    drawn: Drawn, size: str, limit: int, suffix: str, tmp_path: Path
) -> None:
    with pytest.raises(TooLarge, match=rf"{size} .* limit is {limit}\. .*smaller instance.*model\.fix\(x\)"):
        draw(*drawn, tmp_path / f"drawing{suffix}")
    assert os.listdir(tmp_path) == []


def test_the_largest_diagrams_are_drawn(tmp_path: Path) -> None:
    for number, drawn in enumerate([randomized_response(40), chain(40, 120)]):
        draw(*drawn, tmp_path / f"{number}.png")
        with Image.open(tmp_path / f"{number}.png") as image:
            assert image.width * image.height < 6e7


def test_an_unwritable_path_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "folder.svg").mkdir()
    for path in [tmp_path / "missing" / "a.svg", tmp_path / "folder.svg", f"{tmp_path}/a\0.svg"]:
        with pytest.raises(InvalidInput) as caught:
            draw(*randomized_response(1), path)
        assert isinstance(caught.value, TautError)
        assert str(path) in str(caught.value)
    assert os.listdir(tmp_path) == ["folder.svg"]


def test_a_failure_while_writing_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.svg").write_text("old")

    def fail(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(InvalidInput, match="No space left on device"):
        draw(*randomized_response(1), tmp_path / "a.svg")
    assert os.listdir(tmp_path) == ["a.svg"]
    assert (tmp_path / "a.svg").read_text() == "old"


def test_labels_must_fit_the_levels(tmp_path: Path) -> None:
    arrays, labels = randomized_response(1)
    with pytest.raises(InvalidInput, match="3 levels; got 2"):
        draw(arrays, labels[:2], tmp_path / "a.svg")
    with pytest.raises(InvalidInput, match="'x0' has 2 values; its label names 3"):
        draw(arrays, [LevelLabel("x0", ("0", "1", "2")), *labels[1:]], tmp_path / "a.svg")


@pytest.mark.parametrize("suffix", MAGIC)
def test_the_same_diagram_gives_the_same_file_whatever_the_settings(suffix: str, tmp_path: Path) -> None:
    draw(*above_threshold(1), tmp_path / f"a{suffix}")
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red", "savefig.bbox": "tight"}):
        draw(*above_threshold(1), tmp_path / f"b{suffix}")
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


@every_example
def test_no_two_texts_overlap_and_lines_keep_clear_of_other_nodes(
    arrays: LevelArrays, labels: list[LevelLabel]
) -> None:
    layout = layout_module.lay_out(arrays, drawing._edges(arrays, labels))
    boxes = []
    for x, y, text, _ in layout.texts:
        half = layout_module.width(text, layout_module.SMALL) / 2
        boxes.append((x - half, x + half, y - 0.06, y + 0.06))
    assert not any(layout_module._overlap(a, b) for number, a in enumerate(boxes) for b in boxes[:number])
    for row in layout.rows:
        places = sorted((layout.x[spot], isinstance(spot, tuple)) for spot in row)
        gaps = [(b - a, passing or also) for (a, passing), (b, also) in pairwise(places)]
        assert all(gap > (0.25 if passing else 0.6) for gap, passing in gaps)
