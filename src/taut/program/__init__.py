"""Programs as data: frozen, typed, hash-consed terms, and the plain enumerator that defines what they mean."""

from taut.program.demand import Evaluation, OneEntry, Tables
from taut.program.derived import UNFOLLOWED, Unfollowed, added_noise, marked_by_items, unfollowed_runs, weighed
from taut.program.enumerator import enumerate_outcomes, evaluate
from taut.program.noise import AtLeast, AtMost, Ends, Tail
from taut.program.operations import UNDEFINED, Operation, operation, pointwise
from taut.program.program import CoinVariable, InputVariable, Program
from taut.program.replay import replay, replay_all, replay_distribution
from taut.program.terms import Apply, Coin, Const, Input, Ite, Select, Term, Terms, Tuple
from taut.program.values import IntegerRange, Values

__all__ = [
    "UNDEFINED",
    "UNFOLLOWED",
    "Apply",
    "AtLeast",
    "AtMost",
    "Coin",
    "CoinVariable",
    "Const",
    "Ends",
    "Evaluation",
    "Input",
    "InputVariable",
    "IntegerRange",
    "Ite",
    "OneEntry",
    "Operation",
    "Program",
    "Select",
    "Tables",
    "Tail",
    "Term",
    "Terms",
    "Tuple",
    "Unfollowed",
    "Values",
    "added_noise",
    "enumerate_outcomes",
    "evaluate",
    "marked_by_items",
    "operation",
    "pointwise",
    "replay",
    "replay_all",
    "replay_distribution",
    "unfollowed_runs",
    "weighed",
]
