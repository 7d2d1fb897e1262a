"""Roles of a formula's variables (input, output or coin), and their numbering."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from taut.program.formula import Role
from taut.support.errors import TautError

__all__ = ["assign_roles", "listing", "names_of"]


def names_of(given: Any, what: str, error: type[TautError], kinds: tuple[type, ...] = (str,)) -> list[str]:
    """Return the names in a list given by the user, with numbers as text, or refuse the list."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise error(f"{what}: expected a list of variables; got {given!r}.", value=given)
    found = list(given)
    for name in found:
        if not isinstance(name, kinds) or isinstance(name, bool):
            raise error(f"{what}: {name!r} is not a name of a variable.", value=name)
    return [str(name) for name in found]


def assign_roles(
    known: Sequence[str], inputs: Sequence[str], outputs: Sequence[str], error: type[TautError]
) -> dict[str, Role]:
    """Return the role of every variable: inputs first, then outputs, each in the given order, then coins."""
    roles: dict[str, Role] = {}
    names = set(known)
    chosen: list[tuple[Role, Sequence[str]]] = [("input", inputs), ("output", outputs)]
    for role, group in chosen:
        for name in group:
            if name not in names:
                raise error(
                    f"{role}s: {name!r} does not occur in the formula; its variables are {listing(known)}.", value=name
                )
            if roles.get(name) == role:
                raise error(f"{role}s: {name!r} stands there twice.", value=name)
            if name in roles:
                raise error(f"{name!r} cannot be an input and an output.", value=name)
            roles[name] = role
    for name in known:
        roles.setdefault(name, "coin")
    return roles


def listing(names: Sequence[str]) -> str:
    """Format names for a message; only the first ones if there are many."""
    if not names:
        return "none"
    return ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:10])}, ... ({len(names)} in all)"
