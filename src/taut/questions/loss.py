"""The loss distribution of a pair of inputs: each ratio of their probabilities, with its masses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from taut.composition.curve import Curve, lines_of
from taut.questions.bound import Verification
from taut.questions.drawn import Drawn, Unsaved
from taut.questions.text import plain, shown, text_of
from taut.support.errors import InvalidInput
from taut.support.exact import INFINITY, Ball, quotient
from taut.support.pictures.notebook import html_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Atom", "LossDistribution", "loss_between"]


class Atom(NamedTuple):
    """All outputs with one ratio P(A(x) = y) / P(A(x') = y): the ratio, their mass under x and under x'."""

    ratio: Any
    mass: Any
    mass_prime: Any


class _SumOverOutputs(Protocol):
    def of(self, atoms: Iterable[Atom]) -> Any: ...


@dataclass(frozen=True)
class LossDistribution(Drawn, Unsaved):
    """The different ratios of the probabilities of two inputs, with their masses.

    Guarantee:
        Every sum over outputs of a function phi(p, q) with phi(cp, cq) = c phi(p, q) is the sum of phi over the atoms.
        Fractions, or Balls where exp occurs; the smallest ratio first, 0 and INFINITY included. Balls of ratios
        that may be equal are not merged, which changes no such sum.

    Examples
    --------
    >>> from taut import measures
    >>> from taut import bits
    >>> from taut.mechanisms import randomized_response
    >>> loss = randomized_response(bits(8), lam="1/5").loss((0,) * 8, (1,) + (0,) * 7)
    >>> print(loss)
    loss distribution at x=(0, 0, 0, 0, 0, 0, 0, 0), x'=(1, 0, 0, 0, 0, 0, 0, 0)
    ratio       mass under x  mass under x'
    1/4 = 0.25  1/5 = 0.2     4/5 = 0.8
    4           4/5 = 0.8     1/5 = 0.2
    >>> loss.divergence(measures.TotalVariation())
    Fraction(3, 5)
    """

    x: Any = field(compare=False)
    x_prime: Any = field(compare=False)
    atoms: tuple[Atom, ...]
    replay: Callable[[LossDistribution], tuple[LossDistribution, str]] | None = field(
        repr=False, compare=False, default=None
    )
    """Finds the distribution again by other means; given by the model."""

    def divergence(self, measure: _SumOverOutputs) -> Any:
        """Return the sum over all outputs that a measure asks for: a Fraction, a Ball or INFINITY."""
        return measure.of(self.atoms)

    @property
    def exact(self) -> bool:
        """True if all masses are Fractions."""
        return not any(isinstance(atom.mass, Ball) for atom in self.atoms)

    def rational(self, *, up: bool, exchanged: bool = False) -> list[Atom]:
        """Return rational atoms, largest ratio first, with hockey-stick divergences rounded up (or down, without
        ``up``).

        Masses under x are rounded up and those under x' down, or the other way round; Fractions stay as they are. With
        ``exchanged``, those of x' and x.
        """
        rounded = []
        for _, mass, mass_prime in self.atoms:
            if exchanged:
                mass, mass_prime = mass_prime, mass
            more, less = (_upper(mass), _lower(mass_prime)) if up else (_lower(mass), _upper(mass_prime))
            rounded.append(Atom(more / less if less else INFINITY, more, less))
        return sorted((atom for atom in rounded if atom.mass or atom.mass_prime), key=_by_ratio)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "replay": None}  # a pickle leaves the model behind

    def verify(self) -> Verification:
        """Find the two distributions again, by the user's function or the enumerator where they are quick enough."""
        if self.replay is None:
            raise InvalidInput(
                "verify: this loss distribution has no model to find it again with; a model's own one has, before it "
                "is pickled.",
                value=self,
            )
        again, method = self.replay(self)
        if self.exact and again.exact:
            return Verification(self.atoms == again.atoms, self.atoms, again.atoms, method)
        lows, highs = (Curve(lines_of(self.rational(up=up))) for up in (False, True))
        found = Curve(lines_of(again.rational(up=False)))
        places = [Fraction(1), *[gamma for gamma, _ in highs.corners]]
        slack = Fraction(1, 2**150)
        holds = all(lows(gamma) - slack <= found(gamma) <= highs(gamma) + slack for gamma in places)
        return Verification(holds, self.atoms, again.atoms, method)

    _pictured = "privacy loss"

    def _figure(self, title: str | None) -> Figure:
        from taut.questions.figures.pair_figure import loss_figure

        return loss_figure(self, title)

    def to_dict(self) -> dict[str, Any]:
        """Return the distribution as plain data: fractions as 'p/q', infinity as 'inf', balls with their ends."""
        rows = [{name: text_of(value) for name, value in atom._asdict().items()} for atom in self.atoms]
        return {"x": plain(self.x), "x_prime": plain(self.x_prime), "exact": self.exact, "atoms": rows}

    def __str__(self) -> str:
        rows = [("ratio", "mass under x", "mass under x'"), *[tuple(map(shown, atom)) for atom in self.atoms]]
        widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
        lines = [f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c}" for a, b, c in rows]
        return "\n".join([f"loss distribution at x={self.x}, x'={self.x_prime}", *lines])

    def _repr_html_(self) -> str:
        rows = [[shown(part) for part in atom] for atom in self.atoms]
        return html_table(["ratio", "mass under x", "mass under x'"], rows, len(rows)) + self._inline_picture()


def loss_between(x: Any, x_prime: Any, own: Mapping[Any, Any], other: Mapping[Any, Any]) -> LossDistribution:
    """Return the loss distribution of two inputs, from the probabilities of their outputs."""
    sums: dict[Any, tuple[Any, Any]] = {}
    for y in dict.fromkeys([*own, *other]):
        p, q = own.get(y, 0), other.get(y, 0)
        ratio = quotient(p, q)
        if ratio is not None:
            before = sums.get(ratio, (0, 0))
            sums[ratio] = (before[0] + p, before[1] + q)
    keys = sorted(sums, key=lambda ratio: ratio if ratio == INFINITY else getattr(ratio, "mid", ratio))
    return LossDistribution(x, x_prime, tuple(Atom(ratio, *sums[ratio]) for ratio in keys))


def _by_ratio(atom: Atom) -> Any:
    return -atom.ratio


def _lower(value: Any) -> Fraction:
    return max(Fraction(0), value.lower) if isinstance(value, Ball) else Fraction(value)


def _upper(value: Any) -> Fraction:
    return value.upper if isinstance(value, Ball) else Fraction(value)
