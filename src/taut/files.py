"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

from taut.errors import InvalidInput

__all__ = ["check_folder", "check_writable", "write_all", "write_file"]


def write_file(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a file beside its place and move it there; an older file survives every error.

    Raises:
        InvalidInput: the path cannot be written.
    """
    target = Path(path)
    scratch = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    data = content.encode() if isinstance(content, str) else content
    try:
        scratch.write_bytes(data)
        os.replace(scratch, target)
    except OSError as problem:
        raise _refusal(target, problem) from None
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink()


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse, before long work, a path at which no file can be written."""
    target = Path(path)
    if target.is_dir():
        raise InvalidInput(f"cannot write '{target}': it is a directory.", value=target)
    if not target.parent.exists():
        raise InvalidInput(f"cannot write '{target}': there is no folder '{target.parent}'; make it first.", value=path)
    _probe(target.parent, target)


@contextlib.contextmanager
def check_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Make a folder inside one that is there, or refuse; it goes again if the work inside fails and left it empty."""
    folder = Path(path)
    missing = [] if folder.exists() else [folder]
    try:
        folder.mkdir(exist_ok=True)
    except FileNotFoundError:
        raise InvalidInput(
            f"cannot write to '{folder}': there is no folder '{folder.parent}'; make it first.", value=folder
        ) from None
    except OSError as problem:
        raise _refusal(folder, problem) from None
    try:
        _probe(folder, folder)
        yield folder
    except BaseException:
        for made in missing:
            with contextlib.suppress(OSError):
                made.rmdir()
        raise


def write_all(folder: Path, files: Mapping[str, bytes | str]) -> None:
    """Write several files of one folder, each whole or not at all."""
    for name, content in files.items():
        write_file(folder / name, content)


def _probe(folder: Path, target: Path) -> None:
    scratch = folder / f".{secrets.token_hex(4)}.part"
    try:
        scratch.write_bytes(b"")
    except OSError as problem:
        raise _refusal(target, problem) from None
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink()


def _refusal(target: Path, problem: OSError) -> InvalidInput:
    return InvalidInput(f"cannot write '{target}': {problem.strerror or problem}.", value=str(target))
