"""Files: reading up to a size limit, and atomic writing."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from taut.support.errors import InvalidInput

__all__ = ["append_line", "check_folder", "check_writable", "read_file", "write_all", "write_file"]

_Path = str | os.PathLike[str]
_PATIENT = getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_AT_ONCE = _PATIENT | getattr(os, "O_NONBLOCK", 0)
"""Flags for opening a file without blocking on a pipe and without acquiring a controlling terminal."""


def write_file(path: _Path, content: bytes | str) -> None:
    """Write a file atomically: an older file survives every error.

    A symbolic link stays, and the file that it points to is written. An older file keeps its permissions and, where
    that is allowed, its owner. What is not a file but takes bytes (a pipe, a terminal, /dev/null) is written to.
    Characters that UTF-8 cannot encode become escapes such as ``\\ud800``.

    Raises:
        InvalidInput: the path cannot be written.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    try:
        found = _writable(path)
        standard = None if found is None else _standard_stream(found)
        if standard is not None:
            _stream(os.dup(standard), data)
        elif found is None or stat.S_ISREG(found.st_mode):
            _replace(Path(os.path.realpath(path)), found, data)
        else:  # a pipe without a reader is an error here, where it would otherwise wait for one
            descriptor = os.open(path, os.O_WRONLY | _AT_ONCE)
            os.set_blocking(descriptor, True)
            _stream(descriptor, data)
    except (OSError, ValueError) as problem:
        raise _refusal(path, problem) from None


def check_writable(path: _Path) -> None:
    """Refuse, before long work, a path at which no file can be written."""
    target = Path(path)
    try:
        found = _writable(target)
    except (OSError, ValueError) as problem:
        raise _refusal(target, problem) from None
    if found is None or stat.S_ISREG(found.st_mode):
        folder = Path(os.path.realpath(target)).parent if target.is_symlink() else target.parent
        if not folder.exists():
            raise InvalidInput(f"cannot write '{target}': there is no folder '{folder}'; make it first.", value=path)
        _probe(folder, target)


def read_file(path: _Path, most: int) -> bytes:
    """Return the content of a regular file of at most ``most`` bytes.

    Raises:
        InvalidInput: there is no such file, it is a device, a pipe or a folder, or it is larger.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _AT_ONCE)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError("it is not a regular file")
            content = file.read(most + 1)
    except (OSError, ValueError) as problem:
        raise InvalidInput(f"cannot read '{path}': {_reason(problem)}.", value=str(path)) from None
    if len(content) > most:
        raise InvalidInput(f"cannot read '{path}': it has more than {most} bytes.", value=str(path))
    return content


def append_line(path: _Path, line: bytes) -> None:
    """Append a line to a regular file with one write; create the file if it does not exist."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _AT_ONCE, 0o666)
        with open(descriptor, "ab", buffering=0) as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError("it is not a regular file")
            file.write(line + b"\n")
    except (OSError, ValueError) as problem:
        raise _refusal(path, problem) from None


@contextlib.contextmanager
def check_folder(path: _Path) -> Iterator[Path]:
    """Create a folder inside an existing one, or refuse; remove it again if the work fails and it is empty."""
    folder = Path(path)
    missing = [] if folder.exists() else [folder]
    try:
        folder.mkdir(exist_ok=True)
    except FileNotFoundError:
        raise InvalidInput(
            f"cannot write to '{folder}': there is no folder '{folder.parent}'; make it first.", value=folder
        ) from None
    except (OSError, ValueError) as problem:
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
    """Write several files into one folder, each atomically."""
    for name, content in files.items():
        write_file(folder / name, content)


def _writable(path: _Path) -> os.stat_result | None:
    """Return the status of the file at a path, None if there is none; raise OSError if it must not be replaced."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise OSError("it is a directory")
    if stat.S_ISBLK(found.st_mode) or stat.S_ISSOCK(found.st_mode):
        raise OSError("it is a disk or a socket, not a file")
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return found


def _standard_stream(found: os.stat_result) -> int | None:
    """Return 1 or 2 if the file is a standard stream, such as /dev/stdout: replacing it would lose printed output."""
    for descriptor, stream in ((1, sys.stdout), (2, sys.stderr)):
        with contextlib.suppress(OSError, ValueError):
            if os.path.samestat(os.fstat(descriptor), found):
                stream.flush()
                return descriptor
    return None


def _stream(descriptor: int, data: bytes) -> None:
    with open(descriptor, "wb", buffering=0) as file:
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) :]


def _replace(target: Path, older: os.stat_result | None, data: bytes) -> None:
    scratch = target.with_name(f".{secrets.token_hex(8)}.part")
    mode = 0o666 if older is None else 0o600  # nobody may read what replaces a private file before it is private
    try:
        with open(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PATIENT, mode), "wb") as file:
            file.write(data)
        if older is not None:
            with contextlib.suppress(OSError, AttributeError):  # only root may give files away
                os.chown(scratch, older.st_uid, older.st_gid)
            os.chmod(scratch, stat.S_IMODE(older.st_mode))
        os.replace(scratch, target)
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink()


def _probe(folder: Path, target: Path) -> None:
    scratch = folder / f".{secrets.token_hex(8)}.part"
    try:
        scratch.write_bytes(b"")
    except OSError as problem:
        raise _refusal(target, problem) from None
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink()


def _refusal(target: _Path, problem: OSError | ValueError) -> InvalidInput:
    return InvalidInput(f"cannot write '{target}': {_reason(problem)}.", value=str(target))


def _reason(problem: OSError | ValueError) -> str:
    if isinstance(problem, OSError) and problem.errno == errno.ENXIO:
        return "it is a pipe that nothing reads"
    return getattr(problem, "strerror", None) or str(problem)
