"""Random functions of lists that keep uniform numbers, read statement by statement and judged by Python's own runs."""

import importlib.util
import itertools
import sys

import pytest
from tests.languages.python.run.judge import grid_distribution
from tests.languages.python.run.lists import CELLS, function_of_lists

from taut import ints, mechanism
from taut.languages.python import tracing
from taut.program import replay_distribution
from taut.support.errors import TooLarge


def with_tuples(value):
    return tuple(map(with_tuples, value)) if isinstance(value, (list, tuple)) else value


@pytest.fixture
def program(tmp_path, request, monkeypatch):
    def refuse(*given):
        raise TooLarge("too large")

    monkeypatch.setattr(tracing.TracedFunction, "run", refuse)
    text, draws = function_of_lists(request.param)
    path = tmp_path / f"lists_{request.param}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    yield module, draws
    del sys.modules[path.stem]


@pytest.mark.parametrize("program", range(16), indirect=True)
def test_read_functions_have_the_distribution_that_python_gives_them(program):
    module, draws = program
    size = 2 if draws < 2 else 1
    model = mechanism(module.answers)(ints(size, 0, 2))
    for x in itertools.product(range(3), repeat=size):
        expected = grid_distribution(lambda *row: with_tuples(module.answers(row)), x, CELLS)
        found = replay_distribution(model.program, x)[0]
        assert {y: mass for y, mass in found.items() if mass} == expected
