"""A text model of a few hundred numbers that keeps its own state, as OpenVINO's exports do: one layer of attention."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from edge_models import openvino_gate

VOCABULARY: Final = 40
_WIDTH: Final = 8


def write_tiny_decoder(
    directory: Path, *, inputs: tuple[str, ...] = ("attention_mask", "position_ids"), kind: str = "past_key_values.0"
) -> Path:
    """Write it as `openvino_model.xml`, and return the directory.

    inputs: which of the optional inputs it has. kind: the name of its state; `cache_params` makes it a recurrent model, whose
    one state is the sum of all that was read; an empty one makes a model without state.
    """
    openvino = openvino_gate.openvino()
    o = openvino.opset13
    random = np.random.default_rng(3)

    def numbers(*shape: int) -> Any:
        return o.constant(random.normal(0, 1, shape).astype(np.float32))

    def given(name: str, rank: int, kind: Any = np.int64) -> Any:
        parameter = o.parameter([-1] * rank, kind, name=name)
        parameter.output(0).set_names({name})
        return parameter

    one, zero = o.constant(np.int64(1)), o.constant(np.int64(0))
    parameters = {"input_ids": given("input_ids", 2), "beam_idx": given("beam_idx", 1, np.int32)}
    parameters |= {name: given(name, 2) for name in inputs}
    x = o.gather(numbers(VOCABULARY, _WIDTH), parameters["input_ids"], zero)
    if "position_ids" in inputs:
        angles = o.multiply(
            o.unsqueeze(o.convert(parameters["position_ids"], np.float32), o.constant([2])), numbers(_WIDTH)
        )
        x = o.add(x, o.sin(angles))
    sinks: list[Any] = []

    def remembered(name: str, value: Any, recurrent: bool) -> Any:
        info = openvino.op.util.VariableInfo()
        info.data_shape = openvino.PartialShape([-1, -1, _WIDTH])
        info.data_type, info.variable_id = openvino.Type.f32, name
        variable = openvino.op.util.Variable(info)
        empty = o.constant(np.zeros((1, 1 if recurrent else 0, _WIDTH), np.float32))
        past = o.gather(o.read_value(empty, variable), parameters["beam_idx"], zero)
        if recurrent:
            value = o.add(o.reduce_sum(value, o.constant([1]), keep_dims=True), past)
        else:
            value = o.concat([past, value], 1)
        sinks.append(o.assign(value, variable))
        return value

    if kind == "cache_params":
        x = o.add(x, remembered(kind, x, recurrent=True))
    elif kind:
        keys = remembered(f"{kind}.key", o.matmul(x, numbers(_WIDTH, _WIDTH), False, False), recurrent=False)
        values = remembered(f"{kind}.value", o.matmul(x, numbers(_WIDTH, _WIDTH), False, False), recurrent=False)
        scores = o.matmul(x, keys, False, True)
        total = o.gather(o.shape_of(keys), one, zero)
        fresh = o.gather(o.shape_of(x), one, zero)
        cells = o.range(zero, total, one, "i64")
        own = o.range(o.subtract(total, fresh), total, one, "i64")
        unseen = o.convert(o.greater(o.unsqueeze(cells, zero), o.unsqueeze(own, one)), np.float32)
        if "attention_mask" in inputs:
            hidden = o.subtract(o.constant(np.float32(1)), o.convert(parameters["attention_mask"], np.float32))
            unseen = o.add(unseen, o.unsqueeze(hidden, one))
        weights = o.softmax(o.subtract(scores, o.multiply(unseen, o.constant(np.float32(1e9)))), -1)
        x = o.add(x, o.matmul(weights, values, False, False))
    logits = o.matmul(x, numbers(_WIDTH, VOCABULARY), False, False)
    result = o.result(logits)
    result.input(0).get_source_output().set_names({"logits"})
    model = openvino.Model([result], sinks, list(parameters.values()), "tiny")
    directory.mkdir(parents=True, exist_ok=True)
    openvino.save_model(model, directory / "openvino_model.xml", compress_to_fp16=False)
    return directory
