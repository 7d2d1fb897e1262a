"""``python -m taut``: the command ``taut``."""

from taut.interfaces.cli import main

if __name__ == "__main__":
    main()
