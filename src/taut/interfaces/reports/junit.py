"""Verdicts as JUnit XML, which continuous integration reads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree

__all__ = ["Case", "junit_xml"]

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Case:
    """One claim: its place, its text and its verdict ('holds', 'fails', 'undecided', 'error')."""

    place: str
    name: str
    status: str
    text: str
    seconds: float


def junit_xml(suite: str, cases: Iterable[Case]) -> str:
    """A test suite with one test case per claim; an undecided claim counts as an error.

    >>> print(junit_xml("claims", [Case("mine.py:svt", "eps <= 1", "fails", "e^eps = 4", 0.5)]).splitlines()[1])
    <testsuite name="claims" tests="1" failures="1" errors="0" time="0.500">
    """
    listed = list(cases)
    root = ElementTree.Element(
        "testsuite",
        name=suite,
        tests=str(len(listed)),
        failures=str(sum(case.status == "fails" for case in listed)),
        errors=str(sum(case.status in ("undecided", "error") for case in listed)),
        time=f"{sum(case.seconds for case in listed):.3f}",
    )
    for case in listed:
        node = ElementTree.SubElement(
            root, "testcase", classname=_clean(case.place), name=_clean(case.name), time=f"{case.seconds:.3f}"
        )
        if case.status == "holds":
            ElementTree.SubElement(node, "system-out").text = _clean(case.text)
            continue
        kind = "failure" if case.status == "fails" else "error"
        ElementTree.SubElement(node, kind, message=_clean(case.text), type=case.status).text = _clean(case.text)
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n'


def _clean(text: str) -> str:
    """Return the text with escapes for the characters that XML has no way to write.

    >>> _clean("a\\x00\\uffff")
    'a\\\\x00\\\\uffff'
    """
    return _FORBIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
