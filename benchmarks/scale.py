"""How the cost of questions grows with the number of cases, and what workers change: the tables of docs/scale.md.

python benchmarks/scale.py growth            # all questions; or: growth profile
python benchmarks/scale.py workers
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np

from taut import bits, flip, ints, local_workers, mechanism
from taut.mechanisms import above_threshold, randomized_response, rr_count

EXTRAPOLATED = 64


@mechanism
def uneven_response(x: Any) -> Any:
    """Every client has a coin of its own, so that no two inputs or outputs are alike."""
    return [bit ^ flip(Fraction(1, i + 3)) for i, bit in enumerate(x)]


def threshold(n: int) -> Any:
    return above_threshold(ints(n, 0, 3), threshold=1, ratio="1/2", high=3)


Ask = Callable[[Any], Any]
GROWTH: dict[str, tuple[Callable[[int], Any], Ask, tuple[int, ...], str]] = {
    "accuracy of `rr_count`, exhaustive": (
        lambda n: rr_count(bits(n), lam="1/5"),
        lambda model: model.accuracy(sum, 3, method="exhaustive"),
        (20, 22, 24, 26),
        "inputs",
    ),
    "e^eps of `rr`, exhaustive": (
        lambda n: randomized_response(bits(n), lam="1/5"),
        lambda model: model.privacy(method="exhaustive"),
        (10, 11, 12, 13),
        "triples",
    ),
    "e^eps of `rr` with coins that differ, exhaustive": (
        lambda n: uneven_response(bits(n)),
        lambda model: model.privacy(method="exhaustive"),
        (9, 10, 11, 12),
        "triples",
    ),
    "e^eps of `rr` beyond 2^32 triples, counted together": (
        lambda n: randomized_response(bits(n), lam="1/5"),
        lambda model: model.privacy(method="exhaustive"),
        (24, 32, 48, 64),
        "clients",
    ),
    "e^eps of `above_threshold`, restricted (orbits)": (
        threshold,
        lambda model: model.privacy("one_differ", method="restricted"),
        (2, 3, 4),
        "orbits",
    ),
    "profile of `above_threshold`, exhaustive": (
        threshold,
        lambda model: model.profile("one_differ", method="exhaustive"),
        (2, 3, 4),
        "pairs",
    ),
}


def cases_of(bound: Any, what: str, n: int) -> int:
    """Return the number of cases that a question has evaluated."""
    if what == "clients":
        return n
    if what == "inputs":
        return int(bound.stats["inputs"])
    if what == "pairs":
        return int(bound.stats["pairs"])
    return int(bound.stats["triples"]) if what == "orbits" else n * int(bound.stats["probabilities"])


def growth() -> None:
    """Seconds of the processor against the number of cases, and the exponent that fits."""
    print("| Question | Cases | CPU seconds | Exponent |\n|---|---|---|---|")
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    for name, (make, ask, sizes, what) in GROWTH.items():
        if wanted not in name:
            continue
        cases, seconds = [], []
        for n in sizes:
            model = make(n)
            model.channel()
            start = time.process_time()
            bound = ask(model)
            seconds.append(time.process_time() - start)
            cases.append(cases_of(bound, what, n))
        slope, error = fitted(cases, seconds)
        print(
            f"| {name} | {cases[0]:,} to {cases[-1]:,} {what} | {seconds[0]:.2g} to {seconds[-1]:.2g} | "
            f"{slope:.2f} ± {error:.2f} |",
            flush=True,
        )


def fitted(cases: list[int], seconds: list[float]) -> tuple[float, float]:
    """The exponent of seconds = c * cases^exponent by least squares of the logarithms, and its standard error."""
    x, y = np.log(np.array(cases, dtype=float)), np.log(np.array(seconds))
    slope, offset = np.polyfit(x, y, 1)
    rest = y - slope * x - offset
    error = np.sqrt(np.sum(rest**2) / max(1, len(x) - 2) / np.sum((x - x.mean()) ** 2))
    return float(slope), float(error)


def workers() -> None:
    """Measure 2^26 inputs by one process and by worker processes, with the busy time of each; then 2^32 inputs."""
    model = rr_count(bits(26), lam="1/5")
    print("| Workers | CPU seconds of the busiest worker | of the process that asks | 2^32 inputs |\n|---|---|---|---|")
    start = time.process_time()
    alone = model.accuracy(sum, 3, method="exhaustive")
    whole = time.process_time() - start
    print(f"| none | | {whole:.2f} | {minutes(64 * whole)} |", flush=True)
    piece = whole / alone.stats["pieces"]
    for count in (1, 2):
        with busiest(count) as (pool, seconds):
            rr_count(bits(22), lam="1/5").accuracy(sum, 3, method="exhaustive", executor=pool)  # they have started
            before, start = seconds(), time.process_time()
            bound = model.accuracy(sum, 3, method="exhaustive", executor=pool)
            own = time.process_time() - start
            after = seconds()
            assert (bound.probability, bound.count, bound.witness) == (alone.probability, alone.count, alone.witness)
            most = max(end - begin for begin, end in zip(before, after, strict=True))
        print(f"| {count} | {most:.2f} | {own:.2f} | {minutes(64 * most)} |", flush=True)
    left = 4096 * piece / EXTRAPOLATED
    words = f"{minutes(left)}, extrapolated: 4096 pieces of {piece:.3f} s, {EXTRAPOLATED} at a time"
    print(f"| {EXTRAPOLATED} | | | {words} |")


@contextmanager
def busiest(count: int) -> Iterator[Any]:
    """Worker processes, and a function that tells the CPU seconds of each of them."""

    def seconds() -> list[float]:
        return [_cpu_of(pid) for pid in sorted(pool._pool._processes)]

    with local_workers(count) as pool:
        yield pool, seconds


def _cpu_of(pid: int) -> float:
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.1f} min"


if __name__ == "__main__":
    {"growth": growth, "workers": workers}[sys.argv[1]]()
