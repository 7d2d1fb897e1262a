"""Standard library functions in plain Python, interpreted in place of the originals.

Each does what CPython's own does, in the same order: a heap, for example, lies in its list as heapq leaves it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["prelude"]


def heappush(heap: Any, item: Any) -> None:
    _require_list(heap)
    heap.append(item)
    _siftdown(heap, 0, len(heap) - 1)


def heappop(heap: Any) -> Any:
    _require_list(heap)
    last = heap.pop()
    if heap:
        first = heap[0]
        heap[0] = last
        _siftup(heap, 0)
        return first
    return last


def heapreplace(heap: Any, item: Any) -> Any:
    _require_list(heap)
    first = heap[0]
    heap[0] = item
    _siftup(heap, 0)
    return first


def heappushpop(heap: Any, item: Any) -> Any:
    _require_list(heap)
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        _siftup(heap, 0)
    return item


def heapify(heap: Any) -> None:
    _require_list(heap)
    for place in reversed(range(len(heap) // 2)):
        _siftup(heap, place)


def _require_list(heap: Any) -> None:
    if not isinstance(heap, list):
        raise TypeError("a heap must be a list")


def _siftdown(heap: Any, start: int, place: int) -> None:
    item = heap[place]
    while place > start:
        above = (place - 1) >> 1
        parent = heap[above]
        if item < parent:
            heap[place] = parent
            place = above
            continue
        break
    heap[place] = item


def _siftup(heap: Any, place: int) -> None:
    end, start = len(heap), place
    item = heap[place]
    child = 2 * place + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    _siftdown(heap, start, place)


def bisect_left(a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> Any:
    hi = len(a) if hi is None else hi
    while lo < hi:
        mid = (lo + hi) // 2
        if (a[mid] if key is None else key(a[mid])) < x:
            lo = mid + 1
        else:
            hi = mid
    return lo


def bisect_right(a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> Any:
    hi = len(a) if hi is None else hi
    while lo < hi:
        mid = (lo + hi) // 2
        if x < (a[mid] if key is None else key(a[mid])):
            hi = mid
        else:
            lo = mid + 1
    return lo


def insort_left(a: Any, x: Any) -> None:
    a.insert(bisect_left(a, x), x)


def insort_right(a: Any, x: Any) -> None:
    a.insert(bisect_right(a, x), x)


def mean(data: Any) -> Any:
    values = list(data)
    if not values:
        raise ValueError("mean requires at least one data point")
    return sum(values) / len(values)


def median(data: Any) -> Any:
    data = sorted(data)
    n = len(data)
    if n == 0:
        raise ValueError("no median for empty data")
    if n % 2 == 1:
        return data[n // 2]
    return (data[n // 2 - 1] + data[n // 2]) / 2


def median_low(data: Any) -> Any:
    data = sorted(data)
    n = len(data)
    if n == 0:
        raise ValueError("no median for empty data")
    return data[n // 2] if n % 2 == 1 else data[n // 2 - 1]


def median_high(data: Any) -> Any:
    data = sorted(data)
    if not data:
        raise ValueError("no median for empty data")
    return data[len(data) // 2]


def groupby(iterable: Any, key: Any = None) -> Iterator[Any]:
    """Implement itertools.groupby; a group ends as soon as the next one is requested."""
    items: Any = []
    known: Any = None
    for item in iterable:
        here = item if key is None else key(item)
        if items and here != known:
            group = iter(items)
            yield (known, group)
            for _ in group:
                pass
            items = []
        if not items:
            known = here
        items.append(item)
    if items:
        group = iter(items)
        yield (known, group)
        for _ in group:
            pass


def cycle(iterable: Any) -> Iterator[Any]:
    saved = []
    for item in iterable:
        yield item
        saved.append(item)
    while saved:
        yield from saved


_READ: dict[tuple[str, str], Callable[..., Any]] = {
    ("_heapq", "heappush"): heappush,
    ("_heapq", "heappop"): heappop,
    ("_heapq", "heapreplace"): heapreplace,
    ("_heapq", "heappushpop"): heappushpop,
    ("_heapq", "heapify"): heapify,
    ("_bisect", "bisect_left"): bisect_left,
    ("_bisect", "bisect_right"): bisect_right,
    ("_bisect", "insort_left"): insort_left,
    ("_bisect", "insort_right"): insort_right,
    ("statistics", "median"): median,
    ("statistics", "mean"): mean,
    ("statistics", "fmean"): mean,
    ("statistics", "median_low"): median_low,
    ("statistics", "median_high"): median_high,
    ("itertools", "groupby"): groupby,
    ("itertools", "cycle"): cycle,
}
"""Replacements by module and name, so that no module is imported just for the lookup."""


def prelude(function: Any) -> Callable[..., Any] | None:
    """Return the replacement of a standard library function, None if there is none."""
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    found = _READ.get((module, name))
    return found if found is not None and getattr(sys.modules.get(module), name, None) is function else None
