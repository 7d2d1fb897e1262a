"""The same bound by several tools, as ``taut compare`` asks them, and by a plain loop; lambda = 1/5."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Generator
from fractions import Fraction
from typing import Any

from benchmarks import plain
from benchmarks.registry import case
from taut.interfaces.compare.process import answer, start_up
from taut.interfaces.peers import PEERS
from taut.interfaces.peers.storm.naive import naive_model
from taut.interfaces.queries.query import read_query

NEEDS = {"storm": ("stormpy",), "storm-naive": ("stormpy",), "dice": ("!dice",), "dice-joint": ("!dice",)}
GROWING = "randomized_response"
ALL = ("taut", "storm", "dice", "dice-joint")
ASKED = {
    ("randomized_response", 5): ("4", ("taut", "storm", "storm-naive", "dice", "dice-joint"), True),
    ("randomized_response", 6): ("4", ALL, False),
    ("randomized_response", 7): ("4", ALL, False),
    ("randomized_response", 8): ("4", ALL, False),
    ("rr_count", 8): ("4", ALL, False),
    ("above_threshold", 3): ("8", ALL, True),
}
"""Mechanism and size: the answer, who is asked, and whether that is quick."""


def question(mechanism: str, n: int) -> str:
    return f"privacy of {mechanism}, n = {n}, all inputs"


def asked(function: Callable[..., Any]) -> Callable[..., Any]:
    for (mechanism, n), (right, tools, quick) in ASKED.items():
        for name in tools:
            case(
                tool_name=name,
                mechanism=mechanism,
                n=n,
                answer=right,
                tool="taut" if name == "taut" else PEERS[name].title,
                question=question(mechanism, n),
                needs=NEEDS.get(name, ()),
                quick=quick and name != "storm-naive",
                family=f"{mechanism}, all inputs, by {name}" if mechanism == GROWING and name in ALL else None,
                size=n,
                growth="exponential",
            )(function)
    return function


@asked
def bound_by(tool_name: str, mechanism: str, n: int) -> Generator[None, None, tuple[str, dict[str, Any]]]:
    """Measure the tool itself; a rounded answer that is consistent with the exact one counts as exact."""
    setting = {"target": mechanism, "settings": [f"n={n}"], "n": n, "tool": tool_name, "method": "exhaustive"}
    setting["neighbors"] = None
    startup = start_up(setting)
    yield
    found = answer(setting, startup)
    if found["status"] != "answer":
        raise RuntimeError(found.get("why", found["status"]))
    told = {
        key: found[key] for key in ("cpu_seconds", "startup_seconds", "around_seconds", "megabytes") if key in found
    }
    told["sizes"], told["runs of the solver"] = found["sizes"], found["runs"]
    right = ASKED[mechanism, n][0]
    if "at_least" in found:
        told["rounded"] = found["answer"]
        if Fraction(found["at_least"]) <= Fraction(right) and (
            found["at_most"] == "inf" or Fraction(right) <= Fraction(found["at_most"])
        ):
            return right, told
    return found["answer"], told


@case(name="response", n=5, answer="4", tool="plain loop", question=question("randomized_response", 5), quick=True)
@case(name="response", n=8, answer="4", tool="plain loop", question=question("randomized_response", 8))
@case(name="count", n=8, answer="4", tool="plain loop", question=question("rr_count", 8))
@case(name="above_threshold", n=3, answer="8", tool="plain loop", question=question("above_threshold", 3), quick=True)
def plain_loop_over_inputs(name: str, n: int) -> str:
    return str(getattr(plain, f"plain_{name}")(n))


@case(
    n=5,
    answer="4.000000",
    tool="Storm, the paper's chain in floats",
    question=question("randomized_response", 5),
    needs=("stormpy",),
)
def naive_chain_in_floats(n: int) -> Generator[None, None, str]:
    """One query for each input and output, in doubles, as published times are."""
    import stormpy

    program = read_query("randomized_response", [f"n={n}"]).model().program
    inputs = list(itertools.product(*[entry.values for entry in program.inputs]))
    yield
    chain = naive_model(program)
    with tempfile.NamedTemporaryFile("w", suffix=".prism") as file:
        file.write(chain.text)
        file.flush()
        parsed = stormpy.parse_prism_program(file.name)
    pairs = list(itertools.product(inputs, repeat=2))
    events = [stormpy.parse_property(f"P=? [F {chain.event(x, y)}]", parsed) for x, y in pairs]
    model = stormpy.build_model[float](parsed, options=stormpy.BuilderOptions(events))
    first = model.initial_states[0]
    shares = [stormpy.model_checking(model, event).get_value(first) for event in events]
    table = dict(zip(pairs, shares, strict=True))
    near = [(x, z) for x, z in pairs if sum(a != b for a, b in zip(x, z, strict=True)) == 1]
    return f"{max(table[x, y] / table[z, y] for x, z in near for y in inputs):.6f}"
