"""Binary sizes: the figures that were published for Dice, and small programs counted by hand."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from taut.diagrams.compile.binary import binary_size
from taut.program import CoinVariable, Program, Term, Terms
from taut.support.errors import DiagramTooLarge
from taut.support.exact import Ball, exp
from taut.support.options import Options

HALF = Fraction(1, 2)


class Builder:
    """Programs without inputs, made of coins."""

    def __init__(self) -> None:
        self.terms = Terms()
        self.coins: list[CoinVariable] = []

    def coin(self, outcomes: Sequence[Any], weights: Sequence[Any] | None = None) -> Term:
        index = len(self.coins)
        shares = tuple(weights or [Fraction(1, len(outcomes))] * len(outcomes))
        self.coins.append(CoinVariable(f"c{index}", tuple(outcomes), shares, index))
        return self.terms.coin(index, outcomes)

    def flip(self, chance: Fraction = HALF) -> Term:
        return self.coin((False, True), (1 - chance, chance))

    def size(self, output: Term, evidence: Term | None = None, max_nodes: int = 10_000) -> int:
        seen = self.terms.true if evidence is None else evidence
        program = Program("test", (), (), tuple(self.coins), output, seen, self.terms)
        return binary_size(program, Options(max_nodes=max_nodes))


def clamped_geometric(center: int, ratio: Ball, high: int) -> tuple[Ball, ...]:
    ends = [ratio ** abs(value - center) / (1 + ratio) for value in range(high + 1)]
    return tuple(share if value in (0, high) else share * (1 - ratio) for value, share in enumerate(ends))


def above_threshold(x: Sequence[int], k: int) -> int:
    builder, ratio = Builder(), exp("-5")
    terms = builder.terms
    threshold = builder.coin(range(k + 1), clamped_geometric(k - 1, ratio, k))
    noisy = [builder.coin(range(k + 1), clamped_geometric(entry, ratio, k)) for entry in x]
    output = terms.const(len(x))
    for i in reversed(range(len(x))):
        output = terms.ite(terms.apply("gt", noisy[i], threshold), terms.const(i), output)
    return builder.size(output)


@pytest.mark.parametrize(
    ("k", "published"), [(1, [8, 9, 16, 18, 21]), (2, [18, 21, 41, 47, 56]), (3, [28, 33, 66, 76, 91])]
)
def test_above_threshold_has_the_published_size(k: int, published: list[int]) -> None:
    for n, size in enumerate(published, start=2):
        assert above_threshold([0] * n, k) == size
        assert above_threshold([i % (k + 1) for i in range(n)], k) == size


@pytest.mark.parametrize("n", [1, 2, 8, 100])
def test_randomized_response_has_two_nodes_more_than_clients(n: int) -> None:
    builder = Builder()
    assert builder.size(builder.terms.tuple([builder.flip(Fraction(1, 5)) for _ in range(n)])) == n + 2


def test_a_function_and_its_negation_count_separately() -> None:
    builder = Builder()
    x = builder.flip()
    assert builder.size(builder.terms.tuple([x, builder.terms.negate(x)])) == 4


@pytest.mark.parametrize(("chance", "size"), [(Fraction(1), 1), (Fraction(0), 2)])
def test_a_certain_flip_is_no_flip(chance: Fraction, size: int) -> None:
    builder = Builder()
    assert builder.size(builder.flip(chance)) == size


def test_outcomes_of_weight_zero_have_no_flips() -> None:
    builder = Builder()
    assert builder.size(builder.coin((0, 1, 2, 3), (HALF, 0, 0, HALF))) == 3  # both bits are the one flip


def test_discrete_is_a_chain_of_flips_by_prefix() -> None:
    builder = Builder()
    # high bit: 1 flip; low bit: the same flip above the flips for prefixes 0 and 1; two leaves
    assert builder.size(builder.coin((0, 1, 2, 3))) == 1 + 3 + 2


def test_evidence_counts() -> None:
    builder = Builder()
    a, b = builder.flip(), builder.flip()
    assert builder.size(a, builder.terms.any(a, b)) == 5  # a; a over b; b; two leaves


def test_other_values_are_numbered_in_their_order() -> None:
    builder = Builder()
    assert builder.size(builder.coin(("b", "a"))) == 3
    assert Builder().size(Terms().const("only")) == 2
    signs = Builder()
    assert signs.size(signs.coin((-1, 0, 1))) == 5  # high bit: one flip; low bit: that flip over another


def test_numbers_zero_and_one_are_one_bit() -> None:
    builder = Builder()
    assert builder.size(builder.coin((0, 1))) == 3


def test_passing_max_nodes_is_a_refusal() -> None:
    builder = Builder()
    total = builder.terms.const(0)
    for _ in range(40):
        total = builder.terms.apply("add", total, builder.coin((0, 1)))
    with pytest.raises(DiagramTooLarge, match="max_nodes=300"):
        builder.size(total, max_nodes=300)
