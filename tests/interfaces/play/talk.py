"""Conversations with a worker, for tests: one program, some questions, all that came back."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from taut.interfaces.play.session import Session

T = TypeVar("T")

GOOD = """from taut import bits, flip, mechanism


@mechanism
def noisy(x, lam):
    return [bit ^ flip(lam) for bit in x]
"""


class Talk:
    """A session with all its events."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.events: list[dict[str, Any]] = []

    async def inspect(self, code: str, seconds: float = 30) -> dict[str, Any]:
        self.events = []
        return await self.session.ask({"kind": "inspect", "code": code, "file": "mine.py"}, seconds, self.events.append)

    async def ask(self, code: str = GOOD, *, seconds: float = 60, limit: float = 50, **more: Any) -> dict[str, Any]:
        self.events = []
        request = {
            "kind": "ask",
            "code": code,
            "file": "mine.py",
            "mechanism": "noisy",
            "settings": {"x": "bits(2)", "lam": "1/5"},
            "question": "privacy",
            "style": "light",
            "time_limit": limit,
            **more,
        }
        return await self.session.ask(request, seconds, self.events.append)

    async def still_works(self) -> bool:
        """Return True if the next question is answered; it is about a claim, which needs no picture."""
        code = GOOD.replace("@mechanism", '@claim(x=bits(2), lam="1/5", ratio=4)\n@mechanism').replace(
            "bits,", "bits, claim,"
        )
        ended = await self.ask(code, question="claims")
        return ended["event"] == "done" and self.number == "1 of 1"

    @property
    def number(self) -> str | None:
        """The number of the last answer."""
        found = [event["exact"] for event in self.events if event.get("part") == "headline"]
        return found[-1] if found else None

    @property
    def forms(self) -> list[dict[str, Any]]:
        return [form for event in self.events for form in event.get("forms", [])]


def talk(conversation: Callable[[Talk], Awaitable[T]], memory: int = 2 * 2**30) -> T:
    """Provide a conversation with a new session, and close it afterwards."""

    async def held() -> T:
        session = Session(memory)
        try:
            return await conversation(Talk(session))
        finally:
            await session.close()

    return asyncio.run(held())


def running(mark: str) -> list[int]:
    """The processes whose command or environment has a word."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                texts = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if mark.encode() in texts and state != "Z":
                found.append(int(entry.name))
    return found
