"""Calls: of mechanisms, domains, queries and options."""

# The arguments below are wrong on purpose, and mechanisms are written without annotations, as users write them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, arg-type, call-arg, call-overload, operator, index, misc"
# mypy: disable-error-code="attr-defined, name-defined, union-attr, type-var, return-value, untyped-decorator"
# mypy: disable-error-code="var-annotated"

from __future__ import annotations

from tests.languages.python.mistakes.mistake import mistake, noisy, respond

import taut
from taut import (
    bits,
    categories,
    flip,
    integer,
    ints,
    mechanism,
)

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
