"""Commands about claims and saved results: check, replay and explain."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer

from taut.interfaces.cli.common import (
    AsJson,
    DistanceOption,
    Method,
    NeighborsOption,
    TargetFunction,
    TimeLimit,
    check_outputs,
    command,
    progress,
    tell_written,
    with_limits,
    with_versions,
)
from taut.interfaces.cli.output import BAD_INPUT, INTERVAL, TOO_LARGE, WRONG, printable, show, stop
from taut.interfaces.cli.supervisor import MORE_TIME, SECONDS, budget
from taut.interfaces.queries.functions import is_file, load_function, load_functions, named_function
from taut.interfaces.queries.query import described, read_query, read_settings
from taut.interfaces.queries.questions import DISTANCES, TARGETS, relation_named
from taut.interfaces.queries.saved import replay as replay_result
from taut.interfaces.reports import text
from taut.interfaces.reports.checks import Verified, verified
from taut.interfaces.reports.formats import Case, json_text, junit_xml
from taut.model import Mechanism, mechanism
from taut.support.errors import InvalidInput, TautError, TooLarge, meant
from taut.support.files import write_file
from taut.support.limits import remaining
from taut.support.options import options
from taut.verification.claims import Claim, Verdict, claims_of

Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE.py... | TARGET [NAME=VALUE]...",
        help="Files whose claims are checked (file.py:name for one mechanism), or a mechanism with a claim in options.",
        show_default=False,
    ),
]


@command("check")
@with_limits(lambda kind: kind.claimable, "claim ")
def check(
    words: Words = None,
    *,
    limits: dict[str, Any],
    alpha: Annotated[
        str | None, typer.Option(help="With --probability: claim accuracy within alpha.", show_default=False)
    ] = None,
    probability: Annotated[str | None, typer.Option(help="The claimed 1-beta.", show_default=False)] = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    neighbors: NeighborsOption = None,
    method: Method = "auto",
    compose: Annotated[int, typer.Option(help="With a claim in options: number of runs that keep to it together.")] = 1,
    time_limit: TimeLimit = SECONDS,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Run ``taut check``.

    Every claim may use an equal share of the time that is left; one that could only be decided up to an interval is
    undecided, exit code 4.
    """
    check_outputs(None, junit)
    if (alpha is None) != (probability is None):
        raise InvalidInput("check: --alpha and --probability go together: within alpha with at least this probability.")
    with budget(time_limit):
        parts = dict(limits)
        if alpha is not None:
            far = named_function(distance, DISTANCES, "--distance")
            parts["accuracy"] = (named_function(aim, TARGETS, "--target"), alpha, probability, far)
        if parts:
            relation = {} if neighbors is None else {"neighbors": relation_named(neighbors)}
            asked = _typed_claim(words or [], parts, {**relation, "method": method, "compose": compose})
        else:
            if neighbors is not None or method != "auto" or compose != 1:
                raise InvalidInput(
                    "check: --neighbors, --method and --compose go with a claim in options, such as --epsilon 1."
                )
            asked = _read_claims(words or [])
        with progress("claims", len(asked)) as step:
            outcomes = [_outcome(one, len(asked) - done, step, replay=as_json) for done, one in enumerate(asked)]
    if junit is not None:
        write_file(junit, junit_xml("taut", [outcome.case for outcome in outcomes]))
    if as_json:
        typer.echo(json_text([outcome.to_dict() for outcome in outcomes]))
    else:
        alone = len({one.asked.place.rpartition(":")[0] for one in outcomes}) == 1  # then all stand in one file
        rows = [
            (status, label.removeprefix(f"{one.asked.place.rpartition(':')[0]}:") if alone else label, *rest)
            for one in outcomes
            for status, label, *rest in one.rows
        ]
        show(text.simple_table("Claims", ["", "mechanism", "claim", "exact"], rows, words=True))
        for one in outcomes:
            if one.status != "holds":
                typer.echo(f"{one.asked.place}: {one.text}")
        tell_written(junit)
    _exit(outcomes)


@dataclass(frozen=True)
class _AskedClaim:
    """A claim that is to be checked: where it stands, and the arguments that it leaves open."""

    place: str
    mechanism: Mechanism
    claim: Claim
    given: Mapping[str, Any]

    @property
    def label(self) -> str:
        """The place with the domains for which it is claimed: 'mine.py:noisy(x=bits(4))'."""
        return f"{self.place}({self.claim.databases})" if self.claim.databases else self.place

    def leaves_open(self, name: str) -> bool:
        """Return True if the mechanism has a parameter of this name, and the claim gives no value for it."""
        parameters = signature(self.mechanism.function)
        try:
            own = parameters.bind_partial(*self.claim.args, **self.claim.arguments).arguments
        except TypeError:
            return True  # which the check of the claim itself says
        return name in parameters.parameters and name not in own

    @property
    def name(self) -> str:
        return str(self.mechanism.function.__name__)

    def to_dict(self) -> dict[str, Any]:
        """Return the question in full: the mechanism, its arguments as text, and its databases.

        Raises:
            WrongArguments: an argument is unknown or missing, or no database is given.
        """
        return described(self.name, self.claim.bound_to(self.mechanism, self.given))

    def check(self, time_limit: float | None) -> Verdict:
        """Return the verdict."""
        verdict: Verdict = self.claim.check(self.mechanism, self.given, time_limit)
        return verdict


def _read_claims(words: Iterable[str]) -> list[_AskedClaim]:
    """Return the claims of files (``file.py`` or ``file.py:name``); settings ``name=value`` fill what claims leave
    open.

    Raises:
        InvalidInput: a file or a name is not there, or no mechanism in it has a claim.
    """
    words = list(words)
    targets = [word for word in words if is_file(word.partition("=")[0])]
    if not targets:
        raise InvalidInput("check: name a file with claims, like taut check mine.py; or type one, with --epsilon 1.")
    given = read_settings([word for word in words if word not in targets])
    found: list[_AskedClaim] = []
    for target in targets:
        path, colon, name = target.rpartition(":") if ".py:" in target else (target, "", "")
        functions = {name: load_function(target)} if colon else load_functions(path)
        claims = [
            _AskedClaim(f"{path}:{key}", value if isinstance(value, Mechanism) else mechanism(value), claim, given)
            for key, value in functions.items()
            for claim in claims_of(value)
        ]
        if not claims:
            raise InvalidInput(
                f"there is no claim in {target}; write one above a mechanism, like @taut.claim(x=bits(4), epsilon=1), "
                "or type one, with --epsilon 1.",
                value=target,
            )
        found += claims
    for name in given:
        if not any(one.leaves_open(name) for one in found):
            known = {key: None for one in found for key in signature(one.mechanism.function).parameters}
            why = f"the claims give {name} themselves" if name in known else f"no mechanism here has '{name}'"
            raise InvalidInput(
                f"check: {why}; arguments on the command line are those that claims leave open.{meant(name, known)}",
                value=name,
            )
    return found


def _typed_claim(words: Iterable[str], parts: Mapping[str, Any], question: Mapping[str, Any]) -> list[_AskedClaim]:
    """Return the claim that options state about one target with its settings."""
    words = list(words)
    if not words or "=" in words[0]:
        raise InvalidInput("check: name the mechanism that the claim is about, like taut check rr n=8 --epsilon 1.")
    query = read_query(words[0], words[1:])
    claim = Claim(parts, (), query.arguments, question)
    _ = claim.words  # refuses what makes no sense before any work
    return [_AskedClaim(query.name, query.mechanism, claim, {})]


@dataclass(frozen=True)
class _ClaimOutcome:
    """A claim with its verdict, or with the error that prevents one."""

    asked: _AskedClaim
    verdict: Verdict | None
    problem: TautError | None
    seconds: float
    replayed: Verified | None = None
    """Outcome of replaying the witness of the bound that decides; None where it was not tried."""

    @property
    def status(self) -> str:
        return "error" if self.verdict is None else self.verdict.status

    @property
    def words(self) -> str:
        return self.asked.claim.words

    @property
    def text(self) -> str:
        return str(self.problem) if self.verdict is None else str(self.verdict)

    @property
    def rows(self) -> list[tuple[str, str, str, str]]:
        """Its rows of the table: one per part of the claim."""
        if self.verdict is None:
            return [(self.status, self.asked.label, self.words, "")]
        return [(part.status, self.asked.label, part.claim, part.found) for part in self.verdict.parts]

    @property
    def case(self) -> Case:
        return Case(self.asked.label, self.words, self.status, self.text, self.seconds)

    def to_dict(self) -> dict[str, Any]:
        head = {"place": self.asked.place, "claims": self.words}
        seconds = {"seconds": round(self.seconds, 6)}
        if self.verdict is None:
            question = with_versions({"mechanism": self.asked.name})
            return {**head, **question, "status": "error", "error": self.text, **seconds}
        question = with_versions(self.asked.to_dict())
        check = {} if self.replayed is None else {"verification": self.replayed.to_dict()}
        return {**head, **question, **self.verdict.to_dict(), **check, **seconds}


def _outcome(asked: _AskedClaim, left: int, step: Any, replay: bool) -> _ClaimOutcome:
    """Check a claim, in an equal share of the time if so many are left with it."""
    seconds = remaining() / left
    start = time.perf_counter()
    verdict, problem, replayed = None, None, None
    try:
        with options(time_limit=max(seconds, 0.001) if seconds < math.inf else None):
            verdict = asked.check(None)
            replayed = verified(verdict.bound) if replay else None
    except TautError as error:  # what is wrong with one claim says nothing about the others
        problem = error
    step(asked.name)
    return _ClaimOutcome(asked, verdict, problem, time.perf_counter() - start, replayed)


def _exit(outcomes: list[_ClaimOutcome]) -> None:
    """End with the exit code of the worst outcome: a failing, an invalid, or an undecided claim."""
    status = [one.status for one in outcomes]
    replays = [one.replayed.outcome for one in outcomes if one.replayed is not None]
    if any(outcome is not None and not outcome for outcome in replays):
        stop("replaying a witness gave another number; this is a fault in taut.", WRONG)
    if "fails" in status:
        raise typer.Exit(WRONG)
    problems = [one.problem for one in outcomes if one.problem is not None]
    if any(not isinstance(problem, TooLarge) for problem in problems):
        raise typer.Exit(BAD_INPUT)
    if problems:
        raise typer.Exit(TOO_LARGE)
    if "undecided" in status:
        stop(f"{status.count('undecided')} of {len(status)} claims are undecided. {MORE_TIME}", INTERVAL)


@command("replay")
def replay(
    path: Annotated[Path, typer.Argument(metavar="RESULT.json", help="A file that --save or bound.save(path) wrote.")],
    allow: Annotated[
        list[Path] | None,
        typer.Option(
            help="Run this file, or files below this folder, wherever it is and although it has changed. Repeatable.",
            show_default=False,
        ),
    ] = None,
    neighbors: Annotated[
        str | None, typer.Option(help="The relation, if it is your own: file.py:predicate.", show_default=False)
    ] = None,
    aim: Annotated[
        str | None, typer.Option("--target", help="The target, if it is your own: file.py:name.", show_default=False)
    ] = None,
    distance: Annotated[
        str | None, typer.Option(help="The distance, if it is your own: file.py:name.", show_default=False)
    ] = None,
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """Run ``taut replay``.

    A Python file that the result names is run only if it is below the working directory and unchanged, or allowed. Exit
    code 1 if the result is not confirmed, 2 if it is damaged, or must not be run.
    """
    with budget(time_limit):
        outcome = replay_result(
            path,
            neighbors=None if neighbors is None else relation_named(neighbors),
            target=None if aim is None else named_function(aim, TARGETS, "--target"),
            distance=None if distance is None else named_function(distance, DISTANCES, "--distance"),
            allow=allow or (),
        )
    if as_json:
        typer.echo(json_text(outcome.to_dict()))
    else:
        lines = [str(outcome)] if not outcome else [str(outcome), outcome.case, outcome.not_recomputed]
        typer.echo(printable("\n".join(lines)))
    if not outcome:
        stop("the saved result is not confirmed.", WRONG)


@command("explain")
def explain(
    path: Annotated[Path, typer.Argument(metavar="RESULT.json", help="A file that --save or bound.save(path) wrote.")],
) -> None:
    """Run ``taut explain``."""
    from taut.interfaces.reports.text import sentences
    from taut.verification.saved import load_result

    typer.echo(printable("\n".join(sentences(load_result(path)))))
