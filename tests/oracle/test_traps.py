"""Every trap has the distribution that CPython gives it, read or run as a whole, or is refused with its place."""

import importlib
import pkgutil

import pytest
from tests.oracle import traps
from tests.oracle.native import native_distribution
from tests.oracle.traps.trap import TRAPS

import taut

for module in pkgutil.iter_modules(traps.__path__):
    importlib.import_module(f"tests.oracle.traps.{module.name}")


@pytest.mark.parametrize("name", TRAPS)
def test_reading_is_what_python_does(name: str) -> None:
    trap = TRAPS[name]
    try:
        with taut.options(validate="off"):
            model = trap.mechanism(trap.domain)
    except taut.TautError as refused:
        if trap.refusal is None:
            raise
        assert trap.refusal in str(refused)
        assert ".py:" in str(refused), "the refusal names its place"
        return
    if trap.refusal is not None:
        assert model.reading.read == (), "what the reader refuses is run as a whole, if at all"
    for x in trap.domain:
        expected = native_distribution(trap.mechanism, {"x": x})
        got = model.distribution(x)
        assert got == expected, f"at x={x!r}"
        assert {repr(y) for y in got if not isinstance(y, bool | tuple)} <= {repr(y) for y in expected} | {"0", "1"}
