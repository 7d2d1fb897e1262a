"""A child forked while another thread computes waits for no lock of that thread."""

import os
import pathlib
import re
import signal
import threading
import warnings
from collections.abc import Callable

import pytest

import taut
from taut.diagrams import binary
from taut.support.interruption import interruptible
from taut.support.limits import limits
from taut.support.parallel import pieces
from taut.support.process import ForkSafeLock, cached_property

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def ends_well(run: Callable[[], bool]) -> bool:
    """Return True if a child that is forked now runs a function to its end; a hanging one is ended by an alarm."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forking beside threads
        child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(20)
        os._exit(0 if run() else 1)
    return os.waitpid(child, 0)[1] == 0


class Slow:
    def __init__(self, wait: Callable[[], object]) -> None:
        self.wait = wait
        self.calls = 0

    @cached_property
    def value(self) -> int:
        """A number that takes long."""
        self.calls += 1
        self.wait()
        return 7


def test_a_cached_property_is_computed_once_and_documented() -> None:
    slow = Slow(lambda: None)
    assert (slow.value, slow.value, slow.calls) == (7, 7, 1)
    assert Slow.value.__doc__ == "A number that takes long."


def test_a_child_computes_a_property_that_another_thread_was_computing() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        go_on.wait()

    busy = threading.Thread(target=lambda: Slow(wait).value)
    busy.start()
    begun.wait()
    try:
        assert ends_well(lambda: Slow(lambda: None).value == 7)
    finally:
        go_on.set()
        busy.join()


@pytest.mark.parametrize("lock", [binary._starting, pieces._lock, ForkSafeLock()])
def test_a_child_takes_a_lock_that_another_thread_held(lock: ForkSafeLock) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        with lock.held():
            begun.set()
            go_on.wait()

    def take() -> bool:
        with lock.held():
            return True

    busy = threading.Thread(target=hold)
    busy.start()
    begun.wait()
    try:
        assert ends_well(take)
    finally:
        go_on.set()
        busy.join()


def test_a_child_forked_under_a_lock_leaves_it() -> None:
    lock = ForkSafeLock()

    def leave() -> bool:
        held.__exit__(None, None, None)
        with lock.held():
            return True

    held = lock.held()
    held.__enter__()
    try:
        assert ends_well(leave)
    finally:
        held.__exit__(None, None, None)


def test_a_child_forked_in_code_that_is_watched_leaves_it() -> None:
    with limits(seconds=1000):
        watched = interruptible()
        watched.__enter__()
        try:
            assert ends_well(lambda: not watched.__exit__(None, None, None))
        finally:
            watched.__exit__(None, None, None)


def test_no_property_of_the_package_has_a_lock() -> None:
    """functools.cached_property of Python 3.11 has one, which a forked child inherits."""
    root = pathlib.Path(taut.__file__).parent
    locked = re.compile(r"@functools\.cached_property|from functools import .*cached_property")
    assert [path.name for path in root.rglob("*.py") if locked.search(path.read_text(encoding="utf-8"))] == []
