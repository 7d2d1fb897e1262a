"""Exact bounds and distributions of real mechanisms: the tour that ``make demo`` prints."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.table import Table

from taut import AccuracyBound, Model, PrivacyBound, bits, categories, geometric, ints, mechanism
from taut.mechanisms import above_threshold, randomized_response, rr_count

console = Console(highlight=False)


@mechanism
def favourite(votes, ratio):
    """The colour with the largest noisy count; ties go to the colour that stands first."""
    counts = {"red": 0, "green": 0, "blue": 0}
    for vote in votes:
        counts[vote] += 1
    best, most = None, -1
    for colour, count in counts.items():
        noisy = geometric(count, ratio, 0, len(votes))
        if noisy > most:
            best, most = colour, noisy
    return best


def main() -> None:
    tell_the_table_of_the_paper()
    tell_a_count()
    tell_above_threshold()
    tell_an_own_mechanism()
    tell_sizes()


def tell_the_table_of_the_paper() -> None:
    title("1. Randomized response: two clients, bits flipped with probability 1/5")
    model = randomized_response(bits(2), lam="1/5")
    console.print("INFERENCE: P(output | input), off one diagram that leaves the inputs free.\n")
    inputs = [(0, 0), (1, 0), (1, 1)]
    matrix = model.inference((x, y) for x in inputs for y in model.domain)
    table = Table("output", *[f"input {shown(x)}" for x in inputs])
    for y in matrix.outputs:
        table.add_row(shown(y), *[str(matrix[x, y]) for x in inputs])
    console.print(table)
    console.print(
        "\nPrivacy compares neighbours: two inputs that differ in what one person gave, so here in one bit. An output "
        "may be at most e^eps times as likely on one of them as on the other. The worst pair and output:"
    )
    bound(model.privacy())


def tell_a_count() -> None:
    title("2. The number of ones reported by eight clients who all hold a zero")
    model = rr_count(bits(8), lam="1/5")
    distribution = model.distribution((0,) * 8)
    bars(distribution)
    console.print("\nHow likely is it, at worst over all inputs, to be at most 3 away from the true count?")
    bound(model.accuracy(sum, alpha=3))
    table = Table("1 - beta", "", "inputs", "for example")
    for worst in model.worst_inputs(sum, alpha=3, top=4):
        table.add_row(str(worst.value), f"{float(worst.value)}", str(worst.count), shown(worst.witness.x))
    console.print(table)


def tell_above_threshold() -> None:
    title("3. Above-threshold: the first of six noisy integers to reach a noisy 2")
    model = above_threshold(ints(6, 0, 3), threshold=2, ratio="1/4", high=3)
    x = (0, 1, 0, 2, 3, 0)
    console.print(f"{model.domain.size} inputs in one relation of {model.size} nodes. x = {x}; 6: none.\n")
    bars(model.distribution(x))
    for relation, meaning in (("one_differ", "one entry changes freely"), ("one_step", "one entry changes by 1")):
        console.print(f"\nNeighbours: {meaning}.")
        bound(model.privacy(neighbors=relation))
    large = above_threshold(ints(40, 0, 3), threshold=1, ratio="1/2", high=3)
    console.print(
        f"\nForty integers, a noisy 1, ratio 1/2: 4^40 = {large.domain.size} inputs, and no symmetry is given."
    )
    bound(large.privacy("one_differ", time_limit=60))


def tell_an_own_mechanism() -> None:
    title("4. Written in this file: the favourite colour of five voters")
    model = favourite(categories(5, ["red", "green", "blue"]), ratio="1/3")
    x = ("red", "red", "green", "blue", "green")
    console.print(f"x = {', '.join(x)}; neighbours are votes of which one differs\n")
    bars(model.distribution(x))
    bound(model.privacy())
    console.print(f"Six outputs drawn from it: {', '.join(model.sample(x, 6, seed=1))}")


def tell_sizes() -> None:
    title("5. Sizes")
    console.print("Nodes of one relation for all inputs; binary nodes (as in Dice) for one.\n")
    table = Table("mechanism", "inputs", "coins", "relation", "binary", "seconds")
    for column in table.columns[1:]:
        column.justify = "right"
    for n in (2, 8, 100, 1000):
        size_row(table, "randomized_response", lambda n=n: randomized_response(bits(n), lam="1/5"), (0,) * n)
    for n in (6, 100):
        size_row(
            table,
            "above_threshold, 0..3",
            lambda n=n: above_threshold(ints(n, 0, 3), threshold=2, ratio="1/4", high=3),
            (0,) * n,
        )
    size_row(table, "rr_count", lambda: rr_count(bits(100), lam="1/5"), (0,) * 100)
    console.print(table)


def bound(found: PrivacyBound | AccuracyBound) -> None:
    """A bound, and whether replaying its worst case through the plain enumerator gives the same number."""
    console.print(f"[bold]{found}[/bold]")
    check = found.verify()
    cases = "" if found.count is None else f"{found.count} cases attain it; "
    console.print(f"{cases}replayed: {'the same' if check else 'NOT the same'} ({check.method})")


def size_row(table: Table, name: str, make: Any, x: Any) -> None:
    start = time.perf_counter()
    model: Model = make()
    nodes = model.size
    seconds = time.perf_counter() - start
    domain = model.domain
    inputs = f"{len(domain.values)}^{domain.n}"
    table.add_row(name, inputs, str(len(model.program.coins)), str(nodes), str(model.fix(x).bdd_size), f"{seconds:.2f}")


def bars(distribution: Mapping[Any, Fraction]) -> None:
    """A distribution as a table with bars, and its sum, which is one exactly."""
    table = Table("output", "probability", "", "")
    largest = max(distribution.values())
    for y, mass in in_order(distribution.items()):
        table.add_row(shown(y), str(mass), f"{float(mass):.3g}", bar(mass / largest))
    console.print(table)
    console.print(f"sum: {sum(distribution.values())}")


def bar(part: Fraction) -> str:
    """A bar of up to thirty letters, in eighths of a letter; what is smaller than that has none."""
    full, eighths = divmod(round(30 * 8 * part), 8)
    return "█" * full + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths]


def in_order(rows: Iterable[tuple[Any, Fraction]]) -> list[tuple[Any, Fraction]]:
    return sorted(rows, key=lambda row: (str(type(row[0])), row[0]))


def shown(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, tuple) else str(value)


def title(text: str) -> None:
    console.print()
    console.rule(f"[bold]{text}", align="left")


if __name__ == "__main__":
    main()
