"""A saved result in sentences, for a reader who did not ask the question."""

from __future__ import annotations

from taut.domains import Domain
from taut.model.saved import SavedResult
from taut.numbers import INFINITY
from taut.results.text import shown

__all__ = ["sentences"]


def sentences(saved: SavedResult) -> list[str]:
    """What was asked, what was found, what that means, and how to check it again."""
    asked = saved.question
    databases = [f"{name} from {value}" for name, value in saved.arguments.items() if isinstance(value, Domain)]
    settings = [f"{name}={value}" for name, value in saved.arguments.items() if not isinstance(value, Domain)]
    about = f"'{saved.name or saved.path.stem}', with {', '.join([*databases, *settings])}"
    lines = [f"This result is about the mechanism {about}.", _FOUND[asked["kind"]](saved)]
    if not saved.exact:
        lines.append("The value is only known to lie in an interval: the computation was stopped.")
    if asked["witnessed"]:
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
        f"For {saved.neighbors} neighbours no output is more than {_value(saved, 'upper')} times as likely on one "
        "input as on a neighbour: this is e^eps."
    )


def _delta(saved: SavedResult) -> str:
    return (
        f"For {saved.neighbors} neighbours and e^eps = {shown(saved.question['ratio'])}, delta is "
        f"{_value(saved, 'upper')}: no event has a larger P(on x) - e^eps P(on x')."
    )


def _renyi(saved: SavedResult) -> str:
    return (
        f"For {saved.neighbors} neighbours the Rényi moment of order {shown(saved.question['order'])} is at most "
        f"{_value(saved, 'upper')}."
    )


def _accuracy(saved: SavedResult) -> str:
    return (
        f"On every input the output lies within {shown(saved.question['alpha'])} of the target with probability "
        f"{_value(saved, 'lower')} or more."
    )


def _profile(saved: SavedResult) -> str:
    return (
        f"For {saved.neighbors} neighbours delta is known exactly for every epsilon, from {shown(saved.attained[0])} "
        f"at epsilon = 0 down to {shown(min(saved.attained))}."
    )


def _value(saved: SavedResult, end: str) -> str:
    return shown(saved.attained) if saved.exact else str(saved.result[end])


def _case(saved: SavedResult) -> str:
    asked = saved.question
    kind = asked["kind"]
    if kind == "privacy":
        return (
            f"The worst case is x={asked['x']}, its neighbour x'={asked['x_prime']} and the output {asked['y']}, which "
            f"attain {shown(saved.attained)}."
        )
    if kind == "accuracy":
        return f"The worst input is x={asked['x']}, where this probability is {shown(saved.attained)}."
    if kind == "profile":
        pairs = [f"x={x} and x'={x_prime}" for x, x_prime in saved.pairs]
        return f"It is attained by {'; '.join(pairs)}."
    return f"The worst pair is x={asked['x']} and x'={asked['x_prime']}, which attain {shown(saved.attained)}."


_FOUND = {"privacy": _privacy, "delta": _delta, "renyi": _renyi, "accuracy": _accuracy, "profile": _profile}
