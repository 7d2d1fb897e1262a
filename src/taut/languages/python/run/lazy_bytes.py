"""Random bytes without a value: they are taken as one whole number, or byte by byte."""

from __future__ import annotations

from typing import Any

from taut.languages.python.run.lazy import lazy_whole
from taut.languages.python.run.tree import ChoiceTree, unwatched
from taut.support.errors import RealRandomness

__all__ = ["LazyBytes"]


class LazyBytes:
    """Uniform random bytes, which ``int.from_bytes`` makes a whole number without a value."""

    def __init__(self, tree: ChoiceTree, count: int) -> None:
        self._tree = tree
        self._count = count
        self._bytes: list[Any] = [None] * count
        self._whole = False

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # isinstance(value, bytes) is what Python would say
        return bytes

    @unwatched
    def number(self) -> Any:
        """Return the whole number that all bytes together stand for."""
        if self._whole or any(byte is not None for byte in self._bytes):
            self._refuse("are used twice")
        self._whole = True
        return lazy_whole(self._tree, 256**self._count)

    def __len__(self) -> int:
        return self._count

    @unwatched
    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, int):
            self._refuse("are cut into pieces")
        if self._whole:
            self._refuse("are used twice")
        if self._bytes[place] is None:
            self._bytes[place] = lazy_whole(self._tree, 256)
        return self._bytes[place]

    def __iter__(self) -> Any:
        return iter([self[place] for place in range(self._count)])

    def hex(self, *args: Any) -> Any:
        """Refuse to spell the bytes."""
        return self._refuse("are spelled")

    def __bytes__(self) -> Any:
        return self._refuse("are needed as they are")

    __buffer__ = __add__ = __radd__ = __mul__ = __contains__ = decode = hex

    def __eq__(self, other: Any) -> Any:
        return self._refuse("are compared")

    def __hash__(self) -> int:
        return int(self._refuse("are hashed"))

    def __repr__(self) -> str:
        return str(self._refuse("are spelled"))

    def __reduce__(self) -> Any:
        return self._refuse("are copied or pickled")

    def _refuse(self, what: str) -> Any:
        return self._tree.refuse(
            RealRandomness(
                f"'{self._tree.name}': {self._count} random bytes {what}; they have 256**{self._count} values. Make "
                "one whole number of them with int.from_bytes, or draw it with secrets.randbits.",
                value=self._count,
            )
        )
