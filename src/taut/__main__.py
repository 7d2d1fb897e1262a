"""``python -m taut``: the command ``taut``."""

from taut.cli import main

if __name__ == "__main__":
    main()
