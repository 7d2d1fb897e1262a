"""The text of a Dice file, for any bytes."""

from __future__ import annotations

import os
from pathlib import Path

from taut.support.errors import DiceFileError, TooLarge, meant_file

__all__ = ["read_text"]

_MOST_BYTES = 8 << 20


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the file's text, without a byte order mark.

    Bytes that are not UTF-8 pass as marks of their own, which only a comment may hold.

    Raises:
        DiceFileError: there is no such file, or it cannot be read.
        TooLarge: it has more than 8 MB.
    """
    try:
        file = Path(path)
        if not file.exists():
            raise DiceFileError(f"there is no file '{file}'.{meant_file(file)}", value=str(file))
        if not file.is_file():
            raise DiceFileError(f"'{file}' is not a file.", value=str(file))
        size = file.stat().st_size
        if size > _MOST_BYTES:
            raise TooLarge(f"'{file}': a Dice program of at most {_MOST_BYTES >> 20} MB can be read.", value=size)
        data = file.read_bytes()
    except (DiceFileError, TooLarge):
        raise
    except (OSError, ValueError) as problem:
        raise DiceFileError(f"'{path}' cannot be read ({problem}).", value=str(path)) from None
    return data.decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")
