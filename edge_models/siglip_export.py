"""optimum-intel's export of a SigLIP: one OpenVINO graph for both towers, taken apart.

The graph gives `image_embeds` and `text_embeds`, both of length 1, and logits of all pairs. Each tower depends on its own
input alone, so either is cut out as a graph of its own. The scale and the bias of the logits stand in the graph as numbers
under whatever name the export gave them: they are solved for instead, from the logits of a few inputs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from edge_models import openvino_gate
from edge_models.engines.base import Broken, Unavailable
from edge_models.pooling import unit
from edge_models.runtimes.base import Placement
from edge_models.runtimes.openvino import Graph, compiled, read_model
from edge_models.siglip import EXPORT, SiglipConfig, Towers

_WANTED: Final = {"image_embeds": "pixel_values", "text_embeds": "input_ids"}
_LOGITS: Final = "logits_per_image"
_PAIRS: Final = 6
_REFUSALS: Final = (RuntimeError, IndexError, ValueError, TypeError)


def exported_towers(directory: Path, config: SiglipConfig) -> Towers:
    """Both towers of an export. Raises NotInstalled, Unavailable."""
    model = read_model(directory / EXPORT)
    inputs = {port.get_any_name(): port for port in model.inputs}
    outputs = {name: port for port in model.outputs for name in port.get_names()}
    missing = [name for name in (*_WANTED, _LOGITS) if name not in outputs]
    if missing or set(inputs) != set(_WANTED.values()):
        raise Unavailable(
            f"the export gives no {', '.join(missing) or 'towers of one input each'}, and so no vectors that can be"
            " compared: export it for zero-shot-image-classification"
        )
    try:
        scale, bias = _solved(model, outputs, config)
        image, text = (_cut(outputs[name], inputs[_WANTED[name]], name, config) for name in _WANTED)
    except (*_REFUSALS, Broken) as error:
        raise Unavailable("the export is damaged or no SigLIP's: export it again") from error
    return Towers(image, text, scale, bias)


def _shapes(config: SiglipConfig) -> dict[str, list[int]]:
    side = config.vision_config.image_size
    return {"pixel_values": [1, 3, side, side], "input_ids": [1, config.text_config.max_position_embeddings]}


def _cut(output: Any, parameter: Any, name: str, config: SiglipConfig) -> Any:
    """The graph from one input to one output, for one picture or text."""
    openvino = openvino_gate.openvino()
    source = output.get_node().input_value(0)  # what the result node passes on
    tower = openvino.Model([source], [parameter.get_node()], f"siglip {name}").clone()
    tower.reshape({_WANTED[name]: _shapes(config)[_WANTED[name]]})
    tower.outputs[0].set_names({name})
    return tower


def _solved(model: Any, outputs: dict[str, Any], config: SiglipConfig) -> tuple[float, float]:
    """scale and bias of: logit = scale · cosine + bias."""
    whole = Graph(compiled(model, Placement(), exact=True))
    ports = list(model.outputs)
    places = {name: whole.outputs[ports.index(outputs[name])] for name in (*_WANTED, _LOGITS)}
    rng, shapes = np.random.default_rng(0), _shapes(config)
    cosines, logits = [], []
    for _ in range(_PAIRS):
        pixels = rng.uniform(-1, 1, shapes["pixel_values"]).astype(np.float32)
        ids = rng.integers(0, config.text_config.vocab_size, shapes["input_ids"])
        feeds = {"pixel_values": pixels, "input_ids": ids.astype(whole.inputs["input_ids"])}
        found = whole.run(feeds, tuple(places.values()))
        image, text = (unit(found[places[name]].reshape(1, -1))[0].astype(np.float64) for name in _WANTED)
        cosines.append(image @ text)
        logits.append(found[places[_LOGITS]].item())
    whole.close()
    wide = np.stack([np.array(cosines), np.ones(_PAIRS)], axis=1)
    scale, bias = np.linalg.lstsq(wide, np.array(logits))[0]
    return float(scale), float(bias)
