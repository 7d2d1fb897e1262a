"""Questions about symmetries: which hold, whether a claimed one does, and one case per orbit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from taut.model.base import ModelBase, limited

if TYPE_CHECKING:
    from taut.synthesis.sets import InferenceSet, PrivacySet
    from taut.synthesis.symmetry import Permutation, SymmetryCheck, SymmetryGroup

__all__ = ["SymmetryQuestions"]


class SymmetryQuestions(ModelBase):
    """Questions about the symmetries of a model; every symmetry that is returned has been verified."""

    @limited
    def symmetries(self) -> SymmetryGroup:
        """The symmetries that can be found, each verified: P(A(g x) = g y) = P(A(x) = y) for all x and y.

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
        """Pairs (x, y), one for each orbit of the symmetries: every probability is that of one of them."""
        return self.symmetries().inference_set()

    @limited
    def privacy_set(self, neighbors: Any = None) -> PrivacySet:
        """Triples (x, x', y) of neighbours, one for each orbit: every ratio is that of one of them."""
        return self.symmetries().privacy_set(self.neighbors(neighbors))
