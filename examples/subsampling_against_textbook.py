"""A noisy count of a sample: exact e^epsilon against the textbook's 1 + q (e^epsilon - 1)."""

import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from taut import bits, flip, geometric, mechanism, uniform

RATIO = Fraction(1, 4)
"""The noise's; e^epsilon of the count without sampling is 4."""


@mechanism
def poisson_count(x, q):
    """Each entry is in the sample with probability q; an absent one (None) never is."""
    total = 0
    for entry in x:
        if flip(q) and entry is not None:
            total += entry
    return geometric(total, RATIO, 0, len(x))


@mechanism
def poisson_count_and_size(x, q):
    """As before, with the size of the sample: where entries are replaced, and not added or removed, it is no secret."""
    total = size = 0
    for entry in x:
        if flip(q):
            total += entry
            size += 1
    return size, geometric(total, RATIO, 0, len(x))


@mechanism
def one_of_all(x):
    """A sample of one entry, without replacement."""
    place = uniform(0, len(x) - 1)
    chosen = 0
    for i, entry in enumerate(x):
        if i == place:
            chosen = entry
    return geometric(chosen, RATIO, 0, 1)


def textbook(q: Fraction) -> Fraction:
    """e^epsilon' = 1 + q (e^epsilon - 1) (Balle, Barthe, Gaboardi 2018)."""
    return 1 + q * (1 / RATIO - 1)


def row(q: Fraction, n: int = 3) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Poisson sampling of n bits: textbook; exact under add/remove; where one bit is replaced; the same, size told."""
    optional = poisson_count(bits(n).optional(), q=q).privacy("add_remove").max_ratio
    replaced = poisson_count(bits(n), q=q).privacy("one_differ").max_ratio
    with_size = poisson_count_and_size(bits(n), q=q).privacy("one_differ").max_ratio
    return textbook(q), optional, replaced, with_size


def without_replacement(n: int) -> tuple[Fraction, Fraction]:
    """One of n entries: textbook with q = 1/n, and exact where one entry is replaced."""
    return textbook(Fraction(1, n)), one_of_all(bits(n)).privacy("one_differ").max_ratio


def main() -> None:
    from taut.support.pictures.style import COLORS, dress, legend_below, one_panel

    shares = [Fraction(k, 8) for k in range(1, 9)]
    rows = [row(q) for q in shares]
    for q, found in zip(shares, rows, strict=True):
        print(f"q={q!s:4}", *found)
    for n in (2, 3, 4):
        print(f"one of {n}:", *without_replacement(n))
    figure, axes = one_panel()
    names = [
        "textbook: 1 + q (e^eps - 1)",
        "exact, add/remove",
        "exact, one bit replaced",
        "exact, one bit replaced, size told",
    ]
    for number, (name, values) in enumerate(zip(names, zip(*rows, strict=True), strict=True)):
        style = {"linestyle": "-" if number == 0 else "none", "marker": ("", "o", "x", "s")[number]}
        axes.plot(
            [float(q) for q in shares], [float(value) for value in values], label=name, color=COLORS[number], **style
        )
    dress(axes, "Poisson sampling before a noisy count of bits, e^eps = 4", "q", "e^epsilon of the sampled count")
    legend_below(figure, axes)
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="taut-")) / "subsampling.png"
    figure.savefig(target, dpi=150)
    print(target)


if __name__ == "__main__":
    main()
