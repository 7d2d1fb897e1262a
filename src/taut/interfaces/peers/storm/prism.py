"""PRISM models: one toss per step; only values that are still needed are stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from taut.interfaces.peers.lowering.expressions import Builder, Node, ordered
from taut.interfaces.peers.lowering.terms import DIGITS, LoweredProgram, Outputs, lower_program
from taut.interfaces.peers.storm.markov import STEP, ChainStep, Register, markov_chain
from taut.program import Program

__all__ = ["PrismModel", "prism_model"]


@dataclass(frozen=True)
class PrismModel:
    """The text of a model with the decoding of its final states."""

    text: str
    outputs: Outputs
    results: tuple[str | int | bool, ...]
    """For each result the variable that holds it at the end, or its constant value."""
    evidence: str | bool
    """The variable (or constant) that is true at the end if the run meets the evidence."""
    last: int
    """The number of steps."""

    def decode(self, state: Mapping[str, int | bool]) -> Any:
        """Return the output for a final state."""
        return self.outputs.decode([state[part] if isinstance(part, str) else part for part in self.results])

    def counts(self, state: Mapping[str, int | bool]) -> bool:
        """Return True if the run that ends in this state meets the evidence."""
        return bool(state[self.evidence] if isinstance(self.evidence, str) else self.evidence)


def prism_model(program: Program, title: str | None = None) -> PrismModel:
    """Translate a program to a Markov chain in the PRISM language, which Storm reads.

    The chain tosses one coin a step. Its variables hold what later steps or the results still need, and are set back
    as soon as they do not; a chain of cases is over when one has applied. Inputs that are left free are constants of
    the model, with the values of the first input of the domain.

    Guarantee:
        Among the last states that meet the evidence, the probability of one is that of the output behind it.

    Raises:
        TooLarge: an operation that PRISM does not have would be written out with too many cases.
    """
    lowered = lower_program(program)
    build = lowered.lowering.build
    chain = markov_chain(lowered)
    results = tuple(node.data for node in chain.results)
    lines = [f"// {line}" for line in [title or program.name, *_notes(lowered, results)]]
    lines += ["dtmc", *_constants(lowered), "", "module mechanism", f"  {STEP} : [0..{chain.last}] init 0;"]
    lines += [_declaration(register, build) for register in chain.registers]
    for step in chain.steps:
        lines += _commands(step, build)
    lines += [f"  [] {STEP}={chain.last} -> true;", "endmodule", "", f'label "done" = {STEP}={chain.last};']
    return PrismModel("\n".join(lines) + "\n", lowered.outputs, results, chain.evidence.data, chain.last)


def _notes(lowered: LoweredProgram, results: tuple[str | int | bool, ...]) -> list[str]:
    names = ", ".join(_word(part) for part in results)
    notes = [f"The result is ({names}) when {STEP} has its last value." if results else "There is one result only."]
    notes += lowered.outputs.legend
    if lowered.lowering.rounded:
        notes.append(f"Weights that are not fractions are written with {DIGITS} digits.")
    return notes


def _constants(lowered: LoweredProgram) -> list[str]:
    lines = []
    for position, variable in enumerate(lowered.program.inputs):
        coded = lowered.lowering.input(position)
        value = _word(coded.coding.code(variable.values[0]))
        lines.append(f"const {'bool' if coded.node.boolean else 'int'} {coded.node.data} = {value};")
    return lines


def _declaration(register: Register, build: Builder) -> str:
    kind = "bool" if register.low is None else f"[{register.low}..{register.high}]"
    return f"  {register.name} : {kind} init {_word(register.reset(build).data)};"


def _commands(step: ChainStep, build: Builder) -> list[str]:
    lines = []
    for branch in step.branches:
        texts = _texts([branch.guard, *[value for _, update in branch.updates for _, value in update]])
        guard = f"{STEP}={step.number}" + (f" & {texts[branch.guard]}" if branch.guard is not build.true else "")
        ways = []
        for weight, update in branch.updates:
            assignments = " & ".join(f"({name}'={texts[value]})" for name, value in update)
            share = "" if weight == 1 else f"{weight.numerator}/{weight.denominator} : "
            ways.append(f"{share}{assignments}")
        joint = "\n      + " if sum(map(len, ways)) > 100 else " + "
        lines.append(f"  [] {guard} -> {joint.join(ways)};")
    return lines


def _texts(roots: list[Node]) -> dict[Node, str]:
    texts: dict[Node, str] = {}
    for node in ordered(roots):
        args = [texts[arg] for arg in node.args]
        if node.op in ("literal", "variable"):
            texts[node] = _word(node.data)
        elif node.op == "not":
            texts[node] = f"!{args[0]}"
        elif node.op == "if":
            texts[node] = f"({args[0]} ? {args[1]} : {args[2]})"
        else:
            texts[node] = f"({args[0]} {_SIGNS[node.op]} {args[1]})"
    return texts


def _word(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


_SIGNS = {"and": "&", "or": "|", "xor": "!=", "eq": "=", "lt": "<", "le": "<=", "add": "+", "sub": "-", "mul": "*"}
