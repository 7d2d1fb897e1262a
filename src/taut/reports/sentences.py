"""A saved result in sentences, for a reader who did not ask the question."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from taut.domains import Domain
from taut.model.saved import SavedResult
from taut.numbers import INFINITY, Ball, float_above
from taut.results.privacy import logarithm_above
from taut.results.text import shown, telling, vector_text

__all__ = ["sentences"]


def sentences(saved: SavedResult) -> list[str]:
    """Return what the file says was asked and found, what that means, and how to check it; nothing is computed."""
    databases = [f"{name} from {value}" for name, value in saved.arguments.items() if isinstance(value, Domain)]
    settings = [f"{name}={_setting(value)}" for name, value in saved.arguments.items() if not isinstance(value, Domain)]
    about = f"'{saved.name or saved.path.stem}', with {', '.join([*databases, *settings])}"
    lines = [f"This result is about the mechanism {about}.", _FOUND[saved.kind](saved)]
    if not saved.complete:
        lines.append("The value is only known to lie in an interval: the computation was stopped.")
    if saved.witness is not None:
        lines.append(_case(saved))
    versions = ", ".join(f"{name} {version}" for name, version in saved.versions.items())
    lines.append(f"It was computed with {versions}. 'taut replay {saved.path}' checks it again.")
    return lines


def _privacy(saved: SavedResult) -> str:
    if saved.attained == INFINITY:
        return (
            f"For {saved.neighbors} neighbours no epsilon is enough: some output is possible on one input and "
            "impossible on a neighbour."
        )
    return (
        f"For {saved.neighbors} neighbours no output is more than {_value(saved)} times as likely on one "
        "input as on a neighbour: this is e^eps."
    )


def _delta(saved: SavedResult) -> str:
    return (
        f"For {saved.neighbors} neighbours and e^eps = {shown(saved.question['ratio'])}, delta {_is(saved)} "
        f"{_value(saved)}: no event has a larger P(on x) - e^eps P(on x')."
    )


def _renyi(saved: SavedResult) -> str:
    divergence = logarithm_above(saved.upper, saved.question["order"] - 1)
    within = "is infinite" if divergence == INFINITY else f"is at most {divergence:.6g}"
    return (
        f"For {saved.neighbors} neighbours the Rényi moment of order {shown(saved.question['order'])} is at most "
        f"{_value(saved)}, so that the Rényi divergence of this order {within}."
    )


def _epsilon(saved: SavedResult) -> str:
    delta = shown(saved.question["delta"])
    if saved.attained == INFINITY:
        return f"For {saved.neighbors} neighbours no epsilon is enough at delta = {delta}."
    return (
        f"For {saved.neighbors} neighbours and delta = {delta}, e^eps {_is(saved)} {_value(saved)}: "
        "every event is at most that many times as likely on one input as on a neighbour, plus delta."
    )


def _zcdp(saved: SavedResult) -> str:
    rho = INFINITY if saved.upper == INFINITY else float_above(saved.upper)
    if rho == INFINITY and not saved.complete:
        return f"For {saved.neighbors} neighbours rho is not bounded yet."
    if rho == INFINITY:
        return f"For {saved.neighbors} neighbours no rho is enough: the mechanism is not zero-concentrated private."
    return (
        f"For {saved.neighbors} neighbours rho is {rho:.10g}, rounded up: the Rényi divergence of every order a is at "
        "most rho times a."
    )


def _accuracy(saved: SavedResult) -> str:
    if saved.question["best"]:
        return (
            f"On the best input the output lies within {shown(saved.question['alpha'])} of the target with probability "
            f"{_value(saved)}, and on no input with more."
        )
    return (
        f"On every input the output lies within {shown(saved.question['alpha'])} of the target with probability "
        f"{_value(saved)} or more."
    )


def _profile(saved: SavedResult) -> str:
    return (
        f"For {saved.neighbors} neighbours delta is known exactly for every epsilon, from {shown(saved.attained[0])} "
        f"at epsilon = 0 down to {shown(min(saved.attained))}."
    )


def _value(saved: SavedResult) -> str:
    return _attained(saved) if saved.complete else shown(saved.limit)


def _attained(saved: SavedResult) -> str:
    """The value of the worst case; one that was rounded is not shown as if all its digits were meant."""
    rounded = saved.complete and not saved.exact and isinstance(saved.attained, Fraction)
    return f"about {telling(saved.attained)}" if rounded else shown(saved.attained)


def _is(saved: SavedResult) -> str:
    return "is" if saved.complete else "is at most"


def _setting(value: Any) -> str:
    """A parameter as it was given: numbers plainly, text in quotes."""
    return shown(value) if isinstance(value, Ball) else vector_text(value)


def _case(saved: SavedResult) -> str:
    assert saved.witness is not None
    case = {name: vector_text(value) for name, value in saved.witness.items()}
    if saved.kind == "privacy":
        return (
            f"The worst case is x={case['x']}, its neighbour x'={case['x_prime']} and the output {case['y']}, which "
            f"attain {_attained(saved)}."
        )
    if saved.kind == "accuracy":
        extreme = "best" if saved.question["best"] else "worst"
        return f"The {extreme} input is x={case['x']}, where this probability is {_attained(saved)}."
    if saved.kind == "profile":
        pairs = [f"x={vector_text(x)} and x'={vector_text(x_prime)}" for x, x_prime in saved.pairs]
        return f"It is attained by {'; '.join(pairs)}."
    return f"The worst pair is x={case['x']} and x'={case['x_prime']}, which attain {_attained(saved)}."


_FOUND = {
    "privacy": _privacy,
    "delta": _delta,
    "epsilon": _epsilon,
    "renyi": _renyi,
    "zcdp": _zcdp,
    "accuracy": _accuracy,
    "profile": _profile,
}
