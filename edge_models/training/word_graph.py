"""The second opinion by words, put behind a graph's heads: look-ups of tokens and of pairs, summed, added to the logits."""

from __future__ import annotations

from typing import Any

import numpy as np

from edge_models import openvino_gate
from edge_models.engines.base import Unavailable
from edge_models.training.words import Words, eight_bits


def with_words(graph: Any, words: Words) -> Any:
    """A new `openvino.Model` whose outputs `head.NAME` are the sum of both. Raises Unavailable if it has no such outputs.

    graph: takes `input_ids` and `attention_mask`, (batch, tokens). Every other output stays as it is.
    """
    openvino = openvino_gate.openvino()
    op = openvino.opset13
    graph = graph.clone()
    inputs = {port.get_any_name(): port.get_node() for port in graph.inputs}
    outputs = {f"head.{name}": name for name in words.tables}
    missing = outputs.keys() - {port.get_any_name() for port in graph.outputs}
    if missing or not {"input_ids", "attention_mask"} <= inputs.keys():
        raise Unavailable(f"words can't be put behind a graph without {', '.join(sorted(missing)) or 'a mask'}")
    if not outputs:
        return graph
    added = _added(op, words, inputs["input_ids"], inputs["attention_mask"])
    results = []
    for port in graph.outputs:
        name = port.get_any_name()
        before = port.get_node().input_value(0)
        if name not in outputs:
            results.append(port.get_node())
            continue
        before.set_names(set())
        result = op.result(op.add(before, added[outputs[name]]))
        result.output(0).set_names({name})
        results.append(result)
    return openvino.Model(results, [port.get_node() for port in graph.inputs], graph.get_friendly_name())


def _added(op: Any, words: Words, ids: Any, mask: Any) -> dict[str, Any]:
    """Head to (batch, labels). All tables are one, so that a token is looked up once."""
    names = list(words.tables)
    whole, scale = eight_bits(np.concatenate([words.tables[name] for name in names], axis=1))
    table, rows = op.constant(whole), op.constant(np.int64(0))
    kept = op.unsqueeze(op.convert(mask, "f32"), _whole(op, 2))
    first = op.gather(op.constant(words.first), ids, rows)
    second = op.gather(op.constant(words.second), ids, rows)
    begin, end = _whole(op, 1), _whole(op, np.iinfo(np.int32).max)
    pairs = op.add(
        op.add(
            op.slice(first, _whole(op, 0), _whole(op, -1), _whole(op, 1), _whole(op, 1)),
            op.slice(second, begin, end, _whole(op, 1), _whole(op, 1)),
        ),
        op.constant(np.int32(len(words.first))),
    )
    total = op.add(
        _summed(op, op.gather(table, ids, rows), kept),
        _summed(op, op.gather(table, pairs, rows), op.slice(kept, begin, end, _whole(op, 1), _whole(op, 1))),
    )
    length = op.sqrt(op.reduce_sum(kept, _whole(op, 1)))  # (batch, 1)
    logits = op.multiply(op.divide(total, length), op.constant(scale))
    found, place = {}, 0
    for name in names:
        behind = place + words.tables[name].shape[1]
        found[name] = op.slice(logits, _whole(op, place), _whole(op, behind), _whole(op, 1), _whole(op, 1))
        place = behind
    return found


def _summed(op: Any, looked_up: Any, kept: Any) -> Any:
    """(batch, tokens, labels) of 8 bits, and (batch, tokens, 1) of what counts, as (batch, labels)."""
    return op.reduce_sum(op.multiply(op.convert(looked_up, "f32"), kept), op.constant(np.array([1])))


def _whole(op: Any, number: int) -> Any:
    return op.constant(np.array([number], np.int64))
