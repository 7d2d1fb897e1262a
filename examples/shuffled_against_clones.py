"""Shuffled randomized response: the exact epsilon at a delta against the published "clones" bounds."""

import math
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from taut import bits
from taut.mechanisms import rr_count

LAM, DELTA = Fraction(1, 3), Fraction(1, 100)


def exact(n: int) -> float:
    """The count of n noisy bits is what a shuffler of n reports of one bit shows."""
    return rr_count(bits(n), lam=LAM).epsilon(DELTA).epsilon


def closed_form(n: int) -> float:
    """Feldman, McMillan, Talwar (FOCS 2021), as in the authors' program; the local epsilon where it does not apply."""
    local, delta = (1 - LAM) / LAM, float(DELTA)
    if local > n / (16 * math.log(4 / delta)):
        return math.log(local)
    spread = 8 * math.sqrt(local * math.log(4 / delta) / n) + float(8 * local / n)
    return math.log1p(float(1 - 1 / local) / (1 + 1 / (float(local) * (1 + spread))) * spread)


def clones(n: int, share: Fraction) -> float:
    """The smallest epsilon of their pair: C ~ Bin(n - 1, share) clones, A ~ Bin(C, 1/2) of them ones, and the victim.

    The victim adds a one with probability 1 - LAM, or LAM. Everything is rational, so delta is compared exactly;
    epsilon is found by bisection, and rounded up.
    """
    atoms = []
    for clone in range(n):
        mass = math.comb(n - 1, clone) * share**clone * (1 - share) ** (n - 1 - clone) / 2**clone
        for ones in range(clone + 2):
            with_one = math.comb(clone, ones - 1) if ones else 0
            without = math.comb(clone, ones)
            atoms.append((mass * ((1 - LAM) * with_one + LAM * without), mass * (LAM * with_one + (1 - LAM) * without)))
    scale = math.lcm(*[p.denominator for p, _ in atoms], *[q.denominator for _, q in atoms])
    whole = [(int(p * scale), int(q * scale)) for p, q in atoms]
    low, high = 0.0, math.log((1 - LAM) / LAM) + 1e-9
    while high - low > 1e-6:
        middle = (low + high) / 2
        gamma = Fraction(math.exp(middle)).limit_denominator(1 << 40)
        over = sum(max(0, p * gamma.denominator - gamma.numerator * q) for p, q in whole)
        low, high = (middle, high) if over > DELTA * scale * gamma.denominator else (low, middle)
    return high


def row(n: int) -> tuple[float, float, float, float]:
    """Exact; clones of 2022 (share 2 / (e^eps0 + 1) = 2 LAM); clones of 2021 (e^-eps0); their closed form."""
    return exact(n), clones(n, 2 * LAM), clones(n, LAM / (1 - LAM)), closed_form(n)


def main() -> None:
    from taut.support.pictures.charts import lines
    from taut.support.pictures.style import legend_below, one_panel

    sizes, more = [5, 10, 20, 40, 80], [160, 320, 640]
    rows = [row(n) for n in sizes]
    for n, found in zip(sizes, rows, strict=True):
        print(f"n={n:3}", *[f"{value:.5f}" for value in found])
    for n in more:
        print(f"n={n:3} closed form {closed_form(n):.5f}")
    names = ["exact", "clones, numerical (2022)", "clones, numerical (2021)", "clones, closed form (2021)"]
    columns = [list(column) for column in zip(*rows, strict=True)]
    columns[-1] += [closed_form(n) for n in more]
    series = {name: ((sizes + more)[: len(values)], values) for name, values in zip(names, columns, strict=True)}
    title = f"Shuffled randomized response, lam = {LAM} (local epsilon log 2)"
    figure, axes = one_panel()
    lines(axes, series, title=title, x="clients", y=f"epsilon at delta = {float(DELTA)}", legend=False)
    axes.set(xscale="log", xlim=(4.5, 720), ylim=(0, None))
    axes.set_xticks(sizes + more, [str(n) for n in sizes + more])
    axes.minorticks_off()
    legend_below(figure, axes)
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="taut-")) / "shuffled.png"
    figure.savefig(target, dpi=150)
    print(target)


if __name__ == "__main__":
    main()
