"""Stands in for the executable of Dice, on exported programs: its JSON and its nine decimals."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.interfaces.peers.reader import distribution


def words(row: tuple[object, ...]) -> str:
    shown = [str(item).lower() for item in row]
    text = shown[-1]
    for item in reversed(shown[:-1]):
        text = f"({item}, {text})"
    return text


if __name__ == "__main__":
    path, *flags = sys.argv[1:]
    if flags != ["-json", "-show-size", "-inline-functions"]:
        sys.exit(f"unexpected flags {flags}")
    rows = [[words(row), f"{float(p):.9f}".rstrip("0")] for row, p in distribution(Path(path).read_text()).items()]
    table = {"Joint Distribution": [["Value", "Probability"], *rows, ["never", "0"]]}
    print(json.dumps([table, {"Final compiled BDD size": str(len(rows))}]), end="")
