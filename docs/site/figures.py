"""The figures of the site, drawn by the package when the site is built."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

import taut
from taut import bits, geometric, ints, mechanism
from taut.interfaces.queries.query import read_query
from taut.mechanisms import randomized_response, rr_count
from taut.support.pictures.charts import lines
from taut.support.pictures.style import one_panel, panels, picture

__all__ = ["FIGURES", "profile_of"]


def sweep() -> bytes:
    """Privacy and accuracy of a noisy count against the noise."""
    values = [f"{hundredths}/100" for hundredths in range(5, 50, 5)]
    return _svg(taut.plot(taut.sweep(rr_count, bits(8), lam=values, target=sum, alpha=3)))


@mechanism
def first_above(x: Any) -> Any:
    bar = geometric(1, "1/2", 0, 1)
    for place, value in enumerate(x):
        if geometric(value, "1/2", 0, 1) >= bar:
            return place
    return len(x)


def first_above_diagram() -> bytes:
    """The relation of the mechanism that the page on architecture follows."""
    return _svg(first_above(ints(2, 0, 1)).draw())


def profile() -> bytes:
    """Delta against epsilon for the mechanism that the page on measures asks."""
    return _svg(_asked().profile().plot())


def tradeoff() -> bytes:
    """Errors of the first and second kind of a test between two neighbours."""
    return _svg(_asked().tradeoff().plot())


@functools.cache
def _asked() -> Any:
    return _four_values(ints(3, 0, 3))


@mechanism
def _four_values(x: Any) -> Any:
    bar = geometric(1, "1/2", 0, 3)
    for place, value in enumerate(x):
        if geometric(value, "1/2", 0, 3) >= bar:
            return place
    return len(x)


POINTS = 20
"""Points of a curve between two of its corners."""


def against_epsilon(corners: list[tuple[Any, Any]]) -> tuple[list[float], list[float]]:
    """Return epsilons and deltas of a profile, which is linear in e^epsilon between its corners."""
    ratios, deltas = ([float(corner[axis]) for corner in corners] for axis in (0, 1))
    places = np.concatenate([*(np.linspace(a, b, POINTS, endpoint=False) for a, b in pairwise(ratios)), ratios[-1:]])
    return [math.log(place) for place in places], [float(delta) for delta in np.interp(places, ratios, deltas)]


def mark_corners(axes: Any) -> None:
    """Leave a marker at each corner of the curves only."""
    for line in axes.lines:
        line.set_markevery(POINTS)


def profiles() -> bytes:
    """Delta against epsilon: n clients whose answers are only counted."""
    figure, axes = one_panel()
    series = {}
    for clients in (1, 5, 20, 50):
        corners = rr_count(bits(clients), lam="1/4").profile().corners
        series[f"{clients} clients"] = against_epsilon(corners)
    lines(axes, series, title="Counting hides who answered what", x="eps", y="delta")
    mark_corners(axes)
    return picture(figure, ".svg")


def mechanism_profiles() -> bytes:
    """Delta against epsilon of mechanisms that come with the package, as ``taut profile NAME`` computes them."""
    figure, (left, right) = panels(2)
    sides = {
        left: ["randomized_response", "k_ary_randomized_response", "optimised_unary_encoding", "rappor"],
        right: ["rr_count", "geometric_count", "above_threshold", "binary_tree_counter"],
    }
    for axes, names in sides.items():
        series = {}
        for name in names:
            corners = profile_of(name).corners
            series[name] = against_epsilon(corners)
        lines(axes, series, title="Local" if axes is left else "Central", x="eps", y="delta")
        mark_corners(axes)
    return picture(figure, ".svg")


@functools.cache
def profile_of(name: str) -> Any:
    """The profile of a built-in mechanism with its own arguments and neighbours; figures and pages share it."""
    query = read_query(name, [])
    return query.model().profile(query.neighbors)


def composition() -> bytes:
    """Epsilon at delta = 1/10^6 against the number of runs: exact, and the sum of the epsilons."""
    profile = randomized_response(bits(1), lam="2/5").profile()
    runs = [1, 2, 5, 10, 20, 50, 100, 200]
    one = profile.epsilon(0).epsilon
    exact = [profile.compose(count).epsilon("1e-6").epsilon for count in runs]
    figure, axes = one_panel()
    series = {"exact, delta = 1e-6": (runs, exact), "basic composition": (runs, [count * one for count in runs])}
    lines(axes, series, title="What k runs cost", x="runs", y="epsilon", hollow=["basic composition"])
    return picture(figure, ".svg")


def _svg(drawn: Any) -> bytes:
    return str(drawn._repr_svg_()).encode()


FIGURES: dict[str, Callable[[], bytes]] = {
    function.__name__: function
    for function in (sweep, first_above_diagram, profile, tradeoff, profiles, mechanism_profiles, composition)
}
"""What ``<!-- figure: name | caption -->`` in a document is replaced with."""
