"""Facts: conditions known to hold in the current world, from the branches that led there."""

from __future__ import annotations

from collections import Counter

from taut.program import Apply, Term, Terms

__all__ = ["Facts"]

_DEEP = 4


class Facts:
    """The conditions of the open worlds, split: 'a and b' into both parts, 'not (a or b)' into both negations."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._held: Counter[Term] = Counter()

    def add(self, test: Term) -> list[Term]:
        """Add a condition; return the parts to pass to ``remove`` later."""
        new = self._parts(test)
        self._held.update(new)
        return new

    def remove(self, parts: list[Term]) -> None:
        """Remove the parts that ``add`` returned."""
        for part in parts:
            self._held[part] -= 1
            if not self._held[part]:
                del self._held[part]

    def decide(self, test: Term, depth: int = _DEEP) -> bool | None:
        """Return True or False if a condition is decided by the known facts; None if not quickly decided."""
        if not self._held:
            return None
        if test in self._held:
            return True
        if self._terms.negate(test) in self._held:
            return False
        if not isinstance(test, Apply) or not depth:
            return None
        name = test.operation.name
        if name == "not":
            found = self.decide(test.args[0], depth - 1)
            return None if found is None else not found
        if name not in ("and", "or"):
            return None
        decisive, all_others = name == "or", True
        for part in test.args:
            found = self.decide(part, depth - 1)
            if found is decisive:
                return decisive
            all_others = all_others and found is not None
        return not decisive if all_others else None

    def _parts(self, test: Term) -> list[Term]:
        parts: dict[Term, None] = {}
        stack = [test]
        while stack:
            part = stack.pop()
            if part in parts:
                continue
            parts[part] = None
            if not isinstance(part, Apply):
                continue
            if part.operation.name == "and":
                stack.extend(part.args)
            elif part.operation.name == "not":
                inner = part.args[0]
                if isinstance(inner, Apply) and inner.operation.name == "or":
                    stack.extend(self._terms.negate(arg) for arg in inner.args)
        return list(parts)
