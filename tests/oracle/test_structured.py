"""Programs that decompose, or almost: every question by every method is what sums over runs of plain Python give."""

from typing import Any

import pytest
from tests.oracle.questions import FIRST, METHODS, asked_first, judge_questions
from tests.oracle.structured import write_structured_program

from taut import bits, geometric, ints, mechanism
from taut.mechanisms import histogram
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


@pytest.mark.parametrize("method", [*METHODS, *FIRST])
def test_a_wrong_answer_is_seen(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among the first programs, of which a method need not serve each."""
    monkeypatch.setattr(DeltaBound, "delta", property(lambda bound: bound.lower + 1))
    verdicts = (judge_questions(write_structured_program(seed), methods=(method,)) for seed in SEEDS)
    assert any(verdict.kind == "wrong" and "delta" in verdict.detail for verdict in verdicts)


@pytest.mark.parametrize("method", FIRST)
def test_the_first_solver_answers(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On programs that it is made for."""

    def noisy_sum(x: Any) -> Any:
        return geometric(sum(x), "1/2", 0, 3)

    def highest(x: Any) -> Any:
        noisy = [geometric(value, "1/2", 0, 4) for value in x]
        return noisy.index(max(noisy))

    def remainders(x: Any) -> Any:
        noisy = geometric(sum(x), "1/2", 0, 3), geometric(x[0], "1/2", 0, 3)
        return noisy[0] // 2, noisy[1], noisy[0] > 1

    made = {
        "decomposition": mechanism(noisy_sum)(bits(3)),
        "post-processing": mechanism(remainders)(bits(3)),
        "hubs": mechanism(highest)(ints(3, 0, 2)),
        "terms": histogram(ints(3, 0, 2), k=3, ratio="1/2"),
    }
    model = made[method.removeprefix("auto, first ")]
    solver = FIRST[method]
    answered: list[Any] = []
    solve = solver.solve

    def watched(self: Any, *given: Any) -> Any:
        answered.append(solve(self, *given))
        return answered[-1]

    monkeypatch.setattr(solver, "solve", watched)
    with asked_first(method) as name:
        bound = model.privacy("one_differ", method=name)
    assert bound.exact and [one.lower for one in answered] == [bound.max_ratio]
