"""Terms to one relation: variable order, output shape, and the compiler."""

from typing import TYPE_CHECKING

from taut.support.package import attach

if TYPE_CHECKING:
    from taut.diagrams.compile.oracle import Oracle
    from taut.diagrams.compile.relation import OutputVariable, Relation, RelationCache, compile_program

# The same names again, imported when they are needed: with diagrams comes NumPy.
__getattr__ = attach(
    __name__,
    {
        "taut.diagrams.compile.oracle": ["Oracle"],
        "taut.diagrams.compile.relation": ["OutputVariable", "Relation", "RelationCache", "compile_program"],
    },
)

__all__ = ["Oracle", "OutputVariable", "Relation", "RelationCache", "compile_program"]
