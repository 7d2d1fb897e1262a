"""The package as a whole: its version, lazy imports of its names, and old import paths of its modules."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["attach", "follow_moved_modules"]


__version__ = "0.2.0"


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


_MOVED = {
    "taut.claims": "taut.verification.claims",
    "taut.cli": "taut.interfaces.cli",
    "taut.domains": "taut.program.domains",
    "taut.errors": "taut.support.errors",
    "taut.measures": "taut.questions.measures",
    "taut.ir": "taut.program",
    "taut.numbers": "taut.support.exact",
    "taut.peers": "taut.interfaces.peers",
    "taut.play": "taut.interfaces.play",
    "taut.queries": "taut.interfaces.queries",
    "taut.symmetry": "taut.synthesis.symmetry",
    "taut.testing": "taut.verification.testing",
}


def follow_moved_modules() -> None:
    """Let imports find a moved package, and the modules below it, by its old name."""
    sys.meta_path.insert(0, _MovedModules())  # before files are looked for, which would load them a second time


class _MovedModules(MetaPathFinder):
    """Import finder for moved modules: the old name is an alias of the same module."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("taut."):
            return None
        new = next((new + fullname[len(old) :] for old, new in _MOVED.items() if _is_below(fullname, old)), None)
        if new is None or importlib.util.find_spec(new) is None:
            return None
        return ModuleSpec(fullname, _SameModule(new))


class _SameModule(Loader):
    """The loader that gives a module which has another name already."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._spec: Any = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self._name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # which importing under another name has replaced


def _is_below(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")
