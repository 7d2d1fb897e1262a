"""Terms to one relation: variable order, output shape, and the compiler."""

from taut.compile.oracle import Oracle
from taut.compile.relation import OutputVariable, Relation, compile_program

__all__ = ["Oracle", "OutputVariable", "Relation", "compile_program"]
