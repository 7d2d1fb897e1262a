"""Draw the diagram of randomized response for two clients into a temporary folder."""

import tempfile
from pathlib import Path

from taut import bits
from taut.mechanisms import randomized_response


def main() -> None:
    model = randomized_response(bits(2), lam="1/5")
    folder = Path(tempfile.mkdtemp(prefix="taut-"))
    for suffix in ("svg", "png", "dot"):
        path = folder / f"randomized_response.{suffix}"
        model.draw(path)
        print(path)


if __name__ == "__main__":
    main()
