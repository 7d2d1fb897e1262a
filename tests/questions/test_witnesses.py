"""Every bound is attained at its own witness, for every question, method and relation, and verifies."""

import itertools

import pytest
from tests.questions.witnesses import (
    METHODS,
    QUESTIONS,
    RELATIONS,
    claims,
    random_model,
    related_pairs,
    rows_of,
)

from taut import InvalidInput

SEEDS = range(4)
SINGLE_INPUTS = ("accuracy", "mean", "mean square", "variance", "quantile")
"""Questions without neighbours."""
NOT_SEARCHED = ("zcdp", "tradeoff", "variance")
"""Questions that are not the largest of one sum, so that method='search' is refused."""
ASKED = [
    asked
    for asked in itertools.product(QUESTIONS, RELATIONS, METHODS)
    if asked[0] not in SINGLE_INPUTS or asked[1] == "one_differ"
]


@pytest.mark.parametrize(("question", "relation", "method"), ASKED)
def test_the_witness_attains_the_worst_of_all_cases(question: str, relation: str, method: str) -> None:
    for seed in SEEDS:
        model = random_model(seed)
        if method == "search" and question in NOT_SEARCHED:
            with pytest.raises(InvalidInput, match="method='search'"):
                QUESTIONS[question](model, method, RELATIONS[relation])
            continue
        rows = rows_of(model)
        bound = QUESTIONS[question](model, method, RELATIONS[relation])
        for claimed, at_witness, worst in claims(bound, rows, related_pairs(relation, rows)):
            assert claimed == at_witness == worst, (seed, bound)
        assert bound.verify(), (seed, bound)


def test_every_rational_question_is_compared_with_plain_sums() -> None:
    rows = rows_of(random_model(0))
    pairs = related_pairs("one_differ", rows)
    unchecked = [
        name
        for name, ask in QUESTIONS.items()
        if not list(claims(ask(random_model(0), "auto", "one_differ"), rows, pairs))
    ]
    assert unchecked == ["renyi 7/2", "zcdp", "hellinger", "kl"]
