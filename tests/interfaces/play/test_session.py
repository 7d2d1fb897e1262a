"""Whatever a program does, the page gets one clear sentence, and the next question works."""

import asyncio
import math
import os
import signal
import sys

import pytest
from tests.interfaces.play.talk import GOOD, Talk, running, talk

from taut.interfaces.play.programs import program_of
from taut.interfaces.play.session import Session

HEAD = "import os, sys, threading, time, subprocess\n" + GOOD
ENDLESS = HEAD + "while True:\n    pass\n"
INSIDE = "from taut import *\n@mechanism\ndef noisy(x, lam):\n    {line}\n    return [bit ^ flip(lam) for bit in x]\n"

HOSTILE = {
    "raises": (HEAD + "raise ValueError('no such thing')\n", "ValueError: no such thing"),
    "raises without words": (HEAD + "1 / 0\n", "ZeroDivisionError"),
    "sys.exit": (HEAD + "sys.exit(3)\n", "SystemExit"),
    "raises KeyboardInterrupt": (HEAD + "raise KeyboardInterrupt\n", "Stopped"),
    "os._exit": (HEAD + "os._exit(7)\n", "exit code 7"),
    "kills itself": (HEAD + "os.kill(os.getpid(), 9)\n", "SIGKILL"),
    "crashes": (HEAD + "import ctypes\nctypes.string_at(0)\n", "SIGSEGV"),
    "eats memory": (HEAD + "held = []\nwhile True:\n    held.append(bytearray(2**24))\n", "memory"),
    "asks for too much at once": (HEAD + "held = bytearray(2**40)\n", "memory"),
    "kills its supervisor": (HEAD + "os.kill(os.getppid(), 9)\ntime.sleep(600)\n", "watches over it"),
    "closes its streams": (HEAD + "os.closerange(0, 100)\n", "ended the process"),
    "recursion": (HEAD + "def f(n):\n    return f(n + 1)\nf(0)\n", "RecursionError"),
    "syntax": ("def noisy(x, lam:\n    return x\n", "never closed"),
    "nothing in it": ("x = 1\n", "no mechanism"),
    "null byte": ("x = '\0'\n", "null"),
}


def test_a_program_that_fails_is_one_sentence_and_the_next_question_works() -> None:
    async def conversation(one: Talk) -> None:
        for name, (code, words) in HOSTILE.items():
            ended = await one.inspect(code)
            assert ended["event"] == "problem", name
            assert words in ended["sentence"], (name, ended)
            assert "Traceback" not in ended["sentence"], name
            assert len(ended["sentence"].splitlines()) == 1, name
            assert await one.still_works(), name

    talk(conversation)


def test_a_program_that_never_ends_is_ended() -> None:
    async def conversation(one: Talk) -> None:
        await one.inspect(GOOD)
        before = one.session.pid
        ended = await one.inspect(ENDLESS, seconds=1)
        assert ended["kind"] == "time"
        assert "did not finish running within 1 seconds" in ended["sentence"]
        assert await one.still_works()
        assert one.session.pid != before

    talk(conversation)


@pytest.mark.parametrize("line", ["import time; time.sleep(1000)", "while True: pass", "[0 for _ in iter(int, 1)]"])
def test_a_mechanism_that_never_ends_is_ended(line: str) -> None:
    async def conversation(one: Talk) -> None:
        code = INSIDE.format(line=line)
        await one.inspect(code)
        ended = await one.ask(code, seconds=8, limit=1)
        assert ended["event"] == "problem"
        assert ended["sentence"]
        assert await one.still_works()

    talk(conversation)


def test_a_gigabyte_of_output_is_cut_and_holds_nothing_up() -> None:
    async def conversation(one: Talk) -> None:
        code = HEAD + "line = 'x' * (2**20 - 1)\nfor _ in range(1024):\n    print(line)\n"
        ended = await one.inspect(code, seconds=120)
        assert ended["event"] == "done"
        assert len(ended["printed"]) < 5_000
        assert "bytes were printed" in ended["printed"]
        assert await one.still_works()

    talk(conversation)


def test_what_is_printed_is_told() -> None:
    async def conversation(one: Talk) -> None:
        ended = await one.inspect(GOOD + "import sys\nprint('to you')\nprint('and you', file=sys.stderr)\n")
        assert "to you" in ended["printed"]
        assert "and you" in ended["printed"]

    talk(conversation)


def test_threads_are_ended_and_told_of() -> None:
    async def conversation(one: Talk) -> None:
        code = HEAD + "for _ in range(3):\n    threading.Thread(target=time.sleep, args=(600,)).start()\n"
        ended = await one.inspect(code)
        assert ended["left"] == "The program started 3 threads that did not end; they were ended with it."
        assert await one.still_works()

    talk(conversation)


@pytest.mark.parametrize("apart", ["False", "True"], ids=["in the group", "in a group of its own"])
def test_processes_are_ended_and_told_of(apart: str) -> None:
    mark = f"taut-play-test-child-{apart}"

    async def conversation(one: Talk) -> None:
        child = f"['sh', '-c', 'sleep 600; echo {mark}']"
        ended = await one.inspect(HEAD + f"subprocess.Popen({child}, start_new_session={apart})\n")
        assert "1 process that did not end; it was ended" in ended["left"]
        assert not running(mark)
        assert await one.still_works()

    talk(conversation)


SLEEPS = "['sh', '-c', 'sleep 600; echo {mark}'], start_new_session=True, env={{}}"
RUNS_AWAY = "import os, time\\nend = time.time() + 120\\nwhile time.time() < end:\\n    if os.fork(): os._exit(0)"
"""It ends by itself, so that a test that is killed leaves nothing behind for ever."""
HIDING = {
    "in a session of its own": f"subprocess.Popen({SLEEPS})",
    "without its parent": (
        "subprocess.run(['sh', '-c', 'setsid sh -c \"sleep 600; echo {mark}\" >/dev/null 2>&1 3>&- 4>&- 5>&- &'], "
        "start_new_session=True, env={{'PATH': os.environ['PATH']}})"
    ),
    "always in another process": (
        f"subprocess.Popen([sys.executable, '-c', '{RUNS_AWAY}', '{{mark}}'], start_new_session=True, env={{{{}}}})"
    ),
    "stopped": f"os.kill(subprocess.Popen({SLEEPS}).pid, 19)",
}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes in sessions of their own are not found")
def test_no_process_hides() -> None:
    """Neither a session of its own, nor another environment, nor the end of its parent keeps a process from its end."""
    mark = f"taut-play-test-hiding-{os.getpid()}"

    async def conversation(one: Talk) -> None:
        for name, line in HIDING.items():
            ended = await one.inspect(HEAD + line.format(mark=mark) + "\nos._exit(0)\n")
            assert "exit code 0" in ended["sentence"], name
            assert not running(mark), name
        for line in HIDING.values():
            await one.inspect(HEAD + line.format(mark=mark) + "\nwhile True: pass\n", seconds=0.5)
            assert not running(mark)

    talk(conversation)
    assert not running(mark)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere orphans are not found")
def test_an_orphan_is_told_of() -> None:
    mark = f"taut-play-test-orphan-{os.getpid()}"

    async def conversation(one: Talk) -> None:
        ended = await one.inspect(HEAD + HIDING["without its parent"].format(mark=mark))
        assert "1 process that did not end; it was ended" in ended["left"]
        assert not running(mark)
        assert await one.still_works()

    talk(conversation)


def test_a_supervisor_that_does_not_answer_is_ended_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def conversation() -> str:
        session = Session()
        await Talk(session).inspect(GOOD)
        assert session._worker is not None
        os.kill(session._worker._supervisor.pid, signal.SIGSTOP)
        monkeypatch.setattr("taut.interfaces.play.session._REAPING", 0.2)
        folder = str(session._folder)
        await session.close()
        return folder

    folder = asyncio.run(asyncio.wait_for(conversation(), 300))
    while running(folder):  # the system ends the worker when its parent has ended
        pass


def test_a_copy_of_the_process_does_not_answer_too() -> None:
    async def conversation(one: Talk) -> None:
        ended = await one.inspect(HEAD + "os.fork()\n")
        assert ended["event"] in ("done", "problem")
        assert len(one.forms) <= 1
        assert await one.still_works()

    talk(conversation)


def test_stop_ends_what_does_not_listen() -> None:
    async def conversation(one: Talk) -> None:
        code = HEAD + "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True:\n    pass\n"
        await one.inspect(GOOD)
        task = asyncio.ensure_future(one.inspect(code, seconds=100))
        await asyncio.sleep(0.5)
        one.session.stop()
        ended = await task
        assert ended["kind"] == "stopped"
        assert await one.still_works()

    talk(conversation)


def test_a_search_that_is_stopped_keeps_its_certified_interval() -> None:
    async def conversation(one: Talk) -> None:
        code = program_of("svt_no_budget")
        settings = {"x": "ints(24, 1, 6)", "threshold": "3", "ratio": "1/2", "high": "7"}
        await one.inspect(code)
        asking = one.ask(code, seconds=3000, limit=2900, mechanism="svt_no_budget", settings=settings)
        task = asyncio.ensure_future(asking)
        while not any(event["event"] == "interval" and event["lower"] for event in one.events):
            await asyncio.sleep(0.05)
            assert not task.done(), task.result()
        one.session.stop()
        ended = await task
        assert ended["event"] == "done"
        (headline,) = [event for event in one.events if event.get("part") == "headline"]
        assert headline["stopped"] and not headline["is_exact"]
        assert "you stopped it" in headline["note"]
        low, _, high = headline["exact"].partition(" … ")
        assert 1 <= float(low) < float(high)
        told = [event for event in one.events if event["event"] == "interval" and event["lower"]]
        assert math.log(float(told[0]["lower"])) <= float(high)  # the headline has eps, intervals on the way e^eps
        assert {"sentences", "facts", "picture", "how"} <= {event.get("part") for event in one.events}
        assert await one.still_works()

    talk(conversation)


def test_a_second_session_does_not_disturb_the_first() -> None:
    async def both() -> None:
        first, second = Session(), Session()
        try:
            endless = asyncio.ensure_future(Talk(first).inspect(ENDLESS, seconds=8))
            other = Talk(second)
            assert await other.still_works()
            assert first.pid != second.pid
            await second.close()
            assert not endless.done() or endless.result()["kind"] == "time"
            assert (await endless)["kind"] == "time"
        finally:
            await first.close()
            await second.close()

    asyncio.run(both())


def test_closing_leaves_neither_process_nor_file() -> None:
    async def conversation() -> tuple[int, object]:
        session = Session()
        one = Talk(session)
        await one.inspect(GOOD)
        pid, folder = session.pid, session._folder
        assert pid is not None and folder is not None and folder.exists()
        await session.close()
        assert not folder.exists()
        return pid, folder

    _, folder = asyncio.run(conversation())
    assert not running(str(folder))
