"""Equal numbers are told apart where Python tells them apart: in text, as keys, by type and by identity."""

import pytest
from tests.oracle.judge import judge
from tests.oracle.spellings import spelling_program


@pytest.mark.parametrize("part", range(8))
def test_equal_numbers_look_as_python_has_them(part: int) -> None:
    kinds = []
    for seed in range(40 * part, 40 * part + 40):
        program = spelling_program(seed)
        verdict = judge(program)
        assert verdict.good, f"{verdict}\n{program.text}"
        kinds.append(verdict.kind)
    assert kinds.count("right") > 30
