"""Random programs in the style of shipped code: classes that check, keep their parameters, and draw in many ways."""

import itertools
import random
from fractions import Fraction
from types import SimpleNamespace

import numpy as np

SIZE = 3
"""Values are 0, 1 and 2."""
CELLS = 8
"""Thresholds of uniform numbers are multiples of 1/8, so the middles of eight cells stand for all of them."""

_STEPS = {
    "response": """
        if {rng}.random() < {a}:
            return value
        return {rng}.randrange(self.size)""",
    "inverse": """
        u, total = {rng}.random(), 0.0
        for place, weight in enumerate(self.weights):
            total += weight
            if u {less} total:
                return (place + value) % self.size
        return self.size - 1""",
    "rejection": """
        while True:
            z = {rng}.getrandbits(2)
            if z {other} {c}:
                return (value + z) % self.size""",
    "bits": """
        mask = 0
        for place in range(2):
            mask |= ({rng}.random() < {a}) << place
        return ((value + 1) ^ mask) % self.size""",
    "scaled": """
        return (value + int({rng}.random() * {d})) % self.size""",
    "choices": """
        drawn = {rng}.choices(range(self.size), weights=self.weights, k=1)
        return drawn[0] if drawn[0] != {c} else value""",
    "shuffled": """
        items = [value, {c}, (value + 1) % self.size]
        {rng}.shuffle(items)
        return items[{e}]""",
    "sampled": """
        one, two = {rng}.sample([0, 1, 2], 2)
        return one if value == two else two""",
    "caught": """
        try:
            return [2, 0][value + {rng}.randrange(2)]
        except IndexError:
            return {c}""",
    "numpy choice": """
        p = np.full(self.size, {f})
        p[value] = 1 - {f} * (self.size - 1)
        return int(np.random.choice(self.size, p=p))""",
    "numpy rows": """
        kept = np.random.random(self.size) < {a}
        encoded = np.zeros(self.size, dtype=int)
        encoded[value] = 1
        noisy = np.where(kept, encoded, 1 - encoded)
        return int(noisy.argmax())""",
    "numpy integers": """
        moved = np.random.randint(0, 4, size=2)
        return int((value + moved[0] * moved[1]) % self.size)""",
    "counted": """
        count = 0
        for _ in range({d}):
            if {rng}.random() {less} {a}:
                break
            count += 1
        return (count + value) % self.size""",
    "modulo": """
        return ({rng}.randrange(6) + value) % self.size if {rng}.random() < {a} else value""",
    "secret": """
        t = secrets.randbelow(8)
        return value if t < {d} else (value + t) % self.size""",
    "kept": """
        u = {rng}.random()
        first, second = u {less} {a}, 1 - u < {f}
        return (value + first + 2 * second) % self.size""",
}
_SHORT = ["response", "inverse", "rejection", "bits", "choices", "sampled", "caught", "numpy choice", "modulo"]
"""Steps with so few draws that they may follow another one."""
_HEAD = '''"""{name}"""
import enum, functools, logging, math
import random
import secrets
import numpy as np

logger = logging.getLogger(__name__)
WEIGHTS = ({weights})


class Mode(enum.Enum):
    PLAIN = "plain"
    TWICE = "twice"


def checked(method):
    @functools.wraps(method)
    def wrapper(self, value):
        self._check(value)
        return method(self, value)
    return wrapper


@functools.lru_cache(maxsize=None)
def normal(weights):
    return tuple(weight / sum(weights) for weight in weights)


class Base:
    {slots}

    def __init__(self, size, mode=Mode.PLAIN):
        if not isinstance(size, int) or size < 2:
            raise ValueError("size must be a whole number")
        self.size, self.mode, self._weights = size, mode, WEIGHTS

    @property
    def weights(self):
        return normal(self._weights)

    def _check(self, value):
        if not 0 <= value < self.size:
            raise ValueError(f"{{value}} is no value")


class Mechanism(Base):
    {slots_too}
    def first(self, value):{first}

    def second(self, value):{second}

    @checked
    def randomise(self, value):
        logger.debug("value %s", value)
        value = self.first(value)
        return self.second(value) if self.mode is Mode.TWICE else value


mechanism = Mechanism(3, Mode.{mode})
randomise = mechanism.randomise


def everybody(x):
    return [mechanism.randomise(value) for value in x]


if __name__ == "__main__":
    print(randomise(0))
'''


def written(seed: int) -> str:
    """The text of the program of a seed."""
    number = random.Random(seed)

    def step(name: str) -> str:
        return _STEPS[name].format(
            rng="random",
            a=number.choice([0.125, 0.25, 0.5, 0.75]),
            c=number.randrange(1, 3),
            d=number.choice([2, 4]),
            e=number.randrange(3),
            f=number.choice([0.125, 0.25]),
            less=number.choice(["<", "<="]),
            other=number.choice(["<=", "!="]),
        )

    names = list(_STEPS)
    first, second = names[seed % len(names)], number.choice(_SHORT)
    slots = number.random() < 0.5
    return _HEAD.format(
        name=f"{first}, {second}",
        weights=", ".join(map(str, number.choice([(1, 1, 2), (2, 5, 1), (4, 1, 3)]))),
        slots='__slots__ = ("size", "mode", "_weights")' if slots else "",
        slots_too="__slots__ = ()\n" if slots else "",
        first=step(first),
        second=step(second),
        mode=number.choice(["PLAIN", "TWICE"]),
    )


class _Ends(BaseException):
    pass


class _Script:
    """The draws of one run: the places that it takes at its first draws; a further draw ends it."""

    def __init__(self, places):
        self.places, self.used, self.mass, self.open = places, 0, Fraction(1), 0

    def choose(self, weights):
        if self.used == len(self.places):
            self.open = len(weights)
            raise _Ends
        place = self.places[self.used]
        self.used += 1
        self.mass *= weights[place]
        return place

    def below(self, count):
        return self.choose([Fraction(1, count)] * count)

    def random(self, size=None):
        if size is not None:
            return np.array([self.random() for _ in range(size)])
        return (self.below(CELLS) + 0.5) / CELLS

    def getrandbits(self, k):
        return self.below(2**k)

    randrange = randbelow = below

    def choices(self, population, weights, k):
        shares = [Fraction(weight).limit_denominator(64) for weight in weights]
        return [population[self.choose(shares)] for _ in range(k)]

    def shuffle(self, items):
        orders = list(itertools.permutations(items))
        items[:] = orders[self.below(len(orders))]

    def sample(self, items, k):
        orders = list(itertools.permutations(items, k))
        return list(orders[self.below(len(orders))])

    def choice(self, count, p):
        return self.choose([Fraction(float(share)).limit_denominator(64) for share in p])

    def randint(self, low, high, size):
        return np.array([low + self.below(high - low) for _ in range(size)])


def distribution(text: str, value: int, most: int = 9) -> tuple[dict, Fraction]:
    """The distribution of the program's result by CPython with scripted draws, and the mass of longer runs."""
    names: dict = {"__name__": "shipped"}
    exec(compile(text, "<shipped>", "exec"), names)
    found: dict = {}
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        script = _Script(waiting.pop())
        names["random"], names["secrets"], names["np"] = script, script, _numpy_of(script)
        try:
            y = names["randomise"](value)
            found[y] = found.get(y, 0) + script.mass
        except _Ends:
            if len(script.places) < most:
                waiting += [(*script.places, place) for place in range(script.open)]
    return found, 1 - sum(found.values())


def _numpy_of(script):
    return SimpleNamespace(random=script, full=np.full, zeros=np.zeros, where=np.where)
