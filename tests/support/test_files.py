"""Files are written whole or not at all, whatever stands in their place; what is not a file is never replaced."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.interfaces.cli.command import process

from taut import InvalidInput, bits
from taut.interfaces.compare.measurement import RecordFile
from taut.mechanisms import randomized_response
from taut.support.files import append_line, check_writable, read_file, write_file

SAVERS: dict[str, Callable[[Path], None]] = {
    "write_file": lambda path: write_file(path, "new"),
    "save": lambda path: randomized_response(bits(1), lam="1/5").privacy().save(path),
    "plot": lambda path: randomized_response(bits(1), lam="1/5").privacy().plot(path) and None,
    "draw": lambda path: randomized_response(bits(1), lam="1/5").draw(path) and None,
}
every_saver = pytest.mark.parametrize("save", SAVERS.values(), ids=SAVERS)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def read_while(pipe: Path, work: Callable[[], None]) -> bytes:
    """Return what comes through a pipe while something is done; a word tells where that ends."""
    end, got = os.open(pipe, os.O_RDWR), bytearray()

    def read() -> None:
        while not got.endswith(b"THE END"):
            got.extend(os.read(end, 1 << 16))

    reading = threading.Thread(target=read)
    reading.start()
    try:
        work()
    finally:
        os.write(end, b"THE END")
        reading.join()
        os.close(end)
    return bytes(got.removesuffix(b"THE END"))


@every_saver
def test_a_link_stays_and_its_file_is_written(save: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    real, link, second = tmp_path / "far" / "real.svg", tmp_path / "link.svg", tmp_path / "second.svg"
    real.write_text("old")
    link.symlink_to("far/real.svg")
    second.symlink_to("link.svg")
    save(second)
    assert second.is_symlink() and link.is_symlink() and not real.is_symlink() and real.read_text() != "old"
    real.unlink()
    check_writable(second)
    save(second)
    assert real.is_file() and [one.name for one in (tmp_path / "far").iterdir()] == ["real.svg"]


@every_saver
def test_an_older_file_keeps_its_mode_and_a_new_one_has_that_of_the_umask(
    save: Callable[[Path], None], tmp_path: Path
) -> None:
    older, newer = tmp_path / "older.svg", tmp_path / "newer.svg"
    for bits_of_mode in (0o600, 0o640, 0o755):
        older.write_text("old")
        older.chmod(bits_of_mode)
        save(older)
        assert mode(older) == bits_of_mode and older.read_text() != "old"
    before = os.umask(0o027)
    try:
        save(newer)
    finally:
        os.umask(before)
    assert mode(newer) == 0o640


@every_saver
def test_a_pipe_without_a_reader_is_refused_and_one_with_a_reader_is_written(
    save: Callable[[Path], None], tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe.svg"
    os.mkfifo(pipe)
    with pytest.raises(InvalidInput, match="it is a pipe that nothing reads"):
        save(pipe)
    assert read_while(pipe, lambda: save(pipe))
    assert stat.S_ISFIFO(pipe.stat().st_mode) and os.listdir(tmp_path) == ["pipe.svg"]


def test_a_large_text_goes_through_a_pipe_whole(tmp_path: Path) -> None:
    pipe, text = tmp_path / "pipe", "0123456789" * 100_000
    os.mkfifo(pipe)
    assert read_while(pipe, lambda: write_file(pipe, text)).decode() == text


def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    leader, follower = os.openpty()
    try:
        terminal = Path(os.ttyname(follower))
        link = tmp_path / "terminal"
        link.symlink_to(terminal)
        check_writable(link)
        write_file(link, "new")
        assert os.read(leader, 10) == b"new" and stat.S_ISCHR(terminal.stat().st_mode) and link.is_symlink()
    finally:
        os.close(leader)
        os.close(follower)


def test_what_takes_no_text_is_refused(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    (tmp_path / "folder").mkdir()
    (tmp_path / "to_folder").symlink_to("folder")
    (tmp_path / "nowhere").symlink_to("missing/file")
    for place in (loop, tmp_path / "folder", tmp_path / "to_folder", tmp_path / "nowhere", tmp_path / "a\0b"):
        for use in (check_writable, SAVERS["write_file"]):
            with pytest.raises(InvalidInput, match="cannot write"):
                use(place)
    assert sorted(os.listdir(tmp_path)) == ["folder", "loop", "nowhere", "to_folder"]


def test_the_standard_streams_are_written_to(tmp_path: Path) -> None:
    import subprocess
    import sys

    out = tmp_path / "out.txt"
    words = "print('before'); write_file('/dev/stdout', 'text\\n'); print('after')"
    code = f"from taut.support.files import write_file; {words}"
    with out.open("w") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert out.read_text() == "before\ntext\nafter\n"
    piped = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert piped.stdout == b"before\ntext\nafter\n"


def test_commands_do_not_replace_pipes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    for words in (
        ["privacy", "rr", "n=2", "--save", "pipe.png"],
        ["sweep", "rr", "n=2", "lam=0.1,0.2", "--csv", "pipe.png"],
        ["compare", "rr", "--sizes", "2", "--tools", "taut", "--out", "pipe.png"],
        ["explain", "pipe.png"],
    ):
        ran = process(*words, cwd=tmp_path)
        assert ran.code == 2 and "pipe.png': it is " in ran.err and ran.err.count("\n") == 1, ran
    assert os.listdir(tmp_path) == ["pipe.png"] and stat.S_ISFIFO((tmp_path / "pipe.png").stat().st_mode)


def test_reading_is_bounded(tmp_path: Path) -> None:
    file, pipe = tmp_path / "file", tmp_path / "pipe"
    file.write_bytes(b"12345")
    os.mkfifo(pipe)
    assert read_file(file, 5) == b"12345"
    for place, words in ((file, "more than 4 bytes"), (pipe, "not a regular file"), (tmp_path, "cannot read")):
        with pytest.raises(InvalidInput, match=words):
            read_file(place, 4)
    with pytest.raises(InvalidInput, match="not a regular file"):
        read_file("/dev/zero", 4)


def test_records_are_appended_to_files_only(tmp_path: Path) -> None:
    file, pipe = tmp_path / "file", tmp_path / "pipe"
    append_line(file, b"a")
    append_line(file, b"b")
    assert file.read_bytes() == b"a\nb\n"
    os.mkfifo(pipe)
    for use in (RecordFile, lambda place: append_line(place, b"a")):
        with pytest.raises(InvalidInput, match="pipe"):
            use(pipe)


def test_lone_surrogates_become_escapes(tmp_path: Path) -> None:
    write_file(tmp_path / "a", "\ud800 and \udfff, not \U0001f600")
    assert (tmp_path / "a").read_text(encoding="utf-8") == "\\ud800 and \\udfff, not \U0001f600"
