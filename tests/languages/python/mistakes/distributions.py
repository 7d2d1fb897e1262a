"""Probabilities, weights and parameters of distributions that cannot be."""

# The arguments below are wrong on purpose, and mechanisms are written without annotations, as users write them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, arg-type, call-arg, call-overload, operator, index, misc"
# mypy: disable-error-code="attr-defined, name-defined, union-attr, type-var, return-value, untyped-decorator"
# mypy: disable-error-code="var-annotated"

from __future__ import annotations

import math
from fractions import Fraction

from tests.languages.python.mistakes.mistake import mistake, respond

import taut
from taut import (
    binomial,
    bits,
    discrete,
    exponential,
    flip,
    geometric,
    ints,
    mechanism,
    uniform,
)

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
