"""Whether single parts of a recipe make sense: features, bands, algorithms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from daemon.recipes.algorithms import Algorithm
from daemon.recipes.problems import Problem, wrong
from daemon.recipes.projections import Mapping
from daemon.recipes.signals import Source
from daemon.recipes.values import Bounds


def check_source(source: Source, key: str) -> Iterator[Problem]:
    """Of a feature: what it counts is given, and its pattern is one."""
    needed = {"regex": source.pattern, "keyword_set": source.keywords, "sequence": source.sequences}
    if source.type in needed and not needed[source.type]:
        word = {"regex": "pattern", "keyword_set": "keywords", "sequence": "sequences"}[source.type]
        yield wrong("missing", f"{key}.{word}", "this key is missing", "add it")
    if source.type == "regex" and source.pattern:
        try:
            re.compile(source.pattern)
        except (re.error, OverflowError, RecursionError) as error:
            yield wrong("bad-pattern", f"{key}.pattern", f"this is no regular expression: {error}", "mend it")


def check_bands(mapping: Mapping, key: str) -> Iterator[Problem]:
    """Of a mapping: each band has numbers in it, and they don't overlap unless they may."""
    for place, output in enumerate(mapping.outputs):
        if _interval(output.bounds) is None:
            message = f"no number is in the band `{output.name}`"
            yield wrong("empty-band", f"{key}.outputs[{place}]", message, "look at its bounds")
    if mapping.method == "multi_emit":
        return
    bands = [(interval, output.name) for output in mapping.outputs if (interval := _interval(output.bounds))]
    bands.sort()
    for (one, first), (other, second) in pairwise(bands):
        # ends are (number, 0 inside or 1 just beyond): an upper end of (0.2, 1) is `lt: 0.2`
        if other[0] < one[1]:
            message = f"the bands `{first}` and `{second}` overlap"
            yield wrong("overlap", f"{key}.outputs", message, "mend the bounds, or use `method: multi_emit`")


def _interval(bounds: Bounds) -> tuple[tuple[float, int], tuple[float, int]] | None:
    """From the first number inside to the first beyond, in numbers with a half-step; None if nothing is inside."""
    low = max(
        (bounds.gt if bounds.gt is not None else float("-inf"), 1 if bounds.gt is not None else 0),
        (bounds.gte if bounds.gte is not None else float("-inf"), 0),
    )
    high = min(
        (bounds.lt if bounds.lt is not None else float("inf"), 0),
        (bounds.lte if bounds.lte is not None else float("inf"), 1),
    )
    return (low, high) if low < high else None


def check_algorithm(algorithm: Algorithm, key: str) -> Iterator[Problem]:
    """The only options are its own."""
    for word in algorithm.__struct_fields__:
        if word not in ("type", "on_error", algorithm.type) and getattr(algorithm, word) is not None:
            message = f"`{word}` is of no use for `{algorithm.type}`"
            yield wrong("misplaced", f"{key}.{word}", message, f"write `{algorithm.type}:`, or change `type`")
