"""Dice programs: one marginal of Bayesian networks (taut, and Dice with its eager evaluation), and long chains."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.networks import NETWORKS, program
from benchmarks.registry import case, growth
from taut.interfaces.peers.tool import run_tool
from taut.model.dice import dice

ANSWERS = {
    "alarm": "0.273302, 0.207711, 0.283733, 0.235255; 81267c54",
    "insurance": "0.182822, 0.346717, 0.248779, 0.221681; a3981181",
    "hailfinder": "0.361860, 0.244873, 0.393267; 6e55f0e5",
    "hepar2": "0.243385, 0.265771, 0.315835, 0.175009; b64eba21",
    "water": "0.261042, 0.200583, 0.173828, 0.364547; 9d2b7724",
    "pigs": "0.211611, 0.496991, 0.291399; 0d3df56a",
}
"""Six decimals, and a digest of the exact fractions."""


def _answer(found: Mapping[int, Fraction]) -> str:
    exact = ", ".join(f"{value}: {share}" for value, share in sorted(found.items()))
    shares = ", ".join(f"{float(share):.6f}" for _, share in sorted(found.items()))
    return f"{shares}; {hashlib.sha256(exact.encode()).hexdigest()[:8]}"


def networks(**more: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in NETWORKS:
            given = {key: value.get(name, False) if isinstance(value, dict) else value for key, value in more.items()}
            case(network=name, question=f"the last node of {name}", limit=60, **given)(function)
        return function

    return register


@networks(answer=ANSWERS, quick={"alarm": True, "hepar2": True, "water": True, "pigs": True})
def marginal(network: str) -> Generator[None, None, str]:
    text = program(network)
    yield
    return _answer(dice(text).distribution())


@networks(answer=ANSWERS, tool="taut run", quick={"alarm": True, "pigs": True})
def whole_command(network: str) -> Generator[None, None, str]:
    """The command as it is typed, with its start-up."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{network}.dice")
        path.write_text(program(network))
        yield
        command = [sys.executable, "-m", "taut", "run", str(path), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return _answer({int(row["value"]): Fraction(row["probability"]) for row in json.loads(done.stdout)["distribution"]})


@networks(tool="Dice, eager", needs=("!dice",))
def marginal_by_dice(network: str) -> Generator[None, None, tuple[str, dict[str, Any]]]:
    """CPU seconds and memory of Dice itself; those of a program with one flip are its start-up."""
    with tempfile.TemporaryDirectory() as folder:
        path, trivial = Path(folder, "network.dice"), Path(folder, "trivial.dice")
        path.write_text(program(network))
        trivial.write_text("flip 1/2\n")
        first = run_tool(["dice", str(trivial), "-json", "-eager-eval"])
        yield
        done = run_tool(["dice", str(path), "-json", "-eager-eval"])
    assert done.cpu_seconds is not None and first.cpu_seconds is not None
    told = {"cpu_seconds": done.cpu_seconds - first.cpu_seconds, "startup_seconds": first.cpu_seconds}
    return done.out.strip()[:200], {**told, "megabytes": done.megabytes}


@growth("n", [250, 500, 1000, 2000], family="a Boolean through n diamonds, in Dice", answer="as by recursion", limit=60)
def diamonds(n: int) -> Generator[None, None, str]:
    chances = [(Fraction(step * 37 % 89 + 1, 97), Fraction(step * 53 % 83 + 2, 101)) for step in range(n)]
    lines = [f"let x = if x then flip {a} else flip {b} in" for a, b in chances]
    text = "\n".join(["let x = flip 1/2 in", *lines, "x", ""])
    true = Fraction(1, 2)
    for a, b in chances:
        true = true * a + (1 - true) * b
    yield
    return "as by recursion" if dice(text).distribution() == {True: true, False: 1 - true} else "wrong"


@growth("n", [250, 500, 1000], family="two Booleans through n steps, in Dice", answer="sum 1", limit=60)
def ladder(n: int) -> Generator[None, None, str]:
    step = "let r = flip 1/2 in let c = if r then (a && flip {}) else b in "
    step += "let b = if r then b else (a ^ flip {}) in let a = c in"
    lines = [step.format(f"{place * 37 % 89 + 1}/97", f"{place * 53 % 83 + 2}/101") for place in range(n)]
    text = "\n".join(["let a = flip 1/2 in let b = flip 2/5 in", *lines, "(a, b)", ""])
    yield
    return f"sum {sum(dice(text).distribution().values())}"
