"""One marginal of Bayesian networks written as Dice programs: taut, and Dice with its eager evaluation."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from benchmarks.networks import NETWORKS, program
from benchmarks.registry import case
from taut.model.dice import dice
from taut.peers.tool import run_tool

ANSWERS = {
    "alarm": "0.273302, 0.207711, 0.283733, 0.235255; 81267c54",
    "insurance": "0.182822, 0.346717, 0.248779, 0.221681; a3981181",
    "hailfinder": "0.361860, 0.244873, 0.393267; 6e55f0e5",
    "hepar2": "0.243385, 0.265771, 0.315835, 0.175009; b64eba21",
    "water": "0.261042, 0.200583, 0.173828, 0.364547; 9d2b7724",
    "pigs": "0.211611, 0.496991, 0.291399; 0d3df56a",
}
"""Six decimals, and a digest of the exact fractions."""


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
    found = dice(text).distribution()
    exact = ", ".join(f"{value}: {share}" for value, share in sorted(found.items()))
    shares = ", ".join(f"{float(share):.6f}" for _, share in sorted(found.items()))
    return f"{shares}; {hashlib.sha256(exact.encode()).hexdigest()[:8]}"


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
