"""The symmetry group of a mechanism: its generators, its orbits, and the sets that follow from it."""

from __future__ import annotations

import html
import itertools
import math
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.diagrams.compile import Relation
from taut.neighbors import neighbors_of
from taut.program.domains import InputSpace
from taut.questions.drawn import Drawn, Unsaved
from taut.questions.text import vector_text
from taut.support.errors import TooLarge
from taut.support.exact import large
from taut.synthesis.sets import AccuracySet, InferenceSet, PrivacySet
from taut.synthesis.symmetry.contents import INPUTS, NEIGHBORS, PAIRS, TRIPLES, CaseShape, NeighborSteps
from taut.synthesis.symmetry.identity import method_of, power_of_two
from taut.synthesis.symmetry.orbits import Orbit, Orbits
from taut.synthesis.symmetry.permutation import Permutation, arities_of
from taut.synthesis.symmetry.records import RecordClass, sentences

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SymmetryCost", "SymmetryGroup"]

_MOST_LISTED = 1_000_000


@dataclass(frozen=True)
class SymmetryCost:
    """The cost of a question with symmetries: representatives, and nodes that each may visit."""

    representatives: int
    nodes: int


@dataclass(frozen=True)
class SymmetryGroup(Drawn, Unsaved):
    """Verified symmetries g of a mechanism A: P(A(g x) = g y) = P(A(x) = y) for all x and y.

    Guarantee:
        ``classes`` generate a product of permutations of records and local symmetries; orbits are those of this
        product. ``others`` hold as well and are not used for orbits. If ``exact``, every symmetry behind the orbits has
        been confirmed by exact arithmetic; otherwise all of them hold but for a probability of at most ``error``.
    """

    relation: Relation
    space: InputSpace
    classes: tuple[RecordClass, ...]
    others: tuple[Permutation, ...]
    exact: bool
    error: Fraction
    complete: bool = True
    """True if everything was tried; False if a limit on the number of tests was reached."""

    @property
    def generators(self) -> list[Permutation]:
        """The symmetries that generate the group."""
        return [permutation for records in self.classes for permutation in records.generators] + list(self.others)

    @property
    def trivial(self) -> bool:
        """True if only the identity is in the group."""
        return not self.generators

    @property
    def method(self) -> str:
        """The method by which the symmetries were verified, with its probability of error."""
        return method_of(self.exact, self.error)

    def __str__(self) -> str:
        return "\n".join([f"Symmetries of {self.relation.name}, by {self.method}:", *[f"- {s}" for s in self.words]])

    def __repr__(self) -> str:
        return f"<SymmetryGroup of {self.relation.name}: {'; '.join(self.words)}>"

    @property
    def words(self) -> list[str]:
        """The symmetries in English, one sentence each."""
        return sentences(self.relation, self.classes, self.others)

    def to_dict(self) -> dict[str, Any]:
        """Return the data that ``taut symmetries --json`` prints; large numbers are text."""
        return {
            "mechanism": self.relation.name,
            "symmetries": self.words,
            "exact": self.exact,
            "error": "0" if self.exact else power_of_two(self.error),
            "method": self.method,
            "complete": self.complete,
            "generators": len(self.generators),
            "classes": [sorted(records.inputs) for records in self.classes if records.size > 1],
            "inputs": str(math.prod(len(variable.values) for variable in self.relation.inputs)),
            "representatives": str(self.input_orbits().count),
        }

    _pictured = "symmetries"

    def _figure(self, title: str | None) -> Figure:
        return _orbit_figure(self, title)

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{html.escape(words)}</li>" for words in self.words)
        return (
            f"<p>Symmetries of {html.escape(self.relation.name)}, by {html.escape(self.method)}</p><ul>{items}</ul>"
            + self._inline_picture()
        )

    # -- orbits --------------------------------------------------------------------------------------------------

    def input_orbits(self) -> Orbits:
        """Return orbits of inputs x."""
        return Orbits(self.classes, arities_of(self.relation), INPUTS)

    def pair_orbits(self) -> Orbits:
        """Return orbits of pairs (x, y)."""
        return Orbits(self.classes, arities_of(self.relation), PAIRS)

    def triple_orbits(self, neighbors: Any) -> Orbits:
        """Return orbits of ordered triples (x, x', y) of neighbours; symmetries act on x and x' alike.

        Parameters
        ----------
        neighbors
            A neighbour relation or its name. Symmetries that do not preserve it are not used.
        """
        return self._related_orbits(neighbors, TRIPLES)

    def neighbor_orbits(self, neighbors: Any = "one_differ") -> Orbits:
        """Return orbits of ordered pairs of neighbours; symmetries act on both alike, and may move outputs."""
        return self._related_orbits(neighbors, NEIGHBORS)

    def _related_orbits(self, neighbors: Any, shape: CaseShape) -> Orbits:
        arities = arities_of(self.relation)
        steps = NeighborSteps(neighbors_of(neighbors), self.space, self.classes, arities)
        return Orbits(steps.preserving(self.classes), arities, shape, steps)

    def cost(self, neighbors: Any = None) -> SymmetryCost:
        """Return the cost of looking at one case per orbit; orbits are counted, not listed.

        Parameters
        ----------
        neighbors : optional
            A neighbour relation, whose triples are looked at; without it, inputs are.

        Returns
        -------
        SymmetryCost
            The number of orbits, ``representatives``, and of nodes of the diagram, ``nodes``.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import rr_count
        >>> rr_count(bits(100), lam="1/5").symmetries().cost("one_differ").representatives
        20200
        """
        orbits = self.input_orbits() if neighbors is None else self.triple_orbits(neighbors)
        return SymmetryCost(orbits.count, self.relation.arrays.size)

    # -- sets ----------------------------------------------------------------------------------------------------

    def inputs(self) -> Iterator[tuple[Any, int]]:
        """Yield one input per orbit, with the number of inputs it stands for; lazily."""
        for orbit in self.input_orbits():
            yield self.database(orbit), orbit.size

    def input_set(self) -> AccuracySet:
        """Return one input per orbit.

        Raises
        ------
        TooLarge
            If there are more orbits than can be listed; so do the other sets.
        """
        self._listable(self.input_orbits(), "inputs")
        return AccuracySet(x for x, _ in self.inputs())

    def inference_set(self) -> InferenceSet:
        """Return one pair (x, y) per orbit: every probability P(A(x) = y) is that of one of them."""
        orbits = self._listable(self.pair_orbits(), "pairs")
        return InferenceSet((self.database(orbit), self.output(orbit)) for orbit in orbits)

    def privacy_set(self, neighbors: Any) -> PrivacySet:
        """Return one triple (x, x', y) of neighbours per orbit: every ratio is that of one of them."""
        orbits = self._listable(self.triple_orbits(neighbors), "triples")
        return PrivacySet((self.database(orbit), self.database(orbit, "other"), self.output(orbit)) for orbit in orbits)

    def database(self, orbit: Orbit, copy: str = "input") -> Any:
        """Return the input x of an orbit's representative; its neighbour x' if ``copy`` is 'other'."""
        return self.space.at(orbit.rows[copy].tolist())

    def output(self, orbit: Orbit) -> Any:
        """Return the output y of an orbit's representative."""
        return self.relation.decode(orbit.rows["output"].tolist())

    def without(self, dropped: Callable[[Permutation], bool]) -> SymmetryGroup:
        """Return the group without some of its generators; a class that loses an exchange falls apart."""
        classes: list[RecordClass] = []
        for records in self.classes:
            local = tuple(permutation for permutation in records.local if not dropped(permutation))
            if any(dropped(permutation) for permutation in records.swaps):
                alone = replace(records, local=local)
                classes += [alone.part(place, place + 1) for place in range(records.size)]
            else:
                classes.append(replace(records, local=local))
        return replace(self, classes=tuple(classes), others=())

    def _listable(self, orbits: Orbits, what: str) -> Orbits:
        if orbits.count > _MOST_LISTED:
            raise TooLarge(
                f"'{self.relation.name}': its symmetries leave {large(orbits.count)} {what}, too many to list "
                f"(at most {_MOST_LISTED}).",
                value=orbits.count,
            )
        return orbits


_MOST_ROWS = 16
_MOST_SORTED = 2000
_WIDTH = 96
_MOST_BITS = 900
"""Limit for the bits of a size that is drawn: floats have at most 1024."""


def _orbit_figure(group: SymmetryGroup, title: str | None) -> Figure:
    """Draw a bar per orbit of inputs: the largest ones of many, the first ones of too many to enumerate."""
    from taut.support.pictures.charts import Bar, Row, bars
    from taut.support.pictures.style import OURS, chart, finish, key, literal

    count, most = group.input_orbits().count, 4 if group.trivial else _MOST_ROWS
    some = itertools.islice(group.inputs(), _MOST_SORTED if count <= _MOST_SORTED else most)
    orbits = sorted(some, key=lambda orbit: -orbit[1])[:most]
    inputs = math.prod(len(variable.values) for variable in group.relation.inputs)
    head = f"{large(count)} orbit{'' if count == 1 else 's'} of {large(inputs)} inputs"
    across = "inputs in the orbit"
    if count > len(orbits):
        which = "the largest" if count <= _MOST_SORTED else "the first"
        across += f"; {which} are shown, there are {large(count - len(orbits))} more"
    unit = max(orbits[0][1].bit_length() - _MOST_BITS, 0)
    figure, axes = chart(head, across, "", 8.4, 1.5 + 0.28 * max(len(orbits), 2))
    bars(
        axes,
        [Row(literal(vector_text(x), 58), [Bar(size >> unit, OURS, large(size))]) for x, size in orbits],
        log=False,
    )
    axes.set_xticks([])  # the sizes are written at the bars
    for words in group.words:
        for line in textwrap.wrap(f"• {words}", _WIDTH, subsequent_indent="  "):
            key(axes, "none", literal(line, 200))
    return finish(figure, axes, title)
