"""Programs that decompose, or almost: every question by every method is what sums over runs of plain Python give."""

import pytest
from tests.oracle.judge import Verdict
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
    seed = next(s for s in SEEDS if judge_questions(write_structured_program(s), methods=()).kind == "right")
    monkeypatch.setattr(DeltaBound, "delta", property(lambda bound: bound.lower + 1))
    verdict: Verdict = judge_questions(write_structured_program(seed), methods=(method,))
    assert verdict.kind == "wrong" and "delta" in verdict.detail
