"""A Hugging Face BERT encoder as an OpenVINO graph, built from its safetensors without torch.

The graph is transformers' `modeling_bert` written in OpenVINO's operations: word, position and type embeddings; in each
layer attention, a residual and a norm, two matrices with a GELU between, a residual and a norm. What comes out depends on
the weights that are there: token vectors, or the logits of a head that `architectures` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from edge_models import openvino_gate
from edge_models.encoder_config import EncoderConfig, read_config
from edge_models.engines.base import Unavailable
from edge_models.safetensors_file import read_tensors

_MASKED: Final = np.float32(-1e9)  # added to a score before the softmax; exp of it is 0 in float32
_ACTIVATIONS: Final = {"gelu": "erf", "gelu_new": "tanh", "gelu_pytorch_tanh": "tanh"}  # GELU's two forms
_SEQUENCE: Final = "BertForSequenceClassification"
_TOKENS: Final = "BertForTokenClassification"


def bert_model(directory: Path) -> Any:
    """Build an `openvino.Model` from config.json and model.safetensors. Raises NotInstalled, Unavailable.

    Inputs: input_ids, attention_mask, token_type_ids, all (batch, tokens) int64. Output: last_hidden_state
    (batch, tokens, width), or logits: (batch, labels) of a sequence head, (batch, tokens, labels) of a token head.
    """
    config = read_config(directory)
    if config.model_type != "bert" or config.hidden_act not in _ACTIVATIONS:
        raise Unavailable("only BERT's weights can be read as they are: export this model (`nearloop export`)")
    if config.position_embedding_type not in (None, "absolute") or config.num_attention_heads < 1:
        raise Unavailable("this BERT places its tokens in a way of its own: export it (`nearloop export`)")
    tensors = read_tensors(directory / "model.safetensors")
    try:
        return BertBuilder(config, tensors).model()
    except KeyError as error:
        raise Unavailable("the encoder's model.safetensors lacks tensors of a BERT: fetch it again, whole") from error


class BertBuilder:
    """One graph in the making. Names of weights may carry the prefix that transformers' heads give them."""

    def __init__(self, config: EncoderConfig, tensors: Mapping[str, NDArray[Any]]) -> None:
        self._openvino = openvino_gate.openvino()
        self._op = self._openvino.opset13
        self._config = config
        self._tensors = {_current(name): tensor for name, tensor in tensors.items()}
        self._heads = config.num_attention_heads
        self._head_width, rest = divmod(config.hidden_size, self._heads)
        words = self._tensors["embeddings.word_embeddings.weight"]
        if rest or words.shape != (config.vocab_size, config.hidden_size):
            raise Unavailable("the encoder's config.json and its weights do not belong together: fetch it again, whole")

    def model(self) -> Any:
        """Inputs and outputs as `bert_model` says."""
        op = self._op
        ids, mask, types = (self._input(name) for name in ("input_ids", "attention_mask", "token_type_ids"))
        kept = op.unsqueeze(op.convert(mask, "f32"), self._whole(1, 2))
        bias = op.multiply(op.subtract(self._number(1.0), kept), self._number(float(_MASKED)))
        hidden = self._embedded(ids, types)
        for layer in range(self._config.num_hidden_layers):
            hidden = self._layer(f"encoder.layer.{layer}", hidden, bias)
        results = self.heads(hidden, mask)
        for name, result in results.items():
            result.output(0).set_names({name})
        return self._openvino.Model(list(results.values()), [ids, mask, types], "bert")

    def heads(self, hidden: Any, mask: Any) -> dict[str, Any]:
        """What comes out, by name. hidden: (batch, tokens, width). mask: (batch, tokens)."""
        op = self._op
        if _SEQUENCE in (self._config.architectures or ()):
            first = op.gather(hidden, op.constant(np.int64(0)), op.constant(np.int64(1)))
            return {"logits": self._linear("classifier", op.tanh(self._linear("pooler.dense", first)))}
        if _TOKENS in (self._config.architectures or ()):
            return {"logits": self._linear("classifier", hidden)}
        return {"last_hidden_state": hidden}

    def _embedded(self, ids: Any, types: Any) -> Any:
        op, zero = self._op, self._op.constant(np.int64(0))
        length = op.gather(op.shape_of(ids), op.constant(np.int64(1)), zero)
        places = op.range(zero, length, op.constant(np.int64(1)), "i64")
        parts = (("word_embeddings", ids), ("token_type_embeddings", types), ("position_embeddings", places))
        words, kinds, positions = (
            op.gather(self._weight(f"embeddings.{name}.weight"), index, zero) for name, index in parts
        )
        return self._norm("embeddings.LayerNorm", op.add(op.add(words, kinds), op.unsqueeze(positions, zero)))

    def _layer(self, name: str, hidden: Any, bias: Any) -> Any:
        op = self._op
        query, key, value = (
            self._heads_of(f"{name}.attention.self.{part}", hidden) for part in ("query", "key", "value")
        )
        seen = op.scaled_dot_product_attention(query, key, value, bias, causal=False)
        seen = op.reshape(
            op.transpose(seen, self._whole(0, 2, 1, 3)), self._whole(0, 0, self._config.hidden_size), True
        )
        added = op.add(hidden, self._linear(f"{name}.attention.output.dense", seen))
        hidden = self._norm(f"{name}.attention.output.LayerNorm", added)
        inner = op.gelu(self._linear(f"{name}.intermediate.dense", hidden), _ACTIVATIONS[self._config.hidden_act])
        return self._norm(f"{name}.output.LayerNorm", op.add(hidden, self._linear(f"{name}.output.dense", inner)))

    def _heads_of(self, name: str, hidden: Any) -> Any:
        """(batch, tokens, width) -> (batch, heads, tokens, head width)."""
        split = self._op.reshape(self._linear(name, hidden), self._whole(0, 0, self._heads, self._head_width), True)
        return self._op.transpose(split, self._whole(0, 2, 1, 3))

    def _linear(self, name: str, value: Any) -> Any:
        product = self._op.matmul(value, self._weight(f"{name}.weight"), False, True)
        return self._op.add(product, self._weight(f"{name}.bias"))

    def _norm(self, name: str, value: Any) -> Any:
        op = self._op
        normal = op.mvn(value, self._whole(-1), True, self._config.layer_norm_eps, "inside_sqrt")
        return op.add(op.multiply(normal, self._weight(f"{name}.weight")), self._weight(f"{name}.bias"))

    def _input(self, name: str) -> Any:
        parameter = self._op.parameter([-1, -1], np.int64, name=name)
        parameter.output(0).set_names({name})
        return parameter

    def _weight(self, name: str) -> Any:
        return self._op.constant(np.ascontiguousarray(self._tensors[name], np.float32))

    def _whole(self, *numbers: int) -> Any:
        return self._op.constant(np.array(numbers, np.int64))

    def _number(self, value: float) -> Any:
        return self._op.constant(np.float32(value))


def _current(name: str) -> str:
    """A tensor's name without the prefix that heads bring; norms have had other names, which transformers still writes."""
    name = name.removeprefix("bert.")
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")
