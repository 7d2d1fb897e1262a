"""Programs that are wrong, or hostile: one clear sentence, and the next question is answered."""

from __future__ import annotations

import re

import pytest
from tests.browser.tab import Tab

GOOD = """from taut import bits, flip, mechanism


@mechanism
def good(x):
    return [bit ^ flip("1/3") for bit in x]


if __name__ == "__main__":
    print(good(bits(2)).privacy())
"""
BODY = '    return [bit ^ flip("1/3") for bit in x]\n'


def _works(tab: Tab) -> None:
    """The page answers a good program."""
    tab.write(GOOD)
    tab.until(lambda: not tab.shows("error"), "the mistake to go")
    tab.until(lambda: tab.shows("field-x"), "the form")
    tab.fill("field-x", "bits(2)")
    tab.click("run")
    tab.until(lambda: tab.ratio() == "2", "the answer of a good program")
    tab.rest()


@pytest.mark.parametrize(
    ("wrong", "line", "words"),
    [
        pytest.param(BODY.replace("for bit in x", "for bit"), BODY.replace("for bit in x", "for bit"), "", id="syntax"),
        pytest.param("    return [bit ^ flop() for bit in x]\n", "flop", "flop", id="name"),
        pytest.param('    raise KeyError("nothing here")\n', "raise", "nothing here", id="raises"),
        pytest.param("    return open(str(flip('1/2')) + str(x))\n", "open", "open", id="not-supported"),
    ],
)
def test_broken_code_is_marked_at_its_line(survivor: Tab, wrong: str, line: str, words: str) -> None:
    survivor.write(GOOD.replace(BODY, wrong))
    survivor.click("run")
    marked = survivor.until(survivor.error_line, "the marked line")
    assert marked is not None and line.strip() in marked
    assert "Line 6" in survivor.text("error") and words in survivor.text("error")
    _works(survivor)


@pytest.mark.parametrize(
    ("hostile", "says"),
    [
        pytest.param("while True:\n    pass\n", "did not finish", id="never-ends"),
        pytest.param("hoard = [bytearray(2**28) for _ in range(2**20)]\n", "memory|did not finish", id="eats-memory"),
        pytest.param("import os\nos._exit(3)\n", "exit code 3", id="exits"),
        pytest.param("import sys\nsys.exit('enough')\n", "enough", id="sys-exit"),
        pytest.param("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", "SIGKILL", id="kills-itself"),
        pytest.param("raise RuntimeError('not today')\n", "not today", id="raises"),
        pytest.param("import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()\n", "", id="recurses"),
    ],
)
def test_hostile_program(survivor: Tab, hostile: str, says: str) -> None:
    survivor.write(GOOD.replace("\n\n\n@mechanism", f"\n\n{hostile}\n\n@mechanism"))
    survivor.click("run")
    said = survivor.until(lambda: survivor.text("error"), "a sentence")
    assert re.search(says, said) and "Traceback" not in said
    _works(survivor)


def test_gigabyte_of_words(survivor: Tab) -> None:
    noisy = 'for _ in range(2**10):\n    print("x" * 2**20)\n'
    survivor.write(GOOD.replace("\n\n\n@mechanism", f"\n\n{noisy}\n\n@mechanism"))
    survivor.until(lambda: survivor.shows("field-x"), "the form")
    survivor.fill("field-x", "bits(2)")
    survivor.click("run")
    survivor.until(lambda: survivor.ratio() == "2" or survivor.text("error"), "an answer, or a sentence")
    survivor.rest()
    assert len(survivor.browser.page_source) < 2_000_000
    _works(survivor)


def test_threads_and_children_are_ended(survivor: Tab) -> None:
    many = (
        "import subprocess, threading, time\n"
        "subprocess.Popen(['sleep', '100000'])\n"
        "threading.Thread(target=time.sleep, args=[100000]).start()\n"
    )
    survivor.write(GOOD.replace("\n\n\n@mechanism", f"\n\n{many}\n\n@mechanism"))
    survivor.click("run")
    survivor.until(
        lambda: "did not end" in survivor.browser.find_element("tag name", "body").text, "what is said of them"
    )
    survivor.rest()
    _works(survivor)


OWN_NOISE = "    return sum(bit ^ flip(f'1/{place + 3}') for place, bit in enumerate(x)) % 7\n"
"""No two prefixes have proportional beliefs, and all are still of interest: a search over sixty bits has no end."""


def test_long_search_closes_its_interval_and_stops(survivor: Tab) -> None:
    survivor.write(GOOD.replace(BODY, OWN_NOISE))
    survivor.until(lambda: survivor.shows("field-x"), "the form")
    survivor.rest()
    survivor.fill("time-limit", "3600")
    survivor.fill("field-x", "bits(60)")
    survivor.until(lambda: survivor.find("closing").find_elements("css selector", "svg"), "the interval as it closes")
    survivor.click("stop")
    survivor.until(
        lambda: "between" in survivor.text("result-number") or "…" in survivor.text("result-number"), "the interval"
    )
    survivor.rest()
    assert not survivor.shows("error")
    survivor.fill("field-x", "bits(2)")
    survivor.until(lambda: survivor.ratio() is not None, "the next answer, exactly")
