"""Unbounded noise in a program: windows that preserve the output's distribution, and marks for values beyond them.

A sum of one draw and other terms is noise around a centre; clamping the sum gives it an end. Then ``Tails`` tells which
windows decide all conditions, and which items of the output are noise beyond its window: docs/remainder.md.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from taut.languages.python.tails import ENDLESS, FAR, NEVER, Atom, Label, Piece, Tails, both, ends_of, may_be
from taut.program import (
    Apply,
    AtLeast,
    AtMost,
    Coin,
    CoinVariable,
    Const,
    Ends,
    Ite,
    Program,
    Select,
    Tail,
    Term,
    Terms,
    Tuple,
)
from taut.program.noise import Noise
from taut.program.program import children, reachable, substituted
from taut.program.values import Anything, IntegerRange
from taut.support.algebra.expression import Expression
from taut.support.limits import checkpoints

__all__ = ["OpenCoin", "WindowUnfit", "known_weights", "open_values", "with_marks"]

_ROUNDS = 60
_WIDEST = 200_000
_MOST_CENTERS = 100_000
_FEW = 64


@dataclass(frozen=True)
class OpenCoin:
    """A coin of noise without an end: its draw, its noise, and its centre; the ends that it has."""

    draw: int
    noise: Noise
    center: int
    low: int | None
    high: int | None

    def row(self, window: tuple[int, int]) -> tuple[tuple[Any, ...], Any]:
        """Return its outcomes and weights in a window."""
        low, high = (own if end is None else end for own, end in zip(window, (self.low, self.high), strict=True))
        outcomes, weights = self.noise.row(self.center, low, high)
        return tuple(outcomes), known_weights(weights)


class WindowUnfit(BaseException):
    """Raised where a program must be read again: with a wider window, or with some draws cut off far out."""

    def __init__(self, low: int = 0, high: int = 0, cut: frozenset[int] = frozenset()) -> None:
        super().__init__()
        self.low, self.high, self.cut = low, high, cut


def known_weights(weights: Any) -> Any:
    """Return weights as coins have them: expressions in parameters as their functions."""
    if isinstance(weights, tuple) and Expression in set(map(type, weights)):
        return tuple([weight.function if isinstance(weight, Expression) else weight for weight in weights])
    return weights


def open_values(coin: OpenCoin) -> IntegerRange:
    """Return the values that a draw may have, for what is simplified while a mechanism is read."""
    low, high = ENDLESS.low, ENDLESS.high
    return IntegerRange(low if coin.low is None else coin.low, high if coin.high is None else coin.high)


@dataclass(eq=False)
class _Around(Atom):
    """An atom: a term that is noise around a centre, with the centre's values and the noise."""

    center: Term = field(kw_only=True)
    values: Sequence[int] = field(kw_only=True)
    noise: Noise = field(kw_only=True)
    name: str = field(kw_only=True)
    number: int = field(kw_only=True)
    """Number of its first coin in the program that was read."""
    sign: int = field(default=1, kw_only=True)
    shift: tuple[int, int] = field(default=(0, 0), kw_only=True)
    """The least and the most that is added to the draw which was read."""

    def window(self) -> tuple[int, int]:
        """Return the ends for the draw such that this atom is in its tails wherever the draw is beyond them."""
        least, most = self.shift
        if self.sign > 0:
            return self.low - most, self.high - least
        return least - self.high, most - self.low


def with_marks(
    program: Program,
    coins: Mapping[int, OpenCoin],
    asked: Sequence[Term],
    window: tuple[int, int],
    values: Callable[[Term], list[Any]],
) -> Program:
    """Return the program with windows for its unbounded noise, and marks in its output for values beyond them.

    ``asked`` are the terms on which the reader has based decisions, with draws clamped to ``window``; ``values`` lists
    the values of a term without such draws.

    Guarantee:
        The distribution of the output is that of the program's own output with numbers beyond a mark as that mark;
        and the program's own output is distributed, given the marked one, in the same way on all inputs.

    Raises:
        WindowUnfit: the program must be read again.
    """
    made = _Marking(program, coins, asked, values)
    if not made.used:
        return replace(program, ends=Ends(window)) if coins else program  # their draws decide nothing
    made.settle()
    low, high = (end(one.window()[side] for one in made.atoms) for side, end in ((0, min), (1, max)))
    if low < window[0] or high > window[1]:
        raise WindowUnfit(low, high)
    return made.program_with_marks(window)


class _Marking:
    """The atoms of one program, their windows, and the tails of its output."""

    def __init__(
        self,
        program: Program,
        coins: Mapping[int, OpenCoin],
        asked: Sequence[Term],
        values: Callable[[Term], list[Any]],
    ) -> None:
        self.program, self.coins, self.values = program, coins, values
        self.roots = [program.output, program.evidence, *asked]
        self.used = False
        below = reachable(self.roots) if coins else []
        found = [term for term in below if isinstance(term, Coin) and term.index in coins]
        if not found:
            return
        self.used = True
        self.random: set[Term] = set(found)
        self.parents: dict[Term, set[Term | None]] = {root: {None} for root in self.roots}
        for term in checkpoints(below, 4096):
            for part in children(term):
                self.parents.setdefault(part, set()).add(term)
                if part in self.random:
                    self.random.add(term)
        self.asked = [root for root in self.roots[1:] if root in self.random]
        self.atoms: list[_Around] = []
        draws: dict[int, list[Coin]] = {}
        for term in found:
            draws.setdefault(coins[term.index].draw, []).append(term)
        for own in draws.values():
            self._atoms_of(own)
        self.atoms.sort(key=lambda atom: atom.term.serial)
        self.groups: list[tuple[Any, tuple[Tail, ...]]] = []
        self.structure = _structure_of(program.output)
        self.final: set[Term | None] = set(reachable([program.output, program.evidence]))

    # -- atoms -----------------------------------------------------------------------------------------------------

    def _atoms_of(self, own: Sequence[Coin]) -> None:
        """Add the atoms of a draw: one, if its coins are only chosen from in one place."""
        users = {user for coin in own for user in self.parents[coin]}
        infos = [self.coins[coin.index] for coin in own]
        if len(users) == 1:
            (base,) = users
            alike = {(info.noise.key, info.low, info.high) for info in infos}
            chosen = isinstance(base, Select) and set(base.items) == set(own) and base.index not in self.random
            if chosen and len(alike) == 1:
                assert base is not None
                self._climb(base, own)
                return
        for coin in own:
            self._climb(coin, [coin])

    def _climb(self, base: Term, own: Sequence[Coin]) -> None:
        """Add an atom: the base with all that is added to it, clamped as it is at once."""
        info = self.coins[own[0].index]
        top, sign, offsets = base, 1, list[Term]()
        terms = self.program.terms
        while info.low is None and info.high is None:
            user = self._only_user(top)
            if not isinstance(user, Apply) or user.operation.name not in ("add", "sub", "neg"):
                break
            others = [arg for arg in user.args if arg is not top]
            if len(others) != len(user.args) - 1 or any(
                other in self.random or ends_of(other.values) is None for other in others
            ):
                break
            if user.operation.name == "neg" or (user.operation.name == "sub" and user.args[1] is top):
                sign, offsets = -sign, [terms.apply("neg", offset) for offset in offsets]
            elif user.operation.name == "sub":
                others = [terms.apply("neg", other) for other in others]
            offsets += others
            top = user
        center = self._center(base, own, sign, offsets)
        values = self._values(center)
        if values is None:
            top, center = base, self._center(base, own, 1, [])
            sign, offsets, values = 1, [], self._values(center)
            if values is None:
                raise WindowUnfit(cut=frozenset({info.draw}))
        shift = [ends_of(offset.values) or (0, 0) for offset in offsets]
        low, high = info.low, info.high
        while (user := self._only_user(top)) is not None:
            ends = _clamped(user, top)
            if ends is None:
                break
            low, high = _met(low, ends[0], max), _met(high, ends[1], min)
            if low is not None and high is not None and low > high:
                break
            top = user
        if low is not None and high is not None and low > high:
            raise WindowUnfit(cut=frozenset({info.draw}))
        first, last = min(values) - 1, max(values) + 1
        self.atoms.append(
            _Around(
                top,
                frozenset({info.draw}),
                low if low is not None else first if high is None else min(first, high - 1),
                high if high is not None else last if low is None else max(last, low + 1),
                tuple([side for side, end in ((-1, low), (1, high)) if end is None]),
                center=center,
                values=values,
                noise=info.noise,
                name=self.program.coins[own[0].index].name,
                number=own[0].index,
                sign=sign,
                shift=(sum(low for low, _ in shift), sum(high for _, high in shift)),
            )
        )

    def _only_user(self, term: Term) -> Term | None:
        users = self.parents[term]
        return next(iter(users)) if len(users) == 1 else None

    def _center(self, base: Term, own: Sequence[Coin], sign: int, offsets: Sequence[Term]) -> Term:
        terms = self.program.terms
        if isinstance(base, Select):
            centers = {coin: self.coins[coin.index].center for coin in own}
            row = [centers[item] for item in base.items]  # type: ignore[index]
            center = base.index
            if not all(type(key) is int and key == own for key, own in zip(base.keys, row, strict=True)):
                center = terms.select(base.index, base.keys, [terms.const(place) for place in row])
        else:
            center = terms.const(self.coins[own[0].index].center)
        if sign < 0:
            center = terms.apply("neg", center)
        if not offsets:
            return center
        if isinstance(center, Const) and center.value == 0:
            if len(offsets) > 1:
                return terms.apply("add", *offsets)
            if not isinstance(offsets[0].values, frozenset) or all(type(v) is int for v in offsets[0].values):
                return offsets[0]
        return terms.apply("add", center, *offsets)

    def _values(self, center: Term) -> list[int] | None:
        """Return the values of a centre; None if they are too many, or not all integers."""
        if isinstance(center.values, frozenset) and len(center.values) <= _FEW:
            values: Any = center.values
        else:
            values = self.values(center)
        if not 0 < len(values) <= _MOST_CENTERS or not all(isinstance(value, int) for value in values):
            return None
        return sorted({int(value) for value in values})

    # -- windows ---------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Widen the windows until they decide all that is asked, and items of the output end where they do."""
        for _ in range(_ROUNDS):
            tails = Tails(self.atoms)
            for root in self.asked:
                known = tails.of(root)
                tails.fail(*([] if known is None else known.pieces.values()))
            feeds = self._feeds(tails)
            for (atom, side), end in tails.needs.items():
                if side > 0:
                    atom.high = max(atom.high, end)
                else:
                    atom.low = min(atom.low, end)
                if atom.high - atom.low > _WIDEST + max(self._span(atom), 0):
                    tails.failed.add(atom)
            if not tails.needs and not tails.failed:
                self._group(tails, feeds)
            if tails.failed:
                raise WindowUnfit(cut=frozenset(draw for atom in tails.failed for draw in atom.draws))
            if not tails.needs:
                return
        raise WindowUnfit(cut=frozenset(draw for atom, _ in tails.needs for draw in atom.draws))

    def _span(self, atom: Atom) -> int:
        assert isinstance(atom, _Around)
        return max(atom.values) - min(atom.values)

    def _feeds(self, tails: Tails) -> dict[tuple[tuple[int, ...], bool], list[Piece]]:
        """Return, for each path of the output, the pieces that rise (True) and those that fall, up to one place."""
        self.leaves = _leaves(self.program.output, tails)
        pieces: dict[tuple[int, ...], dict[tuple[Atom, int, int], Piece]] = {}
        cores: dict[tuple[int, ...], list[Any]] = {}
        anything: set[tuple[int, ...]] = set()
        for (leaf, path), labels in self.leaves.items():
            known = tails.of(leaf)
            for label, value in [(None, leaf.values)] if known is None else known:
                if not any(both(label, own) is not NEVER for own in labels):
                    continue
                if isinstance(value, Piece):
                    key = value.atom, value.side, value.slope
                    other = pieces.setdefault(path, {}).setdefault(key, value)
                    if other != value:
                        tails.fail(value)
                elif isinstance(value, Anything):
                    anything.add(path)
                    if known is not None:
                        tails.fail(*known.pieces.values())
                else:
                    _numbers(value, path, cores)
                    if known is not None and not all(isinstance(one, (int, Fraction)) for one in _few(value)):
                        tails.fail(*known.pieces.values())  # a mark is a comparison with all of the item's values
        feeds: dict[tuple[tuple[int, ...], bool], list[Piece]] = {}
        for path, own in pieces.items():
            if any(path[: len(open_path)] == open_path for open_path in anything):
                tails.fail(*own.values())
            for rises in (True, False):
                feed = [piece for piece in own.values() if piece.rises is rises]
                if feed:
                    feeds[path, rises] = feed
                    _aligned(tails, feed, cores.get(path, []), rises)
        return feeds

    def _group(self, tails: Tails, feeds: Mapping[tuple[tuple[int, ...], bool], list[Piece]]) -> None:
        """Group the tails of the output by the noise that they show; an atom that is mixed with others fails."""
        paths: dict[tuple[Atom, int], set[tuple[int, ...]]] = {}
        for (path, _), feed in feeds.items():
            for piece in feed:
                paths.setdefault((piece.atom, piece.side), set()).add(path)
        shared: dict[Any, list[Tail]] = {}
        ratios: dict[Any, Any] = {}
        for (path, rises), feed in feeds.items():
            first = feed[0]
            assert isinstance(first.atom, _Around)
            alone = all(len(paths[piece.atom, piece.side]) == 1 for piece in feed)
            fits = len({abs(piece.slope) for piece in feed}) == 1 and (
                len({piece.atom.noise.key for piece in feed if isinstance(piece.atom, _Around)}) == 1
                if alone
                else len(feed) == 1
            )
            if not fits:
                tails.fail(*feed)
                continue
            key: Any = (path, rises) if alone else (first.atom, first.side)
            mark = (AtLeast if rises else AtMost)(first.nearest)
            shared.setdefault(key, []).append(Tail(path, mark, abs(first.slope)))
            ratio = first.atom.noise.ratio
            ratios[key] = ratio.function if isinstance(ratio, Expression) else ratio
        self.groups = [(ratios[key], tuple(own)) for key, own in shared.items()]

    # -- the program -----------------------------------------------------------------------------------------------

    def program_with_marks(self, window: tuple[int, int]) -> Program:
        program, terms = self.program, Terms()
        marks = {(tail.path, isinstance(tail.mark, AtLeast)): tail.mark for _, tails in self.groups for tail in tails}
        entries = [terms.input(place, variable.values) for place, variable in enumerate(program.inputs)]
        atoms = {atom.number: atom for atom in self.atoms}
        kept = {index for atom in self.atoms for index in self._own(atom)}
        coins: list[CoinVariable] = []
        numbers: dict[int, int] = {}
        placed: dict[Atom, int] = {}
        shown = {atom: self._shown(atom, marks) for atom in self.atoms}
        for index, coin in enumerate(program.coins):
            atom = atoms.get(index)
            if atom is not None:
                placed[atom] = len(coins)
                coins += self._coins(atom, coin.draw, shown[atom])
            elif index not in kept and index not in self.coins:
                numbers[index] = len(coins)
                coins.append(coin)
        known: dict[Term, Term] = {}
        for atom in self.atoms:
            (center,) = substituted(terms, [atom.center], entries, program.coins, numbers, known)
            items = [
                terms.coin(number, coins[number].outcomes)
                if len(coins[number].outcomes) > 1
                else terms.const(coins[number].outcomes[0])
                for number in range(placed[atom], placed[atom] + len(atom.values))
            ]
            known[atom.term] = items[0] if isinstance(center, Const) else terms.select(center, atom.values, items)
        output = self._rebuilt(terms, entries, numbers, known, marks, {a.term for a in self.atoms if shown[a]})
        (evidence,) = substituted(terms, [program.evidence], entries, program.coins, numbers, known)
        ends = Ends(window, tuple(self.groups))
        return replace(program, coins=tuple(coins), output=output, evidence=evidence, terms=terms, ends=ends)

    def _own(self, atom: _Around) -> list[int]:
        return [index for index, coin in self.coins.items() if coin.draw in atom.draws]

    def _coins(self, atom: _Around, draw: int, shown: bool) -> list[CoinVariable]:
        """Return the coins of an atom, one for each centre; if it is ``shown``, its tails are marks."""
        made = []
        for center in checkpoints(atom.values, 64):
            outcomes, weights = atom.noise.row(center, atom.low, atom.high)
            if shown and atom.low < atom.high and len(outcomes) == atom.high - atom.low + 1:
                outcomes = _with_marks(atom.low, atom.high, atom.tails)
            elif shown:
                outcomes = tuple([_mark(atom, outcome) for outcome in outcomes])
            made.append(CoinVariable(atom.name, tuple(outcomes), known_weights(weights), draw))
        return made

    def _shown(self, atom: _Around, marks: Mapping[Any, Any]) -> bool:
        """Return True if an atom is only an item of the output, whose tails are those of the atom."""
        paths = [path for leaf, path in self.leaves if leaf is atom.term]
        users = [user for user in self.parents[atom.term] if user is not None and user in self.final]
        if not paths or any(user not in self.structure or atom.term in self._tests(user) for user in users):
            return False
        wanted = {side > 0: atom.end(side) for side in atom.tails}
        return all(
            (rises in wanted) is ((path, rises) in marks)
            and (rises not in wanted or marks[path, rises].bound == wanted[rises])
            for path in paths
            for rises in (True, False)
        )

    def _tests(self, term: Term) -> tuple[Term, ...]:
        if term not in self.structure:
            return ()
        return (term.test,) if isinstance(term, Ite) else (term.index,) if isinstance(term, Select) else ()

    def _rebuilt(
        self,
        terms: Terms,
        entries: Sequence[Term],
        numbers: Mapping[int, int],
        known: Mapping[Term, Term],
        marks: Mapping[tuple[tuple[int, ...], bool], AtLeast | AtMost],
        shown: set[Term],
    ) -> Term:
        """Return the output with marks."""
        structure = self.structure
        needed = dict.fromkeys([leaf for leaf, _ in self.leaves])
        needed.update(dict.fromkeys(test for term in structure for test in self._tests(term)))
        made = dict(
            zip(needed, substituted(terms, list(needed), entries, self.program.coins, numbers, known), strict=True)
        )
        done: dict[tuple[Term, tuple[int, ...]], Term] = {}
        stack: list[tuple[Term, tuple[int, ...]]] = [(self.program.output, ())]
        while stack:
            term, path = stack[-1]
            if (term, path) in done:
                stack.pop()
                continue
            if term not in structure:
                done[term, path] = made[term] if term in shown else _marked(terms, made[term], path, marks)
                continue
            parts = _branches(term, path)
            missing = [part for part in parts if part not in done]
            if missing:
                stack += missing
                continue
            items = [done[part] for part in parts]
            if isinstance(term, Ite):
                done[term, path] = terms.ite(made[term.test], *items)
            elif isinstance(term, Select):
                done[term, path] = terms.select(made[term.index], term.keys, items)
            else:
                done[term, path] = terms.tuple(items)
        return done[self.program.output, ()]


def _met(own: int | None, other: int | None, by: Callable[[int, int], int]) -> int | None:
    return own if other is None else other if own is None else by(own, other)


def _clamped(user: Term, term: Term) -> tuple[int | None, int | None] | None:
    """Return the low and the high end that a term gets from its user, if that only clamps it."""
    if not isinstance(user, Apply) or user.operation.name not in ("min", "max"):
        return None
    others = [arg for arg in user.args if arg is not term]
    if len(others) != len(user.args) - 1 or not all(
        isinstance(arg, Const) and type(arg.value) is int and abs(arg.value) < FAR for arg in others
    ):
        return None
    numbers = [arg.value for arg in others]  # type: ignore[attr-defined]
    return (None, min(numbers)) if user.operation.name == "min" else (max(numbers), None)


def _structure_of(output: Term) -> dict[Term, None]:
    """Return the terms that only choose between items of the output, or put them together."""
    found: dict[Term, None] = {}
    stack = [output]
    while stack:
        term = stack.pop()
        if term in found or not _chooses(term):
            continue
        found[term] = None
        stack += [part for part, _ in _branches(term, ())]
    return found


def _chooses(term: Term) -> bool:
    if isinstance(term, Select):
        return any(isinstance(item, (Tuple, Ite)) for item in term.items)
    return isinstance(term, (Ite, Tuple))


def _branches(term: Term, path: tuple[int, ...]) -> list[tuple[Term, tuple[int, ...]]]:
    if isinstance(term, Ite):
        return [(term.then, path), (term.other, path)]
    if isinstance(term, Select):
        return [(item, path) for item in term.items]
    assert isinstance(term, Tuple)
    return [(item, (*path, place)) for place, item in enumerate(term.items)]


def _leaves(output: Term, tails: Tails) -> dict[tuple[Term, tuple[int, ...]], set[Label]]:
    """Return the items of an output with their paths, and the labels of draws under which they are returned."""
    leaves: dict[tuple[Term, tuple[int, ...]], set[Label]] = {}
    waiting: dict[tuple[Term, tuple[int, ...]], set[Label]] = {(output, ()): {None}}
    heap: list[tuple[int, int, Term, tuple[int, ...]]] = [(-output.serial, 0, output, ())]
    count = 0
    while heap:
        _, _, term, path = heapq.heappop(heap)
        labels = waiting.pop((term, path), None)
        if labels is None:
            continue
        if None in labels:
            labels = {None}
        if not _chooses(term):
            leaves.setdefault((term, path), set()).update(labels)
            continue
        for (branch, place), own in zip(_branches(term, path), _taken(term, tails), strict=True):
            met = {both(label, other) for label in labels for other in own} - {NEVER}
            if met:
                count += 1
                waiting.setdefault((branch, place), set()).update(met)
                heapq.heappush(heap, (-branch.serial, count, branch, place))
    return leaves


def _taken(term: Term, tails: Tails) -> list[set[Label]]:
    """Return, for each branch of a term that chooses, the labels (a draw and its side) under which it is taken."""
    if isinstance(term, Tuple):
        return [{None} for _ in term.items]
    assert isinstance(term, (Ite, Select))
    test = term.test if isinstance(term, Ite) else term.index
    known = tails.of(test)
    options: list[tuple[Label, Any]] = [(None, test.values)] if known is None else list(known)
    tails.fail(*[value for _, value in options])
    options = [(label, value) for label, value in options if not isinstance(value, Piece)]
    if isinstance(term, Ite):
        return [{label for label, value in options if may_be(value, truth)} for truth in (True, False)]
    return [{label for label, value in options if key in value} for key in term.keys]


def _numbers(value: Any, path: tuple[int, ...], cores: dict[tuple[int, ...], list[Any]]) -> None:
    """Add the numbers in some values, also inside tuples, to those of their paths."""
    if isinstance(value, IntegerRange):
        cores.setdefault(path, []).extend((value.low, value.high))
        return
    for one in value:
        if isinstance(one, tuple):
            for place, item in enumerate(one):
                _numbers((item,), (*path, place), cores)
        elif isinstance(one, (int, float, Fraction)):
            cores.setdefault(path, []).append(one)


def _few(values: Any) -> Any:
    return () if isinstance(values, IntegerRange) else values


def _aligned(tails: Tails, feed: Sequence[Piece], cores: Sequence[Any], rises: bool) -> None:
    """Require windows such that all pieces of an item begin in one place, beyond its other numbers."""
    if any(piece.least != piece.most for piece in feed):
        tails.fail(*feed)
        return
    if any(isinstance(number, float) or abs(number) >= FAR for number in cores):
        tails.fail(*feed)
        return
    ends = [piece.nearest for piece in feed]
    target = max(ends) if rises else min(ends)
    for number in cores:
        if rises and number >= target:
            target = int(number // 1) + 1
        elif not rises and number <= target:
            target = -int(-number // 1) - 1
    for piece in feed:
        if piece.nearest != target:
            far = Fraction(target - piece.least, piece.slope)
            tails.need(
                piece, -(-far.numerator // far.denominator) if piece.side > 0 else far.numerator // far.denominator
            )


def _with_marks(low: int, high: int, tails: tuple[int, ...]) -> tuple[Any, ...]:
    key = low, high, tails
    if key not in _MARKED:
        if len(_MARKED) > _FEW:
            _MARKED.clear()
        _MARKED[key] = (
            AtMost(low) if -1 in tails else low,
            *range(low + 1, high),
            AtLeast(high) if 1 in tails else high,
        )
    return _MARKED[key]


_MARKED: dict[Any, tuple[Any, ...]] = {}
"""Outcomes that draws around many centres share."""


def _mark(atom: Atom, outcome: int) -> Any:
    if outcome == atom.high and 1 in atom.tails:
        return AtLeast(outcome)
    return AtMost(outcome) if outcome == atom.low and -1 in atom.tails else outcome


def _marked(
    terms: Terms, term: Term, path: tuple[int, ...], marks: Mapping[tuple[tuple[int, ...], bool], AtLeast | AtMost]
) -> Term:
    """Return an item with the marks of its path; constants are never beyond them."""
    if isinstance(term, Const):
        return term
    made = term
    for rises, name in ((True, "ge"), (False, "le")):
        mark = marks.get((path, rises))
        if mark is not None and not (isinstance(term.values, frozenset) and mark.bound not in term.values):
            made = terms.ite(terms.apply(name, term, terms.const(mark.bound)), terms.const(mark), made)
    return made
