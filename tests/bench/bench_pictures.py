"""What looking at a picture takes, and what is read of planted values, on pages that are drawn here (`rendered_pages.py`).

Times are of one megapixel in the eyes' process, by what is looked at and by how many lines a page has; beside them, in the
same run, what the package rapidocr takes with its own code for the same networks. Recall is of values that stand in the text
that was read, blanks left aside, by class: pages in three fonts, turned by up to 10 degrees, half of them JPEG of quality 50.
"""

from __future__ import annotations

import argparse
import io
import random
import statistics
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import psutil
from PIL import Image

from daemon.signals.pii import Pii
from daemon.signals.secret import Secrets
from edge_models.vision.process import EyesProcess
from tests.fakes.rendered_pages import page, pages


def median_ms(call: Callable[[], object], rounds: int, eyes: EyesProcess) -> tuple[float, float]:
    """(time, CPU time of the eyes' process on all cores), after one that doesn't count. The latter is what a busy machine
    changes little.
    """
    call()
    took, worked = [], []
    for _ in range(rounds):
        began, before = perf_counter(), _cpu_ms(eyes)
        call()
        took.append((perf_counter() - began) * 1000)
        worked.append(_cpu_ms(eyes) - before)
    return statistics.median(took), statistics.median(worked)


def _cpu_ms(eyes: EyesProcess) -> float:
    times = psutil.Process(eyes.pid).cpu_times()
    return float(times.user + times.system) * 1000


def photograph() -> bytes:
    """A megapixel without words: smooth noise."""
    draw = np.random.default_rng(5)
    image = Image.fromarray(draw.integers(90, 160, (24, 32, 3), np.uint8)).resize((1152, 864), Image.Resampling.BICUBIC)
    held = io.BytesIO()
    image.save(held, "JPEG", quality=85)
    return held.getvalue()


def times(eyes: EyesProcess, rounds: int) -> None:
    """Print them."""
    own: Any = None
    try:
        from edge_models.openvino_gate import openvino

        openvino()
        from rapidocr import EngineType, RapidOCR

        engines = {f"{part}.engine_type": EngineType.OPENVINO for part in ("Det", "Cls", "Rec")}
        own = RapidOCR(
            params={**engines, "EngineConfig.openvino.inference_num_threads": 2, "Global.log_level": "error"}
        )
    except ImportError:
        print("rapidocr's own code can't be run here")
    samples = {"photograph": photograph()}
    for filling in (0, 10, 30):
        made = page(random.Random(1), "sans", 0.0, 0, 1.0, filling)
        samples[f"{made.lines} lines"] = made.data
    head = f"{'ms, median of ' + str(rounds):20} {'no words':>9} {'words':>9} {'rapidocr':>9} {'ratio':>6}"
    print(f"{head}   CPU time of the process: {'no words':>9} {'words':>9}")
    for name, data in samples.items():
        bare, bare_cpu = median_ms(partial(eyes.look, data, ("detail", "kinds", "explicit")), rounds, eyes)
        words, words_cpu = median_ms(partial(eyes.look, data, ("words",)), rounds, eyes)
        pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))[:, :, ::-1]
        theirs = median_ms(partial(own, pixels), rounds, eyes)[0] if own else float("nan")
        told = f"{name:20} {bare:9.0f} {words:9.0f} {theirs:9.0f} {words / theirs:6.2f}"
        print(f"{told}                            {bare_cpu:9.0f} {words_cpu:9.0f}", flush=True)


def recall(eyes: EyesProcess, count: int) -> None:
    """Print it."""
    rules, all_, read, told = (Pii(), Secrets()), Counter[str](), Counter[str](), Counter[str]()
    for made in pages(count, 11):
        text = eyes.look(made.data, ("words",)).text
        bare = "".join(text.split())
        found = [text[hit.start : hit.end] for rule in rules for hit in rule.find(text)]
        for each in made.planted:
            value = "".join(each.value.split())
            all_[each.label] += 1
            read[each.label] += value in bare
            told[each.label] += any(value in "".join(hit.split()) or "".join(hit.split()) in value for hit in found)
    print(f"\n{count} pages, {all_.total()} values")
    for label, number in all_.items():
        print(f"{label:18} n={number:4} read {read[label] / number:.2f}  told by the rules {told[label] / number:.2f}")
    print(f"{'all':18} n={all_.total():4} read {read.total() / all_.total():.3f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pages", type=int, default=60)
    given = parser.parse_args()
    eyes = EyesProcess()
    try:
        times(eyes, given.rounds)
        recall(eyes, given.pages)
    finally:
        eyes.close()


if __name__ == "__main__":
    main()
