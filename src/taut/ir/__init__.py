"""Programs as data: frozen, typed, hash-consed terms, and the plain enumerator that defines what they mean."""

from taut.ir.demand import Evaluation, Tables
from taut.ir.enumerator import enumerate_outcomes, evaluate
from taut.ir.operations import UNDEFINED, Operation, operation, pointwise
from taut.ir.program import CoinVariable, InputVariable, Program
from taut.ir.replay import replay, replay_all, replay_distribution
from taut.ir.terms import Apply, Coin, Const, Input, Ite, Select, Term, Terms, Tuple
from taut.ir.values import Interval, Values
from taut.ir.weighing import weighed

__all__ = [
    "UNDEFINED",
    "Apply",
    "Coin",
    "CoinVariable",
    "Const",
    "Evaluation",
    "Input",
    "InputVariable",
    "Interval",
    "Ite",
    "Operation",
    "Program",
    "Select",
    "Tables",
    "Term",
    "Terms",
    "Tuple",
    "Values",
    "enumerate_outcomes",
    "evaluate",
    "operation",
    "pointwise",
    "replay",
    "replay_all",
    "replay_distribution",
    "weighed",
]
