"""Every trap is read as CPython runs it, or refused with its place."""

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
    if trap.refusal is not None:
        with pytest.raises(taut.TautError) as caught:
            trap.mechanism(trap.domain)
        assert trap.refusal in str(caught.value)
        assert ".py:" in str(caught.value), "the refusal names its place"
        return
    with taut.options(validate="off"):
        model = trap.mechanism(trap.domain)
    for x in trap.domain:
        expected = native_distribution(trap.mechanism, {"x": x})
        got = model.distribution(x)
        assert got == expected, f"at x={x!r}"
        assert {repr(y) for y in got if not isinstance(y, bool | tuple)} <= {repr(y) for y in expected} | {"0", "1"}
