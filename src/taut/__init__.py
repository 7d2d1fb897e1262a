"""Exact, tight privacy and accuracy bounds of differentially private algorithms, with worst cases that attain them."""

from typing import TYPE_CHECKING

from taut.support.algebra.expression import parameter
from taut.support.errors import (
    DiagramTooLarge,
    DiceError,
    DiceFileError,
    DiceSyntaxError,
    DiceTypeError,
    DiceWarning,
    DimacsError,
    DimacsFileError,
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
    ToolFailed,
    ToolMissing,
    UnsupportedSyntax,
    UnsupportedValue,
    WorkersGone,
    WorkersLost,
    WrongArguments,
)
from taut.support.exact import INFINITY, Ball, exp
from taut.support.options import options
from taut.support.package import __version__, attach, follow_moved_modules

if TYPE_CHECKING:
    from taut.inference.matrix import ProbabilityMatrix
    from taut.interfaces.queries.saved import replay
    from taut.interfaces.reports.show import plot
    from taut.interfaces.sweep import sweep
    from taut.languages.python import (
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
    from taut.languages.python.continuous_noise import exponential_noise, laplace
    from taut.languages.python.run.generators import generator
    from taut.model import DiceModel, Mechanism, Model, dimacs, formula, helper, mechanism
    from taut.model.dice import dice
    from taut.parameters.by_value import CalibratedValue, calibrate
    from taut.parameters.model import ParametricModel
    from taut.program import UNFOLLOWED, AtLeast, AtMost
    from taut.program.domains import Domain, bits, categories, category, integer, ints
    from taut.questions.accuracy import AccuracyBound, AccuracyWitness
    from taut.questions.error import ErrorBound
    from taut.questions.privacy import PrivacyBound, Witness
    from taut.support.parallel.cluster import cluster
    from taut.support.parallel.local import LocalWorkers, local_workers
    from taut.synthesis.sets import AccuracySet, InferenceSet, PrivacySet
    from taut.synthesis.symmetry import Permutation, SymmetryGroup
    from taut.verification.claims import Claim, Counterexample, Verdict, check, claim

follow_moved_modules()

# The same names again, for when the package runs: they bring NumPy and others along, and are imported when needed.
__getattr__ = attach(
    __name__,
    {
        "taut.inference.matrix": ["ProbabilityMatrix"],
        "taut.verification.claims": ["Claim", "Counterexample", "Verdict", "check", "claim"],
        "taut.languages.python": [
            *["binomial", "choice", "discrete", "discrete_gaussian", "discrete_laplace", "exponential"],
            *["flip", "geometric", "observe", "permutation", "shuffle", "uniform"],
        ],
        "taut.languages.python.continuous_noise": ["exponential_noise", "laplace"],
        "taut.languages.python.run.generators": ["generator"],
        "taut.model": ["DiceModel", "Mechanism", "Model", "dimacs", "formula", "helper", "mechanism"],
        "taut.model.dice": ["dice"],
        "taut.parameters.by_value": ["CalibratedValue", "calibrate"],
        "taut.parameters.model": ["ParametricModel"],
        "taut.program": ["AtLeast", "AtMost", "UNFOLLOWED"],
        "taut.program.domains": ["Domain", "bits", "categories", "category", "integer", "ints"],
        "taut.support.parallel.cluster": ["cluster"],
        "taut.support.parallel.local": ["LocalWorkers", "local_workers"],
        "taut.interfaces.sweep": ["sweep"],
        "taut.interfaces.queries.saved": ["replay"],
        "taut.interfaces.reports.show": ["plot"],
        "taut.questions.accuracy": ["AccuracyBound", "AccuracyWitness"],
        "taut.questions.error": ["ErrorBound"],
        "taut.questions.privacy": ["PrivacyBound", "Witness"],
        "taut.synthesis.sets": ["AccuracySet", "InferenceSet", "PrivacySet"],
        "taut.synthesis.symmetry": ["Permutation", "SymmetryGroup"],
    },
)


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "INFINITY",
    "UNFOLLOWED",
    "AccuracyBound",
    "AccuracySet",
    "AccuracyWitness",
    "AtLeast",
    "AtMost",
    "Ball",
    "CalibratedValue",
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
    "DimacsFileError",
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
    "ToolFailed",
    "ToolMissing",
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
    "calibrate",
    "categories",
    "category",
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
    "exponential_noise",
    "flip",
    "formula",
    "generator",
    "geometric",
    "helper",
    "integer",
    "ints",
    "laplace",
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
