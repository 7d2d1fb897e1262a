"""Old import paths lead to the modules that have moved."""

from __future__ import annotations

import importlib
import pickle

import pytest

import taut


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("taut.errors", "taut.support.errors"),
        ("taut.ir", "taut.program"),
        ("taut.ir.enumerator", "taut.program.enumerator"),
        ("taut.numbers", "taut.support.exact"),
        ("taut.domains", "taut.program.domains"),
        ("taut.peers.dice", "taut.interfaces.peers.dice"),
        ("taut.claims", "taut.verification.claims"),
        ("taut.play.session", "taut.interfaces.play.session"),
    ],
)
def test_an_old_path_is_the_same_module(old: str, new: str) -> None:
    module = importlib.import_module(new)
    assert importlib.import_module(old) is module
    assert module.__name__ == new and module.__spec__ is not None and module.__spec__.name == new


def test_errors_are_those_that_users_catch() -> None:
    from taut.support.errors import InvalidInput

    assert InvalidInput is taut.InvalidInput
    assert type(pickle.loads(pickle.dumps(InvalidInput("x", value=1)))) is taut.InvalidInput


def test_what_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("taut.errors_of_others")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("taut.ir.nothing")
