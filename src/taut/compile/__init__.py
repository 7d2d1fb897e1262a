"""Terms to one relation: variable order, output shape, and the compiler."""

from taut.compile.oracle import Oracle
from taut.compile.relation import OutputVariable, Relation, compile_program
from taut.compile.reuse import RelationCache

__all__ = ["Oracle", "OutputVariable", "Relation", "RelationCache", "compile_program"]
