"""A mechanism of the corpus together with the finite inputs on which it is checked."""

import inspect
import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Case"]


@dataclass(frozen=True)
class Case:
    """One instance: the databases by argument name, each a domain, and the remaining arguments."""

    name: str
    mechanism: Callable[..., Any]
    databases: Mapping[str, Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def model(self) -> Any:
        """The model of this case; read and compiled once per run."""
        known = _MODELS.get(self.name)
        if known is None or known[0] is not self:  # random programs share a name
            known = _MODELS[self.name] = (self, self.mechanism(**self.databases, **self.parameters))
        return known[1]

    @property
    def size(self) -> int:
        """The number of inputs."""
        return math.prod(domain.size for domain in self.databases.values())

    def inputs(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yield each input x as a query takes it, and the arguments with which plain Python is called for it."""
        signature = inspect.signature(inspect.unwrap(self.mechanism))
        names = [name for name in signature.parameters if name in self.databases]
        for databases in itertools.product(*(self.databases[name] for name in names)):
            x = databases[0] if len(names) == 1 else databases
            yield x, {**dict(zip(names, databases, strict=True)), **self.parameters}


_MODELS: dict[str, tuple[Case, Any]] = {}
