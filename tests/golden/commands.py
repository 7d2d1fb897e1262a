"""Command lines whose output is recorded: every command as text and as JSON, its files, its help and its refusals."""

from __future__ import annotations

import shlex
from pathlib import Path

from tests.golden.command import file_lines, folder, ran
from tests.golden.records import Records
from tests.golden.users import write_files

__all__ = ["COMMANDS", "command_records"]

BOTH = ("", " --json")
TARGETS = ("rr n=3", "above n=2", "mine.py:survey x=bits(3) lam=1/4", "svt_no_query_noise n=2")
"""Mechanisms that are asked about privacy: a vector, an index, a user's, one that is not private."""
METHODS = ("auto", "search", "exhaustive", "restricted")


def _each(command: str, options: tuple[str, ...] = ("",), targets: tuple[str, ...] = TARGETS) -> list[str]:
    """The command with each target and each of these options, as text and as JSON."""
    return [f"{command} {target} {option}{form}" for target in targets for option in options for form in BOTH]


def _saved(question: str) -> list[str]:
    """Save the result of a question; explain and replay it."""
    return [f"{question} --save r.json", "cat r.json", "explain r.json", "replay r.json", "replay r.json --json"]


COMMANDS: dict[str, list[str]] = {
    "taut": ["", "--help", "help", "--version", "privcy rr", "--nonsense", "privacy", "privacy rr --nonsense"],
    "privacy": [
        *_each("privacy", ("--explain",)),
        *[f"privacy rr n=3 --method {method}" for method in METHODS],
        *["privacy rr n=3 --neighbors add_remove", "privacy mine.py:survey x=bits(2) lam=1/4 --neighbors mine.py:up"],
        *["privacy mine.py:leaky x=bits(2)", "privacy survey.dice:rr x=bits(2)", "privacy rr n=2 --time-limit 0"],
        *["privacy rr n=3 --plot p.svg", "cat p.svg", "privacy shuffled n=2", "privacy composed n=2 runs=3"],
        *_saved("privacy rr n=3"),
        *_saved("privacy mine.py:survey x=bits(3) lam=1/4"),
    ],
    "accuracy": [
        *_each("accuracy", ("--alpha 1 --explain", "--alpha 1 --top 2"), ("rr_count n=3",)),
        *[f"accuracy rr_count n=3 --alpha 1 --method {method}" for method in METHODS],
        "accuracy rr n=2 --alpha 1 --target identity --distance hamming",
        "accuracy exponential n=2 --alpha 0 --target argmax --distance different",
        "accuracy mine.py:survey x=bits(2) lam=1/4 --alpha 1 --target mine.py:doubled --distance mine.py:half",
        *_saved("accuracy rr_count n=3 --alpha 1"),
        *["accuracy rr_count n=3 --alpha 1 --plot p.svg", "cat p.svg"],
    ],
    "error": [
        *_each("error", ("", "--quantile 9/10 --quantile 1/2"), ("rr_count n=3", "geometric_count n=2")),
        *[f"error rr_count n=3 --method {method}" for method in METHODS],
    ],
    "worst": [*_each("worst", ("", "--top 2")), *_each("worst", ("--alpha 1",), ("rr_count n=3",))],
    "sweep": [
        *_each(
            "sweep", ("", "--delta-at 1 --renyi 2", "--delta-at ratio=3/2 --alpha 1"), ("rr_count n=3 lam=1/5,1/4",)
        ),
        *["sweep rr lam=1/4 n=1:3:1 --csv s.csv --plot p.svg", "cat s.csv", "cat p.svg"],
        "sweep rr_count n=2 lam=1/10:3/10:1/10 --alpha 1 --accuracy-only",
    ],
    "list": ["list", "list --json"],
    "show": [*_each("show", targets=("rr", "above_threshold", "shuffled", "mine.py:survey", "survey.dice:rr"))],
    "check": [
        *["check mine.py --junit j.xml", "cat j.xml", "check mine.py --json", "check mine.py:survey lam=1/4"],
        *_each("check", ("--epsilon 1", "--ratio 4", "--ratio 2 --delta 1/10"), ("rr n=2",)),
        *_each("check", ("--alpha 1 --probability 0.9", "--alpha 1 --probability 0.99"), ("rr_count n=3",)),
        *["check rr n=2", "check coins.dice", "check mine.py:plain"],
    ],
    "replay": ["replay no.json", "replay mine.py", "explain no.json"],
    "delta": [
        *_each("delta", ("--epsilon 1/2", "--ratio 3/2")),
        *[f"delta rr n=3 --ratio 3/2 --method {method}" for method in METHODS],
        *_saved("delta rr n=3 --ratio 3/2"),
        *["delta rr n=3 --ratio 3/2 --plot p.svg", "cat p.svg"],
    ],
    "epsilon": [
        *_each("epsilon", ("--delta 1/20",)),
        *[f"epsilon rr n=3 --delta 1/20 --method {method}" for method in METHODS],
        *_saved("epsilon rr n=3 --delta 1/20"),
        *["epsilon rr n=2 --delta 1/20 --plot p.svg", "cat p.svg"],
    ],
    "renyi": [
        *_each("renyi", ("", "--order 2,3,3/2 --zcdp")),
        *[f"renyi rr n=3 --zcdp --method {method}" for method in METHODS],
        *["renyi rr n=2 --plot p.svg", "cat p.svg"],
    ],
    "divergence": [
        *_each("divergence", ("", "--measure kullback_leibler,chi_squared,squared_hellinger")),
        *[f"divergence rr n=3 --method {method}" for method in METHODS],
        *["divergence rr n=2 --plot p.svg", "cat p.svg"],
    ],
    "profile": [
        *_each("profile", ("", "--compose 2 --epsilon 0.5,1 --ratio 3/2 --delta 1/100")),
        *[f"profile rr n=3 --method {method}" for method in METHODS],
        *_saved("profile rr n=3"),
        *["profile rr n=2 --plot p.svg", "cat p.svg"],
    ],
    "tradeoff": [
        *_each("tradeoff", ("", "--alpha 1/10,1/2")),
        *[f"tradeoff rr n=3 --method {method}" for method in METHODS],
        *["tradeoff rr n=2 --plot p.svg", "cat p.svg"],
    ],
    "loss": [
        *_each("loss", ("--x 0,0 --x-prime 1,0", "--x 00 --x-prime 11"), ("rr n=2", "rr_count n=2")),
        *["loss rr n=2 --x 00 --x-prime 11 --neighbors one_differ", "loss rr n=2 --x 02 --x-prime 11"],
        *["loss rr n=2 --x 00 --x-prime 10 --plot p.svg", "cat p.svg"],
    ],
    "symmetries": [*_each("symmetries"), "symmetries rr n=2 --plot p.svg", "cat p.svg"],
    "formula": [
        *_each("formula", ("", "--alpha 1", "--delta-at 2", "--renyi 2", "--latex"), ("rr_count n=2 lam=0..1/2",)),
        *_each("formula", targets=("k_ary n=1 lam=0..1", "rr_count n=2 lam=0..1/2 --method sampled")),
        *["formula rr n=2", "formula rr_count n=2 lam=0..1/2 --plot p.svg", "cat p.svg"],
    ],
    "calibrate": [
        *_each(
            "calibrate",
            (
                "--epsilon 1",
                "--ratio 4",
                "--ratio 2 --delta 0.1",
                "--renyi 2,1",
                "--epsilon 2 --alpha 1 --probability 0.9",
            ),
            ("rr_count n=2 lam=0..1/2",),
        ),
        *["calibrate rr n=2 lam=0..1/2", "calibrate rr_count n=2 lam=0..1/2 --epsilon 1 --plot p.svg", "cat p.svg"],
    ],
    "draw": [
        "draw rr n=2 --out d.dot",
        "cat d.dot",
        "draw above n=2 --out d.svg --json",
        "cat d.svg",
        "draw rr --out d.x",
    ],
    "export": [
        *_each("export", ("", "--to prism", "--input 0,1", "--to prism --input 0,1"), ("rr_count n=2", "above n=2")),
        *["export rr n=2 --encoding joint", "export rr n=2 --to prism --encoding naive", "export rr n=2 --out e.dice"],
        "export rr n=2 --to nonsense",
    ],
    "run": [
        *[
            f"run coins.dice {option}"
            for option in ("", "--json", "--table dice", "--show-size --skip-table", "--strict")
        ],
        *["run survey.dice", "run survey.dice --recursion-limit 3 --json", "run survey.dice --strict"],
        *["run wrong.dice", "run no.dice", "run coins.dice --table nonsense"],
    ],
    "report": [
        *[
            "report rr_count n=2 --alpha 1 --out r.html",
            "cat r.html",
            "report mine.py:survey x=bits(2) lam=1/4 --out m.html",
        ],
        *["cat m.html", "report above n=2 --out a.html --json", "cat a.html", "report rr n=2 --out r.txt"],
    ],
    "new": ["new fresh.py", "cat fresh.py", "check fresh.py", "new fresh.py"],
    "refusals": [
        *["privacy rr lam=6/5", "privacy rr n=0", "privacy rr n=2 lamb=1/5", "privacy rr n=2 n=3", "privacy nonsense"],
        *[
            "privacy no.py:f",
            "privacy mine.py:nothing x=bits(2)",
            "privacy mine.py:refused x=bits(2)",
            "privacy mine.py",
        ],
        *["privacy mine.py:plain x=bits(2)", "privacy mine.py:plain x=bits(2) p=2", "privacy rr n=2 --method nonsense"],
        *["privacy rr n=2 --neighbors nonsense", "privacy rr n=2 --time-limit -1", "privacy rr n=2 --plot p.txt"],
        *["privacy rr n=2 --save r.txt", "accuracy rr_count n=2", "accuracy rr_count n=2 --alpha -1"],
        *["accuracy rr_count n=2 --alpha 1 --target nonsense", "delta rr n=2", "delta rr n=2 --epsilon 1 --ratio 2"],
        *["epsilon rr n=2 --delta 2", "renyi rr n=2 --order 1/2", "divergence rr n=2 --measure nonsense"],
        *["tradeoff rr n=2 --method search", "profile rr n=2 --compose 0", "sweep rr n=2 lam=1/5", "show nonsense"],
        *["compare rr --tools nonsense", "worst rr n=2 --top 0", "privacy survey.dice:nothing x=bits(2)"],
    ],
    "help": [
        f"{command} --help"
        for command in (
            *("privacy", "accuracy", "worst", "sweep", "list", "show", "check", "replay", "export", "compare", "error"),
            *("formula", "calibrate", "delta", "epsilon", "renyi", "divergence", "profile", "tradeoff", "loss"),
            *("draw", "paper", "play", "run", "report", "new", "explain", "symmetries"),
        )
    ],
}
"""For each file of answers, the command lines in order; ``cat`` records a file that one of them wrote."""


def command_records(name: str) -> Records:
    """Run the command lines of one file of answers in a folder of their own."""
    records: Records = {}
    with folder() as where:
        write_files(where)
        for line in COMMANDS[name]:
            command, *arguments = shlex.split(line) or [""]
            asked = f"$ taut {line}".rstrip() if command != "cat" else f"$ {line}"
            while asked in records:
                asked += " again"
            if command == "cat":
                path = Path(arguments[0])
                records[asked] = file_lines(path) if path.exists() else ["is not there"]
            else:
                records[asked] = ran(*([command] if command else []), *arguments)
    return records
