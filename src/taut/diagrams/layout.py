"""Positions in a drawing: nodes in rows, few crossings, room for every text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from taut.diagrams.levels import LevelArrays

__all__ = ["FAMILY", "SMALL", "Edge", "Layout", "Spot", "goal", "lay_out", "width"]

FAMILY = "DejaVu Sans"  # comes with Matplotlib
SMALL = 7.5


@dataclass(frozen=True)
class Edge:
    """One class of a node's values: from the node to the child, with the text of the class."""

    source: int
    target: int
    text: str


Spot = int | tuple[int, int]  # a node, or (node, row): the place where all edges to that node pass a row
_Points = npt.NDArray[np.float64]


@dataclass
class Layout:
    """Coordinates, in inches: x to the right, y upwards, the first row at 0.

    A row is a level, the last row holds the leaves. Edges that pass over a row have a place of their own there, shared
    by all edges to the same node, so that they run between the nodes; those to FALSE gather in one line at the right.
    """

    rows: list[list[Spot]]
    x: dict[Spot, float]
    lean: dict[Spot, float]
    y: list[float]
    segments: list[tuple[Spot, Spot]]
    texts: list[tuple[float, float, str, Edge]]
    depth: list[int]
    false: int

    def row(self, spot: Spot) -> int:
        return spot[1] if isinstance(spot, tuple) else self.depth[spot]

    def curve(self, a: Spot, b: Spot, top: float, bottom: float) -> _Points:
        """Return a line from spot to spot: straight between nodes, steep where it passes a row."""
        (xa, xb), height = (self.x[a], self.x[b]), top - bottom
        to_false = goal(b) == self.false
        if to_false and not isinstance(a, tuple):
            handles = [(xa + 0.1 * (xb - xa), top - 0.75 * height), (xb, top - 0.45 * height)]
        else:
            lean_a = self.lean.get(a, (xb - xa) / 3)
            lean_b = self.lean.get(b, (xb - xa) / 3)
            handles = [(xa + lean_a, top - height / 3), (xb - lean_b, bottom + height / 3)]
        corners = np.array([(xa, top), *handles, (xb, bottom)])
        t = np.linspace(0.0, 1.0, 41)[:, None]
        weights = np.hstack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
        return np.asarray(weights @ corners, dtype=np.float64)


def goal(spot: Spot) -> int:
    """Return the node that a line through this spot leads to."""
    return spot[0] if isinstance(spot, tuple) else spot


def lay_out(arrays: LevelArrays, edges: Sequence[Edge]) -> Layout:
    depth, false = arrays.lists[2], arrays.false
    last = len(arrays.levels)
    segments: dict[tuple[Spot, Spot], None] = {}
    for edge in edges:
        spot: Spot = edge.source
        for row in range(depth[edge.source] + 1, depth[edge.target]):
            segments[spot, (edge.target, row)] = None
            spot = (edge.target, row)
        segments[spot, edge.target] = None
    ordinary = [(a, b) for a, b in segments if goal(b) != false]
    rows: list[list[Spot]] = [[] for _ in range(last + 1)]
    layout = Layout(rows, {}, {}, [0.0] * (last + 1), list(segments), [], depth, false)
    for spot in dict.fromkeys([arrays.root, *(spot for segment in ordinary for spot in segment)]):
        rows[layout.row(spot)].append(spot)
    _order_rows(rows, ordinary)
    _place_across(rows, ordinary, _room(rows, edges), layout.x)
    _place_false(layout)
    _lean(layout)
    _place_down(layout, edges)
    return layout


def _order_rows(rows: list[list[Spot]], segments: Sequence[tuple[Spot, Spot]]) -> None:
    """Order each row by the barycentres of its neighbours, up and down; the order with fewest crossings stays."""
    parents, children = _neighbours(segments)
    best, fewest = [list(row) for row in rows], _crossings(rows, children)
    for sweep in range(16):
        down = sweep % 2 == 0
        beside = parents if down else children
        for above, row in pairwise(rows) if down else zip(rows[:0:-1], rows[-2::-1], strict=True):
            place = {spot: number / max(1, len(above) - 1) for number, spot in enumerate(above)}
            own = {spot: number / max(1, len(row) - 1) for number, spot in enumerate(row)}
            row.sort(key=_barycentre(beside, place, own))
        crossings = _crossings(rows, children)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    rows[:] = best


def _neighbours(segments: Iterable[tuple[Spot, Spot]]) -> tuple[dict[Spot, list[Spot]], dict[Spot, list[Spot]]]:
    parents: dict[Spot, list[Spot]] = {}
    children: dict[Spot, list[Spot]] = {}
    for a, b in segments:
        parents.setdefault(b, []).append(a)
        children.setdefault(a, []).append(b)
    return parents, children


def _barycentre(
    beside: dict[Spot, list[Spot]], place: dict[Spot, float], own: dict[Spot, float]
) -> Callable[[Spot], float]:
    def centre(spot: Spot) -> float:
        near = beside.get(spot)
        return sum(place[other] for other in near) / len(near) if near else own[spot]

    return centre


def _crossings(rows: Sequence[Sequence[Spot]], children: dict[Spot, list[Spot]]) -> int:
    count = 0
    for above, below in pairwise(rows):
        place = {spot: number for number, spot in enumerate(below)}
        ends = np.zeros(len(below) + 1, dtype=np.int64)
        for spot in above:
            goals = [place[child] for child in children.get(spot, ())]
            count += sum(int(ends[goal + 1 :].sum()) for goal in goals)
            np.add.at(ends, goals, 1)
    return count


def _room(rows: Sequence[Sequence[Spot]], edges: Sequence[Edge]) -> dict[Spot, float]:
    """Return the width of each node's place: enough for the texts below it, less in a long row."""
    texts: dict[int, float] = {}
    for edge in edges:
        texts[edge.source] = texts.get(edge.source, 0.3) + width(edge.text, SMALL) + 0.12
    wanted = min(1.6, max(0.8, *texts.values())) if texts else 0.8
    return {
        spot: 0.3 if isinstance(spot, tuple) else min(wanted, max(0.7, 24 / len(row))) for row in rows for spot in row
    }


def _place_across(
    rows: Sequence[Sequence[Spot]], segments: Sequence[tuple[Spot, Spot]], room: dict[Spot, float], x: dict[Spot, float]
) -> None:
    """Move each row towards the middle of its neighbours, as far as the order and the room of each allow."""
    parents, children = _neighbours(segments)
    offsets = []
    for row in rows:
        offset = [0.0]
        for a, b in pairwise(row):
            offset.append(offset[-1] + (room[a] + room[b]) / 2)
        offsets.append(offset)
        x.update((spot, place - offset[-1] / 2) for spot, place in zip(row, offset, strict=False))
    for sweep in range(40):
        for row, offset in list(zip(rows, offsets, strict=True))[:: 1 if sweep % 2 == 0 else -1]:
            near = [parents.get(spot, []) + children.get(spot, []) for spot in row]
            wanted = [
                (sum(x[other] for other in others) / len(others) if others else x[spot]) - shift
                for spot, others, shift in zip(row, near, offset, strict=False)
            ]
            for spot, place, shift in zip(row, _increasing(wanted), offset, strict=False):
                x[spot] = place + shift


def _lean(layout: Layout) -> None:
    """Slope lines towards their target while they pass a row, without touching its nodes."""
    parents, children = _neighbours(layout.segments)
    for spot in layout.x:
        if isinstance(spot, tuple):
            before = [layout.x[parent] for parent in parents[spot]]
            ahead = layout.x[children[spot][0]] - sum(before) / len(before)
            layout.lean[spot] = 0.0 if spot[0] == layout.false else max(-0.12, min(0.12, ahead / 6))


def _increasing(wanted: Sequence[float]) -> Iterator[float]:
    """Yield the nondecreasing sequence nearest to the wanted one in least squares (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in wanted:
        pools.append((value, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, n), (b, m) = pools[-2:]
            pools[-2:] = [((a * n + b * m) / (n + m), n + m)]
    for value, count in pools:
        yield from [value] * count


def _place_false(layout: Layout) -> None:
    """Put FALSE and the line that leads to it right of all that stands beside it."""
    spots = {b for _, b in layout.segments if goal(b) == layout.false}
    if spots:
        first = min(layout.row(spot) for spot in spots) - 1
        right = max(layout.x[spot] for row in layout.rows[first:] for spot in row)
        layout.x.update((spot, right + 0.75) for spot in spots)
        for spot in spots:
            layout.rows[layout.row(spot)].append(spot)


def _place_down(layout: Layout, edges: Sequence[Edge]) -> None:
    """Give each row its height: as little as lets the texts of its edges stand apart."""
    below: dict[int, list[Edge]] = {}
    for edge in edges:
        below.setdefault(layout.depth[edge.source], []).append(edge)
    for row in range(len(layout.rows) - 1):
        here = below.get(row, [])
        trials = []
        for height in (0.72, 0.85, 1.0, 1.2, 1.45, 1.8, 2.2) if here else (0.5,):
            overlaps, hidden, texts = _place_texts(layout, row, here, height)
            trials.append((20 * overlaps + hidden + 0.5 * len(here) * height, height, texts))
            if overlaps == 0 and hidden <= 0.1 * len(here):
                break
        _, height, texts = min(trials, key=lambda trial: trial[0])
        layout.texts += [(x, layout.y[row] + y, text, edge) for x, y, text, edge in texts]
        layout.y[row + 1] = layout.y[row] - height


def _place_texts(
    layout: Layout, row: int, edges: Sequence[Edge], height: float
) -> tuple[int, int, list[tuple[float, float, str, Edge]]]:
    """Put each text on its edge, near the top, where it hides least.

    Count the texts that overlap, and the lines that a text hides or that carry theirs in their lower half.
    """
    heads = [edge.target if layout.depth[edge.target] == row + 1 else (edge.target, row + 1) for edge in edges]
    curves = {head: layout.curve(*head, 0.0, -height) for head in layout.segments if layout.row(head[0]) == row}
    lines = np.array(list(curves.values()))
    numbers = {segment: number for number, segment in enumerate(curves)}
    boxes: list[tuple[float, float, float, float]] = []
    placed, overlaps, hidden = [], 0, 0
    todo = sorted(zip(edges, heads, strict=True), key=lambda pair: -abs(layout.x[pair[0].source] - layout.x[pair[1]]))
    for edge, head in todo:
        number = numbers[edge.source, head]
        half = width(edge.text, SMALL) / 2 + 0.03
        choices = []
        for x, y in lines[number]:
            if not -height + 0.24 <= y <= -0.24:
                continue
            box = (x - half, x + half, y - 0.075, y + 0.075)
            over = sum(_overlap(box, other) for other in boxes)
            inside = (abs(lines[:, :, 0] - x) < half) & (abs(lines[:, :, 1] - y) < 0.075)
            cover = int(inside.any(axis=1).sum()) - 1 + (y < -height / 2 - 0.05)
            choices.append((20 * over + cover + 0.5 * abs(y + 0.27), over, cover, box))
        _, over, cover, box = min(choices)
        overlaps, hidden = overlaps + over, hidden + cover
        boxes.append(box)
        placed.append(((box[0] + box[1]) / 2, (box[2] + box[3]) / 2, edge.text, edge))
    return overlaps, hidden, placed


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


@cache
def width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width of a text in inches."""
    font = FontProperties(family=FAMILY, size=size, weight=weight)
    return float(text_to_path.get_text_width_height_descent(text, font, False)[0]) / 72
