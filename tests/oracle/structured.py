"""Random mechanisms with the structure that solvers look for: statistics, noise around them, coins that are shared.

Some decompose, some almost do: a statistic is used twice, a coin is in two items, evidence couples all, an item needs
the largest of the others. All are small enough for plain enumeration.
"""

import random

from tests.oracle.generator import GeneratedProgram

from taut import Domain, bits, categories, integer, ints

__all__ = ["write_structured_program"]

HEADER = (
    "from fractions import Fraction\n\n"
    "from taut import binomial, discrete, exponential, flip, geometric, helper, mechanism, observe, uniform\n\n\n"
)
RATES = ("1/2", "1/3", "1/5", "1/4", "3/4")
RATIOS = ("1/2", "1/3", "2/3", "0")
WORDS = ("a", "bb", "no", "yes")


def write_structured_program(seed: int) -> GeneratedProgram:
    """A mechanism with one or two databases, statistics of their entries, noise, and a way to put it together."""
    return _Writer(random.Random(seed)).program()


class _Writer:
    def __init__(self, source: random.Random) -> None:
        self.pick, self.number, self.chance = source.choice, source.randint, lambda p: source.random() < p
        self.lines: list[str] = []
        self.statistics: list[str] = []
        self.coins: list[str] = []
        self.items: list[str] = []

    def program(self) -> GeneratedProgram:
        """Write everything: databases, statistics, shared coins, items, evidence, and the output."""
        databases = {"x": self.domain(4)}
        if self.chance(0.15):
            databases = {"x": self.domain(2), "y": self.domain(2)}
        for name, domain in databases.items():
            self.entries(name, domain)
        for _ in range(self.number(1, 3)):
            self.statistic(self.pick(list(databases)), databases)
        if self.chance(0.35):
            self.named("c", f"flip({self.rate()})", self.coins)
        if self.chance(0.15):
            self.named("c", f"uniform(0, {self.number(1, 2)})", self.coins)
        for _ in range(self.number(1, 3)):
            self.named("i", self.item(), self.items)
        if self.chance(0.15):
            self.lines.append(f"observe({self.event()})")
        self.lines.extend(self.ending())
        arguments = ", ".join(databases)
        body = "".join(f"    {line}\n" for line in self.lines)
        return GeneratedProgram(f"{HEADER}@mechanism\ndef generated({arguments}):\n{body}", databases)

    # -- databases and statistics ---------------------------------------------------------------------------------

    def domain(self, most: int) -> Domain:
        """A small domain: bits, numbers, one number, words; some with entries that may be absent."""
        kind = self.pick(["bits", "bits", "ints", "integer", "words", "numbers", "optional"])
        if kind == "bits":
            return bits(self.number(1, most))
        if kind == "ints":
            low = self.number(-1, 1)
            return ints(self.number(1, min(most, 3)), low, low + self.number(1, 2))
        if kind == "integer":
            return integer(self.number(-2, 0), self.number(1, 3))
        if kind == "words":
            return categories(self.number(1, min(most, 3)), self.pick([WORDS[:2], WORDS[:3], WORDS]))
        if kind == "numbers":
            return categories(self.number(1, min(most, 3)), self.pick([(0, 2, 5), (3, 1), (-1, 0, 4)]))
        return self.pick([bits(self.number(1, 3)), ints(self.number(1, 2), 0, 2)]).optional()

    def entries(self, name: str, domain: Domain) -> None:
        """Bring all databases to a list of whole numbers, some by a dictionary or a length."""
        source = f"[{name}]" if domain.bare else name
        if any(isinstance(value, str) for value in domain.values):
            if self.chance(0.3):
                worth = "len(v)"
            else:
                values = {value: self.number(-1, 2) for value in domain.values}
                worth = f"{values}[v]"
        else:
            worth = self.pick(["v", "v", "v", "v * v", "2 * v", "min(v, 1)"])
        condition = " if v is not None" if None in domain.values else ""
        self.lines.append(f"{name}s = [{worth} for v in {source}{condition}]")

    def statistic(self, name: str, databases: dict[str, Domain]) -> None:
        v = f"{name}s"
        k = self.number(0, 2)
        kind = self.number(0, 13)
        text = (
            f"sum({v})",
            f"sum(e > {k} for e in {v})",
            f"{v}.count({k})",
            f"max({v}, default=0)",
            f"sorted({v})[len({v}) // 2] if {v} else 0",
            f"len(set({v}))",
            f"sum({v}) % {k + 2}",
            f"min(sum({v}), {k + 1})",
            f"1 if any(e == {k} for e in {v}) else 0",
            f"max({v}, default=0) - min({v}, default=0)",
            f"sum(e * (p + 1) for p, e in enumerate({v}))",
            f"sum(sum(w) for w in [{v}[:1], {v}[-1:]])",
            f"sum({v}) * len({v})",
            f"abs(sum({v}) - {k})",
        )[kind]
        if kind < 2 and self.chance(0.3):  # written as a loop
            self.lines.extend([f"t{len(self.statistics)} = 0", f"for e in {v}:"])
            self.lines.append(f"    t{len(self.statistics)} += {'e' if kind == 0 else f'1 if e > {k} else 0'}")
            self.statistics.append(f"t{len(self.statistics)}")
            return
        self.named("t", text, self.statistics)
        if len(databases) > 1 and self.chance(0.3):
            self.named("t", f"{self.statistics[-1]} + sum(ys)", self.statistics)

    def named(self, letter: str, text: str, among: list[str]) -> None:
        name = f"{letter}{len(among)}"
        self.lines.append(f"{name} = {text}")
        among.append(name)

    # -- noise ----------------------------------------------------------------------------------------------------

    def rate(self) -> str:
        return f"'{self.pick(RATES)}'"

    def row(self, size: int) -> str:
        """A list of probabilities, with zeros."""
        while True:
            shares = [self.number(0, 3) for _ in range(size)]
            if sum(shares):
                return "[" + ", ".join(f"'{share}/{sum(shares)}'" for share in shares) + "]"

    def value(self) -> str:
        """A statistic, or a small formula of some."""
        s, t = self.pick(self.statistics), self.pick(self.statistics)
        return self.pick(
            [s, s, s, s, f"{s} + {t}", f"2 * {s}", f"{s} - {t}", f"-{s}", f"min({s}, {t})", f"({s} > {t})"]
        )

    def item(self) -> str:
        """Something random that is told, or used by the ending."""
        v, name, p = self.value(), self.pick([f"{'xs'}"]), self.rate()
        low = self.number(-2, 0)
        high = low + self.number(1, 4)
        rows = "[" + ", ".join(self.row(3) for _ in range(3)) + "]"
        centers = [self.number(-1, 4) for _ in range(3)]
        ratio = f"'{self.pick(RATIOS)}'"
        choices = [
            f"geometric({v}, {ratio}, {low}, {high})",
            f"geometric({v}, {ratio}, {low}, {high})",
            f"{v} + uniform(0, {self.number(1, 3)})",
            f"{v} + binomial({self.number(1, 3)}, {p})",
            f"discrete({rows}[({v}) % 3])",
            f"discrete({rows}[({v}) % 3])",
            f"flip(['1/3', {p}, '{self.number(0, 1)}', '1/5'][({v}) % 4])",
            f"exponential([{v}, {self.value()}, {self.number(-1, 1)}], '{self.pick(['1/2', '2', '3/2'])}')",
            f"[e + flip({p}) for e in {name}]",
            f"sum((e > 0) ^ flip({p}) for e in {name})",
            f"[geometric(e, {ratio}, -1, 2) for e in {name}[:2]]",
            f"[geometric({centers}[e % 3], {ratio}, -1, 4) for e in {name}]",
            f"max(geometric(w, '1/2', 0, 2) for w in [{v}, {self.value()}])",
            f"1 if geometric({v}, {ratio}, -1, 2) > {self.number(0, 1)} else 0",
            f"({v}) if flip({p}) else ({self.value()})",
            f"[e for e in {name} if flip({p})]",
        ]
        for coin in self.coins:
            choices += [f"{v} + {coin}", f"({v} + {coin}) % 2", f"{coin} * geometric({v}, '1/2', 0, 2)"]
            choices += [f"discrete({rows}[({v} + {coin}) % 3])"]
        return self.pick(choices)

    def event(self) -> str:
        """Evidence that some run satisfies, at most inputs."""
        item = self.pick(self.items)
        return self.pick([f"{item} != {self.number(0, 2)}", f"flip('1/2') or {item} == 0", f"str({item}) < '2'"])

    # -- the output -----------------------------------------------------------------------------------------------

    def ending(self) -> list[str]:
        """Tell the items apart, together, with a statistic, or the one that is largest."""
        items = ", ".join(self.items)
        kind = self.number(0, 11)
        one, other = self.pick(self.items), self.pick(self.items)
        if kind == 0:
            return [f"return {one}"]
        if kind == 1:
            return [f"return ({items}, {self.value()})"]
        if kind == 2:
            return [f"return ({items}, {one} == {other}, {self.pick([*self.coins, '0'])})"]
        if kind == 3:
            return [f"return str({one}) + '|' + str({other})"]
        if kind == 4:
            return [f"if {one} == {self.number(0, 1)}:", f"    return {other}", f"return ({items},)"]
        if kind == 5:
            loop = ["for place, one in enumerate(noise):", "    if str(one) > '0':", "        return place"]
            return [f"noise = [{items}]", *loop, "return None"]
        if kind == 6 and self.coins:
            return [f"return ({items}, {', '.join(self.coins)})"]
        if kind == 7:
            return [f"return ({items}, {one})"]
        return [f"return ({items},)"]
