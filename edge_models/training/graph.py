"""The trained trunk and its heads as one OpenVINO graph, built from the saved numbers without torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from edge_models.bert import BertBuilder
from edge_models.encoder_config import EncoderConfig, read_config
from edge_models.heads.manifest import Head as HeadSpec
from edge_models.safetensors_file import read_tensors
from edge_models.training.heads import Head

POOLED: Final = "pooled"


def signal_graph(base: Path, weights: Path, heads: Sequence[Head], *, pooled: bool = False) -> Any:
    """An `openvino.Model` with the outputs `head.NAME` and `tokens.NAME`.

    base: the directory whose config.json is the trunk's. weights: what `Trunk.save` wrote. pooled: whether the vector that
    sequence heads read comes out too, as POOLED.
    """
    return _SignalBuilder(read_config(base), read_tensors(weights), heads, pooled).model()


class _SignalBuilder(BertBuilder):
    """A BERT with `edge_models.training.trunk`'s heads instead of its own."""

    def __init__(
        self, config: EncoderConfig, tensors: Mapping[str, NDArray[Any]], heads: Sequence[Head], pooled: bool
    ) -> None:
        super().__init__(config, tensors)
        self._pooled = pooled
        self._specs = [HeadSpec(head.name, head.task, head.labels) for head in heads]

    def heads(self, hidden: Any, mask: Any) -> dict[str, Any]:
        op = self._op
        kept = op.unsqueeze(op.convert(mask, "f32"), self._whole(2))
        sums = op.reduce_sum(op.multiply(hidden, kept), self._whole(1))
        pooled = op.divide(sums, op.reduce_sum(kept, self._whole(1)))
        results = {POOLED: pooled} if self._pooled else {}
        for spec in self._specs:
            seen = pooled if spec.task == "sequence" else hidden
            inner = op.gelu(self._linear(f"inner.{spec.name}", seen), "erf")
            results[spec.output] = self._linear(f"outer.{spec.name}", inner)
        return results
