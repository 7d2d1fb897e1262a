"""Local mechanisms: each client randomizes its own record; no curator is trusted."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

from taut.languages.python import discrete, exponential, flip
from taut.mechanisms.catalog import MOST, built_in
from taut.model import mechanism
from taut.model.decorators import whole
from taut.program.domains import Domain, bits, ints


def values_below(n: int, k: int) -> Domain:
    """Databases of n values of 0..k-1."""
    return ints(n, 0, k - 1)


@built_in(bits, n=4, short="rr", lam="1/5")
@mechanism
def randomized_response(x: Any, lam: Any) -> Any:
    """Each client reports its bit, flipped with probability lam.

    Reference: Warner 1965.

    >>> from taut import bits
    >>> randomized_response(bits(2), lam="1/5").probability((0, 0), (1, 0))
    Fraction(4, 25)
    """
    return [bit ^ flip(lam) for bit in x]


@built_in(bits, n=4, lam="1/5")
@mechanism
def rr_count(x: Any, lam: Any) -> Any:
    """The number of ones among the answers of randomized response.

    Reference: Oakley, Holtzen and Oprea 2024.

    >>> from taut import bits
    >>> rr_count(bits(2), lam="1/5").distribution((0, 0))
    {0: Fraction(16, 25), 1: Fraction(8, 25), 2: Fraction(1, 25)}
    """
    return sum(randomized_response(x, lam))


@built_in(values_below, n=3, allowed={"k": whole(2, MOST)}, k=3, lam="1/2")
@mechanism
def k_ary_randomized_response(x: Any, k: Any, lam: Any) -> Any:
    """Each client reports its value, one of 0..k-1, or with probability lam one of the others, each alike.

    With k=2 this is randomized response.

    Reference: Kairouz, Oh and Viswanath 2014.

    >>> from taut import ints
    >>> k_ary_randomized_response(ints(1, 0, 2), k=3, lam="1/2").distribution((1,))
    {(0,): Fraction(1, 4), (1,): Fraction(1, 2), (2,): Fraction(1, 4)}
    """
    if not all(0 <= value < k for value in x):
        raise ValueError(f"every value must be one of 0..{k - 1}")
    steps = [1 - lam] + [lam * Fraction(1, k - 1)] * (k - 1)
    return [(value + discrete(steps)) % k for value in x]


@built_in(values_below, n=2, k=3, lam="1/4")
@mechanism
def symmetric_unary_encoding(x: Any, k: Any, lam: Any) -> Any:
    """Each client writes its value, one of 0..k-1, as k bits with a single one, and flips each with probability lam.

    Reference: Wang, Blocki, Li and Jha 2017.

    >>> from taut import ints
    >>> symmetric_unary_encoding(ints(1, 0, 1), k=2, lam="1/4").probability((0,), [[True, False]])
    Fraction(9, 16)
    """
    return [[(value == position) ^ flip(lam) for position in range(k)] for value in x]


@built_in(values_below, n=2, k=3, lam="1/4")
@mechanism
def optimised_unary_encoding(x: Any, k: Any, lam: Any) -> Any:
    """Each client writes its value as k bits with a single one, keeps the one half the time, and sets zeros rarely.

    A zero becomes a one with probability lam. Of all unary encodings with the same e^eps, here (1-lam)/lam, this one
    estimates rare values with the least variance.

    Reference: Wang, Blocki, Li and Jha 2017.

    >>> from taut import ints
    >>> optimised_unary_encoding(ints(1, 0, 1), k=2, lam="1/4").probability((0,), [[True, False]])
    Fraction(3, 8)
    """
    return [[flip(Fraction(1, 2) if value == position else lam) for position in range(k)] for value in x]


@built_in(values_below, n=2, k=3, f="1/2")
@mechanism
def one_time_rappor(x: Any, k: Any, f: Any) -> Any:
    """Each client reports RAPPOR's permanent response: its k bits, each replaced by a fair coin with probability f.

    The bits are those of basic RAPPOR: a single one, at the client's value.

    Reference: Erlingsson, Pihur and Korolova 2014.

    >>> from taut import ints
    >>> one_time_rappor(ints(1, 0, 1), k=2, f="1/2").probability((0,), [[True, False]])
    Fraction(9, 16)
    """
    return [[flip(Fraction(1, 2)) if flip(f) else value == position for position in range(k)] for value in x]


@built_in(values_below, n=2, k=3, f="1/2", p="1/4", q="3/4")
@mechanism
def rappor(x: Any, k: Any, f: Any, p: Any, q: Any) -> Any:
    """Each client draws its permanent response and reports ones instead: with probability q for a one, p for a zero.

    This is one report of basic RAPPOR; the permanent response (see ``one_time_rappor``) stays with the client.

    Reference: Erlingsson, Pihur and Korolova 2014.

    >>> from taut import ints
    >>> rappor(ints(1, 0, 1), k=2, f="1/2", p="1/4", q="3/4").probability((0,), [[True, False]])
    Fraction(25, 64)
    """
    return [[flip(q if bit else p) for bit in permanent] for permanent in one_time_rappor(x, k, f)]


@built_in(values_below, n=2, k=3, lam="1/4")
@mechanism
def hadamard_response(x: Any, k: Any, lam: Any) -> Any:
    """Each client reports a column of a Hadamard matrix, with probability 1 - lam one that has a 1 in the client's row.

    The matrix has K columns, K being the smallest power of two above k. Value v has row v + 1: half of its entries are
    1, half are -1, and any two rows agree in half of the columns. Within either half all columns are alike. So e^eps
    is (1-lam)/lam, and a report has only log2(K) bits.

    Reference: Acharya, Sun and Zhang 2019.

    >>> from taut import ints
    >>> hadamard_response(ints(1, 0, 2), k=3, lam="1/4").distribution((0,))
    {(0,): Fraction(3, 8), (1,): Fraction(1, 8), (2,): Fraction(3, 8), (3,): Fraction(1, 8)}
    """
    columns = 2
    while columns <= k:
        columns *= 2
    share = Fraction(2, columns)
    negative = [[bin((value + 1) & column).count("1") % 2 for column in range(columns)] for value in range(k)]
    weights = [[share * (lam if minus else 1 - lam) for minus in row] for row in negative]
    return [discrete(weights[value]) for value in x]


@built_in(values_below, n=2, k=4, omega=2, base=3)
@mechanism
def subset_selection(x: Any, k: Any, omega: Any, base: Any) -> Any:
    """Each client reports a set of omega values of 0..k-1; sets that hold its own value are base times as likely.

    Reference: Ye and Barg 2018.

    >>> from taut import ints
    >>> subset_selection(ints(1, 0, 2), k=3, omega=2, base=3).distribution((0,))
    {((0, 1),): Fraction(3, 7), ((0, 2),): Fraction(3, 7), ((1, 2),): Fraction(1, 7)}
    """
    subsets = list(combinations(range(k), omega))
    return [subsets[exponential([value in subset for subset in subsets], base)] for value in x]
