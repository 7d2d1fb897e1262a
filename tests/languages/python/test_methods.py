"""Methods of the user's objects are read as the functions that they are, with the object as first argument."""

# Mechanisms are written without annotations, as users write them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from fractions import Fraction

import pytest

import taut
from taut import bits, flip, helper, integer, mechanism


class Client:
    def __init__(self, p):
        self.p = p

    @helper
    def perturb(self, v):
        return v if flip(self.p) else 1 - v

    def twice(self, v):
        return self.perturb(self.perturb(v))

    def branch(self, v):
        return 1 if v else flip(self.p)

    def constant(self):
        return self.perturb(1)

    def set(self, v):
        self.p = v
        return v


class Slotted(Client):
    __slots__ = ("q",)


@pytest.mark.parametrize("make", [Client, Slotted])
@pytest.mark.parametrize("p", ["1/3", 0.25, Fraction(2, 3)])
def test_methods_mean_their_functions(make, p) -> None:
    client = make(p)
    kind = Client
    pairs = [
        (lambda x: client.perturb(x[0]), lambda x: kind.perturb(client, x[0])),
        (lambda x: client.twice(x[0]), lambda x: kind.perturb(client, kind.perturb(client, x[0]))),
        (lambda x: list(map(client.perturb, x)), lambda x: [kind.perturb(client, v) for v in x]),
        (lambda x: client.perturb(1) if x[0] else 2, lambda x: kind.perturb(client, 1) if x[0] else 2),
        (lambda x: client.perturb(v=x[1]), lambda x: kind.perturb(client, v=x[1])),
        (lambda x: Client(p).perturb(x[0]), lambda x: kind.perturb(Client(p), x[0])),
    ]
    for bound, plain in pairs:
        read, expected = mechanism(bound)(bits(2)), mechanism(plain)(bits(2))
        assert read.validation.conclusive
        assert all(read.distribution(x) == expected.distribution(x) for x in bits(2))


def test_a_method_that_draws_hides_nothing() -> None:
    client = Client("1/3")
    with pytest.raises(taut.TautError, match="draws with 'flip'; mark the function"):
        mechanism(lambda v: client.constant() + v)(integer(0, 1))


def test_methods_branch_on_random_values_without_a_mark() -> None:
    client = Client("1/3")
    model = mechanism(lambda v: client.branch(v))(integer(0, 1))
    assert model.distribution(1) == {1: 1}
    assert model.distribution(0) == {False: Fraction(2, 3), True: Fraction(1, 3)}


def test_a_bound_method_is_a_mechanism() -> None:
    client = Client("1/3")
    assert mechanism(client.twice)(integer(0, 1)).probability(0, 0) == Fraction(5, 9)
    assert mechanism(Client.twice)(client, integer(0, 1)).probability(0, 0) == Fraction(5, 9)
