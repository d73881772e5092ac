"""The scale between two encoders' likenesses."""

from __future__ import annotations

import numpy as np

from edge_models.pooling import Floats, unit
from edge_models.training.parallel import languages, requests, scale


class Numbered:
    """Puts the nth request of each language at the same place, blurred; `sharp` is how far apart places are."""

    def __init__(self, sharp: float, blur: float) -> None:
        chance = np.random.default_rng(2)
        self._blur = blur
        self._chance = np.random.default_rng(3)
        self._places = {}
        base = chance.standard_normal((len(requests("english")), 64)) * sharp + 1
        for language in ("english", *languages()):
            for place, text in enumerate(requests(language)):
                self._places[text] = base[place]

    def embed(self, texts: tuple[str, ...]) -> Floats:
        rows = np.stack([self._places[text] for text in texts])
        return unit((rows + self._blur * self._chance.standard_normal(rows.shape)).astype(np.float32))


def test_the_lists_correspond() -> None:
    """As many in each language, each once."""
    counts = {len(requests(language)) for language in ("english", *languages())}
    assert counts == {len(set(requests("english")))}
    assert len(languages()) == 6


def test_equal_ranks_are_equal_likenesses() -> None:
    """Though one encoder puts all nearer together, and a translation is no 1 to it."""
    found = scale(Numbered(3.0, 0.0), Numbered(1.0, 0.3))
    points = found.points
    assert points == tuple(sorted(points))
    assert points[-1][1] == 1.0
    assert points[-1][0] < 0.99
    assert found.english(points[4][0]) == points[4][1]
