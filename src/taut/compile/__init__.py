"""Terms to one relation: variable order, output shape, and the compiler."""

from typing import TYPE_CHECKING

from taut._lazy import attach

if TYPE_CHECKING:
    from taut.compile.oracle import Oracle
    from taut.compile.relation import OutputVariable, Relation, compile_program
    from taut.compile.reuse import RelationCache

# The same names again, imported when they are needed: with diagrams comes NumPy.
__getattr__ = attach(
    __name__,
    {
        "taut.compile.oracle": ["Oracle"],
        "taut.compile.relation": ["OutputVariable", "Relation", "compile_program"],
        "taut.compile.reuse": ["RelationCache"],
    },
)

__all__ = ["Oracle", "OutputVariable", "Relation", "RelationCache", "compile_program"]
