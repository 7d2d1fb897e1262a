"""Mechanisms, arguments and questions as they are typed, and the mechanism that a newcomer starts from."""

from pathlib import Path

__all__ = ["starter"]


def starter(file: str, name: str) -> str:
    """Return a commented program with a mechanism of this name, as it stands in this file, with a claim.

    >>> "def svt(x, lam):" in starter("svt.py", "svt")
    True
    """
    text = Path(__file__).with_name("starter.txt").read_text(encoding="utf-8")
    return text.format(title=name.replace("_", " ").capitalize(), file=file, name=name)
