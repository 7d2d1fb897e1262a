"""Running the command ``taut`` in this process, with its output as records."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from tests.golden.records import masked

from taut.interfaces import cli

__all__ = ["file_lines", "folder", "ran"]

_SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)
_SVG_TEXT = re.compile(r"<text[^>]*>(?:.*?)</text>|<!-- (?:.*?) -->", re.DOTALL)


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A folder of its own as the working directory, and a terminal of fixed width."""
    with (
        tempfile.TemporaryDirectory(prefix="golden-") as name,
        mock.patch.dict(os.environ, {"COLUMNS": "160", "TERM": "dumb", "NO_COLOR": "1"}),
        contextlib.chdir(name),
    ):
        yield Path(name)


def ran(*arguments: str) -> list[str]:
    """Run ``taut`` with these arguments; return exit code, output and error output."""
    out, err = io.StringIO(), io.StringIO()
    code: object = None
    with (
        mock.patch.object(sys, "argv", ["taut", *arguments]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch("atexit.register"),  # a command that ends the process leaves its garbage; a test does not end
    ):
        try:
            cli.main()  # as a program of its own it would fork
        except SystemExit as end:
            code = end.code
    gc.unfreeze()
    lines = [f"exit code: {code}"]
    for name, stream in (("out", out), ("err", err)):
        if stream.getvalue():
            lines += [f"{name}:", *_text(stream.getvalue())]
    return lines


def file_lines(path: Path) -> list[str]:
    """Return the lines of a file that a command wrote; pictures are reduced to their words."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        text = re.sub(r"<style>.*?</style>", "<style></style>", text, flags=re.DOTALL)
        text = re.sub(r"(?=<(section|tr|h2|h3|p|figure|li|pre|details)\b)", "\n", text)
    if path.suffix in (".html", ".svg"):
        text = _SVG.sub(lambda svg: f"<svg>{_words(svg[0])}</svg>", text)
        text = re.sub(r"(data:[\w/+.-]+)[;,][\w;,+/=%-]*", r"\1", text)
    if path.suffix in (".html", ".svg", ".dot"):
        text = re.sub(r" line \d+", " line <number>", text)  # of the package's own source
    return _text(text)


def _words(svg: str) -> str:
    """The words of a picture, also where its letters are drawn as paths."""
    return " | ".join(re.sub(r"<!-- | -->|<[^>]*>", "", found) for found in _SVG_TEXT.findall(svg))


def _text(text: str) -> list[str]:
    """The lines of a text without what varies; the widths of boxes follow that of their longest line."""
    text = masked(text).replace(os.getcwd(), "<folder>")
    text = re.sub(r"─{2,}", "──", text)
    lines = [re.sub(r"  +│$", " │", line) for line in text.split("\n")]
    return [f"    {line}".rstrip() for line in lines if line.strip()]
