"""Lazy imports: names of a package are imported at first use, so that importing the package is quick."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["attach"]


def attach(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Return a module's ``__getattr__`` that imports each name from its module in ``homes`` at first use.

    A name that is no such name, but a module of the package, is that module. So none of the names may be that of a
    module as well: importing the module would replace it.

    >>> attach("taut", {"taut.support.exact": ["Ball"]})("Ball").__name__
    'Ball'
    """
    home_of = {name: module for module, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name in home_of:
            value = getattr(importlib.import_module(home_of[name]), name)
        elif name.startswith("_") or importlib.util.find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        else:
            value = importlib.import_module(f"{package}.{name}")
        setattr(sys.modules[package], name, value)
        return value

    return get
