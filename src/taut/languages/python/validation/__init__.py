"""Translation validation: the reading of a mechanism compared with Python running it."""

from taut.languages.python.validation.functions import TargetDistance
from taut.languages.python.validation.replay import FunctionReplay
from taut.languages.python.validation.result import Branch, Validation
from taut.languages.python.validation.validate import validate

__all__ = ["Branch", "FunctionReplay", "TargetDistance", "Validation", "validate"]
