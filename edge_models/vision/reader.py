"""Reading words in pictures: one network finds lines, another one reads each.

Both are PP-OCRv6's small models (`models.py`), run by OpenVINO; what stands around them is written here, since the package's
own code can fetch, and copies much. The finder sees the picture at most `FIND_SIDE` pixels long; the reader sees each line
48 pixels high, and says for every eight pixels of it which of 18,708 characters stands there, or none.

A line that can't be read may stand on its head: it is turned and read again, and what is surer stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models import openvino_gate
from edge_models.engines.base import Unavailable
from edge_models.pooling import Floats
from edge_models.vision.text_boxes import SURE as SURE_OF_A_PIXEL
from edge_models.vision.text_boxes import boxes_of, cover, faint, heights, is_seen_by, joined, straight

LINE_HEIGHT: Final = 48
FIND_SIDE: Final = 1280
GLANCE_SIDE: Final = 640
"""Words of 8 pixels in a picture of 1280 are seen at half its size as surely as at the whole (measured), in a quarter of the
time: a photograph without any is not looked at closer. What is seen so alone counts too: large words, or some on a ground
that looks like words from close up."""
_CLEAR: Final = 14.0
"""If no line is lower than so many pixels at a glance, a closer look finds the same ones (measured: 132 of 132 values)."""
_SMALL_SIDE: Final = 960
_ENLARGED: Final = 2.0
"""Smaller pictures are made larger, at most so much."""
_LONGEST: Final = 2.0
"""A picture that is longer than so many of its widths (a page from top to bottom) is looked at in parts."""
_STEP: Final = 32
"""The finder's sides are multiples of it."""
SQUEEZE: Final = 1.0
_WIDEST: Final = 3200
_WIDTH_STEP: Final = 160
_BATCH_WIDTH: Final = 1920
SURE: Final = 0.5
"""Below that a line is not words: PP-OCRv6's own setting."""
_TURNED_BELOW: Final = 0.88
"""Lines that stand on their head are read with 0.5 to 0.75, as they are held with 0.98 and more (measured)."""


class Words(Struct, frozen=True):
    """A line. box: (4, 2) corners in reading direction from its top left, in pixels. sure: in [0, 1]."""

    text: str
    box: Any
    sure: float


KEPT_SHAPES: Final = 32
"""Sizes of pictures and lines for which compiled code is kept. OpenVINO would keep it for 5,000, and every picture brings
sizes of its own: after a hundred pictures that were 3 GB (measured).
"""


class Reader:
    """The two networks."""

    def __init__(
        self, finder: Path, reader: Path, threads: int, squeeze: float = SQUEEZE, side: int = FIND_SIDE
    ) -> None:
        """Raises NotInstalled, Unavailable."""
        core = openvino_gate.core()
        how = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": threads,
            "CPU_RUNTIME_CACHE_CAPACITY": KEPT_SHAPES,
        }
        try:
            self._finder = core.compile_model(core.read_model(finder), "CPU", how).create_infer_request()
            read = core.read_model(reader)
            characters = str(read.get_rt_info()["framework"]["character"].value).splitlines()
            self._reader = core.compile_model(read, "CPU", how).create_infer_request()
        except (RuntimeError, KeyError) as error:
            raise Unavailable("OpenVINO can't run what reads words in pictures: install Nearloop again") from error
        self._characters = np.array(["", *characters, " "])
        self._squeeze, self._side = squeeze, side

    def find(self, pixels: NDArray[np.uint8]) -> Floats:
        """Where lines stand: (lines, 4, 2). pixels: (rows, columns, 3), RGB."""
        rows, columns = pixels.shape[:2]
        glanced: Floats = np.zeros((0, 4, 2), np.float32)
        if max(rows, columns) > GLANCE_SIDE and not _is_long(rows, columns):
            sureness = self._sureness(pixels, GLANCE_SIDE)
            if sureness.max() < SURE_OF_A_PIXEL:
                return glanced
            glanced = boxes_of(sureness, columns, rows)
            low = _CLEAR * max(rows, columns) / GLANCE_SIDE
            if len(glanced) and heights(glanced).min() >= low and not faint(sureness):
                return glanced
        found: list[Floats] = []
        for left, top, part in _parts(pixels):
            boxes = boxes_of(self._sureness(part, self._side), part.shape[1], part.shape[0])
            found = joined(found, boxes + np.array([left, top], np.float32))
        found += [box for box in glanced if not is_seen_by(box, found)]
        return np.stack(found) if found else glanced

    def _sureness(self, pixels: NDArray[np.uint8], side: int) -> Floats:
        """Of each pixel, of a picture made that long."""
        rows, columns = pixels.shape[:2]
        scale = side / max(rows, columns)
        scale = min(scale, max(1.0, min(_ENLARGED, _SMALL_SIDE / max(rows, columns))))
        size = tuple(max(_STEP, round(length * scale / _STEP) * _STEP) for length in (columns, rows))
        small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        self._finder.infer([_for_network(small[None, :, :, ::-1])])
        sureness: Floats = self._finder.get_output_tensor().data[0, 0]
        return sureness

    def read(self, pixels: NDArray[np.uint8]) -> list[Words]:
        """The lines that stand in a picture, as found. pixels: (rows, columns, 3), RGB."""
        boxes = self.find(pixels)
        bgr = np.ascontiguousarray(pixels[:, :, ::-1])
        strips = [straight(bgr, box, LINE_HEIGHT, self._squeeze, _WIDEST) for box in boxes]
        read = self._read(strips)
        doubtful = [place for place, (_, sure) in enumerate(read) if sure < _TURNED_BELOW]
        turned = self._read([np.ascontiguousarray(strips[place][::-1, ::-1]) for place in doubtful])
        words = []
        for place, (text, sure) in enumerate(read):
            box = boxes[place]
            if np.linalg.norm(box[0] - box[3]) >= 1.5 * np.linalg.norm(box[0] - box[1]):
                box = np.roll(box, -1, axis=0)
            if place in doubtful and turned[doubtful.index(place)][1] > sure:
                text, sure = turned[doubtful.index(place)]
                box = np.roll(box, 2, axis=0)
            if text.strip() and sure >= SURE:
                words.append(Words(text, box, sure))
        return _surest(words)

    def _read(self, strips: list[NDArray[np.uint8]]) -> list[tuple[str, float]]:
        """Text and how sure, of each strip (48, width, 3) in BGR."""
        read = [("", 0.0)] * len(strips)
        order = sorted(range(len(strips)), key=lambda place: strips[place].shape[1])
        while order:
            width = -(-strips[order[-1]].shape[1] // _WIDTH_STEP) * _WIDTH_STEP
            count = max(1, _BATCH_WIDTH // width)
            batch, order = order[-count:], order[:-count]
            pixels = np.full((len(batch), LINE_HEIGHT, width, 3), 127.5, np.float32)
            for row, place in enumerate(batch):
                pixels[row, :, : strips[place].shape[1]] = strips[place]
            self._reader.infer([_for_network(pixels)])
            sureness = self._reader.get_output_tensor().data
            for row, place in enumerate(batch):
                read[place] = self._spelt(sureness[row])
        return read

    def _spelt(self, sureness: Floats) -> tuple[str, float]:
        """A greedy reading: (steps, characters) to what is likeliest, once for each run of it; 0 is none."""
        best = sureness.argmax(1)
        sure = sureness[np.arange(len(best)), best]
        kept = (best != 0) & (np.append(True, best[1:] != best[:-1]))
        if not kept.any():
            return "", 0.0
        return "".join(self._characters[best[kept]]), float(sure[kept].mean())


def _surest(words: list[Words]) -> list[Words]:
    """Without those that cover, or lie in, a box in which more was read, or the same more surely."""
    kept: list[Words] = []
    for each in sorted(words, key=lambda one: -one.sure * len(one.text)):
        if not any(cover(each.box, other.box) for other in kept):
            kept.append(each)
    return kept


def _is_long(rows: int, columns: int) -> bool:
    """Whether it has to be looked at in parts."""
    return max(rows, columns) > max(FIND_SIDE, _LONGEST * min(rows, columns))


def _bounds(rows: int, columns: int) -> list[tuple[int, int]]:
    """Where parts begin and end on the long side; each shares a sixth of its length with the next."""
    long, short = max(rows, columns), min(rows, columns)
    if not _is_long(rows, columns):
        return [(0, long)]
    length = min(long, max(int(1.5 * short), 320))
    count = -(-(long - length) // (length * 5 // 6)) + 1
    if count == 1:
        return [(0, long)]
    return [(start, start + length) for start in (round(n * (long - length) / (count - 1)) for n in range(count))]


def _parts(pixels: NDArray[np.uint8]) -> Iterator[tuple[int, int, NDArray[np.uint8]]]:
    """Left, top and pixels of each."""
    rows, columns = pixels.shape[:2]
    for start, end in _bounds(rows, columns):
        yield (start, 0, pixels[:, start:end]) if columns > rows else (0, start, pixels[start:end])


def _for_network(pixels: NDArray[Any]) -> Floats:
    """(count, rows, columns, 3) in [0, 255] to (count, 3, rows, columns) in [-1, 1]."""
    scaled = pixels.transpose(0, 3, 1, 2).astype(np.float32)
    scaled *= 2 / 255
    scaled -= 1
    return np.ascontiguousarray(scaled)
