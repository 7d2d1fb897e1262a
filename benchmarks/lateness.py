"""Ask questions that are far too large with a short time limit, and print how late the answers come.

``python benchmarks/lateness.py [--seconds 1] [--commands] [--only WORD]`` asks every built-in mechanism and every
question; with ``--commands``, as commands of a process each. Lateness is the wall time beyond the limit; a busy machine
makes it longer, so the CPU seconds after the limit are told too (of this process only). The last line tells the worst.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import taut
from taut import TautError, bits, flip, ints, mechanism, observe, uniform
from taut.mechanisms.catalog import CATALOG, resolve

_LARGE = ("n=60",)
_LATE = 2
"""Seconds by which an answer may come late."""


@mechanism
def hidden(x: Any) -> Any:
    """Reports of a hidden state: nothing decomposes, and all outputs differ."""
    state, out = flip("1/2"), []
    for place, bit in enumerate(x):
        state = state ^ (flip(Fraction(1, 3 + place)) if bit else flip(Fraction(1, 7 + place)))
        out.append(state ^ flip("1/5"))
    return out


@mechanism
def observed(x: Any) -> Any:
    """A sum of bits behind a hidden state, with evidence."""
    total, state = 0, flip("1/2")
    for place, bit in enumerate(x):
        state = state ^ flip(Fraction(1, 3 + place)) if bit else state ^ flip(Fraction(1, 5 + place))
        observe(flip("9/10") or state)
        total += (1 + place % 3) * (bit ^ state)
    return total


@mechanism
def product(x: Any) -> Any:
    """A product of many draws: few terms, and very many outputs."""
    found = 1
    for bit in x:
        found *= uniform(1, 9) + bit
    return found


@mechanism
def remainder(x: Any) -> Any:
    """Two large draws multiplied: one diagram of 10^10 pairs."""
    return (uniform(0, 99999) * uniform(0, 99999)) % 99991 + x[0]


MODELS: dict[str, Callable[[], Any]] = {
    "hidden": lambda: hidden(bits(24)),
    "observed": lambda: observed(bits(30)),
    "product": lambda: product(bits(14)),
    "remainder": lambda: remainder(bits(2)),
    "wide": lambda: mechanism(lambda x: [v + uniform(0, 50) for v in x])(ints(30, 0, 50)),
}
QUESTIONS: dict[str, Callable[..., Any]] = {
    "privacy": lambda model, **how: model.privacy(**how),
    "delta": lambda model, **how: model.delta(ratio=2, **how),
    "delta at epsilon": lambda model, **how: model.delta(1, **how),
    "epsilon": lambda model, **how: model.epsilon("1e-6", **how),
    "profile": lambda model, **how: model.profile(**how),
    "renyi": lambda model, **how: model.renyi(2, **how),
    "renyi 5/2": lambda model, **how: model.renyi("5/2", **how),
    "zcdp": lambda model, **how: model.zcdp(**how),
    "tradeoff": lambda model, **how: model.tradeoff(**how),
    "accuracy": lambda model, **how: model.accuracy(lambda x: 0, 1, distance=lambda y, _: _size(y), **how),
    "mean": lambda model, **how: model.error(lambda x: 0, distance=lambda y, _: _size(y), **how).mean,
    "variance": lambda model, **how: model.error(lambda x: 0, distance=lambda y, _: _size(y), **how).variance,
    "quantile": lambda model, **how: model.error(lambda x: 0, distance=lambda y, _: _size(y), **how).quantile("0.9"),
}
COMMANDS = ("privacy", "delta --epsilon 1", "epsilon --delta 1e-6", "profile", "renyi --order 2", "zcdp", "report")


@taut.helper
def _size(output: Any) -> Any:
    return sum(output) if isinstance(output, tuple) else output


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="the time limit of each question")
    parser.add_argument("--commands", action="store_true", help="ask by commands instead of in this process")
    parser.add_argument("--only", default="", help="only those whose name has this word")
    given = parser.parse_args()
    folder = tempfile.mkdtemp()
    cases = _commands(given.seconds, folder) if given.commands else _questions(given.seconds)
    (
        hidden(bits(2)).profile(),
        hidden(bits(2)).error(sum, distance=lambda y, aim: aim).mean,
    )  # imports are not interrupted
    found = []
    for name, ask in cases:
        if given.only in name:
            marks: list[float] = []
            timer = threading.Timer(given.seconds, lambda marks=marks: marks.append(time.process_time()))  # type: ignore[misc]
            timer.start()
            start = time.perf_counter()
            said = ask()
            late = time.perf_counter() - start - given.seconds
            timer.cancel()
            worked = max([time.process_time() - mark for mark in marks], default=0.0)
            found.append((late, worked, name))
            print(f"{late:+7.2f} s, {worked:.2f} CPU s after the limit  {name}: {said[:100]}", flush=True)
    worst = sorted(found, reverse=True)[:5]
    shutil.rmtree(folder)
    many = sum(late > _LATE for late, *_ in found)
    most = max(worked for _, worked, _ in found)
    load = f"load {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores"
    latest = "; ".join(f"{name} {late:+.2f} s" for late, _, name in worst)
    print(f"{len(found)} asked, {many} later than {_LATE} s, {load}, at most {most:.2f} CPU s after the limit")
    print(f"the latest: {latest}")


def _questions(seconds: float) -> list[tuple[str, Callable[[], str]]]:
    models = {**MODELS}
    for name in CATALOG:
        for size in _LARGE:
            models[f"{name} {size}"] = lambda name=name, size=size: _built_in(name, size)  # type: ignore[misc]

    def asked(make: Callable[[], Any], ask: Callable[..., Any]) -> str:
        try:
            with taut.options(time_limit=seconds):
                return str(ask(make()))
        except TautError as problem:
            return f"{type(problem).__name__}: {problem}"

    return [
        (f"{model}, {question}", lambda make=make, ask=ask: asked(make, ask))  # type: ignore[misc]
        for model, make in models.items()
        for question, ask in QUESTIONS.items()
    ]


def _built_in(name: str, size: str) -> Any:
    from taut.interfaces.queries.query import read_query

    return read_query(resolve(name).name, [size]).model()


def _commands(seconds: float, folder: str) -> list[tuple[str, Callable[[], str]]]:
    def run(arguments: list[str]) -> str:
        done = subprocess.run([sys.executable, "-m", "taut", *arguments], capture_output=True, text=True, check=False)
        return f"exit {done.returncode}, {(done.stdout + done.stderr).strip()[:80]!r}"

    found = []
    for name in CATALOG:
        for command in COMMANDS:
            word, *more = command.split()
            arguments = [word, name, "n=60", *more, "--time-limit", f"{seconds:g}"]
            arguments += ["--out", f"{folder}/report.html"] if word == "report" else []
            found.append((" ".join(arguments), lambda arguments=arguments: run(arguments)))  # type: ignore[misc]
    return found


if __name__ == "__main__":
    main()
