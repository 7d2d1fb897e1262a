"""Random programs in the style of shipped code: their distributions are those of CPython with scripted draws."""

import importlib.util
import itertools
import sys
from fractions import Fraction

import pytest
from tests.languages.python.run.written import SIZE, distribution, written

from taut import integer, ints, mechanism


def loaded(text, folder, seed):
    """The program as a module of its own, from a file, as shipped code is."""
    path = folder / f"shipped_{seed}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def program(tmp_path, request):
    seed = request.param
    text = written(seed)
    yield seed, text, loaded(text, tmp_path, seed)
    del sys.modules[f"shipped_{seed}"]


@pytest.mark.parametrize("program", range(16), indirect=True)
def test_programs_have_the_distribution_that_python_gives_them(program):
    _, text, module = program
    model = mechanism(module.randomise)(integer(0, SIZE - 1))
    for value in range(SIZE):
        expected, left = distribution(text, value)
        found = model.distribution(value)
        assert sum(found.values()) == 1
        for y in {*expected, *found}:
            below = expected.get(y, Fraction(0))
            assert below <= found.get(y, Fraction(0)) <= below + left, (value, y)


@pytest.mark.parametrize("program", [101, 102, 103, 106, 109, 112, 113], indirect=True)
def test_a_list_of_clients_has_the_product_of_their_distributions(program):
    _, _, module = program
    one = mechanism(module.randomise)(integer(0, SIZE - 1))
    both = mechanism(module.everybody)(ints(2, 0, SIZE - 1))
    for x in itertools.islice(itertools.product(range(SIZE), repeat=2), 1, None, 3):
        first, second = map(one.distribution, x)
        expected = {(a, b): p * q for a, p in first.items() for b, q in second.items() if p * q}
        assert {y: p for y, p in both.distribution(x).items() if p} == expected
