"""Deltas, profiles, Rényi moments, trade-off curves and loss distributions for people, as panels and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from rich.console import Group
from rich.panel import Panel

from taut.numbers import INFINITY, decimal
from taut.reports.text import case_rows, count_text, facts_panel, method_rows, plural, simple_table
from taut.results import (
    Bound,
    DeltaBound,
    DivergenceBound,
    EpsilonBound,
    LossDistribution,
    PairWitness,
    PrivacyProfile,
    RenyiBound,
    TradeoffCurve,
    ZcdpBound,
    epsilon_of,
    shown,
    surely,
)
from taut.results.text import between, vector_text

__all__ = [
    "corner_table",
    "delta_panel",
    "delta_rows",
    "delta_table",
    "divergence_table",
    "epsilon_panel",
    "epsilon_table",
    "loss_table",
    "moment_rows",
    "pieces_table",
    "profile_panel",
    "profile_rows",
    "renyi_rows",
    "renyi_table",
    "tradeoff_panel",
    "tradeoff_rows",
]

_MOST_ROWS = 24
_MOST_EVENT = 6


def delta_panel(title: str, bound: DeltaBound) -> Panel:
    """Delta at an epsilon: the number, the worst pair, the event that tells the two apart."""
    return facts_panel(title, delta_rows(bound), good=bound.delta != 1)


def delta_rows(bound: DeltaBound) -> list[tuple[str, str]]:
    """What there is to say about delta at an epsilon, as names and values."""
    at = f"epsilon = {bound.at_epsilon}"
    if bound.at_epsilon is None:
        at = f"e^eps = {shown(bound.ratio)} (epsilon = {bound.epsilon!r}, rounded up)"
    return [("delta", _value(bound)), ("at", at), *_pair(bound), ("event", _event(bound)), *_rest(bound)]


def moment_rows(bound: RenyiBound) -> list[tuple[str, str]]:
    """What there is to say about one Rényi moment, as names and values."""
    return [
        ("moment", f"{_value(bound)}, of order {bound.order}"),
        ("divergence", f"{_rounded(bound.divergence)}, rounded up"),
        *_pair(bound),
        *_rest(bound),
    ]


def epsilon_panel(title: str, bound: EpsilonBound) -> Panel:
    """Epsilon at a delta: the ratio, its logarithm, the worst pair."""
    epsilon = "infinity" if bound.epsilon == INFINITY else f"{bound.epsilon!r}, rounded up"
    rows = [
        ("e^eps", "infinity: delta is too small for any" if bound.lower == INFINITY else _value(bound)),
        ("epsilon" if bound.exact else "epsilon at most", epsilon),
        ("at", f"delta = {shown(bound.delta)}"),
        *_pair(bound),
        *_rest(bound),
    ]
    return facts_panel(title, rows, good=bound.max_ratio != INFINITY)


def renyi_table(title: str, bounds: Sequence[RenyiBound | ZcdpBound]) -> Group:
    """Rényi moments of some orders, and rho, one row each with its worst pair."""
    return simple_table(title, *renyi_rows(bounds), words=True)


def renyi_rows(bounds: Sequence[RenyiBound | ZcdpBound]) -> tuple[list[str], list[list[str]]]:
    """The headings and rows of the table of Rényi moments."""
    rows = []
    for bound in bounds:
        if isinstance(bound, ZcdpBound):
            name, value, rounded = "zCDP", "", f"rho = {_rounded(bound.rho)}"
        else:
            name, value, rounded = str(bound.order), _value(bound), _rounded(bound.divergence)
        rows.append([name, value, rounded, *_texts(bound.witness), bound.method])
    headings = ["order", "moment", "divergence, rounded up", "x", "x'", "method"]
    return headings, rows


def divergence_table(title: str, bounds: Sequence[DivergenceBound]) -> Group:
    """Divergences by some measures, one row each with its worst pair."""
    rows = [[bound.measure, _value(bound), *_texts(bound.witness), bound.method] for bound in bounds]
    return simple_table(title, ["measure", "largest value", "x", "x'", "method"], rows, words=True)


# ------------------------------------------------------------------------------------------------------ the profile


def profile_panel(title: str, profile: PrivacyProfile, neighbors: str | None) -> Panel:
    """What a profile comes to: where it begins and ends, and the Gaussian mechanism that is as bad."""
    rows = profile_rows(profile, neighbors)
    return facts_panel(title, rows, good=profile.delta_interval(ratio=1)[1] != 1)


def profile_rows(profile: PrivacyProfile, neighbors: str | None) -> list[tuple[str, str]]:
    """What there is to say about a profile, as names and values."""
    rows = [("delta", f"{between(*profile.delta_interval(ratio=1))} at epsilon = 0")]
    if profile.exact:
        last, limit = profile.corners[-1]
        rows.append(("", f"{shown(limit)} from e^eps = {shown(last)} (epsilon = {_rounded(epsilon_of(last))}) on"))
        rows.append(("pieces", str(len(profile.pieces))))
    elif profile.complete:
        rows.append(("", "a certified interval at every epsilon"))
    rows.append(("Gaussian", _gaussian(profile)))
    if profile.parts:
        tight = "attained" if profile.tight else "an upper bound, perhaps not attained"
        runs = sum(count for _, count in profile.parts)
        rows.append(("runs", f"{runs}, where answers may decide what is asked next: {tight}"))
    rows.append(("neighbours", str(neighbors)))
    one = profile.parts[0][0] if profile.parts else profile
    return [*rows, *method_rows(one)]


def pieces_table(profile: PrivacyProfile) -> Group | None:
    """Where which pair is the worst; None where that is not known."""
    if profile.parts or not profile.exact:
        return None
    rows = []
    for pair, pieces in groupby((piece for piece in profile.pieces if piece.mass), key=lambda piece: piece.witness):
        run = list(pieces)
        ends = [epsilon_of(run[0].low), epsilon_of(run[-1].high)]
        deltas = [profile.delta(ratio=run[0].low), profile.delta(ratio=min(run[-1].high, profile.corners[-1][0]))]
        rows.append([*[decimal(value, 6) for value in (*ends, *deltas)], *_texts(pair)])
    headings = ["epsilon from", "to", "delta from", "to", "x", "x'"]
    return _cut("Worst pairs (numbers rounded; --json has them exactly)", headings, rows) if rows else None


def delta_table(rows: Iterable[tuple[str, str, Any, Any]]) -> Group:
    """Deltas of a profile: at which epsilon or ratio, and the two ends."""
    words = {"epsilon": "eps", "ratio": "e^eps"}
    cells = [[f"{words[kind]} = {at}", between(low, high)] for kind, at, low, high in rows]
    return simple_table("Delta", ["at", "delta"], cells, words=True)


def epsilon_table(bounds: Iterable[EpsilonBound]) -> Group:
    """Epsilons of a profile at some deltas."""
    rows = [[shown(bound.delta), _value(bound), _rounded(bound.epsilon)] for bound in bounds]
    return simple_table("Epsilon", ["at delta", "e^eps", "epsilon, rounded up"], rows, words=True)


# --------------------------------------------------------------------------------------------- trade-off and losses


def tradeoff_panel(title: str, curve: TradeoffCurve) -> Panel:
    """What a trade-off curve comes to."""
    return facts_panel(title, tradeoff_rows(curve), good=curve.interval("0")[0] != 0)


def tradeoff_rows(curve: TradeoffCurve) -> list[tuple[str, str]]:
    """What there is to say about a trade-off curve, as names and values."""
    low, high = curve.interval("1/2")
    shape = "convex" if len(curve.convex().corners) == len(curve.corners) else "not convex"
    size = f"{len(curve.corners) - 1} {plural('piece', len(curve.corners) - 1)}"
    rows = [
        ("beta", f"{between(low, high)} at alpha = 1/2"),
        ("curve", f"{size}, {shape}" if curve.exact else "a certified interval at every alpha"),
        ("neighbours", str(curve.neighbors)),
    ]
    return [*rows, *method_rows(curve)]


def corner_table(rows: Iterable[tuple[Any, Any, Any, PairWitness | None]]) -> Group:
    """Points of a trade-off curve: alpha, the two ends of beta, the pair that attains it."""
    cells = [[shown(alpha), between(low, high), *_texts(pair)] for alpha, low, high, pair in rows]
    return _cut("Errors", ["alpha, first kind", "beta, second kind", "x", "x'"], cells)


def loss_table(title: str, loss: LossDistribution, divergences: Iterable[tuple[str, Any]]) -> Group:
    """The atoms of a loss distribution, and what follows from them."""
    atoms = []
    for ratio, mass, mass_prime in loss.atoms:
        atoms.append([shown(ratio), decimal(epsilon_of(ratio), 6), shown(mass), shown(mass_prime)])
    headings = ["ratio", "loss", "mass under x", "mass under x'"]
    pair = f"x = {vector_text(loss.x)}, x' = {vector_text(loss.x_prime)}"
    values = simple_table(
        "Divergences", ["measure", "value"], [[name, surely(v)] for name, v in divergences], words=True
    )
    return Group(_cut(f"{title}\n{pair}", headings, atoms), values)


# ------------------------------------------------------------------------------------------------------ parts of these


def _value(bound: Bound) -> str:
    return surely(bound.upper, ",") if bound.exact else between(bound.lower, bound.upper)


def _pair(bound: DivergenceBound) -> list[tuple[str, str]]:
    return case_rows([("x", bound.witness.x), ("x'", bound.witness.x_prime)], bound)


def _texts(pair: PairWitness | None) -> list[str]:
    return ["", ""] if pair is None else [vector_text(pair.x), vector_text(pair.x_prime)]


def _rest(bound: DivergenceBound) -> list[tuple[str, str]]:
    rows = [("neighbours", str(bound.neighbors))]
    if bound.count is not None:
        rows.append(("attained by", f"{count_text(bound.count)} ordered {plural('pair', bound.count)} (x, x')"))
    return [*rows, *method_rows(bound)]


def _event(bound: DeltaBound) -> str:
    """The event in words, and its outputs where they are few."""
    words = "the outputs that are more than e^eps times as likely on x as on x'"
    outputs = bound.witness.event.few() if hasattr(bound.witness, "event") else None
    if outputs is None or len(outputs) > _MOST_EVENT:
        return words if outputs is None else f"{words}, {len(outputs)} of them"
    return f"{', '.join(vector_text(y) for y in outputs)}: {words}" if outputs else f"empty; {words}"


def _rounded(value: float) -> str:
    return "infinity" if value == INFINITY else repr(value)


def _gaussian(profile: PrivacyProfile) -> str:
    """The Gaussian mechanism that is as bad; or why there is none, or none is known."""
    if profile.gaussian < INFINITY:
        return f"mu = {profile.gaussian!r}, rounded up: no easier to tell apart than N(0, 1) and N(mu, 1)"
    if profile.gaussian_lower == INFINITY:
        return "none: no mu is large enough"
    why = "the probabilities are not known precisely enough" if profile.complete else "the profile is not finished"
    return f"not known, since {why}; mu is at least {profile.gaussian_lower!r}"


def _cut(title: str, headings: Sequence[str], rows: list[list[str]]) -> Group:
    """A table whose middle is left out where it is long."""
    if len(rows) > _MOST_ROWS:
        half = _MOST_ROWS // 2
        left_out = [f"... {len(rows) - 2 * half} more", *[""] * (len(headings) - 1)]
        rows = [*rows[:half], left_out, *rows[-half:]]
    return simple_table(title, headings, rows, words=True)
