"""Other tools give the same bounds; where they round, and where they are missing, that is said."""

import itertools
import os
import stat
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from taut import NoNeighbors, bits, flip, integer, mechanism, observe
from taut.interfaces.peers import PEERS
from taut.interfaces.peers.dice import ask_dice, dice_missing, dice_program
from taut.interfaces.peers.storm import PrismModel, ask_storm, prism_model, query_storm, storm_missing
from taut.mechanisms import CATALOG, randomized_response
from taut.neighbors import Predicate, neighbors_of
from taut.support.errors import ToolFailed, ToolMissing
from taut.synthesis.sets import rr_inference_set, rr_privacy_set

FAKE = Path(__file__).parent / "fake_dice.py"
needs_storm = pytest.mark.skipif(storm_missing() is not None, reason=storm_missing() or "")


def put_on_path(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "dice"
    program.write_text(script)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def dice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_on_path(tmp_path, f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n', monkeypatch)


# ------------------------------------------------------------------------------------------------------------- Storm


@needs_storm
@pytest.mark.parametrize("name", ["rr_count", "above_threshold", "exponential_mechanism", "svt_noisy_value"])
def test_storm_gives_the_same_bound(name: str) -> None:
    entry = CATALOG[name]
    model = entry.model(2)
    found = PEERS["storm"].privacy(model.program, neighbors_of(entry.neighbors))
    assert found.max_ratio == model.privacy(entry.neighbors).max_ratio
    assert found.runs == model.domain.size and found.sizes["states"] > 1


@needs_storm
@pytest.mark.parametrize("tool", ["storm", "storm-naive"])
@pytest.mark.parametrize("restricted", [False, True])
def test_storm_on_randomized_response(tool: str, restricted: bool) -> None:
    model = randomized_response(bits(3), lam="1/5")
    sets = (rr_inference_set(3), rr_privacy_set(3)) if restricted else None
    found = PEERS[tool].privacy(model.program, neighbors_of("one_differ"), sets)
    assert found.max_ratio == 4
    assert found.runs == {("storm", False): 8, ("storm", True): 4, ("storm-naive", False): 64}.get(
        (tool, restricted), 4
    )


@needs_storm
def test_relations_of_other_kinds() -> None:
    model = mechanism(lambda x: x)(integer(0, 2))
    related = Predicate(lambda x, other: abs(x - other) == 1, "close")
    assert PEERS["storm"].privacy(model.program, related).max_ratio == float("inf")
    with pytest.raises(NoNeighbors, match="nobody"):
        PEERS["storm"].privacy(model.program, Predicate(lambda x, other: False, "nobody"))


@needs_storm
def test_a_model_that_storm_refuses(capfd: pytest.CaptureFixture[str]) -> None:
    good = prism_model(randomized_response(bits(1), lam="1/5").program.fix((0,)))
    wrong = PrismModel(good.text.replace("4/5", "3/5"), good.outputs, good.results, good.evidence, good.last)
    with pytest.raises(ToolFailed, match="Storm"):
        ask_storm(wrong)
    with pytest.raises(ToolFailed, match="cannot be read"):
        query_storm("no model at all", {})
    assert capfd.readouterr().out == ""


def test_without_stormpy_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    why = storm_missing()
    assert why is not None and "taut[storm]" in why and "\n" not in why
    with pytest.raises(ToolMissing, match="stormpy is not installed"):
        ask_storm(prism_model(randomized_response(bits(1), lam="1/5").program.fix((0,))))


# -------------------------------------------------------------------------------------------------------------- Dice


@pytest.mark.usefixtures("dice")
@pytest.mark.parametrize("name", ["randomized_response", "rr_count", "above_threshold", "svt_noisy_value"])
def test_dice_agrees_to_nine_decimals(name: str) -> None:
    model = CATALOG[name].model(2)
    for x in itertools.islice(model.domain, 3):
        run = ask_dice(dice_program(model.program.fix(x)))
        truth = model.distribution(x)
        assert all(abs(run.answers[y] - truth[y]) <= Fraction(1, 10**9) for y in truth)
        assert run.answers.keys() == truth.keys() and run.sizes["nodes"] > 0 and run.check_seconds > 0


@pytest.mark.usefixtures("dice")
def test_the_bound_by_dice() -> None:
    found = PEERS["dice"].privacy(randomized_response(bits(2), lam="1/5").program, neighbors_of("one_differ"))
    assert found.max_ratio == 4 and found.runs == 4 and "nodes" in found.sizes
    rounded = PEERS["dice"].privacy(randomized_response(bits(2), lam="1/7").program, neighbors_of("one_differ"))
    assert rounded.max_ratio != 6 and abs(rounded.max_ratio - 6) < Fraction(1, 10**6)


@pytest.mark.usefixtures("dice")
@pytest.mark.parametrize("tool", ["dice", "dice-joint"])
@pytest.mark.parametrize("lam", ["1/5", "1/7", "1/1000"])
def test_the_truth_lies_within_the_rounding_of_dice(tool: str, lam: str) -> None:
    model = randomized_response(bits(2), lam=lam)
    found = PEERS[tool].privacy(model.program, neighbors_of("one_differ")).ratio
    assert found is not None and found.low <= model.privacy().max_ratio <= found.high
    assert found.low <= found.value <= found.high and found.low < found.high


@pytest.mark.usefixtures("dice")
def test_one_program_with_evidence() -> None:
    """Inputs are then not equally likely; each row is divided by its own sum."""

    @mechanism
    def seen(x):
        answers = [bit ^ flip("1/5") for bit in x]
        observe(answers[0] or flip("1/3"))
        return answers[1]

    model = seen(bits(2))
    found = PEERS["dice-joint"].privacy(model.program, neighbors_of("one_differ")).ratio
    assert found is not None and found.low <= model.privacy().max_ratio <= found.high < 2 * found.low


def test_a_dice_that_gives_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = dice_program(randomized_response(bits(1), lam="1/5").program.fix((0,)))
    put_on_path(tmp_path, '#!/bin/sh\necho \'{"error": "Dangling"}\'\n', monkeypatch)
    with pytest.raises(ToolFailed, match=r"exit code 0.*Dangling"):
        ask_dice(program)
    put_on_path(tmp_path, "#!/bin/sh\necho 'Fatal error: type' >&2\nexit 1\n", monkeypatch)
    with pytest.raises(ToolFailed, match=r"exit code 1.*Fatal error"):
        ask_dice(program)


def test_without_dice_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    why = dice_missing()
    assert why == PEERS["dice"].missing() and why is not None and "\n" not in why
    with pytest.raises(ToolMissing, match="dice"):
        ask_dice(dice_program(randomized_response(bits(1), lam="1/5").program.fix((0,))))
