"""A sample of the hunt, with fixed seeds, and what it found before: never a wrong number, a misreading or a crash."""

import ast
import importlib

import pytest
from tests.hunt import program_of_seed
from tests.oracle.found import found_programs, read, written
from tests.oracle.generator import GeneratedProgram
from tests.oracle.judge import judge
from tests.oracle.shrink import shrunk

from taut import bits, categories, ints

FOUND = found_programs()
SEEDS = range(600)
PORTION = 100


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a generator stopped by the limit
@pytest.mark.parametrize("start", SEEDS[::PORTION])
def test_programs_are_right_or_refused(start: int) -> None:
    kinds = []
    for seed in range(start, start + PORTION):
        program = program_of_seed(seed)
        verdict = judge(program)
        kinds.append(verdict.kind)
        assert verdict.good, f"seed {seed}: {verdict.kind}: {verdict.detail}\n{program!r}"
    assert kinds.count("right") > PORTION // 5, "a reader that refuses everything is never wrong"


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_is_mended(name: str) -> None:
    verdict = judge(FOUND[name])
    assert verdict.good, f"{verdict.kind}: {verdict.detail}\n{FOUND[name]!r}"


# -- the tools of the hunt ---------------------------------------------------------------------------------------------

HEADER = "from taut import flip, mechanism, observe, uniform\n\n"
MECHANISM = "@mechanism\ndef generated(x):\n"


def program(*lines: str, header: str = HEADER) -> GeneratedProgram:
    return GeneratedProgram(header + MECHANISM + "".join(f"    {line}\n" for line in lines), {"x": bits(1)})


def test_verdicts() -> None:
    assert judge(program("return x[0] ^ flip('1/3')")).kind == "right"
    assert judge(program("import random", "return random.random()")).kind == "refused"
    assert judge(program("return [1][x[0]]")).kind == "fails"
    assert judge(program("return [flip('1/2') for _ in range(9)]")).kind == "skipped"
    assert judge(program("while True:", "    pass")).kind == "skipped"
    assert judge(program("observe(x[0])", "return 1")).kind == "right"


def test_a_wrong_reading_is_wrong_or_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    tracing = importlib.import_module("taut.languages.python.tracing")
    validation = importlib.import_module("taut.languages.python.validation")

    lie = program("return not x[0] ^ flip('1/3')")
    truth = program("return x[0] ^ flip('1/3')")

    def trace_the_other(function: object, *rest: object) -> object:
        return original(other.mechanism.function, *rest)

    original = tracing.trace
    from tests.oracle.generator import loaded

    with loaded(lie) as other:
        monkeypatch.setattr(tracing, "trace", trace_the_other)
        assert judge(truth).kind == "caught" and judge(truth, validated=True).kind == "caught"
        monkeypatch.setattr(validation, "validate", lambda *_: None)
        assert judge(truth).kind == "wrong"


def test_shrinking_keeps_what_is_bad_and_nothing_else() -> None:
    large = program(
        "a = [1, 2, flip('1/3')]",
        "b = 0",
        "for v in a:",
        "    if v:",
        "        b += v * 3 + len(a)",
        "    else:",
        "        b -= 1",
        "return (a, b, max(uniform(0, 3), x[0]))",
    )

    def bad(candidate: GeneratedProgram) -> bool:
        return any(isinstance(node, ast.Mult) for node in ast.walk(ast.parse(candidate.text)))

    small = shrunk(large, bad)
    assert bad(small)
    assert len(ast.parse(small.text).body[-1].body) == 1, small.text  # type: ignore[attr-defined]
    assert "flip" not in small.text.split("generated")[1]


def test_programs_are_kept_with_their_domains() -> None:
    kept = GeneratedProgram("def generated(x, y):\n    pass\n", {"x": ints(2, 0, 2), "y": categories(1, ["a", "b"])})
    assert read(written(kept, "two\nlines")).databases == kept.databases
