"""The making of an artefact: a graph by optimum-intel, smaller numbers by NNCF."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct

from edge_models import openvino_gate
from edge_models.encoder_config import read_config
from edge_models.engines.base import Unavailable
from edge_models.runtimes.base import feeds_of
from edge_models.runtimes.openvino import OpenVinoRuntime
from edge_models.tokenizer import PairTokenizer, Tokenizer
from edge_models.training.quiet import quiet
from edge_models.training.samples import Sample

Weights = Literal["int8", "int4"]
Activations = Literal["int8", "float"]

MODEL: Final = "openvino_model.xml"
_OPTIMUMS: Final = {"text-generation": "text-generation-with-past", "entailment": "text-classification"}
"""What optimum-intel calls a task, where it isn't the same."""
_GROUPS: Final = (128, 64, 32)
"""Weights that share a scale in int4, the largest that divides the model's width: NNCF's default is 128."""
_KEPT: Final = ("modules.json", "1_Pooling/config.json", "LICENSE", "LICENSE.txt", "LICENSE.md", "NOTICE")


class Recipe(Struct, frozen=True):
    """What is done to a model. activations: int8 calibrates on texts and is the fastest; float keeps more of the model."""

    task: str
    weights: Weights
    activations: Activations


def convert(source: Path, target: Path, task: str) -> None:
    """Write the float graph, the tokenizer and config.json of `source` into `target`. Raises Unavailable."""
    openvino_gate.openvino()  # first of all: what is imported below imports it too
    from optimum.exporters.openvino import main_export

    decoder = task == "text-generation"
    try:
        with quiet():
            main_export(
                str(source),
                target,
                task=_OPTIMUMS.get(task, task),
                framework="pt",
                library_name="transformers",
                local_files_only=True,
                trust_remote_code=False,
                convert_tokenizer=decoder,
                stateful=decoder,
            )
    except Exception as error:
        raise Unavailable(
            f"optimum-intel can't convert this model for {task}: its architecture is one that it doesn't know, or its"
            f" files are damaged ({type(error).__name__})"
        ) from error
    for name in _KEPT:
        if (source / name).is_file():
            (target / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(source / name, target / name)


def compress(directory: Path, recipe: Recipe, calibration: tuple[Sample, ...]) -> None:
    """Make the graph in `directory` smaller, in place. calibration: texts, or pairs, for int8 activations."""
    openvino = openvino_gate.openvino()
    import nncf

    core = openvino.Core()
    model = core.read_model(directory / MODEL)
    with quiet():
        if recipe.activations == "int8":
            model = quantized(model, calibration_feeds(directory, core.compile_model(model, "CPU"), calibration))
        elif recipe.weights == "int4":
            model = nncf.compress_weights(
                model, mode=nncf.CompressWeightsMode.INT4_ASYM, group_size=_group(directory), ratio=1.0
            )
        else:
            model = nncf.compress_weights(model, mode=nncf.CompressWeightsMode.INT8_ASYM)
        small = directory / "small"
        small.mkdir()
        openvino.save_model(model, small / MODEL, compress_to_fp16=False)
    del model
    for file in small.iterdir():
        file.replace(directory / file.name)
    small.rmdir()


def quantized(graph: Any, feeds: list[dict[str, Any]]) -> Any:
    """A graph with int8 weights and activations, the latter's ranges taken from what `feeds` give."""
    import nncf

    with quiet():
        return nncf.quantize(graph, nncf.Dataset(feeds), model_type=nncf.ModelType.TRANSFORMER, subset_size=len(feeds))


def calibration_feeds(directory: Path, compiled: Any, texts: tuple[Sample, ...]) -> list[dict[str, Any]]:
    """The texts' first windows, as the graph takes them."""
    runtime = OpenVinoRuntime(compiled, None)
    place, most_tokens = directory / "tokenizer.json", read_config(directory).window_tokens
    if any(isinstance(text, tuple) for text in texts):
        pairs = PairTokenizer(place, most_tokens)
        cut = [pairs.windows(*text) for text in texts if isinstance(text, tuple)]
    else:
        tokenizer = Tokenizer(place, most_tokens)
        cut = [tokenizer.windows(text) for text in texts if isinstance(text, str)]
    windows = [each[0] for each in cut if each]
    return [feeds_of(window.ids, window.type_ids, runtime)[0] for window in windows]


def _group(directory: Path) -> int:
    width = read_config(directory).hidden_size
    return next((size for size in _GROUPS if width and width % size == 0), -1)
