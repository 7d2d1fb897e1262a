"""Storm through stormpy: exact probabilities of PRISM models. The package is imported at first use."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from taut.interfaces.peers.peer import Run
from taut.interfaces.peers.storm.prism import PrismModel
from taut.support.errors import ImpossibleEvidence, ToolFailed, ToolMissing

__all__ = ["ask_storm", "query_storm", "storm_missing"]

_HOW = "pip install 'taut[storm]' (Linux and macOS on ARM, Python 3.11 or later)"


def storm_missing() -> str | None:
    """Return the reason why Storm is unavailable and how to install it; None if it is available."""
    if importlib.util.find_spec("stormpy") is None:
        return f"Storm: the Python package stormpy is not installed; {_HOW}."
    try:
        _stormpy()
    except Exception as problem:
        return f"Storm: stormpy is installed and cannot be imported ({problem}); {_HOW}."
    return None


def ask_storm(model: PrismModel) -> Run:
    """Return the distribution of the output, by one forward solve for all final states.

    Raises:
        ToolMissing: stormpy is not there.
        ToolFailed: Storm refuses the model.
    """
    stormpy = _required()
    cpu = time.process_time()
    with _quiet():
        chain = _built(stormpy, model.text)
        built = time.perf_counter()
        shares = stormpy.analysis.compute_steady_state_distribution(chain)
        masses: dict[Any, Fraction] = {}
        states = _states(chain, sorted({part for part in (*model.results, model.evidence) if isinstance(part, str)}))
        for number in chain.labeling.get_states("done"):
            mass = _fraction(shares.get_value(number))
            state = {name: values[number] for name, values in states.items()}
            if mass and model.counts(state):
                y = model.decode(state)
                masses[y] = masses.get(y, Fraction(0)) + mass
    evidence = sum(masses.values())
    if not evidence:
        raise ImpossibleEvidence("what is observed has probability 0, so there is no distribution.", value=None)
    answers = {y: mass / evidence for y, mass in masses.items()}
    return Run(answers, _sizes(chain), time.perf_counter() - built, time.process_time() - cpu)


def query_storm(text: str, events: Mapping[Any, str]) -> Run:
    """Return the probabilities of reaching several events, with one property and one run of the checker for each.

    The events are expressions of the PRISM language; the model is built once.
    """
    stormpy = _required()
    cpu = time.process_time()
    with _quiet():
        properties = [f"P=? [F {event}]" for event in events.values()]
        chain, asked = _built_for(stormpy, text, properties)
        built = time.perf_counter()
        answers = {}
        for event, question in zip(events, asked, strict=True):
            probabilities = stormpy.model_checking(chain, question)
            answers[event] = _fraction(probabilities.get_value(chain.initial_states[0]))
    return Run(answers, _sizes(chain), time.perf_counter() - built, time.process_time() - cpu)


def _sizes(chain: Any) -> dict[str, int]:
    return {"states": chain.nr_states, "transitions": chain.nr_transitions}


def _stormpy() -> Any:
    import stormpy
    import stormpy.analysis

    return stormpy


def _required() -> Any:
    missing = storm_missing()
    if missing is not None:
        raise ToolMissing(missing, value="stormpy")
    return _stormpy()


def _built(stormpy: Any, text: str) -> Any:
    options = stormpy.BuilderOptions()
    options.set_build_all_labels()
    options.set_build_state_valuations()
    with _program(stormpy, text) as program:
        return _chain(stormpy, program, options)


def _built_for(stormpy: Any, text: str, properties: Sequence[str]) -> tuple[Any, list[Any]]:
    with _program(stormpy, text) as program:
        asked = [stormpy.parse_property(one, program) for one in properties]
        return _chain(stormpy, program, stormpy.BuilderOptions(asked)), asked


def _chain(stormpy: Any, program: Any, options: Any) -> Any:
    options.set_exploration_checks()  # without them, weights that do not sum to 1 are accepted in silence
    try:
        return stormpy.build_model[stormpy.Rational](program, options=options)
    except Exception as problem:
        raise ToolFailed(f"Storm: the model cannot be built: {problem}", value=str(problem)) from None


@contextlib.contextmanager
def _program(stormpy: Any, text: str) -> Iterator[Any]:
    """Yield the parsed program through a temporary file, since stormpy reads only files."""
    with tempfile.TemporaryDirectory(prefix="taut-") as folder:
        path = Path(folder) / "model.prism"
        path.write_text(text, encoding="utf-8")
        try:
            program = stormpy.parse_prism_program(str(path))
        except Exception as problem:
            raise ToolFailed(f"Storm: the model cannot be read: {problem}", value=str(problem)) from None
        yield program


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppress Storm's warnings on standard output, where they would mix with the answers."""
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def _states(chain: Any, names: Sequence[str]) -> dict[str, list[Any]]:
    """Return the values of variables in all states."""
    valuations = chain.state_valuations
    states: dict[str, list[Any]] = {}
    for variable in valuations.get_all_variables():
        if variable.name in names:
            read = valuations.get_boolean_value if variable.has_boolean_type() else valuations.get_int64_value
            states[variable.name] = [read(number, variable) for number in range(chain.nr_states)]
    return states


def _fraction(value: Any) -> Fraction:
    return Fraction(int(str(value.numerator)), int(str(value.denominator)))
