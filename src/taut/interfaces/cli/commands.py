"""The commands by name: where each is, and its sentence in ``taut --help``; none of them is loaded for that."""

from __future__ import annotations

from taut.questions.registry import sentences

__all__ = ["COMMANDS", "commands", "home_of"]

COMMANDS: dict[str, tuple[str, str]] = {
    "worst": (
        "worst",
        "The worst pairs of neighbours; with --alpha the worst inputs. Different values only, each with its count.",
    ),
    "sweep": ("sweep", "Bounds against a parameter: one setting is a range low:high:step or a list a,b,c."),
    "list": ("catalog", "List the built-in mechanisms, their arguments and what they do."),
    "show": ("catalog", "Show a mechanism: what it does, its arguments, its source and where it comes from."),
    "check": (
        "claims",
        "Check claims: those written on the mechanisms of a file, or one given by options. Exit code 1 if one fails.",
    ),
    "replay": (
        "claims",
        "Check a saved result again: that the mechanism is unchanged, and that the witness attains the value.",
    ),
    "export": ("compare", "Write a mechanism as a program for Dice or a model for Storm."),
    "compare": ("compare", "The privacy bound of a mechanism by several tools: their answers, times and sizes."),
    "formula": (
        "parameters",
        "A bound as a function of a parameter that is left free, such as lam=0..1/2: epsilon, or what is asked for.",
    ),
    "calibrate": (
        "parameters",
        "The values of a parameter left free, such as lam=0..1/2, that meet a budget; and a short one among them.",
    ),
    "loss": ("loss", "What tells two inputs apart: each ratio of their probabilities, with its masses under both."),
    "draw": ("pictures", "Draw the decision diagram that a mechanism is compiled to."),
    "paper": ("pictures", "Recompute every table and figure of the paper, ours beside the published numbers."),
    "play": ("play", "Open a page in the browser to write mechanisms on: number, worst case and pictures as you go."),
    "run": ("programs", "The exact joint distribution of a Dice program."),
    "report": (
        "report",
        "Write one HTML file with every answer, its worst case and picture, how it was found, and how to find "
        "it again.",
    ),
    "new": ("start", "Write a commented mechanism with a claim, to start from."),
    "explain": ("start", "Say in sentences what a saved result says, without computing anything."),
    "symmetries": (
        "symmetries",
        "The symmetries of a mechanism, found and verified, and how few cases they leave to look at.",
    ),
}
"""Commands besides those of questions: the module, and the sentence that begins their help."""
_QUESTIONS = "asking"


def commands() -> dict[str, str]:
    """Return all commands with their sentences, those of questions first."""
    return {**sentences(), **{name: sentence for name, (_, sentence) in COMMANDS.items()}}


def home_of(name: str) -> str:
    """Return the module that adds a command."""
    return COMMANDS[name][0] if name in COMMANDS else _QUESTIONS
