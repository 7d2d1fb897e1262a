"""Translation validation: the reading of a mechanism compared with Python running it."""

from taut.frontend.python.validation.functions import Goal
from taut.frontend.python.validation.replay import FunctionReplay
from taut.frontend.python.validation.result import Branch, Validation
from taut.frontend.python.validation.validate import validate

__all__ = ["Branch", "FunctionReplay", "Goal", "Validation", "validate"]
