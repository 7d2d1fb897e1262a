"""Many runs of randomized response: the exact epsilon against the composition theorems."""

import math
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from taut import bits
from taut.mechanisms import randomized_response

RATIO, DELTA = Fraction(4, 3), Fraction(1, 10**6)
"""e^epsilon of one run, and the delta allowed for all."""


def exact(runs: int) -> float:
    lam = 1 / (1 + RATIO)
    return randomized_response(bits(1), lam=lam).profile().compose(runs).epsilon(DELTA).epsilon


def basic(runs: int) -> float:
    return runs * math.log(RATIO)


def advanced(runs: int) -> float:
    """Dwork, Rothblum, Vadhan 2010, as Theorem 3.20 of Dwork and Roth 2014."""
    epsilon = math.log(RATIO)
    return math.sqrt(2 * runs * math.log(1 / DELTA)) * epsilon + runs * epsilon * (float(RATIO) - 1)


def optimal_delta(runs: int, i: int) -> Fraction:
    """Kairouz, Oh, Viswanath 2015: the delta that belongs to (runs - 2 i) times the epsilon of one run."""
    terms = (math.comb(runs, wins) * (RATIO ** (runs - wins) - RATIO ** (runs - 2 * i + wins)) for wins in range(i))
    return sum(terms, Fraction(0)) / (1 + RATIO) ** runs


def optimal_is_exact(runs: int) -> bool:
    """Return True if the theorem's delta equals that of randomized response at each of its epsilons."""
    profile = randomized_response(bits(1), lam=1 / (1 + RATIO)).profile().compose(runs)
    return all(profile.delta(ratio=RATIO ** (runs - 2 * i)) == optimal_delta(runs, i) for i in range(runs // 2 + 1))


def by_dp_accounting(runs: int) -> float | None:
    """Return the epsilon of dp_accounting for the same pair; None if it is not installed."""
    try:
        import dp_accounting  # noqa: F401
    except ImportError:
        return None
    single = randomized_response(bits(1), lam=1 / (1 + RATIO)).profile().to_dp_accounting(1e-3)
    return float(single.self_compose(runs).get_epsilon_for_delta(float(DELTA)))


def main() -> None:
    from taut.support.pictures.charts import lines
    from taut.support.pictures.style import legend_below, one_panel

    counts = [10, 30, 100, 300, 1000]
    print(f"the optimal composition theorem is exact for randomized response: {optimal_is_exact(40)}")
    curves = {"basic": basic, "advanced": advanced, "exact (= optimal)": exact}
    series = {}
    for name, curve in curves.items():
        values = [curve(runs) for runs in counts]
        print(f"{name:18}", *[f"{value:10.4f}" for value in values])
        series[name] = (counts, values)
    title = f"Randomized response, e^eps = {RATIO} per run"
    figure, axes = one_panel()
    lines(axes, series, title=title, x="runs", y=f"epsilon at delta = {float(DELTA)}", log=True, legend=False)
    told = [by_dp_accounting(runs) for runs in counts]
    if told[0] is not None:
        print(f"{'dp_accounting':18}", *[f"{value:10.4f}" for value in told])
        axes.plot(counts, told, linestyle="none", marker="x", markersize=9, color="black", label="dp_accounting")
    axes.set(xscale="log", xlim=(8, 1250))
    legend_below(figure, axes)
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="taut-")) / "composition.png"
    figure.savefig(target, dpi=150)
    print(target)


if __name__ == "__main__":
    main()
