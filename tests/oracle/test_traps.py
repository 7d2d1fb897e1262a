"""Every trap has the distribution that CPython gives it, read or run as a whole, or is refused with its place."""

import importlib
import pkgutil

import pytest
from tests.oracle import traps
from tests.oracle.native import native_distribution
from tests.oracle.traps.trap import TRAPS, Trap

import taut

for module in pkgutil.iter_modules(traps.__path__):
    importlib.import_module(f"tests.oracle.traps.{module.name}")


@pytest.mark.parametrize("name", TRAPS)
def test_reading_is_what_python_does(name: str) -> None:
    trap = TRAPS[name]
    with taut.options(validate="off"):
        model = _read(trap)
    if model is None:
        return
    if trap.refusal is not None:
        assert model.reading.read == (), "what the reader refuses is run as a whole, if at all"
    for x in trap.domain:
        expected = native_distribution(trap.mechanism, {"x": x})
        got = model.distribution(x)
        assert got == expected, f"at x={x!r}"
        assert {repr(y) for y in got if not isinstance(y, bool | tuple)} <= {repr(y) for y in expected} | {"0", "1"}


def _read(trap: Trap) -> taut.Model | None:
    """Return the model of a trap; None if it is refused as it should be."""
    try:
        model: taut.Model = trap.mechanism(trap.domain)
    except taut.TautError as error:
        if trap.refusal is None:
            raise
        told = str(error)
    else:
        return model
    assert trap.refusal in told
    assert ".py:" in told, "the refusal names its place"
    return None
