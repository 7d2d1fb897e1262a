"""Sparse vector with truncated geometric noise, and the published variants of it that are less private than claimed.

x lists the answers of queries, each of which moves by at most 1 between neighbours. Noise is two-sided geometric,
clamped to 0..high (Balcer and Vadhan 2018); its ratio r stands for Laplace noise of scale 1/ln(1/r).
"""

from __future__ import annotations

from typing import Any

from taut.languages.python import geometric
from taut.mechanisms.catalog import built_in
from taut.model import mechanism
from taut.program.domains import Domain, ints
from taut.support.errors import InvalidInput


def inner_answers(n: int, high: int) -> Domain:
    """Return a domain of answers away from the ends, where clamping would hide the effect of threshold noise."""
    if high < 2:
        raise InvalidInput(f"high must be a whole number of at least 2 unless x is given; got {high}.", value=high)
    return ints(n, 1, high - 1)


@built_in(lambda n, high: ints(n, 0, high), n=4, neighbors="all_step", threshold=2, ratio="1/2", high=3)
@mechanism
def above_threshold(
    x: Any, threshold: Any, ratio: Any, high: Any, threshold_ratio: Any = None, strict: bool = False
) -> Any:
    """The index of the first noisy entry that reaches the noisy threshold; the length of the list if none does.

    Noise is two-sided geometric with the given ratio, clamped to 0..high; ``threshold_ratio`` is the ratio of the
    threshold's noise, if it differs. With ``strict`` an entry must exceed the threshold. If all entries may move at
    once, up to ``high``, clamping makes e^eps grow with the length of the list (see ``sparse_vector``).

    Reference: Dwork and Roth 2014; Balcer and Vadhan 2018.

    >>> from taut import ints
    >>> above_threshold(ints(1, 0, 1), threshold=1, ratio="1/2", high=1).distribution((0,))
    {0: Fraction(5, 9), 1: Fraction(4, 9)}
    """
    noisy_threshold = geometric(threshold, ratio if threshold_ratio is None else threshold_ratio, 0, high)
    for i, value in enumerate(x):
        noisy = geometric(value, ratio, 0, high)
        if noisy > noisy_threshold if strict else noisy >= noisy_threshold:
            return i
    return len(x)


@built_in(inner_answers, n=4, neighbors="all_step", short="svt", threshold=2, ratio="1/2", high=4, c=2)
@mechanism
def sparse_vector(x: Any, threshold: Any, ratio: Any, high: Any, c: Any, threshold_ratio: Any = None) -> Any:
    """The comparison of each noisy entry with the noisy threshold, up to and including the c-th that reaches it.

    The noise of the entries is 2c times as wide as that of the threshold, whose ratio is therefore ratio**(2c) unless
    ``threshold_ratio`` says otherwise. Without clamping e^eps would then be at most ratio**(-4c) for lists of any
    length; clamping costs more where entries come close to ``high``, since the threshold cannot rise above it.

    Reference: Lyu, Su and Li 2017, Algorithm 1.

    >>> from taut import ints
    >>> sparse_vector(ints(2, 0, 1), threshold=1, ratio="1/2", high=1, c=1).distribution((0, 1))
    {(False, False): Fraction(8, 45), (False, True): Fraction(16, 45), (True,): Fraction(7, 15)}
    """
    noisy_threshold = geometric(threshold, ratio ** (2 * c) if threshold_ratio is None else threshold_ratio, 0, high)
    answers = []
    positives = 0
    for value in x:
        above = geometric(value, ratio, 0, high) >= noisy_threshold
        answers.append(above)
        positives += above
        if positives == c:
            break
    return answers


@built_in(inner_answers, n=4, neighbors="all_step", threshold=2, ratio="1/2", high=4, c=1)
@mechanism
def svt_no_threshold_noise(x: Any, threshold: Any, ratio: Any, high: Any, c: Any) -> Any:
    """Broken sparse vector: the threshold has no noise, so that negative answers cost privacy too.

    Reference: Lyu, Su and Li 2017, Algorithm 1 without its first line.

    >>> from taut import ints
    >>> svt_no_threshold_noise(ints(2, 0, 1), threshold=1, ratio="1/2", high=1, c=1).distribution((0, 1))
    {(False, False): Fraction(2, 9), (False, True): Fraction(4, 9), (True,): Fraction(1, 3)}
    """
    answers = []
    positives = 0
    for value in x:
        above = geometric(value, ratio, 0, high) >= threshold
        answers.append(above)
        positives += above
        if positives == c:
            break
    return answers


@built_in(inner_answers, n=4, neighbors="all_step", threshold=2, ratio="1/2", high=4, c=1)
@mechanism
def svt_noisy_value(x: Any, threshold: Any, ratio: Any, high: Any, c: Any) -> Any:
    """Broken sparse vector: a positive answer is the noisy value itself, which gives the noisy threshold away.

    A negative answer is None. The noise of the entries is c times as wide as that of the threshold.

    Reference: Lyu, Su and Li 2017, Algorithm 3 (from lecture notes of Roth 2011).

    >>> from taut import ints
    >>> svt_noisy_value(ints(1, 0, 1), threshold=1, ratio="1/2", high=1, c=1).distribution((0,))
    {(0,): Fraction(2, 9), (1,): Fraction(1, 3), (None,): Fraction(4, 9)}
    """
    noisy_threshold = geometric(threshold, ratio**c, 0, high)
    answers = []
    positives = 0
    for value in x:
        noisy = geometric(value, ratio, 0, high)
        if noisy >= noisy_threshold:
            answers.append(noisy)
            positives += 1
        else:
            answers.append(None)
        if positives == c:
            break
    return answers


@built_in(inner_answers, n=4, neighbors="all_step", threshold=2, ratio="1/2", high=4, c=2)
@mechanism
def svt_unscaled(x: Any, threshold: Any, ratio: Any, high: Any, c: Any) -> Any:
    """Broken sparse vector: the noise of the entries is as narrow as that of the threshold, whatever c.

    It was claimed to cost what threshold and one answer cost, ratio**(-2); the c positive answers cost more.

    Reference: Lyu, Su and Li 2017, Algorithm 4 (Lee and Clifton 2014).

    >>> from taut import ints
    >>> svt_unscaled(ints(2, 0, 1), threshold=1, ratio="1/2", high=1, c=1).distribution((0, 1))
    {(False, False): Fraction(4, 27), (False, True): Fraction(8, 27), (True,): Fraction(5, 9)}
    """
    return sparse_vector(x, threshold, ratio, high, c, threshold_ratio=ratio)


@built_in(inner_answers, n=4, neighbors="all_step", threshold=2, ratio="1/2", high=4)
@mechanism
def svt_no_query_noise(x: Any, threshold: Any, ratio: Any, high: Any) -> Any:
    """Broken sparse vector: only the threshold is noisy, and every entry is answered.

    Two entries with different answers betray their order, so that e^eps is infinite.

    Reference: Lyu, Su and Li 2017, Algorithm 5 (Stoddard, Chen and Machanavajjhala 2014).

    >>> from taut import ints
    >>> svt_no_query_noise(ints(2, 0, 1), threshold=1, ratio="1/2", high=1).distribution((0, 1))
    {(False, True): Fraction(2, 3), (True, True): Fraction(1, 3)}
    """
    noisy_threshold = geometric(threshold, ratio, 0, high)
    return [value >= noisy_threshold for value in x]


@built_in(inner_answers, n=4, neighbors="all_step", threshold=2, ratio="1/2", high=4)
@mechanism
def svt_no_budget(x: Any, threshold: Any, ratio: Any, high: Any) -> Any:
    """Broken sparse vector: every entry is answered, however many are positive.

    It was claimed that e^eps is at most ratio**(-2); it grows with the length of the list.

    Reference: Lyu, Su and Li 2017, Algorithm 6 (Chen, Xiao, Zhang and Xu 2015).

    >>> from taut import ints
    >>> svt_no_budget(ints(1, 0, 1), threshold=1, ratio="1/2", high=1).distribution((0,))
    {(False,): Fraction(4, 9), (True,): Fraction(5, 9)}
    """
    noisy_threshold = geometric(threshold, ratio, 0, high)
    return [geometric(value, ratio, 0, high) >= noisy_threshold for value in x]
