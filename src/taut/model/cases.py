"""Questions about single pairs of inputs, their losses, and about symmetries, which leave one case per orbit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from taut.model.base import ModelBase, limited
from taut.program.domains import as_tuples
from taut.questions.bound import not_answered
from taut.questions.loss import LossDistribution, loss_between
from taut.questions.pair_measure import PairWitness
from taut.support.errors import InvalidNeighbors, TooLarge
from taut.support.options import worked
from taut.support.process import cached_property

if TYPE_CHECKING:
    from taut.synthesis.sets import InferenceSet, PrivacySet
    from taut.synthesis.symmetry import Permutation, SymmetryCheck, SymmetryGroup

__all__ = ["PairLosses", "SymmetryQuestions"]


_FEW_OUTPUTS = 512
_MANY_INPUTS = 1 << 16
"""Number of inputs beyond which a pair is decomposed before all inputs are compiled."""
_MOST_REPLAYS = 64


class PairLosses(ModelBase):
    """The loss distribution of two inputs, from which all questions about pairs of neighbours are answered."""

    def loss(self, x: Any, x_prime: Any, neighbors: Any = None) -> LossDistribution:
        """Return the loss distribution of two inputs: each ratio of their probabilities, with its masses under both.

        Outputs are not listed, so there may be astronomically many.

        Parameters
        ----------
        x, x_prime
            Two databases of the domain; they need not be neighbours.
        neighbors
            A relation in which they have to be.

        Returns
        -------
        LossDistribution
            ``atoms`` are (ratio, mass under x, mass under x').

        Raises
        ------
        InvalidNeighbors
            The two are not related, though a relation is given.
        ImpossibleEvidence
            The evidence has probability 0 at one of the two.
        TooLarge
            There are more than ``max_beliefs`` different beliefs.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> len(randomized_response(bits(200), lam="1/5").loss((0,) * 200, (1,) * 200).atoms)
        201
        """
        if self.remainder:
            raise not_answered("loss", self.remainder)
        return self._loss(x, x_prime, neighbors)

    def _loss(self, x: Any, x_prime: Any, neighbors: Any = None) -> LossDistribution:
        x, x_prime = as_tuples(x), as_tuples(x_prime)

        def work() -> LossDistribution:
            self.space.positions(x), self.space.positions(x_prime)
            if neighbors is not None:
                relation = self.neighbors(neighbors)
                if not relation.related(self.space)(x, x_prime):
                    raise InvalidNeighbors(
                        f"loss: x={x!r} and x'={x_prime!r} are not neighbours by '{relation.name}'.", value=(x, x_prime)
                    )
            found = None
            if self._channel is None and self.space.size > _MANY_INPUTS:
                from taut.synthesis.decompose import loss_by_cells

                found = loss_by_cells(self._terms, x, x_prime)
            if found is None:
                from taut.synthesis.pairs.losses import pair_loss

                found = pair_loss(self.channel(), x, x_prime, self.options.max_beliefs)
            return replace(found, replay=self.limited(self.replayed_loss))

        return worked(work, self._settings)

    def replayed_loss(self, witness: PairWitness) -> tuple[LossDistribution, str]:
        """Return the loss distribution of a pair from its two output distributions, each replayed without a diagram if
        possible."""
        try:
            (own, how), (other, how_other) = (self._replay_distribution(x) for x in (witness.x, witness.x_prime))
        except TooLarge:
            return self._loss(witness.x, witness.x_prime), "the pair alone, on the same diagram"
        methods = how if how == how_other else f"{how}, {how_other}"
        return loss_between(witness.x, witness.x_prime, own, other), methods

    @cached_property
    def _replays(self) -> dict[Any, tuple[dict[Any, Any], str]]:
        """Cache of replayed distributions, since several bounds share one worst pair and its replay is slow."""
        return {}

    def _replay_distribution(self, x: Any) -> tuple[dict[Any, Any], str]:
        """Return the distribution of A(x), by the user's function or the enumerator where they are quick enough."""
        if x not in self._replays:
            found = self._replayed_anew(x)
            if len(found[0]) > _FEW_OUTPUTS:
                return found
            self._replays[x] = found
            if len(self._replays) > _MOST_REPLAYS:
                del self._replays[next(iter(self._replays))]
        return self._replays[x]

    def _replayed_anew(self, x: Any) -> tuple[dict[Any, Any], str]:
        outputs = self.distribution(x)
        few = len(outputs) <= _FEW_OUTPUTS
        whole = None if few and self.function is not None else self._enumerated(x)
        if whole is not None:
            return whole, "enumerator"
        if not few:
            return outputs, "all outputs, listed"
        replayed = {y: self.replayed(x, y) for y in outputs}
        methods = dict.fromkeys(how for _, how in replayed.values())
        return {y: share for y, (share, _) in replayed.items()}, ", ".join(methods)


class SymmetryQuestions(ModelBase):
    """Questions about the symmetries of a model; every symmetry that is returned has been verified."""

    @limited
    def symmetries(self) -> SymmetryGroup:
        """Return the symmetries that can be found, each verified: P(A(g x) = g y) = P(A(x) = y) for all x and y.

        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> print(randomized_response(bits(40), lam="1/5").symmetries())
        Symmetries of randomized_response, by exact comparison:
        - entries 0..39 may be permuted together with their outputs
        - entry 0: 0 <-> 1 together with output 0: 0 <-> 1, and likewise in each of the others
        """
        from taut.synthesis.symmetry.solver import symmetries_of

        return symmetries_of(self._compiled())

    @limited
    def check_symmetry(
        self,
        entries: Mapping[int, int] | Sequence[int] | None = None,
        values: Mapping[Any, Any] | None = None,
        outputs: Any = None,
        output_values: Mapping[Any, Any] | None = None,
        *,
        permutation: Permutation | None = None,
    ) -> SymmetryCheck:
        """Return True if a claimed symmetry holds; if not, with an input and an output at which it fails.

        Parameters
        ----------
        entries
            Where entries go, {0: 1, 1: 0}.
        values
            Which value becomes which: {0: 1, 1: 0} in all entries, or {2: {0: 1, 1: 0}} in entry 2 only.
        outputs, output_values
            The same for the components of the output and their values; where the output is a single value,
            ``outputs`` maps values, or is a function.
        permutation
            The claim as a Permutation, instead of the others.

        Returns
        -------
        SymmetryCheck
            Its ``demand()`` raises InvalidSymmetry if the claim does not hold.
        """
        from taut.synthesis.symmetry import check_symmetry, read_permutation

        if permutation is None:
            permutation = read_permutation(self.relation, entries, values, outputs, output_values)
        return check_symmetry(self._compiled(), permutation)

    @limited
    def inference_set(self) -> InferenceSet:
        """Return pairs (x, y), one for each orbit of the symmetries: every probability is that of one of them."""
        return self.symmetries().inference_set()

    @limited
    def privacy_set(self, neighbors: Any = None) -> PrivacySet:
        """Return triples (x, x', y) of neighbours, one for each orbit: every ratio is that of one of them."""
        return self.symmetries().privacy_set(self.neighbors(neighbors))
