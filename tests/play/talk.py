"""The former place of ``tests.interfaces.play.talk``, which scripts outside the project import."""

from tests.interfaces.play.talk import GOOD, talk

__all__ = ["GOOD", "talk"]
