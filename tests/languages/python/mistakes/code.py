"""Code of mechanisms: evidence, endless loops, syntax, real randomness, ordinary bugs, what is returned."""

# The arguments below are wrong on purpose, and mechanisms are written without annotations, as users write them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, arg-type, call-arg, call-overload, operator, index, misc"
# mypy: disable-error-code="attr-defined, name-defined, union-attr, type-var, return-value, untyped-decorator"
# mypy: disable-error-code="var-annotated"

from __future__ import annotations

import datetime
import time
import uuid
from random import gauss
from types import SimpleNamespace

import numpy as np
from tests.languages.python.mistakes.mistake import mistake

import taut
from taut import (
    bits,
    discrete,
    flip,
    ints,
    mechanism,
    observe,
    uniform,
)

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
