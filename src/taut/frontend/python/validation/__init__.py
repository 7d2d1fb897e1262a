"""Translation validation: the reading of a mechanism compared with Python running it."""

from taut.frontend.python.validation.functions import Goal
from taut.frontend.python.validation.replay import FunctionReplay
from taut.frontend.python.validation.validate import Validation, validate

__all__ = ["FunctionReplay", "Goal", "Validation", "validate"]
