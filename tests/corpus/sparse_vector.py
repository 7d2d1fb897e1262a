"""Sparse vector and above-threshold, correct and broken, in the shapes in which they have been published."""

from tests.corpus.case import Case

from taut import discrete, flip, geometric, helper, ints, mechanism, uniform

CASES: list[Case] = []


@mechanism
def above_threshold(x, threshold, ratio, high):
    noisy_threshold = geometric(threshold, ratio, 0, high)
    for i, value in enumerate(x):
        if geometric(value, ratio, 0, high) >= noisy_threshold:
            return i
    return len(x)


CASES.append(
    Case("above_threshold", above_threshold, {"x": ints(3, 0, 2)}, {"threshold": 1, "ratio": "1/2", "high": 2})
)


@mechanism
def above_threshold_or_none(x, threshold, ratio, high):
    rho = geometric(threshold, ratio, 0, high)
    for i in range(len(x)):
        nu = geometric(x[i], ratio, 0, high)
        if nu > rho:
            return i
    return None


CASES.append(
    Case(
        "above_threshold_or_none",
        above_threshold_or_none,
        {"x": ints(3, 0, 2)},
        {"threshold": 1, "ratio": "1/3", "high": 2},
    )
)


@mechanism
def svt_until_first(x, threshold, ratio, high):
    """Answers up to and including the first positive one: lists of different lengths."""
    t = geometric(threshold, ratio, 0, high)
    answers = []
    for q in x:
        if geometric(q, ratio, 0, high) >= t:
            answers.append(True)
            return answers
        answers.append(False)
    return answers


CASES.append(
    Case("svt_until_first", svt_until_first, {"x": ints(3, 0, 2)}, {"threshold": 1, "ratio": "1/2", "high": 2})
)


@mechanism
def svt_symbols(x, threshold, ratio, high):
    """The textbook's output: a string of bottoms, then a top."""
    rho = geometric(threshold, ratio, 0, high)
    out = []
    for q in x:
        above = geometric(q, ratio, 0, high) >= rho
        out.append("top" if above else "bottom")
        if above:
            break
    return out


CASES.append(Case("svt_symbols", svt_symbols, {"x": ints(3, 0, 2)}, {"threshold": 2, "ratio": "1/2", "high": 2}))


@mechanism
def svt_budget(x, threshold, ratio, high, c):
    """Stop after c positive answers."""
    rho = geometric(threshold, ratio, 0, high)
    count = 0
    out = []
    for q in x:
        if geometric(q, ratio, 0, high) >= rho:
            out.append(1)
            count += 1
            if count >= c:
                break
        else:
            out.append(0)
    return out


CASES.append(Case("svt_budget", svt_budget, {"x": ints(3, 0, 2)}, {"threshold": 1, "ratio": "1/2", "high": 2, "c": 2}))


@mechanism
def svt_refresh(x, threshold, ratio, high, c):
    """A fresh noisy threshold after every positive answer."""
    rho = geometric(threshold, ratio, 0, high)
    remaining = c
    answers = []
    for q in x:
        if remaining == 0:
            answers.append(None)
            continue
        if geometric(q, ratio, 0, high) >= rho:
            answers.append(True)
            rho = geometric(threshold, ratio, 0, high)
            remaining -= 1
        else:
            answers.append(False)
    return answers


CASES.append(
    Case("svt_refresh", svt_refresh, {"x": ints(3, 0, 2)}, {"threshold": 1, "ratio": "1/4", "high": 2, "c": 2})
)


@mechanism
def svt_while(x, threshold, ratio, high, c):
    rho = geometric(threshold, ratio, 0, high)
    i = 0
    found = 0
    out = []
    while i < len(x) and found < c:
        hit = geometric(x[i], ratio, 0, high) >= rho
        out += [hit]
        found += hit
        i += 1
    return out


CASES.append(Case("svt_while", svt_while, {"x": ints(3, 0, 2)}, {"threshold": 1, "ratio": "1/2", "high": 2, "c": 1}))


@mechanism
def svt_no_query_noise(x, threshold, ratio, high):
    """Broken: only the threshold is noisy (Stoddard et al.)."""
    rho = geometric(threshold, ratio, 0, high)
    return [q >= rho for q in x]


CASES.append(
    Case("svt_no_query_noise", svt_no_query_noise, {"x": ints(3, 0, 3)}, {"threshold": 1, "ratio": "1/2", "high": 3})
)


@mechanism
def svt_no_threshold_noise(x, threshold, ratio, high):
    """Broken: the threshold is not noisy."""
    for i in range(len(x)):
        if geometric(x[i], ratio, 0, high) >= threshold:
            return i
    return -1


CASES.append(
    Case(
        "svt_no_threshold_noise",
        svt_no_threshold_noise,
        {"x": ints(3, 0, 2)},
        {"threshold": 2, "ratio": "1/2", "high": 2},
    )
)


@mechanism
def svt_reports_value(x, threshold, ratio, high):
    """Broken: the noisy value that was compared is reported (Dwork and Roth, as lecture notes had it)."""
    rho = geometric(threshold, ratio, 0, high)
    out = []
    for q in x:
        v = geometric(q, ratio, 0, high)
        if v >= rho:
            out.append(v)
            return out
        out.append(None)
    return out


CASES.append(
    Case("svt_reports_value", svt_reports_value, {"x": ints(3, 0, 2)}, {"threshold": 1, "ratio": "1/2", "high": 2})
)


@mechanism
def svt_numeric(x, threshold, ratio, high):
    """The numeric variant: a fresh noisy value for the query that passed."""
    rho = geometric(threshold, ratio, 0, high)
    for i, q in enumerate(x):
        if geometric(q, ratio, 0, high) >= rho:
            return (i, geometric(q, ratio, 0, high))
    return "nothing"


CASES.append(Case("svt_numeric", svt_numeric, {"x": ints(2, 0, 2)}, {"threshold": 1, "ratio": "1/2", "high": 2}))


@mechanism
def svt_mixed_outputs(x, threshold, ratio, high):
    """Numbers, None and strings side by side."""
    rho = geometric(threshold, ratio, 0, high)
    out = []
    for q in x:
        noisy = geometric(q, ratio, 0, high)
        if noisy > rho:
            out.append(noisy - rho)
        elif noisy == rho:
            out.append("tie")
        else:
            out.append(None)
    return out


CASES.append(
    Case("svt_mixed_outputs", svt_mixed_outputs, {"x": ints(2, 0, 2)}, {"threshold": 1, "ratio": "1/2", "high": 2})
)


@mechanism
def svt_no_stop(x, threshold, ratio, high):
    """Broken: every query is answered, without a bound on positive answers (Chen et al.)."""
    rho = geometric(threshold, ratio, 0, high)
    return [geometric(q, ratio, 0, high) >= rho for q in x]


CASES.append(Case("svt_no_stop", svt_no_stop, {"x": ints(3, 0, 2)}, {"threshold": 1, "ratio": "1/2", "high": 2}))


@mechanism
def svt_thresholds(x, thresholds, ratio):
    """A threshold of its own for each query, one common noise."""
    rho = geometric(0, ratio, -1, 1)
    for i, (q, t) in enumerate(zip(x, thresholds)):
        nu = geometric(0, ratio, -1, 1)
        if q + nu >= t + rho:
            return ["above", i]
    return ["below"]


CASES.append(Case("svt_thresholds", svt_thresholds, {"x": ints(3, 0, 2)}, {"thresholds": [1, 2, 0], "ratio": "1/2"}))


@mechanism
def svt_gap(x, threshold, ratio):
    """The gap to the noisy threshold comes for free."""
    rho = threshold + discrete({-1: ratio, 0: 1 - 2 * ratio, 1: ratio})
    for q in x:
        gap = q + discrete({-1: ratio, 0: 1 - 2 * ratio, 1: ratio}) - rho
        if gap >= 0:
            return gap
    return None


CASES.append(Case("svt_gap", svt_gap, {"x": ints(3, 0, 2)}, {"threshold": 1, "ratio": "1/4"}))


@helper
def passes(value, rho, ratio, high):
    if value == 0:
        return False
    return geometric(value, ratio, 0, high) >= rho


@mechanism
def svt_helper(x, threshold, ratio, high):
    rho = geometric(threshold, ratio, 0, high)
    for i, value in enumerate(x):
        if passes(value, rho, ratio, high):
            return i
    else:
        return "none"


CASES.append(Case("svt_helper", svt_helper, {"x": ints(3, 0, 2)}, {"threshold": 1, "ratio": "1/2", "high": 2}))


@mechanism
def svt_for_else(x, threshold, ratio, high):
    rho = geometric(threshold, ratio, 0, high)
    for i, value in enumerate(x):
        if geometric(value, ratio, 0, high) >= rho:
            answer = i
            break
    else:
        answer = len(x)
    return answer


CASES.append(Case("svt_for_else", svt_for_else, {"x": ints(3, 0, 2)}, {"threshold": 1, "ratio": "1/2", "high": 2}))


@mechanism
def svt_last_above(x, threshold, ratio, high):
    """The last query above: later hits overwrite earlier ones."""
    rho = geometric(threshold, ratio, 0, high)
    last = None
    for i, value in enumerate(x):
        if geometric(value, ratio, 0, high) >= rho:
            last = i
    return last


CASES.append(Case("svt_last_above", svt_last_above, {"x": ints(3, 0, 2)}, {"threshold": 2, "ratio": "1/2", "high": 2}))


@mechanism
def svt_flag(x, lam):
    """A Boolean flag instead of an early exit, on comparisons that lie now and then."""
    done = False
    out = []
    for q in x:
        if not done:
            above = (q >= 1) ^ flip(lam)
            out.append(above)
            done = done or above
    return out, done, len(out)


CASES.append(Case("svt_flag", svt_flag, {"x": ints(3, 0, 1)}, {"lam": "1/5"}))


@mechanism
def svt_random_start(x, lam):
    """The stream is entered at a random place and read round."""
    start = uniform(0, len(x) - 1)
    for step in range(len(x)):
        if (x[(start + step) % len(x)] > 1) ^ flip(lam):
            return (start + step) % len(x)
    return None


CASES.append(Case("svt_random_start", svt_random_start, {"x": ints(3, 1, 2)}, {"lam": "1/4"}))
CASES.append(Case("svt_random_start_three", svt_random_start, {"x": ints(3, 0, 2)}, {"lam": "1/3"}))
