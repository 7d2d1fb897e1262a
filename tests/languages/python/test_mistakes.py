"""Mistakes a user really makes: each is refused in one paragraph with its place, the value given, and no traceback.

Every function marked ``@mistake`` commits one mistake. The fragments beside the mark must stand in the message; a tuple
of fragments asks for one of them. Lines marked ``# here`` are offending lines of mechanism code: the message must then
begin or contain ``test_mistakes.py:LINE:COLUMN:`` of one of them. Mistakes without a marked line have no place in code.
"""

# The arguments below are wrong on purpose, and mechanisms are written without annotations, as users write them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, arg-type, call-arg, call-overload, operator, index, misc"
# mypy: disable-error-code="attr-defined, name-defined, union-attr, type-var, return-value, untyped-decorator"
# mypy: disable-error-code="var-annotated"

from __future__ import annotations

import datetime
import inspect
import math
import re
import signal
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import gauss
from types import FrameType, SimpleNamespace

import numpy as np
import pytest

import taut
from taut import (
    binomial,
    bits,
    categories,
    discrete,
    exponential,
    flip,
    geometric,
    integer,
    ints,
    mechanism,
    observe,
    uniform,
)

Fragment = str | tuple[str, ...]

PATIENCE = 60  # seconds: a refusal that takes longer is a hang


@dataclass(frozen=True)
class Mistake:
    """One thing a user does wrong, and what the refusal must say."""

    name: str
    commit: Callable[[], object]
    fragments: tuple[Fragment, ...]
    base: type[Exception]

    def places(self) -> set[int]:
        """Return the offending lines of mechanism code, empty if the mistake is not inside a mechanism."""
        lines, first = inspect.getsourcelines(self.commit)
        return {number for number, line in enumerate(lines, first) if "# here" in line}


MISTAKES: list[Mistake] = []


def mistake(
    *fragments: Fragment, base: type[Exception] = Exception
) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Put the decorated function into the corpus; ``base`` is the built-in error a caller would expect."""

    def enter(commit: Callable[[], object]) -> Callable[[], object]:
        MISTAKES.append(Mistake(commit.__name__, commit, fragments, base))
        return commit

    return enter


def says(sentence: str, fragment: Fragment) -> bool:
    """Tell whether the sentence holds the fragment (one of them, if several); numbers must stand by themselves."""
    if isinstance(fragment, tuple):
        return any(says(sentence, one) for one in fragment)
    if re.match(r"-?\d", fragment):
        return re.search(rf"(?<![\w./]){re.escape(fragment)}(?![\w/]|\.\d)", sentence) is not None
    return fragment.casefold() in sentence.casefold()


@contextmanager
def patience(seconds: int) -> Iterator[None]:
    """Fail the test instead of hanging, where the system has an alarm."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def give_up(_signal: int, _frame: FrameType | None) -> None:
        pytest.fail(f"not refused within {seconds} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def column(*numbers: int) -> tuple[str, ...]:
    """The ways to name a column of the first line; give two numbers where counting from 0 or 1 may differ."""
    return tuple(form.format(number) for number in numbers for form in ("1:{}", "column {}", "position {}"))


@mechanism
def respond(x, lam):
    """Each client reports its bit, flipped with probability lam."""
    return [bit ^ flip(lam) for bit in x]


@mechanism
def noisy(x):
    """A single number with noise."""
    return geometric(x, "1/2", 0, 10)


# ---------------------------------------------------------------- probabilities


@mistake("6/5", base=ValueError)
def probability_above_one_as_fraction() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip(Fraction(6, 5))  # here

    return report(bits(1)).distribution((0,))


@mistake("6/5", base=ValueError)
def probability_above_one_as_text() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip("1.2")  # here

    return report(bits(1)).distribution((0,))


@mistake("6/5", base=ValueError)
def probability_above_one_as_float() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip(1.2)  # here

    return report(bits(1)).distribution((0,))


@mistake("20", base=ValueError)
def probability_in_percent() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip(20)  # here

    return report(bits(1)).distribution((0,))


@mistake("20%", base=ValueError)
def probability_with_percent_sign() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip("20%")  # here

    return report(bits(1)).distribution((0,))


@mistake("-1/10", base=ValueError)
def probability_below_zero() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip(-0.1)  # here

    return report(bits(1)).distribution((0,))


@mistake("nan", base=ValueError)
def probability_not_a_number() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip(math.nan)  # here

    return report(bits(1)).distribution((0,))


@mistake("inf", base=ValueError)
def probability_infinite() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip(math.inf)  # here

    return report(bits(1)).distribution((0,))


@mistake("often", base=ValueError)
def probability_in_words() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip("often")  # here

    return report(bits(1)).distribution((0,))


@mistake("1/0", base=ValueError)
def probability_over_zero() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip("1/0")  # here

    return report(bits(1)).distribution((0,))


@mistake("None")
def probability_none() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip(None)  # here

    return report(bits(1)).distribution((0,))


@mistake(("list", "[0.5", "[1/2", "[Fraction"))
def probability_list() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip([0.5, 0.5])  # here

    return report(bits(1)).distribution((0,))


@mistake("148.4131591025766", base=ValueError)
def probability_exp_without_minus() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip(taut.exp("5"))  # here

    return report(bits(1)).distribution((0,))


@mistake("five")
def exp_of_words() -> object:
    return taut.exp("five")


@mistake("6/5", base=ValueError)
def probability_parameter_above_one() -> object:
    @mechanism
    def report(x, lam):
        return x[0] ^ flip(lam)  # here

    return report(bits(1), lam="1.2").distribution((0,))


@mistake("one fifth", base=ValueError)
def probability_parameter_in_words() -> object:
    @mechanism
    def report(x, lam):
        return x[0] ^ flip(lam)  # here

    return report(bits(1), lam="one fifth").distribution((0,))


@mistake("-1/4", base=ValueError)
def probability_complement_below_zero() -> object:
    @mechanism
    def report(x, lam):
        return x[0] ^ flip(1 - lam)  # here

    return report(bits(1), lam=1.25).distribution((0,))


@mistake("6/5", base=ValueError)
def probability_bad_for_one_input() -> object:
    @mechanism
    def report(x):
        return flip("6/5" if x[0] == 1 else "1/5")  # here

    return report(bits(1)).distribution((1,))


@mistake("3/2", base=ValueError)
def probability_bad_in_one_table_entry() -> object:
    @mechanism
    def report(x):
        table = ["1/4", "1/2", "3/2"]
        return flip(table[x[0]])  # here

    return report(ints(1, 0, 2)).distribution((2,))


@mistake("2", base=ValueError)
def probability_bad_for_one_outcome() -> object:
    @mechanism
    def report(x):
        return flip(uniform(0, 2))  # here

    return report(bits(1)).distribution((0,))


@mistake("flip")
def probability_forgotten() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip()  # here

    return report(bits(1)).distribution((0,))


@mistake(("flip", "function"), base=TypeError)
def flip_not_called() -> object:
    @mechanism
    def report(x):
        return [bit ^ flip for bit in x]  # here

    return report(bits(1)).distribution((0,))


@mistake("6/5", base=ValueError)
def probability_above_one_in_a_real_run() -> object:
    return respond((0, 1), lam="6/5")


# ---------------------------------------------------------------- other distributions


@mistake("9/10", base=ValueError)
def weights_sum_below_one() -> object:
    @mechanism
    def report(x):
        return discrete({"yes": "1/2", "no": "2/5"})  # here

    return report(bits(1)).distribution((0,))


@mistake("99/100", base=ValueError)
def weights_of_three_rounded_thirds() -> object:
    @mechanism
    def report(x):
        return discrete([0.33, 0.33, 0.33])  # here

    return report(bits(1)).distribution((0,))


@mistake("11/10", base=ValueError)
def weights_sum_above_one() -> object:
    @mechanism
    def report(x):
        return discrete([0.5, 0.6])  # here

    return report(bits(1)).distribution((0,))


@mistake(("-1/2", "3/2"), base=ValueError)
def weight_negative() -> object:
    @mechanism
    def report(x):
        return discrete({0: "-1/2", 1: "3/2"})  # here

    return report(bits(1)).distribution((0,))


@mistake("discrete", base=ValueError)
def weights_empty_mapping() -> object:
    @mechanism
    def report(x):
        return discrete({})  # here

    return report(bits(1)).distribution((0,))


@mistake("discrete", base=ValueError)
def weights_empty_list() -> object:
    @mechanism
    def report(x):
        return discrete([])  # here

    return report(bits(1)).distribution((0,))


@mistake("1/2")
def weights_not_a_list() -> object:
    @mechanism
    def report(x):
        return discrete("1/2")  # here

    return report(bits(1)).distribution((0,))


@mistake("None")
def weight_none() -> object:
    @mechanism
    def report(x):
        return discrete({"yes": "1/2", "no": None})  # here

    return report(bits(1)).distribution((0,))


@mistake("discrete")
def weights_as_separate_arguments() -> object:
    @mechanism
    def report(x):
        return discrete(0.3, 0.7)  # here

    return report(bits(1)).distribution((0,))


@mistake("5", "2", base=ValueError)
def uniform_ends_swapped() -> object:
    @mechanism
    def report(x):
        return uniform(5, 2)  # here

    return report(bits(1)).distribution((0,))


@mistake(("2.5", "5/2"))
def uniform_end_not_an_integer() -> object:
    @mechanism
    def report(x):
        return uniform(0, 2.5)  # here

    return report(bits(1)).distribution((0,))


@mistake("None")
def uniform_end_none() -> object:
    @mechanism
    def report(x):
        return uniform(0, None)  # here

    return report(bits(1)).distribution((0,))


@mistake("uniform")
def uniform_one_end_forgotten() -> object:
    @mechanism
    def report(x):
        return uniform(6)  # here

    return report(bits(1)).distribution((0,))


@mistake("4", "3", base=ValueError)
def uniform_empty_for_one_input() -> object:
    @mechanism
    def report(x):
        return uniform(4, x[0])  # here

    return report(ints(1, 3, 6)).distribution((3,))


@mistake("-1", base=ValueError)
def binomial_negative_count() -> object:
    @mechanism
    def report(x):
        return binomial(-1, "1/2")  # here

    return report(bits(1)).distribution((0,))


@mistake(("2.5", "5/2"))
def binomial_count_not_an_integer() -> object:
    @mechanism
    def report(x):
        return binomial(2.5, "1/2")  # here

    return report(bits(1)).distribution((0,))


@mistake("3/2", base=ValueError)
def binomial_probability_above_one() -> object:
    @mechanism
    def report(x):
        return binomial(3, "3/2")  # here

    return report(bits(1)).distribution((0,))


@mistake("-1", base=ValueError)
def binomial_negative_count_for_one_input() -> object:
    @mechanism
    def report(x):
        return binomial(sum(x) - 1, "1/2")  # here

    return report(bits(2)).distribution((0, 0))


@mistake("ratio", "1", base=ValueError)
def geometric_ratio_one() -> object:
    @mechanism
    def report(x):
        return geometric(sum(x), 1, 0, 3)  # here

    return report(bits(3)).distribution((0, 0, 0))


@mistake("3/2", base=ValueError)
def geometric_ratio_above_one() -> object:
    @mechanism
    def report(x):
        return geometric(sum(x), 1.5, 0, 3)  # here

    return report(bits(3)).distribution((0, 0, 0))


@mistake("-1/2", base=ValueError)
def geometric_ratio_negative() -> object:
    @mechanism
    def report(x):
        return geometric(sum(x), "-1/2", 0, 3)  # here

    return report(bits(3)).distribution((0, 0, 0))


@mistake("7", "2", base=ValueError)
def geometric_ends_swapped() -> object:
    @mechanism
    def report(x):
        return geometric(sum(x), "1/2", 7, 2)  # here

    return report(bits(3)).distribution((0, 0, 0))


@mistake(("0.5", "1/2"))
def geometric_center_not_an_integer() -> object:
    @mechanism
    def report(x):
        return geometric(0.5, "1/3", 0, 3)  # here

    return report(bits(1)).distribution((0,))


@mistake(("geometric", "center", "centre"))
def geometric_center_the_whole_database() -> object:
    @mechanism
    def report(x):
        return geometric(x, "1/3", 0, 3)  # here

    return report(bits(3)).distribution((0, 0, 0))


@mistake(("2.5", "5/2"))
def geometric_end_not_an_integer() -> object:
    @mechanism
    def report(x):
        return geometric(sum(x), "1/3", 0, 2.5)  # here

    return report(bits(3)).distribution((0, 0, 0))


@mistake("geometric")
def geometric_without_ratio() -> object:
    @mechanism
    def report(x):
        return geometric(sum(x))  # here

    return report(bits(3)).distribution((0, 0, 0))


@mistake("base", "0", base=ValueError)
def exponential_base_zero() -> object:
    @mechanism
    def report(x):
        return exponential([sum(x), 3 - sum(x)], 0)  # here

    return report(bits(3)).distribution((0, 0, 0))


@mistake("-2", base=ValueError)
def exponential_base_negative() -> object:
    @mechanism
    def report(x):
        return exponential([sum(x), 3 - sum(x)], -2)  # here

    return report(bits(3)).distribution((0, 0, 0))


@mistake("inf", base=ValueError)
def exponential_base_infinite() -> object:
    @mechanism
    def report(x):
        return exponential([sum(x), 3 - sum(x)], math.inf)  # here

    return report(bits(3)).distribution((0, 0, 0))


@mistake("score", base=ValueError)
def exponential_without_scores() -> object:
    @mechanism
    def report(x):
        return exponential([], 2)  # here

    return report(bits(3)).distribution((0, 0, 0))


@mistake(("0.5", "1/2"))
def exponential_score_not_an_integer() -> object:
    @mechanism
    def report(x):
        return exponential([0.5, sum(x)], 2)  # here

    return report(bits(3)).distribution((0, 0, 0))


@mistake("score")
def exponential_scores_not_a_list() -> object:
    @mechanism
    def report(x):
        return exponential(17, 2)  # here

    return report(bits(3)).distribution((0, 0, 0))


# ---------------------------------------------------------------- evidence


@mistake(("(7, 3)", "7, 3", "[7, 3]"))
def evidence_impossible_at_one_input() -> object:
    @mechanism
    def report(x):
        coin = flip("1/2")
        observe(coin and x[0] < 7)
        return x[1] + coin

    return report(ints(2, 0, 9)).distribution((7, 3))


@mistake(("(7, 3)", "7, 3", "[7, 3]"))
def evidence_impossible_at_one_pair() -> object:
    @mechanism
    def report(x):
        coin = flip("1/2")
        observe(coin and x[0] < 7)
        return x[1] + coin

    return report(ints(2, 0, 9)).inference([((1, 3), 4), ((7, 3), 4)])


@mistake(("(1, 0)", "1, 0", "[1, 0]"))
def evidence_contradicts_itself() -> object:
    @mechanism
    def report(x):
        coin = flip("1/2")
        observe(coin)
        observe(not coin)
        return x[0]

    return report(bits(2)).distribution((1, 0))


# ---------------------------------------------------------------- loops without an end


@mistake(("loop", "while", "round"))
def endless_while_forgotten_step() -> object:
    @mechanism
    def report(x):
        i = 0
        total = 0
        while i < len(x):  # here
            total += x[i] ^ flip("1/4")  # here
        return total

    return report(bits(2)).distribution((0, 1))


@mistake(("recurs", "deep", "depth", "call"))
def endless_recursion_of_a_helper() -> object:
    @taut.helper
    def tries():
        if flip("1/2"):  # here
            return 0
        return 1 + tries()  # here

    @mechanism
    def report(x):
        return x[0] + tries()  # here

    return report(bits(1)).distribution((0,))


@mistake(("recurs", "deep", "depth", "call"))
def endless_recursion_of_a_nested_function() -> object:
    @mechanism
    def report(x):
        def again(level):
            return again(level + 1) if flip("1/2") else level  # here

        return again(0)  # here

    return report(bits(1)).distribution((0,))


# ---------------------------------------------------------------- syntax that cannot be read


@mistake("yield")
def syntax_yield() -> object:
    @mechanism
    def report(x):
        for bit in x:
            yield bit ^ flip("1/4")  # here

    return report(bits(2)).distribution((0, 0))


@mistake(("async", "await"))
def syntax_async() -> object:
    @mechanism  # here
    async def report(x):  # here
        return await x  # here

    return report(bits(1)).distribution((0,))


TOTAL = 0


@mistake("global")
def syntax_global() -> object:
    @mechanism
    def report(x):
        global TOTAL  # here
        TOTAL = TOTAL + 1  # here
        return x[0] ^ flip("1/4")

    return report(bits(1)).distribution((0,))


@mistake("del")
def syntax_delete_attribute() -> object:
    settings = SimpleNamespace(rate="1/4")

    @mechanism
    def report(x):
        rate = settings.rate
        del settings.rate  # here
        return x[0] ^ flip(rate)

    return report(bits(1)).distribution((0,))


# ---------------------------------------------------------------- real randomness, the clock, the world outside


@mistake(("gauss", "random"))
def real_random_imported_by_name() -> object:
    @mechanism
    def report(x):
        return sum(x) + round(gauss(0, 1))  # here

    return report(bits(2)).distribution((0, 1))


@mistake(("numpy", "random"))
def real_random_numpy() -> object:
    @mechanism
    def report(x):
        return sum(x) + round(np.random.normal(0, 1))  # here

    return report(bits(2)).distribution((0, 1))


@mistake(("uuid", "random"))
def real_random_identifier() -> object:
    @mechanism
    def report(x):
        return x[0] ^ (uuid.uuid4().int % 2)  # here

    return report(bits(1)).distribution((0,))


@mistake(("time", "clock"))
def clock_time() -> object:
    @mechanism
    def report(x):
        return x[0] ^ (int(time.time()) % 2)  # here

    return report(bits(1)).distribution((0,))


@mistake(("datetime", "now", "clock"))
def clock_now() -> object:
    @mechanism
    def report(x):
        return x[0] ^ (datetime.datetime.now().second % 2)  # here

    return report(bits(1)).distribution((0,))


@mistake("print")
def world_print() -> object:
    @mechanism
    def report(x):
        answer = x[0] ^ flip("1/4")
        print("the answer is", answer)  # here
        return answer

    return report(bits(1)).distribution((0,))


@mistake("input")
def world_input() -> object:
    @mechanism
    def report(x):
        return x[0] ^ flip(input("lambda? "))  # here

    return report(bits(1)).distribution((0,))


@mistake("open")
def world_open() -> object:
    @mechanism
    def report(x):
        rate = open("rate.txt").read()  # here
        return x[0] ^ flip(rate)

    return report(bits(1)).distribution((0,))


# ---------------------------------------------------------------- random values where only ordinary ones can stand


@mistake("helper")
def random_branch_in_an_unmarked_helper() -> object:
    def clipped(value):
        if value > 3:  # here
            return 3
        return value

    @mechanism
    def report(x):
        return clipped(sum(x) + uniform(0, 3))  # here

    return report(bits(2)).distribution((0, 1))


@mistake("not")
def tilde_on_a_boolean() -> object:
    @mechanism
    def report(x):
        return ~flip("1/4")  # here

    return report(bits(1)).distribution((0,))


@mistake(("key", "dict"))
def random_dictionary_key() -> object:
    @mechanism
    def report(x):
        seen = {}
        seen[uniform(0, 1)] = x[0]
        return seen[0]  # here

    return report(bits(1)).distribution((0,))


@mistake("set", "sorted")
def set_of_text_in_order() -> object:
    @mechanism
    def report(x):
        seen = {discrete({"a": "1/2", "b": "1/2"}), "c"}
        return [name for name in seen]  # here

    return report(bits(1)).distribution((0,))


@mistake("rounded", "Fraction")
def rounding_that_decides() -> object:
    @mechanism
    def report(x):
        return uniform(0, 3) * 0.1 + 0.2 == 0.3  # here

    return report(bits(1)).distribution((0,))


# ---------------------------------------------------------------- ordinary bugs, found for some outcome or input


@mistake("3", base=IndexError)
def index_out_of_range_for_one_outcome() -> object:
    @mechanism
    def report(x):
        table = [5, 6, 7]
        return table[uniform(0, 3)]  # here

    return report(bits(1)).distribution((0,))


@mistake("4", base=IndexError)
def index_out_of_range_for_one_input() -> object:
    @mechanism
    def report(x):
        counts = [0, 0, 0, 0]
        counts[x[0]] += 1  # here
        return [count + flip("1/4") for count in counts]

    return report(ints(1, 0, 4)).distribution((4,))


@mistake(("range", "5"), base=IndexError)
def index_beyond_the_database() -> object:
    @mechanism
    def report(x):
        return x[5] ^ flip("1/4")  # here

    return report(bits(3)).distribution((0, 0, 0))


@mistake(("zero", "0"), base=ZeroDivisionError)
def division_by_zero_for_one_outcome() -> object:
    @mechanism
    def report(x):
        return 6 // uniform(0, 2)  # here

    return report(bits(1)).distribution((0,))


@mistake(("zero", "0"), base=ZeroDivisionError)
def modulo_by_zero_for_one_input() -> object:
    @mechanism
    def report(x):
        return (7 + flip("1/2")) % x[0]  # here

    return report(ints(1, 0, 3)).distribution((0,))


@mistake("3", base=ValueError)
def value_not_in_list_for_one_outcome() -> object:
    @mechanism
    def report(x):
        return [1, 2].index(uniform(1, 3))  # here

    return report(bits(1)).distribution((0,))


@mistake(("max", "empty"), base=ValueError)
def maximum_of_nothing() -> object:
    @mechanism
    def report(x):
        return max([]) + flip("1/4")  # here

    return report(bits(1)).distribution((0,))


@mistake("answer", base=NameError)
def variable_undefined_after_a_random_branch() -> object:
    @mechanism
    def report(x):
        if flip("1/4"):
            answer = x[0]
        return answer  # here

    return report(bits(1)).distribution((0,))


@mistake("answer", base=NameError)
def variable_undefined_for_one_input() -> object:
    @mechanism
    def report(x):
        if x[0] == 1:
            answer = flip("1/4")
        return answer  # here

    return report(bits(1)).distribution((0,))


@mistake("lamda", base=NameError)
def name_misspelt() -> object:
    @mechanism
    def report(x, lam):
        return x[0] ^ flip(lamda)  # here # noqa: F821

    return report(bits(1), lam="1/4").distribution((0,))


@mistake("push", base=AttributeError)
def method_of_another_language() -> object:
    @mechanism
    def report(x):
        answers = []
        for bit in x:
            answers.push(bit ^ flip("1/4"))  # here
        return answers

    return report(bits(2)).distribution((0, 1))


@mistake("append", base=AttributeError)
def database_appended_to() -> object:
    @mechanism
    def report(x):
        x.append(flip("1/4"))  # here
        return sum(x)

    return report(bits(2)).distribution((0, 1))


@mistake(("callable", "call", "int"), base=TypeError)
def number_called() -> object:
    @mechanism
    def report(x):
        rate = 3
        return rate(x) + flip("1/4")  # here

    return report(bits(1)).distribution((0,))


@mistake(("clip", "argument"), base=TypeError)
def nested_function_called_with_too_much() -> object:
    @mechanism
    def report(x):
        def clip(value):
            return min(value, 2)

        return clip(sum(x), 2) + flip("1/4")  # here

    return report(bits(2)).distribution((0, 1))


@mistake(("unpack", "values", "3"), base=ValueError)
def unpacking_too_few_names() -> object:
    @mechanism
    def report(x):
        left, right = x  # here
        return left ^ right ^ flip("1/4")

    return report(bits(3)).distribution((0, 1, 1))


@mistake("+", base=TypeError)
def database_plus_number() -> object:
    @mechanism
    def report(x):
        return x + uniform(0, 2)  # here

    return report(bits(2)).distribution((0, 1))


@mistake("+", base=TypeError)
def random_word_plus_number() -> object:
    @mechanism
    def report(x):
        word = discrete({"yes": "1/2", "no": "1/2"})
        return word + 1  # here

    return report(bits(1)).distribution((0,))


@mistake("+", base=TypeError)
def zero_plus_word() -> object:
    @mechanism
    def report(x):
        word = discrete({"yes": "1/2", 0: "1/2"})
        return word + discrete({"s": "1/2", "ss": "1/2"})  # here

    return report(bits(1)).distribution((0,))


@mistake("<", base=TypeError)
def random_word_compared_with_number() -> object:
    @mechanism
    def report(x):
        word = discrete({"yes": "1/2", "no": "1/2"})
        return word < 1  # here

    return report(bits(1)).distribution((0,))


@mistake(("1/5", "Fraction", "iter", "number"))
def arguments_swapped() -> object:
    @mechanism
    def report(x, lam):
        return [bit ^ flip(lam) for bit in x]  # here

    return report("1/5", bits(2)).distribution((0, 0))


# ---------------------------------------------------------------- what comes back


@mistake(("function", "lambda"))
def returned_function() -> object:
    @mechanism
    def report(x):
        return lambda value: value + x[0]  # here

    return report(bits(1)).distribution((0,))


@mistake("object")
def returned_object() -> object:
    @mechanism
    def report(x):
        return object()  # here

    return report(bits(1)).distribution((0,))


@mistake("generator")
def returned_generator() -> object:
    @mechanism
    def report(x):
        return (bit ^ flip("1/4") for bit in x)  # here

    return report(bits(2)).distribution((0, 1))


# ---------------------------------------------------------------- making a mechanism, and calling it


@mistake("3")
def mechanism_of_a_number() -> object:
    return mechanism(3)


@mistake("lam", base=TypeError)
def argument_missing() -> object:
    return respond(bits(2)).distribution((0, 0))


@mistake(("argument", "3"), base=TypeError)
def argument_too_many() -> object:
    return respond(bits(2), "1/5", 3).distribution((0, 0))


@mistake("lambd", base=TypeError)
def keyword_unknown() -> object:
    return respond(bits(2), lambd="1/5").distribution((0, 0))


@mistake("lam", base=TypeError)
def argument_given_twice() -> object:
    return respond(bits(2), "1/5", lam="1/5").distribution((0, 0))


@mistake("lam", base=TypeError)
def argument_missing_in_a_real_run() -> object:
    return respond((0, 1))


# ---------------------------------------------------------------- domains


@mistake("-1", base=ValueError)
def bits_negative() -> object:
    return bits(-1)


@mistake("3")
def bits_text() -> object:
    return bits("3")


@mistake(("2.5", "5/2"))
def bits_half() -> object:
    return bits(2.5)


@mistake("5", "2", base=ValueError)
def ints_ends_swapped() -> object:
    return ints(3, 5, 2)


@mistake(("0.5", "1/2"))
def ints_end_not_an_integer() -> object:
    return ints(3, 0.5, 2)


@mistake("-3", base=ValueError)
def ints_negative_length() -> object:
    return ints(-3, 0, 2)


@mistake(("empty", "[]", "at least one", "no values"), base=ValueError)
def categories_empty() -> object:
    return categories(2, [])


@mistake("red", base=ValueError)
def categories_repeated() -> object:
    return categories(2, ["red", "green", "red"])


@mistake("17")
def categories_not_a_list() -> object:
    return categories(2, 17)


@mistake("3", "1", base=ValueError)
def integer_ends_swapped() -> object:
    return integer(3, 1)


@mistake("ten")
def integer_end_in_words() -> object:
    return integer(0, "ten")


# ---------------------------------------------------------------- queries


@mistake("3", ("(0,)", "1"), base=ValueError)
def query_too_short() -> object:
    return respond(bits(3), lam="1/5").distribution((0,))


@mistake("3", ("(0, 1, 0, 1)", "4"), base=ValueError)
def query_too_long() -> object:
    return respond(bits(3), lam="1/5").probability((0, 1, 0, 1), (0, 0, 0))


@mistake("7", base=ValueError)
def query_value_outside_the_domain() -> object:
    return respond(bits(2), lam="1/5").distribution((0, 7))


@mistake("7", base=ValueError)
def query_probability_outside_the_domain() -> object:
    return respond(bits(2), lam="1/5").probability((0, 7), (0, 0))


@mistake("01")
def query_text() -> object:
    return respond(bits(2), lam="1/5").distribution("01")


@mistake(("'1'", '"1"'))
def query_entries_as_text() -> object:
    return respond(bits(2), lam="1/5").distribution(("1", "0"))


@mistake("5")
def query_number_for_a_database() -> object:
    return respond(bits(2), lam="1/5").distribution(5)


@mistake("None")
def query_none() -> object:
    return respond(bits(2), lam="1/5").distribution(None)


@mistake(("0.5", "1/2"))
def query_entry_not_an_integer() -> object:
    return respond(bits(2), lam="1/5").distribution((0, 0.5))


@mistake("green", base=ValueError)
def query_unknown_category() -> object:
    @mechanism
    def report(x):
        return [value if flip("1/2") else "red" for value in x]

    return report(categories(1, ["red", "blue"])).distribution(("green",))


@mistake("11", base=ValueError)
def query_number_outside_the_domain() -> object:
    return noisy(integer(0, 10)).distribution(11)


@mistake(("(3,)", "[3]"))
def query_tuple_for_a_single_number() -> object:
    return noisy(integer(0, 10)).distribution((3,))


@mistake(("two", "2", "both"))
def query_one_of_two_databases() -> object:
    @mechanism
    def compare(x, z):
        return (sum(x) > sum(z)) ^ flip("1/4")

    return compare(bits(3), bits(3)).distribution((0, 1, 1))


@mistake("17")
def inference_of_a_number() -> object:
    return respond(bits(2), lam="1/5").inference(17)


@mistake("pair")
def inference_of_inputs_without_outputs() -> object:
    return respond(bits(2), lam="1/5").inference([((0, 0),)])


@mistake("pair")
def inference_of_triples() -> object:
    return respond(bits(2), lam="1/5").inference([((0, 0), (0, 1), (0, 0))])


@mistake("9", base=ValueError)
def inference_outside_the_domain() -> object:
    return respond(bits(2), lam="1/5").inference([((0, 0), (0, 0)), ((0, 9), (0, 0))])


@mistake("-4", base=ValueError)
def sample_negative_count() -> object:
    return respond(bits(2), lam="1/5").sample((0, 0), -4, 1)


@mistake("many")
def sample_count_in_words() -> object:
    return respond(bits(2), lam="1/5").sample((0, 0), "many", 1)


@mistake("7", base=ValueError)
def sample_outside_the_domain() -> object:
    return respond(bits(2), lam="1/5").sample((0, 7), 10, 1)


# ---------------------------------------------------------------- options, and what is too large


@mistake("max_node")
def option_unknown() -> object:
    with taut.options(max_node=1000):
        return respond(bits(2), lam="1/5").size


@mistake("-5", base=ValueError)
def option_negative() -> object:
    with taut.options(max_nodes=-5):
        return respond(bits(2), lam="1/5").size


@mistake("plenty")
def option_in_words() -> object:
    with taut.options(max_nodes="plenty"):
        return respond(bits(2), lam="1/5").size


@mistake("sideways")
def option_unknown_order() -> object:
    with taut.options(order="sideways"):
        return respond(bits(2), lam="1/5").size


@mistake("max_nodes", "50", base=MemoryError)
def too_large_size() -> object:
    with taut.options(max_nodes=50):
        return respond(bits(40), lam="1/5").size


@mistake("max_nodes", "50", base=MemoryError)
def too_large_probability() -> object:
    with taut.options(max_nodes=50):
        return respond(bits(40), lam="1/5").probability((0,) * 40, (0,) * 40)


@mistake(("output", "outcome", "max_"), base=MemoryError)
def too_many_outputs() -> object:
    return respond(bits(40), lam="1/5").distribution((0,) * 40)


# ---------------------------------------------------------------- formulas by hand


@mistake("&", column(7, 8))
def formula_operand_missing() -> object:
    return taut.formula("y1 <-> & x1", inputs=["x1"], outputs=["y1"])


@mistake(("end", "1:12", "1:13", "column 12", "column 13"))
def formula_cut_off() -> object:
    return taut.formula("y1 <-> (x1 ^", inputs=["x1"], outputs=["y1"])


@mistake("$", column(3, 4))
def formula_foreign_symbol() -> object:
    return taut.formula("y1 $ x1", inputs=["x1"], outputs=["y1"])


@mistake("x9")
def formula_unknown_input() -> object:
    return taut.formula("y1 <-> x1", inputs=["x1", "x9"], outputs=["y1"])


@mistake("y9")
def formula_unknown_output() -> object:
    return taut.formula("y1 <-> x1", inputs=["x1"], outputs=["y1", "y9"])


@mistake("t9")
def formula_unknown_weight() -> object:
    return taut.formula("y1 <-> x1", inputs=["x1"], outputs=["y1"], weights={"t9": "1/5"})


@mistake("x1")
def formula_input_is_output() -> object:
    return taut.formula("y1 <-> x1", inputs=["x1"], outputs=["y1", "x1"])


@mistake("-1/5", base=ValueError)
def formula_weight_negative() -> object:
    return taut.formula("y1 <-> (x1 ^ t1)", inputs=["x1"], outputs=["y1"], weights={"t1": "-1/5"})


@mistake("6/5", base=ValueError)
def formula_weight_above_one() -> object:
    return taut.formula("y1 <-> (x1 ^ t1)", inputs=["x1"], outputs=["y1"], weights={"t1": 1.2})


@mistake("-4/5", base=ValueError)
def formula_weight_of_negation_negative() -> object:
    return taut.formula("y1 <-> (x1 ^ t1)", inputs=["x1"], outputs=["y1"], weights={"t1": ("1/5", "-4/5")})


@mistake("seldom", base=ValueError)
def formula_weight_in_words() -> object:
    return taut.formula("y1 <-> (x1 ^ t1)", inputs=["x1"], outputs=["y1"], weights={"t1": "seldom"})


@mistake("2", ("(1,)", "x1=1", "x1 = 1", "'x1': 1", "x1=True"), base=ValueError)
def formula_outputs_sum_above_one() -> object:
    return taut.formula("y1 | x1", inputs=["x1"], outputs=["y1"]).distribution((1,))


@mistake("2", ("(1,)", "x1=1", "x1 = 1", "'x1': 1", "x1=True"), base=ValueError)
def formula_outputs_sum_above_one_at_another_input() -> object:
    return taut.formula("y1 | x1", inputs=["x1"], outputs=["y1"]).distribution((0,))


@mistake("0", ("(0,)", "x1=0", "x1 = 0", "'x1': 0", "x1=False"), base=ValueError)
def formula_without_output() -> object:
    return taut.formula("y1 & x1", inputs=["x1"], outputs=["y1"]).probability((0,), (1,))


def counted(text: str, variables: tuple[int, int] = (1, 2)) -> object:
    """Count the models of a weighted CNF file ``bad.cnf`` with the given text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bad.cnf")
        path.write_text(text)
        return taut.dimacs(path, inputs=[variables[0]], outputs=[variables[1]]).count()


@mistake("absent.cnf", base=OSError)
def dimacs_file_missing() -> object:
    with tempfile.TemporaryDirectory() as folder:
        return taut.dimacs(Path(folder, "absent.cnf"), inputs=[1], outputs=[2])


@mistake("two", ("bad.cnf:1", "line 1"))
def dimacs_header_in_words() -> object:
    return counted("p cnf two 1\n1 -2 0\n")


@mistake(("p cnf", "header"))
def dimacs_header_missing() -> object:
    return counted("1 -2 0\n")


@mistake(("5", "-5"), ("bad.cnf:3", "line 3"))
def dimacs_literal_out_of_range() -> object:
    return counted("p cnf 2 2\n1 -2 0\n-1 -5 0\n")


@mistake("x2", ("bad.cnf:2", "line 2"))
def dimacs_literal_not_a_number() -> object:
    return counted("p cnf 2 1\n1 x2 0\n")


@mistake("seldom", ("bad.cnf:3", "line 3"))
def dimacs_weight_in_words() -> object:
    return counted("c t wmc\np cnf 3 1\nc p weight 3 seldom 0\n1 -2 3 0\n")


@mistake(("-0.5", "-1/2"), ("bad.cnf:3", "line 3"))
def dimacs_weight_negative() -> object:
    return counted("c t wmc\np cnf 3 1\nc p weight 3 -0.5 0\n1 -2 3 0\n")


@mistake("9")
def dimacs_unknown_output() -> object:
    return counted("p cnf 2 1\n1 -2 0\n", variables=(1, 9))


# ---------------------------------------------------------------- the test


@pytest.mark.parametrize("case", MISTAKES, ids=lambda case: case.name)
def test_mistake_is_refused_with_its_place_and_value(case: Mistake) -> None:
    with patience(PATIENCE), pytest.raises(taut.TautError) as caught:
        case.commit()

    message = str(caught.value)
    assert isinstance(caught.value, case.base)
    assert message.strip() and "\n\n" not in message.strip() and "Traceback" not in message

    sentence = re.sub(r"\S*test_mistakes\.py(:\d+)*:?", "", message)
    missing = [fragment for fragment in case.fragments if not says(sentence, fragment)]
    assert not missing, message

    places = case.places()
    named = {int(line) for line in re.findall(r"test_mistakes\.py:(\d+):\d+: ", message)}
    assert not places or places & named, f"expected a line of {sorted(places)}: {message}"
