"""Both towers of a SigLIP in the base shapes (16 x 16 patches of 224 x 224, 12 layers, width 768) with random weights.

For each way of keeping weights, in a process of its own: what its file takes to be built and compiled, what memory it holds
then, and milliseconds for a picture (from an encoded file; the graph alone) and for a text. If torch is installed, its float32
times stand beside. --small: a twelfth of the layers, to see that it runs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from statistics import median
from typing import Any, Final, cast

import numpy as np
import psutil
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from edge_models.classifiers.base import Placement, Weights
from edge_models.runtimes.openvino import Graph, compiled
from edge_models.siglip import SiglipBuilder, SiglipConfig, TextConfig, VisionConfig
from edge_models.vision.pixels import Limits, opened
from edge_models.vision.preprocess import Preprocessor, Steps

WEIGHTS: Final = ("float", "half", "int8")
STEPS: Final = Steps(size={"height": 224, "width": 224}, mean=(0.5,) * 3, std=(0.5,) * 3)


class Drawn(Mapping[str, Any]):
    """Any tensor that is asked for, in the shape that the builder wants: nothing is held."""

    def __init__(self, config: SiglipConfig) -> None:
        self._rng = np.random.default_rng(1)
        self._config = config

    def __getitem__(self, name: str) -> Any:
        return self._rng.standard_normal(self._shape(name), np.float32) * np.float32(0.03) + ("norm" in name)

    def _shape(self, name: str) -> tuple[int, ...]:
        tower = self._config.vision_config if name.startswith("vision") else self._config.text_config
        width, inner = tower.hidden_size, tower.intermediate_size
        shapes: dict[str, tuple[int, ...]] = {
            "patch_embedding.weight": (width, 3, 16, 16),
            "vision_model.embeddings.position_embedding.weight": (196, width),
            "text_model.embeddings.position_embedding.weight": (64, width),
            "token_embedding.weight": (self._config.text_config.vocab_size, width),
            "probe": (1, 1, width),
            "in_proj_weight": (3 * width, width),
            "in_proj_bias": (3 * width,),
            "fc1.weight": (inner, width),
            "fc1.bias": (inner,),
            "fc2.weight": (width, inner),
            "_proj.weight": (width, width),
            "text_model.head.weight": (width, width),
            "logit_scale": (1,),
            "logit_bias": (1,),
        }
        return next((shape for end, shape in shapes.items() if name.endswith(end)), (width,))

    def __iter__(self) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError


def config_of(small: bool) -> SiglipConfig:
    layers = 1 if small else 12
    return SiglipConfig("siglip", TextConfig(num_hidden_layers=layers), VisionConfig(num_hidden_layers=layers))


def took_ms(ask: Callable[[], object], rounds: int) -> str:
    """On the clock, and in CPU time of all threads, which a busy machine tells better: medians."""
    ask()
    taken, worked = [], []
    for _ in range(rounds):
        began, at_work = time.perf_counter(), time.process_time()
        ask()
        taken.append(time.perf_counter() - began)
        worked.append(time.process_time() - at_work)
    return f"{1000 * median(taken):7.1f} ms ({1000 * median(worked):.0f} of CPU)"


def photograph() -> bytes:
    """Some 2 megapixels as a JPEG."""
    coarse = np.random.default_rng(2).integers(0, 256, (120, 160, 3)).astype(np.uint8)
    file = BytesIO()
    Image.fromarray(coarse).resize((1600, 1200), Image.Resampling.BICUBIC).save(file, "JPEG", quality=88)
    return file.getvalue()


def measure(weights: Weights, rounds: int, threads: int, small: bool) -> None:
    """One line."""
    config, placement = config_of(small), Placement(threads=threads)
    before, began = psutil.Process().memory_info().rss, time.perf_counter()
    builder = SiglipBuilder(config, Drawn(config), weights)
    image = Graph(compiled(builder.image(), placement, exact=True))
    text = Graph(compiled(builder.text(), placement, exact=True))
    built, preprocessor, file = time.perf_counter() - began, Preprocessor(STEPS), photograph()
    pixels = preprocessor.pixels(opened(file, Limits()).image)[np.newaxis]
    ids = np.random.default_rng(3).integers(0, 32_000, (1, 64))
    see: Callable[[], object] = lambda: image.run({"pixel_values": pixels}, ("image_embeds",))  # noqa: E731
    read: Callable[[], object] = lambda: text.run({"input_ids": ids}, ("text_embeds",))  # noqa: E731
    decode: Callable[[], object] = lambda: preprocessor.pixels(opened(file, Limits()).image)  # noqa: E731
    seen, said, decoded = (took_ms(ask, rounds) for ask in (see, read, decode))
    held = (psutil.Process().memory_info().rss - before) >> 20
    print(
        f"{weights:>6}: picture {seen}, decoding 2 megapixels {decoded}, text {said}, built in {built:4.1f} s, {held} MB held",
        flush=True,
    )


def with_torch(rounds: int, threads: int, small: bool) -> None:
    """The same shapes in torch, if it is here."""
    try:
        import torch
        import transformers
    except ImportError:
        print(" torch: not installed")
        return
    torch.set_num_threads(threads)
    sizes = {"num_hidden_layers": 1 if small else 12}
    model = transformers.SiglipModel(transformers.SiglipConfig(text_config=sizes, vision_config=sizes)).eval()
    with torch.inference_mode():
        pixels, ids = torch.randn(1, 3, 224, 224), torch.randint(0, 32_000, (1, 64))
        seen = took_ms(lambda: model.get_image_features(pixel_values=pixels), rounds)
        said = took_ms(lambda: model.get_text_features(input_ids=ids), rounds)
    print(f" torch: picture {seen}, text {said}")


def main() -> None:
    """A line for each way of keeping weights, and one for torch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", choices=(*WEIGHTS, "torch"))
    options = parser.parse_args()
    if options.only == "torch":
        with_torch(options.rounds, options.threads, options.small)
    elif options.only:
        measure(cast("Weights", options.only), options.rounds, options.threads, options.small)
    else:
        for each in (*WEIGHTS, "torch"):
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--only", each], check=True)


if __name__ == "__main__":
    main()
