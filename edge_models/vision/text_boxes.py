"""Where words stand in a picture: boxes around lines, out of a map of how sure each pixel is of text.

The map is a network's (differentiable binarization, Liao et al. 2020): it marks the core of each line, so each patch of it
is boxed as tightly as it can be, in any direction, and the box is let out by as much as training had shrunk it. Of a
rectangle let out evenly, the tightest box is that rectangle with its sides moved, so no polygon has to be clipped for it.
"""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from edge_models.pooling import Floats

SURE: Final = 0.3
"""From how much on a pixel belongs to a line: PP-OCRv6's own setting, as the next two."""
BOX_SURE: Final = 0.5
UNCLIP: Final = 1.6
_CLOSE: Final = np.ones((2, 2), np.uint8)
_LEAST_SIDE: Final = 3.0
_SPECK: Final = 6.0
MOST: Final = 1000
"""Boxes of one picture; more than that is a texture."""


def boxes_of(sureness: Floats, width: int, height: int) -> Floats:
    """Boxes of lines in a picture of width and height pixels.

    sureness: (rows, columns), how sure each pixel of the picture, in whatever size, is of text. Returns (boxes, 4, 2), the
    corners from the top left clockwise, in pixels of the picture.
    """
    rows, columns = sureness.shape
    mask = cv2.dilate((sureness > SURE).astype(np.uint8), _CLOSE)
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    scale = np.array([width / columns, height / rows], np.float32)
    found = []
    for contour in contours[:MOST]:
        centre, (across, down), angle = cv2.minAreaRect(contour)
        if min(across, down) < _LEAST_SIDE:
            continue
        if _mean_within(sureness, cv2.boxPoints((centre, (across, down), angle))) < BOX_SURE:
            continue
        out = across * down * UNCLIP / (2 * (across + down))
        corners = cv2.boxPoints((centre, (across + 2 * out, down + 2 * out), angle))
        found.append(_from_top_left(np.asarray(corners, np.float32)) * scale)
    return np.stack(found) if found else np.zeros((0, 4, 2), np.float32)


def _mean_within(sureness: Floats, corners: Any) -> float:
    rows, columns = sureness.shape
    left, top = np.clip(np.floor(corners.min(0)), 0, (columns - 1, rows - 1)).astype(int)
    right, bottom = np.clip(np.ceil(corners.max(0)), 0, (columns - 1, rows - 1)).astype(int)
    mask = np.zeros((bottom - top + 1, right - left + 1), np.uint8)
    cv2.fillPoly(mask, [(corners - (left, top)).astype(np.int32)], 1)
    return float(cv2.mean(sureness[top : bottom + 1, left : right + 1], mask)[0])


def _from_top_left(corners: Floats) -> Floats:
    """The two on the left first, as PP-OCR orders them: top left, top right, bottom right, bottom left."""
    by_x = corners[np.argsort(corners[:, 0], kind="stable")]
    left, right = by_x[:2], by_x[2:]
    top_left, bottom_left = left[np.argsort(left[:, 1], kind="stable")]
    top_right, bottom_right = right[np.argsort(right[:, 1], kind="stable")]
    return np.stack([top_left, top_right, bottom_right, bottom_left])


def heights(boxes: Floats) -> Floats:
    """Of each box the shorter side."""
    lower: Floats = np.linalg.norm(boxes - np.roll(boxes, -1, axis=1), axis=2).min(1)
    return lower


def faint(sureness: Floats) -> bool:
    """Whether something is there that is too low to be boxed, and longer than a speck: words that have to be seen closer."""
    mask = (sureness > SURE).astype(np.uint8)
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    sides = [sorted(cv2.minAreaRect(contour)[1]) for contour in contours]
    return any(low < _LEAST_SIDE and long >= _SPECK for low, long in sides)


def joined(found: list[Floats], more: Floats) -> list[Floats]:
    """Boxes of one part of a picture and of the next: a line that both see, whole or a piece of it, gets one box."""
    boxes = list(found)
    fresh: list[Floats] = []
    for box in more:
        for place in [place for place, other in enumerate(boxes) if _is_one_line(other, box)][::-1]:
            corners = cv2.boxPoints(cv2.minAreaRect(np.concatenate([boxes.pop(place), box])))
            box = _from_top_left(np.asarray(corners, np.float32))
        fresh.append(box)
    return boxes + fresh


def _is_one_line(one: Floats, other: Floats) -> bool:
    """Whether two boxes touch along a line: they share more than half of the smaller one's height, or width."""
    shared = _shared(one, other)
    return bool(shared.min() > 0.02 and shared.max() > 0.5)


def is_seen_by(box: Floats, others: list[Floats]) -> bool:
    """Whether others that are about as high fill most of a box's length."""
    height = min(_distance(box[0], box[1]), _distance(box[0], box[3]))
    filled = 0.0
    for other in others:
        shared = _shared(box, other)
        theirs = min(_distance(other[0], other[1]), _distance(other[0], other[3]))
        if shared.min() > 0 and height < 2 * theirs and theirs < 2 * height:
            filled += max(_distance(other[0], other[1]), _distance(other[0], other[3]))
    return filled > 0.7 * max(_distance(box[0], box[1]), _distance(box[0], box[3]))


def cover(one: Floats, other: Floats) -> bool:
    """Whether most of the smaller one lies in the other."""
    return bool(_shared(one, other).min() > 0.6)


def _shared(one: Floats, other: Floats) -> Floats:
    """What two boxes share along the first one's sides, each as a part of the smaller one's; below 0: they are apart."""
    along = one[1] - one[0]
    along = along / max(float(np.hypot(*along)), 1e-6)
    turn = np.array([along, (-along[1], along[0])], np.float32).T
    first, second = one @ turn, other @ turn
    low, high = np.maximum(first.min(0), second.min(0)), np.minimum(first.max(0), second.max(0))
    shared: Floats = (high - low) / np.maximum(np.minimum(np.ptp(first, 0), np.ptp(second, 0)), 1e-6)
    return shared


def straight(pixels: NDArray[np.uint8], box: Floats, height: int, squeeze: float, most: int) -> NDArray[np.uint8]:
    """A box's pixels as a strip of `height`, whose width keeps its sides' ratio times squeeze, up to `most` pixels.

    pixels: (rows, columns, 3). One that stands upright is laid on its side.
    """
    across = max(_distance(box[0], box[1]), _distance(box[3], box[2]), 1.0)
    down = max(_distance(box[0], box[3]), _distance(box[1], box[2]), 1.0)
    if down >= 1.5 * across:
        box = np.roll(box, -1, axis=0)  # its top right corner becomes the strip's top left: it is turned to the left
        across, down = down, across
    width = int(min(max(height * across / down * squeeze, 8), most))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    turn = cv2.getPerspectiveTransform(np.ascontiguousarray(box, np.float32), target)
    way = cv2.INTER_AREA if down > 2 * height else cv2.INTER_CUBIC
    return cv2.warpPerspective(pixels, turn, (width, height), borderMode=cv2.BORDER_REPLICATE, flags=way).astype(
        np.uint8
    )


def _distance(one: Floats, other: Floats) -> float:
    return float(np.linalg.norm(one - other))
