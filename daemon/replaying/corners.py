"""Which points of cost and quality are worth having: those that no mixture of the others is as good as."""

from __future__ import annotations

from collections.abc import Sequence


def corners(points: Sequence[tuple[float, float]]) -> list[int]:
    """Which points, of cost and quality, are corners of the line over all of them, from the cheapest to the best.

    Mixing points at random reaches that line, and nothing above it.
    """
    kept: list[int] = []
    for place in sorted(range(len(points)), key=lambda each: (points[each][0], -points[each][1])):
        if kept and points[place][1] <= points[kept[-1]][1]:
            continue  # dearer, and no better
        while len(kept) > 1 and not _over(points[kept[-2]], points[kept[-1]], points[place]):
            kept.pop()
        kept.append(place)
    return kept


def _over(first: tuple[float, float], middle: tuple[float, float], last: tuple[float, float]) -> bool:
    """Whether the middle one lies above the line through the others."""
    return (middle[1] - first[1]) * (last[0] - first[0]) > (last[1] - first[1]) * (middle[0] - first[0])


def thinned(places: Sequence[int], most: int) -> list[int]:
    """So many at most, spread evenly, the first and the last among them."""
    if len(places) <= most:
        return list(places)
    return [places[round(step * (len(places) - 1) / (most - 1))] for step in range(most)]
