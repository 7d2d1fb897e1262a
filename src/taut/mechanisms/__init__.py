"""The algorithms we ship, each written as a user would write it."""

from taut.mechanisms.catalog import CATALOG, Entry, resolve
from taut.mechanisms.counting import (
    binary_tree_counter,
    geometric_count,
    histogram,
    prefix_sums,
    rr_majority,
    subsampled_geometric,
)
from taut.mechanisms.local import (
    k_ary_randomized_response,
    one_time_rappor,
    optimised_unary_encoding,
    randomized_response,
    rappor,
    rr_count,
    subset_selection,
    symmetric_unary_encoding,
)
from taut.mechanisms.selection import exponential_mechanism, permute_and_flip, report_noisy_max
from taut.mechanisms.sparse_vector import (
    above_threshold,
    sparse_vector,
    svt_no_budget,
    svt_no_query_noise,
    svt_no_threshold_noise,
    svt_noisy_value,
    svt_unscaled,
)
from taut.model import Mechanism

__all__ = [
    "BUILT_IN",
    "CATALOG",
    "Entry",
    "above_threshold",
    "binary_tree_counter",
    "exponential_mechanism",
    "geometric_count",
    "histogram",
    "k_ary_randomized_response",
    "one_time_rappor",
    "optimised_unary_encoding",
    "permute_and_flip",
    "prefix_sums",
    "randomized_response",
    "rappor",
    "report_noisy_max",
    "resolve",
    "rr_count",
    "rr_majority",
    "sparse_vector",
    "subsampled_geometric",
    "subset_selection",
    "svt_no_budget",
    "svt_no_query_noise",
    "svt_no_threshold_noise",
    "svt_noisy_value",
    "svt_unscaled",
    "symmetric_unary_encoding",
]

BUILT_IN: dict[str, Mechanism] = {name: entry.mechanism for name, entry in CATALOG.items()}
