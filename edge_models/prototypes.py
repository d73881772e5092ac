"""Banks of examples: those that say the same are taken together, and a text is held against what is left.

After upstream's prototype scoring: examples within `cluster` of each other form a group, the largest first; each group is
represented by its medoid; of more than `most` groups the largest stay. A text's score mixes the likeness to the nearest
representative with the mean of the nearest `top`.
"""

from __future__ import annotations

import numpy as np

from edge_models.pooling import Floats


class Prototypes:
    """vectors: (examples, width), rows of length 1; at least one."""

    def __init__(self, vectors: Floats, cluster: float, most: int, weight: float, top: int) -> None:
        self._all = vectors
        chosen = representatives(vectors @ vectors.T, cluster)
        self._kept: Floats = vectors[chosen[:most]]
        self._weight = weight
        self._top = top

    def __len__(self) -> int:
        return len(self._kept)

    def score(self, vector: Floats) -> tuple[float, float, float]:
        """(score, best, support) of a unit vector."""
        likeness = np.sort(self._kept @ vector)[::-1]
        best, support = float(likeness[0]), float(likeness[: self._top].mean())
        return self._weight * best + (1 - self._weight) * support, best, support

    def best(self, vector: Floats) -> float:
        """The likeness to the nearest example of all, merged ones too."""
        return float((self._all @ vector).max())


def representatives(likeness: Floats, cluster: float) -> list[int]:
    """Each group's medoid, the largest group first. likeness: (examples, examples), symmetric."""
    left = list(range(len(likeness)))
    groups: list[list[int]] = []
    while left:
        near = [[other for other in left if other == seed or likeness[seed, other] >= cluster] for seed in left]
        group = max(near, key=len)  # of equals the first, in the examples' order
        groups.append(group)
        left = [place for place in left if place not in group]
    groups.sort(key=len, reverse=True)
    return [max(group, key=lambda place: float(likeness[place, group].mean())) for group in groups]
