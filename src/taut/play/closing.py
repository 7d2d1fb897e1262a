"""The interval of a running search as a small picture: both ends against time, as they close in on the number."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["closing_svg"]

_WIDTH, _HEIGHT = 640, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 10, 150, 14, 24
_MOST = 400
"""Points that are drawn; of more, evenly spaced ones."""


def closing_svg(points: Sequence[tuple[float, str | None, str | None]], now: float) -> str:
    """An SVG element; each point has its second, the lower and the upper end as decimals, None where not known.

    >>> closing_svg([(0.5, "1", None), (1.0, "2", "4")], 1.5).count("<path")
    3
    """
    kept = [points[place] for place in sorted({*range(0, len(points), -(-len(points) // _MOST)), len(points) - 1})]
    low = [(second, _float(end)) for second, end, _ in kept if end is not None]
    high = [(second, _float(end)) for second, _, end in kept if end is not None]
    finite = [value for _, value in [*low, *high] if math.isfinite(value)]
    last = max(points[-1][0], now, 0.1)
    bottom, top = (min(finite), max(finite)) if finite else (0.0, 1.0)
    logarithmic = bottom > 0 and top / bottom > 20
    scale = (lambda value: math.log(value)) if logarithmic else (lambda value: value)
    begin, end = scale(bottom), scale(top)
    room = (end - begin) or 1.0

    def place(second: float, value: float) -> tuple[float, float]:
        x = _LEFT + (_WIDTH - _LEFT - _RIGHT) * second / last
        y = (
            _TOP
            if math.isinf(value)
            else _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (scale(value) - begin) / room
        )
        return x, y

    lower, upper = [place(*one) for one in low], [place(*one) for one in high]
    area = [*_steps(lower, last_x := _WIDTH - _RIGHT), *reversed(_steps(upper, last_x))] if upper and lower else []
    parts = [
        f'<path d="{_path(area)}Z" fill="var(--taut-blue)" fill-opacity="0.14"/>' if area else "",
        f'<path d="{_path(_steps(lower, last_x))}" fill="none" stroke="var(--taut-blue)" stroke-width="2"/>'
        if lower
        else "",
        f'<path d="{_path(_steps(upper, last_x))}" fill="none" stroke="var(--taut-orange)" stroke-width="2"/>'
        if upper
        else "",
        _named(lower, points[-1][1], "at least", "var(--taut-blue)", 12),
        _named(upper, points[-1][2], "at most", "var(--taut-orange)", -4),
        f'<text x="{_LEFT}" y="{_HEIGHT - 6}" font-size="11" fill="currentColor" opacity="0.7">0 s</text>',
        f'<text x="{last_x}" y="{_HEIGHT - 6}" font-size="11" text-anchor="end" fill="currentColor" opacity="0.7">'
        f"{last:.1f} s</text>",
    ]
    words = f"The certified interval after {last:.1f} seconds: {points[-1][1] or '?'} to {points[-1][2] or '?'}"
    return (
        f'<svg role="img" aria-label="{words}" viewBox="0 0 {_WIDTH} {_HEIGHT}" style="width: 100%; height: auto">'
        f"<title>{words}</title>{''.join(parts)}</svg>"
    )


def _steps(points: list[tuple[float, float]], last: float) -> list[tuple[float, float]]:
    """An end holds until it is improved."""
    found = []
    for (x, y), (following, _) in zip(points, [*points[1:], (last, 0.0)], strict=True):
        found += [(x, y), (following, y)]
    return found


def _path(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _named(points: list[tuple[float, float]], value: str | None, word: str, color: str, lift: int) -> str:
    if not points or value is None:
        return ""
    x, y = _WIDTH - _RIGHT + 4, min(max(points[-1][1] + lift, 12), _HEIGHT - _BOTTOM + 4)
    return f'<text x="{x}" y="{y:.1f}" font-size="11" fill="{color}">{word} {value}</text>'


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.inf
