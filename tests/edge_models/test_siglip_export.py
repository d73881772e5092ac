"""An export of both towers in one graph, taken apart; training/test_siglip_optimum.py has optimum-intel's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edge_models import openvino_gate
from edge_models.classifiers.base import EncoderRef
from edge_models.classifiers.image_text import open_image_text
from edge_models.engines.base import Unavailable
from edge_models.siglip import siglip_towers
from tests.fakes.siglip import picture, tiny_siglip

TASK = "zero-shot-image-classification"
WANTED = ("logits_per_image", "logits_per_text", "text_embeds", "image_embeds")


def one_graph(folder: Path, outputs: tuple[str, ...] = WANTED) -> Path:
    """A directory whose graph has both towers and the logits of all pairs, and no weights beside it."""
    openvino = openvino_gate.openvino()
    op = openvino.opset13
    towers = siglip_towers(tiny_siglip(folder), "float")
    pixels, ids = op.parameter([-1, 3, 34, 34], np.float32), op.parameter([-1, -1], np.int64)
    for parameter, name in ((pixels, "pixel_values"), (ids, "input_ids")):
        parameter.output(0).set_names({name})
    vectors: dict[str, Any] = {"image_embeds": towers.image.outputs[0], "text_embeds": towers.text.outputs[0]}
    for tower, parameter in ((towers.image, pixels), (towers.text, ids)):
        old = tower.inputs[0].get_node()
        for target in list(old.output(0).get_target_inputs()):
            target.replace_source_output(parameter.output(0))
    image, text = (vectors[name].get_node().input_value(0) for name in ("image_embeds", "text_embeds"))
    scale, bias = op.constant(np.float32(towers.scale)), op.constant(np.float32(towers.bias))
    logits = op.add(op.multiply(op.matmul(image, text, False, True), scale), bias)
    order = op.constant(np.array([1, 0], np.int64))
    found = {
        "logits_per_image": logits.output(0),
        "logits_per_text": op.transpose(logits, order).output(0),
        "text_embeds": text,
        "image_embeds": image,
    }
    results = []
    for name in outputs:
        found[name].set_names({name})
        results.append(op.result(found[name]))
    openvino.save_model(openvino.Model(results, [ids, pixels], "siglip"), folder / "openvino_model.xml", False)
    (folder / "model.safetensors").unlink()
    return folder


def test_an_export_is_the_checkpoint(tmp_path: Path) -> None:
    """The same vectors, the same scale and the same bias, out of one graph for both."""
    whole = open_image_text(EncoderRef(str(tiny_siglip(tmp_path / "whole")), TASK, weights="float"))
    small = open_image_text(EncoderRef(str(one_graph(tmp_path / "export")), TASK))

    images = [picture(2), picture(3, (90, 20))]
    np.testing.assert_allclose(small.embed_images(images), whole.embed_images(images), atol=1e-5)
    np.testing.assert_allclose(small.embed_texts(["a cat", "dog"]), whole.embed_texts(["a cat", "dog"]), atol=1e-5)
    assert small.about.scale == pytest.approx(whole.about.scale, rel=1e-3)
    assert small.about.bias == pytest.approx(whole.about.bias, rel=1e-3)


def test_a_graph_without_vectors_is_refused(tmp_path: Path) -> None:
    """Logits alone can't be taken for a space."""
    folder = one_graph(tmp_path, ("logits_per_image", "logits_per_text"))
    with pytest.raises(Unavailable, match="image_embeds, text_embeds"):
        open_image_text(EncoderRef(str(folder), TASK))
