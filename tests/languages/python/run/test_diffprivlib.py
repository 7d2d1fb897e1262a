"""The mechanisms of diffprivlib as they are published: each is answered, or refused for a stated reason."""

import importlib

import numpy as np
import pytest

from taut import TautError, category, integer, ints, mechanism


@pytest.fixture(scope="module")
def library():
    try:
        return importlib.import_module("diffprivlib.mechanisms")
    except ImportError as problem:
        pytest.skip(f"diffprivlib is not installed: {problem}")


def test_categories(library):
    binary = library.Binary(epsilon=1, value0="no", value1="yes")
    assert mechanism(binary.randomise)(category(["no", "yes"])).privacy().epsilon == pytest.approx(1)
    categorical = library.ExponentialCategorical(epsilon=1, utility_list=[["a", "b", 1], ["a", "c", 2], ["b", "c", 1]])
    model = mechanism(categorical.randomise)(category(["a", "b", "c"]))
    assert model.privacy().epsilon == pytest.approx(0.5)
    tree = library.ExponentialHierarchical(epsilon=1, hierarchy=[["a", "b"], ["c"]])
    assert mechanism(tree.randomise)(category(["a", "b", "c"])).privacy().epsilon < 1


@pytest.mark.parametrize("name", ["Geometric", "GeometricTruncated", "GeometricFolded"])
def test_geometric_noise(library, name):
    ends = {} if name == "Geometric" else {"lower": 0, "upper": 4}
    noise = getattr(library, name)(epsilon=1, sensitivity=1, **ends)
    model = mechanism(noise.randomise)(integer(0, 2))
    bound = model.privacy(neighbors="one_step")
    assert bound.epsilon <= 1 + 1e-12
    assert bound.epsilon == pytest.approx(1) or name == "GeometricFolded"
    assert model.remainder < 1e-20


@pytest.mark.parametrize("name", ["Exponential", "PermuteAndFlip"])
def test_selection(library, name):
    kind = getattr(library, name)

    def selected(x):
        return kind(epsilon=1, sensitivity=1, utility=list(x)).randomise()

    bound = mechanism(selected)(ints(3, 0, 1)).privacy()
    assert 0.25 < bound.epsilon <= 1 + 1e-12


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("Laplace", {"sensitivity": 1}),
        ("LaplaceTruncated", {"sensitivity": 1, "lower": 0, "upper": 1}),
        ("LaplaceFolded", {"sensitivity": 1, "lower": 0, "upper": 1}),
        ("LaplaceBoundedDomain", {"sensitivity": 1, "lower": 0, "upper": 1}),
        ("Snapping", {"sensitivity": 1, "lower": 0, "upper": 1}),
        ("Staircase", {"sensitivity": 1}),
        ("Gaussian", {"delta": 0.1, "sensitivity": 1}),
        ("GaussianAnalytic", {"delta": 0.1, "sensitivity": 1}),
    ],
)
def test_continuous_noise_is_refused(library, name, parameters):
    noise = getattr(library, name)(epsilon=0.9, **parameters)
    with pytest.raises(TautError, match="random number|draws with|changes 'self'"):
        mechanism(noise.randomise)(integer(0, 1))


def test_continuous_noise_of_other_kinds_is_refused(library):
    uniform = library.Uniform(delta=0.1, sensitivity=1)
    with pytest.raises(TautError, match="random number"):
        mechanism(uniform.randomise)(integer(0, 1))
    bingham = library.Bingham(epsilon=1)
    with pytest.raises(TautError, match="random number|draws with"):
        mechanism(lambda bit: bingham.randomise(np.eye(2) * (1 + bit)))(integer(0, 1))
