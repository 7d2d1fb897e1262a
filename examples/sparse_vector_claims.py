"""Published variants of the sparse vector technique (Lyu, Su, Li 2017): claimed and exact e^epsilon."""

import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from taut import geometric, ints, mechanism

BAR, NOISE = Fraction(1, 2), Fraction(1, 2)
"""Ratios of the noise of the threshold and of the answers: exp(-eps1), and exp(-eps2 / (2 c)) in Algorithm 1."""
LOW, HIGH = -2, 4


@mechanism
def sparse_vector(x, c):
    """Algorithms 1 (with noise for 2 c) and 4 (with the same noise, said to be enough for 1): stop after c."""
    bar = geometric(1, BAR, LOW, HIGH)
    found = []
    above = 0
    for answer in x:
        if above < c:
            if geometric(answer, NOISE, LOW, HIGH) >= bar:
                found.append(1)
                above += 1
            else:
                found.append(0)
    return found


@mechanism
def refreshed(x, c):
    """Algorithm 2: the threshold gets new noise after each answer above; noise for c times one run of Algorithm 1."""
    bar = geometric(1, BAR, LOW, HIGH)
    found = []
    above = 0
    for answer in x:
        if above < c:
            if geometric(answer, NOISE, LOW, HIGH) >= bar:
                found.append(1)
                above += 1
                bar = geometric(1, BAR, LOW, HIGH)
            else:
                found.append(0)
    return found


@mechanism
def tells_the_answer(x):
    """Algorithm 3, with c = 1: the noisy answer is told where it is above."""
    bar = geometric(1, BAR, LOW, HIGH)
    found = []
    above = 0
    for answer in x:
        if above < 1:
            noisy = geometric(answer, NOISE, LOW, HIGH)
            if noisy >= bar:
                found.append(noisy)
                above += 1
            else:
                found.append(-9)
    return found


@mechanism
def without_noise(x):
    """Algorithm 5: answers get no noise, and it never stops."""
    bar = geometric(1, BAR, LOW, HIGH)
    return [int(answer >= bar) for answer in x]


@mechanism
def without_end(x):
    """Algorithm 6: it never stops."""
    bar = geometric(1, BAR, LOW, HIGH)
    return [int(geometric(answer, NOISE, LOW, HIGH) >= bar) for answer in x]


def ratios(n: int) -> dict[str, tuple[Fraction, object]]:
    """For each variant the claimed e^epsilon and the exact one, on n answers from 0 to 2 that all move by at most 1."""
    answers = ints(n, 0, 2)
    one, two = 1 / BAR, 1 / NOISE
    return {
        "1, c=1": (one * two**2, sparse_vector(answers, c=1).privacy("all_step").max_ratio),
        "1, c=2": (one * two**4, sparse_vector(answers, c=2).privacy("all_step").max_ratio),
        "2, c=2": ((one * two**2) ** 2, refreshed(answers, c=2).privacy("all_step").max_ratio),
        "3": (one * two, tells_the_answer(answers).privacy("all_step").max_ratio),
        "4, c=1": (one * two, sparse_vector(answers, c=1).privacy("all_step").max_ratio),
        "5": (one * one, without_noise(answers).privacy("all_step").max_ratio),
        "6": (one * two, without_end(answers).privacy("all_step").max_ratio),
    }


def main() -> None:
    import matplotlib.pyplot as plt

    sizes = [1, 2, 3, 4, 5]
    tables = [ratios(n) for n in sizes]
    figure, axes = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    for number, name in enumerate(tables[0]):
        exact = [table[name][1] for table in tables]
        claim = tables[0][name][0]
        print(f"Algorithm {name:7} claimed {claim!s:3} exact", *[f"{float(value):.5g}" for value in exact])
        finite = [(n, float(value)) for n, value in zip(sizes, exact, strict=True) if float(value) < float("inf")]
        if name != "4, c=1":
            label = {"1, c=1": "Algorithms 1 and 4, c=1", "5": "Algorithm 5 (then infinite)"}.get(
                name, f"Algorithm {name}"
            )
            axes.plot(*zip(*finite, strict=True), marker="o^<sdvx"[number], color=f"C{number}", label=label)
    for claim, who in (
        (4, "claim of 3, 4, 5 and 6"),
        (8, "claim of 1, c=1"),
        (32, "claim of 1, c=2"),
        (64, "claim of 2, c=2"),
    ):
        axes.axhline(claim, color="gray", linestyle=":", linewidth=1)
        axes.text(1.01, claim, who, transform=axes.get_yaxis_transform(), va="center", fontsize=8, color="gray")
    axes.set(xlabel="answers", ylabel="e^epsilon", yscale="log", xticks=sizes)
    axes.set_yticks([2, 4, 8, 16, 32, 64], ["2", "4", "8", "16", "32", "64"])
    axes.minorticks_off()
    axes.set_title("Sparse vector variants: exact e^epsilon and claims")
    axes.legend(fontsize=8, loc="upper left")
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="taut-")) / "sparse_vector.png"
    figure.savefig(target, dpi=150)
    print(target)


if __name__ == "__main__":
    main()
