"""What it costs to tell the kind of a picture: the whole of `KindReader.read`, and its parts, in processor and other time.

The pictures are drawn, so that nothing is to be fetched. A plain resize of the same picture by Pillow is the yardstick: machines
differ, and the share of it hardly does.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from PIL import Image

from edge_models.training.pictures import papers
from edge_models.training.pictures.pen import Pen
from edge_models.vision.encoder import PictureEncoder, whole
from edge_models.vision.kinds import KindReader

MODEL: Final = Path(__file__).resolve().parents[2] / "assets" / "models" / "pictures"
SIZES: Final = ((1000, 1000), (3000, 4000))


class Took(NamedTuple):
    """Medians. processor_ms: of all threads together."""

    processor_ms: float
    ms: float


def took(work: Callable[[], object], runs: int) -> Took:
    """Of so many runs, after three."""
    for _ in range(3):
        work()
    each = []
    for _ in range(runs):
        processor, begun = time.process_time(), time.perf_counter()
        work()
        each.append(((time.process_time() - processor) * 1000, (time.perf_counter() - begun) * 1000))
    return Took(*(statistics.median(column) for column in zip(*each, strict=True)))


def main() -> None:
    """Print medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    runs, threads = given.runs, given.threads
    begun = time.perf_counter()
    reader = KindReader(MODEL, threads)
    print(
        f"opened and checked in {(time.perf_counter() - begun) * 1000:.0f} ms; threads: {threads}; medians of {runs} runs"
    )
    encoder = PictureEncoder(MODEL, threads)
    page, noise = papers.letter(Pen("bench")), np.random.default_rng(0)
    rough = Image.fromarray(noise.integers(0, 255, (40, 40, 3), np.uint8))
    for width, height in SIZES:
        paper = page.resize((width, height))
        photo = rough.resize((width, height), Image.Resampling.BICUBIC)
        views = whole(paper)[np.newaxis]
        told = {
            "a page, in all": took(lambda: reader.read(paper), runs),  # noqa: B023
            "a coloured blur, in all": took(lambda: reader.read(photo), runs),  # noqa: B023
            "made small": took(lambda: whole(paper), runs),  # noqa: B023
            "the graph, once": took(lambda: encoder.read(views), runs),  # noqa: B023
            "yardstick: Pillow's bicubic resize": took(lambda: paper.resize((224, 224)), runs),  # noqa: B023
        }
        print(f"{width}x{height}")
        for name, each in told.items():
            print(f"  {name:36s} {each.processor_ms:7.2f} ms of processors, {each.ms:7.2f} ms")


if __name__ == "__main__":
    main()
