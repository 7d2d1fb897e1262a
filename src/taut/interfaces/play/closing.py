"""The interval of a running search as a small picture: both ends against time, as they close in on the number."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["closing_svg"]

_WIDTH, _HEIGHT = 640, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 10, 490, 14, 126
_MOST = 400
"""Points that are drawn; of more, evenly spaced ones."""
_Corners = list[tuple[float, float]]


def closing_svg(points: Sequence[tuple[float, str | None, str | None]], now: float) -> str:
    """Return an SVG element; each point has its second, the lower and the upper end as decimals, None if not known.

    >>> closing_svg([(0.5, "1", None), (1.0, "2", "4")], 1.5).count("<path")
    3
    """
    kept = [points[place] for place in sorted({*range(0, len(points), -(-len(points) // _MOST)), len(points) - 1})]
    ends = [[(one[0], _height(one[side])) for one in kept if one[side] is not None] for side in (1, 2)]
    heights = [height for known in ends for _, height in known if math.isfinite(height)] or [0.0, 1.0]
    low, high, last = min(heights), max(heights), max(points[-1][0], now, 0.1)
    logarithmic = 0 < 20 * low < high

    def corner(second: float, height: float) -> tuple[float, float]:
        share = 1.0 if math.isinf(height) else (height - low) / ((high - low) or 1.0)
        if logarithmic and math.isfinite(height):
            share = math.log(height / low) / math.log(high / low)
        return _LEFT + (_RIGHT - _LEFT) * second / last, _BOTTOM - (_BOTTOM - _TOP) * share

    lower, upper = (_steps([corner(*one) for one in known]) for known in ends)
    shade = f'<path d="{_path(_area(lower, upper))}Z" fill="var(--taut-blue)" fill-opacity="0.14"/>'
    words = f"The certified interval after {last:.1f} seconds: {points[-1][1] or '?'} to {points[-1][2] or '?'}"
    quiet = f'y="{_HEIGHT - 6}" font-size="11" fill="currentColor" opacity="0.7"'
    return (
        f'<svg role="img" aria-label="{words}" viewBox="0 0 {_WIDTH} {_HEIGHT}" style="width: 100%; height: auto">'
        f"<title>{words}</title>{shade if lower and upper else ''}"
        f"{_curve(lower, 'var(--taut-blue)', 'at least', points[-1][1], 12)}"
        f"{_curve(upper, 'var(--taut-orange)', 'at most', points[-1][2], -4)}"
        f'<text x="{_LEFT}" {quiet}>0 s</text><text x="{_RIGHT}" text-anchor="end" {quiet}>{last:.1f} s</text></svg>'
    )


def _steps(corners: _Corners) -> _Corners:
    """Step corners: each end stays until it improves."""
    following = [*(x for x, _ in corners[1:]), float(_RIGHT)]
    return [point for (x, y), then in zip(corners, following, strict=False) for point in ((x, y), (then, y))]


def _area(lower: _Corners, upper: _Corners) -> _Corners:
    """Return the outline of the area between both ends, from when both are known."""
    if not lower or not upper:
        return []
    begin = max(lower[0][0], upper[0][0])
    sides = [
        [(begin, [y for x, y in side if x <= begin][-1]), *[c for c in side if c[0] > begin]] for side in (lower, upper)
    ]
    return [*sides[0], *reversed(sides[1])]


def _path(corners: _Corners) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)


def _curve(corners: _Corners, color: str, word: str, value: str | None, lift: int) -> str:
    """Return an end of the interval with its last value beside it; nothing while it is not known."""
    if not corners or value is None:
        return ""
    y = min(max(corners[-1][1] + lift, 12), _BOTTOM + 4)
    line = f'<path d="{_path(corners)}" fill="none" stroke="{color}" stroke-width="2"/>'
    return f'{line}<text x="{_RIGHT + 4}" y="{y:.1f}" font-size="11" fill="{color}">{word} {value}</text>'


def _height(text: str | None) -> float:
    try:
        return float(text or "inf")
    except ValueError:
        return math.inf
