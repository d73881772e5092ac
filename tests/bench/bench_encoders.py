"""MiniLM in float and int8 on OpenVINO and ONNX Runtime: milliseconds for one text, interleaved in one run.

--export DIR: a directory with what `nearloop export` made of MiniLM, whose numbers are then printed too. It is the trunk
of the goals: `… --task feature-extraction --activations int8` for classification, without it for embeddings.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from edge_models.classifiers.base import EncoderRef, Placement
from edge_models.classifiers.embedder import TextEmbedder
from edge_models.classifiers.opening import open_encoder
from edge_models.runtimes.base import feeds_of
from edge_models.tokenizer import Window
from tests.fakes.bert_onnx import write_bert
from tests.fakes.minilm import minilm, minilm_onnx

LENGTHS: Final = (16, 64, 256, 512)


def opened(directory: Path, runtime: str, threads: int) -> TextEmbedder:
    encoder = open_encoder(EncoderRef(str(directory), "feature-extraction", runtime, Placement(threads=threads)))
    assert isinstance(encoder, TextEmbedder)
    return encoder


def pass_ms(embedder: TextEmbedder, length: int) -> tuple[float, float]:
    """One pass of the graph alone over so many tokens: on the clock, and in CPU time, which a busy machine tells better."""
    encoder = embedder._encoder
    ids = np.random.default_rng(length).integers(1000, 30_000, length)
    window = Window(ids, np.zeros_like(ids), (), (), range(0))
    feeds, _ = feeds_of(window.ids, window.type_ids, encoder.runtime)
    began, worked = time.perf_counter(), time.process_time()
    encoder.runtime.run(feeds, encoder._output)
    return 1000 * (time.perf_counter() - began), 1000 * (time.process_time() - worked)


def main() -> None:
    """Print a line a case: medians over the rounds, and of the ratios to float OpenVINO in the same round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--export", type=Path, action="append", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        float_onnx, int8_onnx = Path(folder) / "float", minilm_onnx(Path(folder) / "int8")
        float_onnx.mkdir()
        write_bert(minilm(), float_onnx / "model.onnx")
        for name in ("tokenizer.json", "config.json"):
            shutil.copyfile(minilm() / name, float_onnx / name)
        cases = {
            "OpenVINO float": opened(minilm(), "openvino", options.threads),
            "OpenVINO int8 (packaged ONNX)": opened(int8_onnx, "openvino", options.threads),
            "ONNX Runtime float": opened(float_onnx, "onnx", options.threads),
            "ONNX Runtime int8": opened(int8_onnx, "onnx", options.threads),
        }
        cases |= {f"OpenVINO {path.name}": opened(path, "openvino", options.threads) for path in options.export}
        print(
            f"{options.threads} threads, {options.rounds} rounds; one pass, and the ratio of its CPU time to OpenVINO float's"
        )
        for length in LENGTHS:
            for embedder in cases.values():
                pass_ms(embedder, length)
            took: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
            for _ in range(options.rounds):
                for name, embedder in cases.items():
                    took[name].append(pass_ms(embedder, length))
            base = took["OpenVINO float"]
            for name, times in took.items():
                wall, cpu = (statistics.median(one[kind] for one in times) for kind in range(2))
                ratio = statistics.median(one[1] / other[1] for one, other in zip(times, base, strict=True))
                print(f"{length:4} tokens  {name:32} {wall:7.2f} ms  CPU {cpu:7.2f} ms  x{ratio:.2f}")


if __name__ == "__main__":
    main()
