"""How reading, compiling and answering grow: programs that double in size, with the exponent of their CPU seconds.

    python benchmarks/growth.py                  # all cases
    python benchmarks/growth.py modulo discrete  # cases whose name contains one of these words

Every size has a process of its own. The exponent is the slope of the logarithms of seconds against sizes, with its
standard error; sizes that take less than 0.05 seconds say nothing about growth and are left out of it.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import taut
from taut import discrete, flip, integer, ints, mechanism, uniform
from taut.mechanisms import exponential_mechanism, histogram, permute_and_flip, subset_selection

SHORTEST = 0.05
"""Seconds below which a size is left out of a fit."""
LONGEST = 20.0
"""Seconds after which a size is given up, and no larger one tried."""


@mechanism
def sum_of_flips(x: Any, n: Any) -> Any:
    total = x
    for _ in range(n):
        total = total + flip("1/3")
    return total > n // 2


@mechanism
def sum_of_numbers(x: Any, n: Any) -> Any:
    total = x
    for _ in range(n):
        total = total + uniform(0, 3)
    return total


@mechanism
def counted_in_branches(x: Any, n: Any) -> Any:
    total = 0
    for _ in range(n):
        if flip("1/3"):
            total += 1
    return total + x


@mechanism
def sum_used_on_the_way(x: Any, n: Any) -> Any:
    total, high = x, 0
    for _ in range(n):
        total = total + uniform(0, 1)
        if total > n // 2:
            high = 1
    return (total, high)


@mechanism
def modulo(x: Any, n: Any) -> Any:
    total = x
    for _ in range(n):
        total = (total + uniform(0, 4)) % 5
    return total


@mechanism
def many_weights(x: Any, weights: Any) -> Any:
    return (discrete(weights) + x) % 7


@mechanism
def many_weights_listed(x: Any, n: Any) -> Any:
    drawn = discrete([Fraction(1, n) for _ in range(n)])
    return (drawn + x) % 7


@mechanism
def many_weights_named(x: Any, n: Any) -> Any:
    total = n * (n + 1) // 2
    drawn = discrete({i: Fraction(i + 1, total) for i in range(n)})
    return drawn > x


@mechanism
def less_than(x: Any, n: Any) -> Any:
    return uniform(0, n - 1) < uniform(0, n - 1) + x


@mechanism
def equal(x: Any, n: Any) -> Any:
    return uniform(0, n - 1) == uniform(0, n - 1) + x


@mechanism
def largest(x: Any, n: Any) -> Any:
    return max(uniform(0, n - 1), uniform(0, n - 1), x) > n // 2


@mechanism
def bits_less_than(x: Any, n: Any) -> Any:
    a = b = 0
    for _ in range(n):
        a = 2 * a + flip("1/2")
        b = 2 * b + flip("1/2")
    return a < b + x


@mechanism
def bits_equal(x: Any, n: Any) -> Any:
    a = b = 0
    for _ in range(n):
        a = 2 * a + flip("1/2")
        b = 2 * b + flip("1/2")
    return a == b + x


Case = tuple[Callable[[int], Any], Sequence[int]]


def one(function: Any, **more: Any) -> Callable[[int], Any]:
    """The whole distribution for one input."""
    return lambda n: function(integer(0, 1), n=n, **more).distribution(1)


def shares(kind: str) -> Callable[[int], Any]:
    def run(n: int) -> Any:
        total = n * (n + 1) // 2
        given: Any = {
            "fractions": [Fraction(i + 1, total) for i in range(n)],
            "text": [f"{i + 1}/{total}" for i in range(n)],
            "equal": [Fraction(1, n)] * n,
            "named": {i: Fraction(i + 1, total) for i in range(n)},
        }[kind]
        return many_weights(integer(0, 1), weights=given).distribution(1)

    return run


CASES: dict[str, Case] = {
    "privacy of the exponential mechanism": (
        lambda n: exponential_mechanism(ints(n, 0, 2), base=2).privacy(),
        range(4, 15),
    ),
    "privacy of permute and flip": (lambda n: permute_and_flip(ints(n, 0, 2), base=2).privacy(), range(3, 15)),
    "privacy of a histogram, k = 4": (lambda n: histogram(ints(n, 0, 3), k=4, ratio="1/2").privacy(), range(4, 15, 2)),
    "privacy of subset selection, k = 4": (
        lambda n: subset_selection(ints(n, 0, 3), k=4, omega=2, base=3).privacy(),
        [1, 2, 4, 8, 16, 32, 64, 128],
    ),
    "sum of flips": (one(sum_of_flips), [50, 100, 200, 400, 800]),
    "sum of numbers": (one(sum_of_numbers), [50, 100, 200, 400, 800]),
    "counted in branches": (one(counted_in_branches), [50, 100, 200, 400, 800]),
    "sum used on the way": (one(sum_used_on_the_way), [25, 50, 100, 200]),
    "modulo 5": (one(modulo), [50, 100, 200, 400, 800, 1600]),
    "discrete, fractions": (shares("fractions"), [12_500, 25_000, 50_000, 100_000]),
    "discrete, text": (shares("text"), [12_500, 25_000, 50_000, 100_000]),
    "discrete, equal fractions": (shares("equal"), [12_500, 25_000, 50_000, 100_000]),
    "discrete, named": (shares("named"), [12_500, 25_000, 50_000, 100_000]),
    "discrete, listed inside": (one(many_weights_listed), [12_500, 25_000, 50_000, 100_000]),
    "discrete, named inside": (one(many_weights_named), [12_500, 25_000, 50_000, 100_000]),
    "less than": (one(less_than), [128, 256, 512, 1024, 2048]),
    "equal": (one(equal), [128, 256, 512, 1024, 2048]),
    "largest": (one(largest), [128, 256, 512, 1024, 2048]),
    "bits less than": (one(bits_less_than), [8, 16, 32, 64]),
    "bits equal": (one(bits_equal), [8, 16, 32, 64]),
}


def measure(name: str, size: int, pipe: Any) -> None:
    sum_of_flips(integer(0, 1), n=2).distribution(1)  # what is imported at first use is not to be measured
    sum_of_flips(integer(0, 1), n=2).privacy()
    start = time.process_time()
    try:
        with taut.options(time_limit=LONGEST):
            answer = str(CASES[name][0](size))
    except taut.TautError as problem:
        answer = f"{type(problem).__name__}: {problem.message}"
    seconds = time.process_time() - start
    pipe.send((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, answer))


def in_own_process(name: str, size: int) -> tuple[float, float, str]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=measure, args=(name, size, there))
    process.start()
    there.close()
    try:
        found: tuple[float, float, str] = here.recv() if here.poll(4 * LONGEST) else (math.inf, math.nan, "stopped")
    except EOFError:
        found = (math.inf, math.nan, "died")
    process.kill()
    process.join()
    return found


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> tuple[float, float]:
    """The slope of log seconds against log sizes, and its standard error."""
    xs, ys = [math.log(size) for size in sizes], [math.log(second) for second in seconds]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread
    rest = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in zip(xs, ys, strict=True))
    return slope, math.sqrt(rest / (len(xs) - 2) / spread) if len(xs) > 2 else math.nan


def main(words: Sequence[str]) -> int:
    for name, (_, sizes) in CASES.items():
        if words and not any(word in name for word in words):
            continue
        fitted: list[tuple[int, float]] = []
        print(name)
        for size in sizes:
            seconds, megabytes, answer = in_own_process(name, size)
            print(f"  {size:8} {seconds:8.2f} s {megabytes:7.0f} MB  {answer[:90]}", flush=True)
            if seconds >= SHORTEST:
                fitted.append((size, seconds))
            if seconds > LONGEST * 0.9:
                break
        if len(fitted) > 1:
            slope, error = exponent([size for size, _ in fitted], [seconds for _, seconds in fitted])
            print(f"  exponent {slope:.2f} +- {error:.2f}")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only cases whose name contains one of these")
    sys.exit(main(parser.parse_args().words))
