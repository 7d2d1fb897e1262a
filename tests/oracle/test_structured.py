"""Programs that decompose, or almost: every question by every method is what sums over runs of plain Python give."""

import pytest
from tests.oracle.questions import FORCED, METHODS, judge_questions
from tests.oracle.structured import write_structured_program

from taut.questions.delta import DeltaBound

SEEDS = range(12)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_question_by_every_method(seed: int) -> None:
    program = write_structured_program(seed)
    verdict = judge_questions(program)
    assert verdict.good, f"{verdict.detail}\n{program!r}"


def test_programs_are_judged_and_not_skipped() -> None:
    kinds = [judge_questions(write_structured_program(seed), methods=()).kind for seed in SEEDS]
    assert kinds.count("right") > 0.8 * len(SEEDS)


@pytest.mark.parametrize("method", [*METHODS, FORCED])
def test_a_wrong_answer_is_seen(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among the first programs, of which a method need not serve each."""
    monkeypatch.setattr(DeltaBound, "delta", property(lambda bound: bound.lower + 1))
    verdicts = (judge_questions(write_structured_program(seed), methods=(method,)) for seed in SEEDS)
    assert any(verdict.kind == "wrong" and "delta" in verdict.detail for verdict in verdicts)
