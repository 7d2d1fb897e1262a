"""The mechanism that a newcomer starts from: what ``taut new`` writes, and what a new program of ``taut play`` is."""

from __future__ import annotations

__all__ = ["starter"]

_STARTER = '''"""{title}: a mechanism to start from. Change it, and ask again:

    taut privacy {file}:{name} 'x=bits(4)' lam=1/5      the exact eps, with its worst case
    taut check {file}                                   whether it keeps what it claims
    taut accuracy {file}:{name} 'x=bits(4)' lam=1/5 --alpha 1      how close it comes to the true sum
    taut delta {file}:{name} 'x=bits(4)' lam=1/5 --epsilon 1       approximate differential privacy
"""

import taut
from taut import bits, flip, mechanism


# A claim is checked exactly, by `taut check {file}` and by pytest. It names the database (all inputs of
# four bits), the parameters, and what is claimed: here that eps is at most 1.4.
@taut.claim(x=bits(4), lam="1/5", epsilon="1.4")
@mechanism
def {name}(x, lam):
    """The number of ones, after each client has flipped its bit with probability lam."""
    # Plain Python: loops, branches, lists. Randomness comes from taut: flip, uniform, binomial,
    # geometric (discrete Laplace noise), discrete, exponential. Numbers such as "1/5" are exact.
    reported = [bit ^ flip(lam) for bit in x]
    return sum(reported)


if __name__ == "__main__":
    model = {name}(bits(4), lam="1/5")
    print(model.privacy())
    print(model.accuracy(sum, 1))
'''


def starter(file: str, name: str) -> str:
    """A commented program with a mechanism of this name, as it stands in this file, with a claim.

    >>> "def svt(x, lam):" in starter("svt.py", "svt")
    True
    """
    return _STARTER.format(title=name.replace("_", " ").capitalize(), file=file, name=name)
