"""Formulas by hand, and weighted CNF files."""

# The arguments below are wrong on purpose, and mechanisms are written without annotations, as users write them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, arg-type, call-arg, call-overload, operator, index, misc"
# mypy: disable-error-code="attr-defined, name-defined, union-attr, type-var, return-value, untyped-decorator"
# mypy: disable-error-code="var-annotated"

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.languages.python.mistakes.mistake import column, mistake

import taut

# ---------------------------------------------------------------- formulas by hand


@mistake("&", column(7, 8))
def formula_operand_missing() -> object:
    return taut.formula("y1 <-> & x1", inputs=["x1"], outputs=["y1"])


@mistake(("end", "1:12", "1:13", "column 12", "column 13"))
def formula_cut_off() -> object:
    return taut.formula("y1 <-> (x1 ^", inputs=["x1"], outputs=["y1"])


@mistake("$", column(3, 4))
def formula_foreign_symbol() -> object:
    return taut.formula("y1 $ x1", inputs=["x1"], outputs=["y1"])


@mistake("x9")
def formula_unknown_input() -> object:
    return taut.formula("y1 <-> x1", inputs=["x1", "x9"], outputs=["y1"])


@mistake("y9")
def formula_unknown_output() -> object:
    return taut.formula("y1 <-> x1", inputs=["x1"], outputs=["y1", "y9"])


@mistake("t9")
def formula_unknown_weight() -> object:
    return taut.formula("y1 <-> x1", inputs=["x1"], outputs=["y1"], weights={"t9": "1/5"})


@mistake("x1")
def formula_input_is_output() -> object:
    return taut.formula("y1 <-> x1", inputs=["x1"], outputs=["y1", "x1"])


@mistake("-1/5", base=ValueError)
def formula_weight_negative() -> object:
    return taut.formula("y1 <-> (x1 ^ t1)", inputs=["x1"], outputs=["y1"], weights={"t1": "-1/5"})


@mistake("6/5", base=ValueError)
def formula_weight_above_one() -> object:
    return taut.formula("y1 <-> (x1 ^ t1)", inputs=["x1"], outputs=["y1"], weights={"t1": 1.2})


@mistake("-4/5", base=ValueError)
def formula_weight_of_negation_negative() -> object:
    return taut.formula("y1 <-> (x1 ^ t1)", inputs=["x1"], outputs=["y1"], weights={"t1": ("1/5", "-4/5")})


@mistake("seldom", base=ValueError)
def formula_weight_in_words() -> object:
    return taut.formula("y1 <-> (x1 ^ t1)", inputs=["x1"], outputs=["y1"], weights={"t1": "seldom"})


@mistake("2", ("(1,)", "x1=1", "x1 = 1", "'x1': 1", "x1=True"), base=ValueError)
def formula_outputs_sum_above_one() -> object:
    return taut.formula("y1 | x1", inputs=["x1"], outputs=["y1"]).distribution((1,))


@mistake("2", ("(1,)", "x1=1", "x1 = 1", "'x1': 1", "x1=True"), base=ValueError)
def formula_outputs_sum_above_one_at_another_input() -> object:
    return taut.formula("y1 | x1", inputs=["x1"], outputs=["y1"]).distribution((0,))


@mistake("0", ("(0,)", "x1=0", "x1 = 0", "'x1': 0", "x1=False"), base=ValueError)
def formula_without_output() -> object:
    return taut.formula("y1 & x1", inputs=["x1"], outputs=["y1"]).probability((0,), (1,))


def counted(text: str, variables: tuple[int, int] = (1, 2)) -> object:
    """Count the models of a weighted CNF file ``bad.cnf`` with the given text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bad.cnf")
        path.write_text(text)
        return taut.dimacs(path, inputs=[variables[0]], outputs=[variables[1]]).count()


@mistake("absent.cnf", base=OSError)
def dimacs_file_missing() -> object:
    with tempfile.TemporaryDirectory() as folder:
        return taut.dimacs(Path(folder, "absent.cnf"), inputs=[1], outputs=[2])


@mistake("two", ("bad.cnf:1", "line 1"))
def dimacs_header_in_words() -> object:
    return counted("p cnf two 1\n1 -2 0\n")


@mistake(("p cnf", "header"))
def dimacs_header_missing() -> object:
    return counted("1 -2 0\n")


@mistake(("5", "-5"), ("bad.cnf:3", "line 3"))
def dimacs_literal_out_of_range() -> object:
    return counted("p cnf 2 2\n1 -2 0\n-1 -5 0\n")


@mistake("x2", ("bad.cnf:2", "line 2"))
def dimacs_literal_not_a_number() -> object:
    return counted("p cnf 2 1\n1 x2 0\n")


@mistake("seldom", ("bad.cnf:3", "line 3"))
def dimacs_weight_in_words() -> object:
    return counted("c t wmc\np cnf 3 1\nc p weight 3 seldom 0\n1 -2 3 0\n")


@mistake(("-0.5", "-1/2"), ("bad.cnf:3", "line 3"))
def dimacs_weight_negative() -> object:
    return counted("c t wmc\np cnf 3 1\nc p weight 3 -0.5 0\n1 -2 3 0\n")


@mistake("9")
def dimacs_unknown_output() -> object:
    return counted("p cnf 2 1\n1 -2 0\n", variables=(1, 9))
