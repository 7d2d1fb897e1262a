"""The studies: each a function of its parameters that returns its answer as text."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import taut
from taut.mechanisms import (
    above_threshold,
    binary_tree_counter,
    exponential_mechanism,
    histogram,
    permute_and_flip,
    randomized_response,
    report_noisy_max,
    rr_count,
)
from taut.symmetry import rr_count_accuracy_set, rr_count_inference_set, rr_inference_set, rr_privacy_set


def relation_of_randomized_response(n: int) -> str:
    return str(randomized_response(taut.bits(n), lam="3/10").size)


def relation_of_count(n: int) -> str:
    return str(rr_count(taut.bits(n), lam="3/10").size)


def relation_of_above_threshold(n: int, k: int) -> str:
    return str(above_threshold(taut.ints(n, 0, k), threshold=k // 2, ratio="1/2", high=k).size)


def count_of_noisy_bits(n: int, semiring: str) -> str:
    model = rr_count(taut.bits(n), lam="3/10")
    found = model.distribution(tuple(i % 2 for i in range(n)), semiring=semiring)
    if semiring == "exact":
        return f"{len(found)} outputs, sum {sum(found.values())}"
    return "sum within 1e-9 of 1" if abs(sum(found.values()) - 1) < 1e-9 else f"sum {sum(found.values())}"


def binary_size_of_above_threshold(n: int, k: int) -> str:
    model = above_threshold(taut.ints(n, 0, k), threshold=k - 1, ratio=taut.exp("-5"), high=k, strict=True)
    return str(max(model.fix((value,) * n).bdd_size for value in range(k + 1)))


def privacy_of_randomized_response(n: int) -> str:
    bound = randomized_response(taut.bits(n), lam="1/5").privacy()
    return f"{bound.max_ratio}, {bound.count} triples"


def privacy_of_above_threshold(n: int, k: int) -> str:
    model = above_threshold(taut.ints(n, 0, k), threshold=k // 2, ratio="1/2", high=k)
    return str(model.privacy("one_differ").max_ratio)


def restricted_privacy_of_randomized_response(n: int) -> str:
    model = randomized_response(taut.bits(n), lam="1/5")
    bound = model.privacy(inference_set=rr_inference_set(n), privacy_set=rr_privacy_set(n))
    return str(bound.max_ratio)


def restricted_accuracy_of_count(n: int) -> str:
    alpha = -(-n // 10)
    model = rr_count(taut.bits(n), lam="1/5")
    sets = {"accuracy_set": rr_count_accuracy_set(n), "inference_set": rr_count_inference_set(n, alpha)}
    return f"{float(model.accuracy(sum, alpha, **sets).probability):.6f}"


def bound_of_randomized_response(n: int, method: str) -> str:
    return exactly(randomized_response(taut.bits(n), lam="3/10").privacy(method=method))


def bound_of_above_threshold(n: int, k: int, method: str, neighbors: str = "one_differ") -> str:
    model = above_threshold(taut.ints(n, 0, k), threshold=k // 2, ratio="1/2", high=k)
    return exactly(model.privacy(neighbors, method=method))


def bound_of_noisy_max(n: int, k: int, method: str) -> str:
    return exactly(report_noisy_max(taut.ints(n, 0, k), ratio="1/2", high=k).privacy("all_step", method=method))


def bound_of_count(n: int, method: str) -> str:
    alpha = -(-n // 10)
    sets: dict[str, Any] = {}
    if method == "restricted":
        sets = {"accuracy_set": rr_count_accuracy_set(n), "inference_set": rr_count_inference_set(n, alpha)}
    return exactly(rr_count(taut.bits(n), lam="1/5").accuracy(sum, alpha, method=method, **sets))


def interval_of_above_threshold(n: int, k: int, time_limit: float) -> tuple[str, dict[str, Any]]:
    model = above_threshold(taut.ints(n, 0, k), threshold=k // 2, ratio="1/2", high=k)
    bound = model.privacy("one_differ", method="search", time_limit=time_limit)
    replayed = "replayed" if bound.verify() else "NOT CONFIRMED"
    interval = {
        "lower": f"{float(bound.lower):.10g}",
        "upper": f"{float(bound.upper):.10g}",
        "upper over lower": f"1 + {float(bound.upper / bound.lower - 1):.3g}",
        "exact": bound.exact,
    }
    return f"the lower end is {replayed}", interval


def exactly(bound: Any) -> str:
    """An exact value, so that two are the same text only if they are the same number; long ones by a digest."""
    value = bound.attained
    if not bound.exact:
        return f"only an interval, {bound}"
    text = str(value)
    if len(text) <= 40 or not isinstance(value, Fraction):
        return text
    return f"{float(value):.10g}, {len(text)} digits, {hashlib.sha256(text.encode()).hexdigest()[:8]}"


@taut.mechanism
def median_by_ranks(x: Any, high: int) -> Any:
    """The exponential mechanism, with how far a value's rank is from the middle as its score."""
    scores = []
    for value in range(high + 1):
        below = sum(entry < value for entry in x)
        above = sum(entry > value for entry in x)
        scores.append(-abs(below - above))
    return taut.exponential(scores, 2)


@taut.mechanism
def shuffled_reports(x: Any, k: int) -> Any:
    """The histogram of the answers of k-ary randomized response: what a shuffler shows."""
    counts = [0] * k
    for value in x:
        report = value
        if taut.flip("1/2"):
            report = taut.uniform(0, k - 1)
        counts[report] += 1
    return counts


def privacy_of_exponential(n: int) -> str:
    return str(exponential_mechanism(taut.ints(n, 0, 2), base=2).privacy("one_differ").max_ratio)


def privacy_of_permute_and_flip(n: int) -> str:
    return str(permute_and_flip(taut.ints(n, 0, 2), base=2).privacy("all_step").max_ratio)


def privacy_of_median(n: int, high: int) -> str:
    return str(median_by_ranks(taut.ints(n, 0, high), high=high).privacy().max_ratio)


def privacy_of_histogram(n: int, k: int) -> str:
    return str(histogram(taut.ints(n, 0, k - 1), k=k, ratio="1/2").privacy().max_ratio)


def privacy_of_binary_tree(n: int) -> str:
    return str(binary_tree_counter(taut.bits(n), ratio="1/2").privacy().max_ratio)


def privacy_of_noisy_max(n: int) -> str:
    return str(report_noisy_max(taut.ints(n, 0, 3), ratio="1/2", high=3).privacy("all_step").max_ratio)


def privacy_of_shuffled_reports(n: int, k: int) -> str:
    return str(shuffled_reports(taut.ints(n, 0, k - 1), k=k).privacy().max_ratio)


def closed_form_of_randomized_response(n: int) -> str:
    (piece,) = randomized_response(taut.bits(n), lam=taut.parameter("lam", 0, "1/2")).privacy().pieces
    return str(piece.value)


def closed_form_of_count(n: int, alpha: int) -> str:
    (piece,) = rr_count(taut.bits(n), lam=taut.parameter("lam", 0, "1/2")).accuracy(sum, alpha).pieces
    return str(piece.value)


def closed_form_of_above_threshold(n: int, k: int) -> str:
    ratio = taut.parameter("ratio", 0, "9/10")
    bound = above_threshold(taut.ints(n, 0, k), threshold=1, ratio=ratio, high=k).privacy("one_differ")
    return "; ".join(f"{piece.value} from {piece.low}" for piece in bound.pieces)


def delta_formula_of_count(n: int) -> str:
    bound = rr_count(taut.bits(n), lam=taut.parameter("lam", 0, "1/2")).delta(ratio=2)
    return f"{len(bound.pieces)} pieces, {float(bound.at('1/4')):.10g} at 1/4"


def calibration_of_count(n: int, alpha: int, probability: str) -> str:
    model = rr_count(taut.bits(n), lam=taut.parameter("lam", 0, "1/2"))
    return str(model.calibrate(epsilon=3, accuracy=(sum, alpha, probability)).best)


def thousand_runs(mechanism: str, tool: str, grid: float = 0.0) -> tuple[str, dict[str, Any]]:
    """Epsilon at delta = 10^-6 of a thousand runs; the answer says on which side of the truth it is."""
    from accountants import by_dp_accounting, by_prv_accountant, by_taut, profile_of

    profile = profile_of(mechanism)
    start = time.process_time()
    estimate = None
    if tool == "taut":
        low, high = by_taut(profile)
    elif tool == "dp_accounting":
        low = high = by_dp_accounting(profile, grid)
    else:
        low, estimate, high = by_prv_accountant(profile, grid)
    seconds = round(time.process_time() - start, 2)
    truth = by_taut(profile)
    told: dict[str, Any] = {"epsilon": high, "seconds of composition": seconds}
    if low < high:
        told["lower"] = low
    if estimate is not None:
        told["estimate"] = estimate
    if tool == "taut":
        return f"between {low:.6f} and {high:.6f}", told
    side = "on the safe side" if high >= truth[1] else "BELOW the truth" if high < truth[0] else "within the interval"
    if estimate is not None:
        side += ", its estimate " + ("too" if estimate >= truth[1] else "not")
    return f"{side}, {high / truth[1] - 1:.0e} off", told


def plain_loop(name: str, **sizes: int) -> str:
    """A bound by the loop that somebody without taut would write."""
    import plain

    return str(getattr(plain, f"plain_{name}")(**sizes))


STUDIES: dict[str, Callable[..., Any]] = {
    study.__name__: study
    for study in (
        relation_of_randomized_response,
        relation_of_count,
        relation_of_above_threshold,
        count_of_noisy_bits,
        binary_size_of_above_threshold,
        privacy_of_randomized_response,
        privacy_of_above_threshold,
        restricted_privacy_of_randomized_response,
        restricted_accuracy_of_count,
        bound_of_randomized_response,
        bound_of_above_threshold,
        bound_of_noisy_max,
        bound_of_count,
        interval_of_above_threshold,
        privacy_of_exponential,
        privacy_of_permute_and_flip,
        privacy_of_median,
        privacy_of_histogram,
        privacy_of_binary_tree,
        privacy_of_noisy_max,
        privacy_of_shuffled_reports,
        closed_form_of_randomized_response,
        closed_form_of_count,
        closed_form_of_above_threshold,
        delta_formula_of_count,
        calibration_of_count,
        thousand_runs,
        plain_loop,
    )
}
