"""Generators that are made of other generators: generator expressions, map, filter and enumerate over them; groupby."""

# Mechanisms are written without annotations, as users write them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, misc, operator, arg-type, var-annotated"
# ruff: noqa

from itertools import groupby

from tests.oracle.traps.trap import refused, trap

from taut import flip, helper

LEFT = "is taken item by item, or after a loop that has left it"


@helper
def kept(x):
    for bit in (*x, 1):
        if flip("1/3"):
            yield bit


def noisy(x):
    return [bit ^ flip("1/3") for bit in (*x, 0)]


@trap
def longest_run(x):
    return max(len(list(group)) for _, group in groupby(noisy(x)))


@trap
def runs_of_a_random_length(x):
    return max((len(list(group)) for _, group in groupby(kept(x))), default=0)


@trap
def keys_alone(x):
    return (tuple(key for key, _ in groupby(noisy(x))), "".join(str(key) for key, _ in groupby(x)))


@trap
def first_group(x):
    key, group = next(groupby(noisy(x)))
    return (key, list(group), next((k for k, _ in groupby(noisy(x)))))


@trap
def groups_in_part(x):
    return [(key, next(group), next(group, 5)) for key, group in groupby(noisy(x))]


@trap
def groups_that_are_over(x):
    groups = [group for _, group in groupby(noisy(x))]
    return [list(group) for group in groups]


@trap
def groups_by_key_in_a_dictionary(x):
    return list(dict((key, list(group)) for key, group in groupby(noisy(x), key=lambda bit: -bit)).items())


@trap
def numbered_groups(x):
    return [(number, key, len(list(group))) for number, (key, group) in enumerate(groupby(noisy(x)), 1)]


@trap
def numbered_until_a_break(x):
    for number, bit in enumerate(kept(x)):
        if bit:
            break
    else:
        number = 7
    return number


@trap
def mapped_and_filtered(x):
    return (list(map(lambda row: row[0], groupby(x))), sum(filter(None, map(lambda bit: bit + flip("1/4"), kept(x)))))


@trap
def finished_and_asked_again(x):
    keys = (key for key, _ in groupby(noisy(x)))
    ones = filter(None, kept(x))
    numbers = enumerate(kept(x))
    return (list(keys), list(keys), len(list(ones)), list(ones), list(numbers), list(numbers))


@trap
def one_inside_another(x):
    return max((bit + number for number, bit in enumerate(2 * bit for bit in kept(x)) if bit < 2), default=-1)


@trap
def ended_early(x):
    return (
        any(bit for bit in kept(x)),
        all(len(list(group)) > 1 for _, group in groupby(x)),
        next(map(int, kept(x)), 6),
    )


@trap
def run_through_in_one_branch(x):
    bits = (bit for bit in kept(x))
    return list(bits) if flip("1/2") else []


@trap
def unpacked(x):
    first, *others = (len(list(group)) for _, group in groupby(noisy(x)))
    return (first, others)


@refused(LEFT)
def groups_by_next(x):
    groups = groupby(noisy(x))
    next(groups)
    return next(groups, None) is None


@refused(LEFT)
def expression_after_a_break(x):
    keys = (key for key, _ in groupby(noisy(x)))
    for _ in keys:
        break
    return list(keys)


@refused(LEFT)
def numbers_after_a_break(x):
    numbers = enumerate(kept(x))
    for _, bit in numbers:
        if bit:
            break
    return list(numbers)


@refused(LEFT)
def asked_within_its_own_loop(x):
    bits = map(int, kept(x))
    return [(bit, next(bits, 9)) for bit in bits]


@refused(LEFT)
def used_up_in_one_branch_only(x):
    bits = (bit for bit in kept(x))
    first = list(bits) if flip("1/2") else []
    return (first, list(bits))


@refused("keep all its items with [(key, list(group)) for key, group in groupby(...)]")
def groups_zipped(x):
    return list(zip((key for key, _ in groupby(x)), "abc"))
