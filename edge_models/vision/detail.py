"""How much there is to see in a picture: a cheap measure, for how hard a question about it may be.

The entropy of how strong its edges are, seen a few hundred pixels wide: an empty page has none, a few words on it have
little, a map, a crowd or a full screen has much.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

_SIDE: Final = 384
_LEVELS: Final = 32


def detail(image: Any) -> float:
    """In [0, 1], with two digits. image: Pillow's, RGB."""
    grey = image.convert("L")
    grey.thumbnail((_SIDE, _SIDE))
    pixels = np.asarray(grey, np.float32)
    if min(pixels.shape) < 2:
        return 0.0
    down, across = np.gradient(pixels)
    counts, _ = np.histogram(np.hypot(down, across), _LEVELS, (0, 128))
    shares = counts[counts > 0] / counts.sum()
    return round(float((shares * -np.log2(shares)).sum() / np.log2(_LEVELS)), 2)
