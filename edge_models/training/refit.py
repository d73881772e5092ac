"""The sequence heads fitted once more, over the vectors of the int8 trunk as it will run.

While all is fine-tuned together each head sees a text once or less, and a trunk in float. Over fixed vectors a pass costs
next to nothing, so here the heads see them many times. The trunk and the token head stay as they are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from edge_models import openvino_gate
from edge_models.pooling import Floats
from edge_models.tokenizer import Tokenizer
from edge_models.training.artefact import quantized
from edge_models.training.finetune import Losses
from edge_models.training.graph import POOLED, signal_graph
from edge_models.training.heads import Head
from edge_models.training.instances import Instance
from edge_models.training.package import feeds_of_rows
from edge_models.training.rows import Row
from edge_models.training.trunk import Trunk, seeded

MOST: Final = 20_000
"""Windows that are read, drawn by chance: two minutes on one thread."""
_EPOCHS: Final = 12
_ROWS: Final = 256
_RATE: Final = 1e-3


def refit(
    trunk: Trunk,
    base: Path,
    weights: Path,
    windows: Sequence[Instance],
    fit: Sequence[Row],
    heads: Sequence[Head],
    tokens: Tokenizer,
    seed: int,
    progress: Callable[[float, str], None],
) -> None:
    """Change the trunk's sequence heads in place. weights: its numbers, as saved. fit: rows for the int8 ranges."""
    graph = quantized(signal_graph(base, weights, heads, pooled=True), feeds_of_rows(fit, tokens, seed))
    run = openvino_gate.core().compile_model(graph, "CPU", {"INFERENCE_NUM_THREADS": 1})
    taught = [window for window in windows if window.targets]
    drawn = random.Random(f"{seed} refit").sample(taught, min(MOST, len(taught)))
    vectors = np.empty((len(drawn), trunk.bert.config.hidden_size), np.float32)
    for number, window in enumerate(drawn):
        vectors[number] = _pooled(run, window)
        if number % 500 == 0:
            progress(number / len(drawn), "reading texts for the heads")
    _fit(trunk, torch.from_numpy(vectors), drawn, [head for head in heads if head.task == "sequence"], seed)


def _pooled(run: Any, window: Instance) -> Floats:
    ids = window.ids[np.newaxis]
    results = run({"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})
    vector: Floats = np.array(results[POOLED])[0]
    return vector


def _fit(trunk: Trunk, vectors: Any, windows: Sequence[Instance], heads: Sequence[Head], seed: int) -> None:
    seeded(seed)
    chance = random.Random(f"{seed} order")
    losses = Losses(windows, heads)
    own = [part for head in heads for module in (trunk.inner, trunk.outer) for part in module[head.name].parameters()]
    optimizer = torch.optim.AdamW(own, lr=_RATE, weight_decay=0.01)
    order = list(range(len(windows)))
    steps = _EPOCHS * -(-len(order) // _ROWS)
    step = 0
    trunk.train()
    for _ in range(_EPOCHS):
        chance.shuffle(order)
        for start in range(0, len(order), _ROWS):
            rows = order[start : start + _ROWS]
            batch = [windows[row] for row in rows]
            seen = {head.name for head in heads if any(head.name in window.targets for window in batch)}
            total = losses.of({name: trunk.answer(name, vectors[rows]) for name in sorted(seen)}, batch)
            for group in optimizer.param_groups:
                group["lr"] = _RATE * (1 - step / steps)
            optimizer.zero_grad(set_to_none=True)
            total.backward()
            optimizer.step()
            step += 1
    trunk.eval()
