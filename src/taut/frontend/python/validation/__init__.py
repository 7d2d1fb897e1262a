"""Translation validation: the reading of a mechanism compared with Python running it."""

from taut.frontend.python.validation.validate import Validation, validate

__all__ = ["Validation", "validate"]
