"""Built-in mechanisms, each written as a user would write it; registered names can be imported from here."""

from taut.mechanisms import counting, local, selection, thresholds, wrappers  # noqa: F401  (each registers its own)
from taut.mechanisms.catalog import CATALOG, MOST, Entry, built_in, resolve
from taut.mechanisms.wrappers import Wrapper, wrapper
from taut.model import Mechanism

__all__ = ["BUILT_IN", "CATALOG", "MOST", "Entry", "Wrapper", "built_in", "resolve", "wrapper", *CATALOG]

BUILT_IN: dict[str, Mechanism] = {name: entry.mechanism for name, entry in CATALOG.items()}


def __getattr__(name: str) -> Mechanism:
    if name in CATALOG:
        return CATALOG[name].mechanism
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
