"""Exact, tight privacy and accuracy bounds of differentially private algorithms, with worst cases that attain them."""

from typing import TYPE_CHECKING

from taut._lazy import attach
from taut._version import __version__
from taut.algebra.expression import parameter
from taut.domains import Domain, bits, categories, integer, ints
from taut.errors import (
    DiagramTooLarge,
    DiceError,
    DiceFileError,
    DiceSyntaxError,
    DiceTypeError,
    DiceWarning,
    DimacsError,
    EndlessLoop,
    FormulaError,
    ImpossibleEvidence,
    InternalFault,
    InvalidDistribution,
    InvalidDomain,
    InvalidInput,
    InvalidNeighbors,
    InvalidNumber,
    InvalidOption,
    InvalidProbability,
    InvalidSet,
    InvalidSymmetry,
    MechanismError,
    Misreading,
    NoNeighbors,
    NotADistribution,
    OutOfMemory,
    OutOfTime,
    RealRandomness,
    RoundedFloat,
    SourceChanged,
    SourceUnavailable,
    TautError,
    TooLarge,
    UnsupportedSyntax,
    UnsupportedValue,
    WorkersGone,
    WorkersLost,
    WrongArguments,
)
from taut.numbers import INFINITY, Ball, exp
from taut.options import options

if TYPE_CHECKING:
    from taut.channel import ProbabilityMatrix
    from taut.claims import Claim, Counterexample, Verdict, claim
    from taut.claims.check import check
    from taut.frontend.python import (
        binomial,
        choice,
        discrete,
        discrete_gaussian,
        discrete_laplace,
        exponential,
        flip,
        geometric,
        observe,
        permutation,
        shuffle,
        uniform,
    )
    from taut.model import DiceModel, Mechanism, Model, dimacs, formula, helper, mechanism
    from taut.model.dice import dice
    from taut.model.parametric import ParametricModel
    from taut.parallel.cluster import cluster
    from taut.parallel.local import LocalWorkers, local_workers
    from taut.parametric.python import sweep
    from taut.queries.saved import replay
    from taut.reports.show import plot
    from taut.results import AccuracyBound, AccuracyWitness, ErrorBound, PrivacyBound, Witness
    from taut.solvers.sets import AccuracySet, InferenceSet, PrivacySet
    from taut.solvers.symmetry import Permutation, SymmetryGroup

# The same names again, for when the package runs: they bring NumPy and others along, and are imported when needed.
__getattr__ = attach(
    __name__,
    {
        "taut.channel.matrix": ["ProbabilityMatrix"],
        "taut.claims": ["Claim", "Counterexample", "Verdict", "claim"],
        "taut.claims.check": ["check"],
        "taut.frontend.python": [
            *["binomial", "choice", "discrete", "discrete_gaussian", "discrete_laplace", "exponential"],
            *["flip", "geometric", "observe", "permutation", "shuffle", "uniform"],
        ],
        "taut.model": ["DiceModel", "Mechanism", "Model", "dimacs", "formula", "helper", "mechanism"],
        "taut.model.dice": ["dice"],
        "taut.model.parametric": ["ParametricModel"],
        "taut.parallel.cluster": ["cluster"],
        "taut.parallel.local": ["LocalWorkers", "local_workers"],
        "taut.parametric.python": ["sweep"],
        "taut.queries.saved": ["replay"],
        "taut.reports.show": ["plot"],
        "taut.results": ["AccuracyBound", "AccuracyWitness", "ErrorBound", "PrivacyBound", "Witness"],
        "taut.solvers.sets": ["AccuracySet", "InferenceSet", "PrivacySet"],
        "taut.solvers.symmetry": ["Permutation", "SymmetryGroup"],
    },
)


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "INFINITY",
    "AccuracyBound",
    "AccuracySet",
    "AccuracyWitness",
    "Ball",
    "Claim",
    "Counterexample",
    "DiagramTooLarge",
    "DiceError",
    "DiceFileError",
    "DiceModel",
    "DiceSyntaxError",
    "DiceTypeError",
    "DiceWarning",
    "DimacsError",
    "Domain",
    "EndlessLoop",
    "ErrorBound",
    "FormulaError",
    "ImpossibleEvidence",
    "InferenceSet",
    "InternalFault",
    "InvalidDistribution",
    "InvalidDomain",
    "InvalidInput",
    "InvalidNeighbors",
    "InvalidNumber",
    "InvalidOption",
    "InvalidProbability",
    "InvalidSet",
    "InvalidSymmetry",
    "LocalWorkers",
    "Mechanism",
    "MechanismError",
    "Misreading",
    "Model",
    "NoNeighbors",
    "NotADistribution",
    "OutOfMemory",
    "OutOfTime",
    "ParametricModel",
    "Permutation",
    "PrivacyBound",
    "PrivacySet",
    "ProbabilityMatrix",
    "RealRandomness",
    "RoundedFloat",
    "SourceChanged",
    "SourceUnavailable",
    "SymmetryGroup",
    "TautError",
    "TooLarge",
    "UnsupportedSyntax",
    "UnsupportedValue",
    "Verdict",
    "Witness",
    "WorkersGone",
    "WorkersLost",
    "WrongArguments",
    "__version__",
    "binomial",
    "bits",
    "categories",
    "check",
    "choice",
    "claim",
    "cluster",
    "dice",
    "dimacs",
    "discrete",
    "discrete_gaussian",
    "discrete_laplace",
    "exp",
    "exponential",
    "flip",
    "formula",
    "geometric",
    "helper",
    "integer",
    "ints",
    "local_workers",
    "mechanism",
    "observe",
    "options",
    "parameter",
    "permutation",
    "plot",
    "replay",
    "shuffle",
    "sweep",
    "uniform",
]
