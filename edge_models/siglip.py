"""A SigLIP or SigLIP2 checkpoint of fixed resolution as two OpenVINO graphs, built from its safetensors without torch.

The graphs are transformers' `modeling_siglip` written in OpenVINO's operations. Pictures: a convolution makes a vector of
each patch, positions are added; in each layer a norm, attention, a residual, a norm, two matrices with the activation
between, a residual; a last norm; then the head. The head is what the model was trained with: a learned probe asks all
patches by attention, and two matrices follow over a norm, with a residual. The mean of the patches, or the first of them, is
a vector of the same width that ranks pictures wrongly (a known fault of other routers), so a checkpoint without the head is
refused. Texts: words and positions, the same layers, a last norm, the last token's vector, a matrix. Texts are padded to the
full length and nothing is masked: padding is read as in training. Both vectors are of length 1.

Weights are kept as floats, as halves, or as int8 with a scale for each row; sums are in float32 whatever they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models import openvino_gate
from edge_models.classifiers.base import Weights
from edge_models.engines.base import Unavailable
from edge_models.plain_files import open_plain
from edge_models.safetensors_file import read_tensors

ACTIVATIONS: Final = {
    "gelu": "erf",
    "gelu_new": "tanh",
    "gelu_pytorch_tanh": "tanh",
    "gelu_fast": "tanh",
}
"""transformers' names, and OpenVINO's two forms of GELU."""
CHECKPOINT: Final = "model.safetensors"
EXPORT: Final = "openvino_model.xml"
"""optimum-intel's, of both towers in one (`edge_models.siglip_export`)."""
_INT8: Final = 127.0
_MOST_BYTES: Final = 4 << 20
_MOST_SIDE: Final = 4096
_AGAIN: Final = "fetch it again, whole"


class TextConfig(Struct, frozen=True):
    """The tower for texts; transformers' defaults, since checkpoints leave out what is like them."""

    vocab_size: int = 32_000
    hidden_size: int = 768
    intermediate_size: int = 3072
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    max_position_embeddings: int = 64
    hidden_act: str = "gelu_pytorch_tanh"
    layer_norm_eps: float = 1e-6
    projection_size: int | None = None
    pad_token_id: int | None = 1


class VisionConfig(Struct, frozen=True):
    """The tower for pictures."""

    hidden_size: int = 768
    intermediate_size: int = 3072
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    num_channels: int = 3
    image_size: int = 224
    patch_size: int = 16
    hidden_act: str = "gelu_pytorch_tanh"
    layer_norm_eps: float = 1e-6
    vision_use_head: bool = True

    @property
    def patches(self) -> int:
        """Of one picture; what is left over at its edges is not read."""
        return (self.image_size // self.patch_size) ** 2


class SiglipConfig(Struct, frozen=True):
    """What is read of config.json."""

    model_type: str = ""
    text_config: TextConfig = TextConfig()
    vision_config: VisionConfig = VisionConfig()


_config: Final = msgspec.json.Decoder(SiglipConfig)


class Towers(NamedTuple):
    """Both graphs as `openvino.Model`. scale, bias: a logit of a picture and a text is scale · cosine + bias.

    image: pixel_values (1, 3, side, side) float32 -> image_embeds (1, width). text: input_ids (1, tokens) int64 ->
    text_embeds (1, width).
    """

    image: Any
    text: Any
    scale: float
    bias: float


def read_siglip_config(directory: Path) -> SiglipConfig:
    """The directory's config.json. Raises Unavailable for one that is no SigLIP's of fixed resolution."""
    try:
        with open_plain(directory / "config.json") as file:
            data = file.read(_MOST_BYTES + 1)
        config = _config.decode(data if len(data) <= _MOST_BYTES else b"")
    except (OSError, ValueError, RecursionError) as error:
        raise Unavailable(f"the encoder's config.json is damaged or no SigLIP's: {_AGAIN}") from error
    vision, text = config.vision_config, config.text_config
    if config.model_type != "siglip":
        raise Unavailable(
            "only SigLIP and SigLIP2 of a fixed resolution can be read as encoders of pictures and texts (model_type"
            " siglip): take one of these"
        )
    if vision.hidden_act not in ACTIVATIONS or text.hidden_act not in ACTIVATIONS:
        raise Unavailable("the encoder's activation (hidden_act) is none that is known here: take another model")
    if not vision.vision_use_head:
        raise Unavailable(f"the encoder has no head over its patches, without which its vectors mean nothing: {_AGAIN}")
    sound = (
        1 <= vision.patch_size <= vision.image_size <= _MOST_SIDE
        and vision.num_channels == 3
        and all(each.num_attention_heads >= 1 and each.hidden_size >= 1 for each in (vision, text))
        and not any(each.hidden_size % each.num_attention_heads for each in (vision, text))
        and 1 <= text.max_position_embeddings <= _MOST_SIDE
    )
    if not sound:
        raise Unavailable(f"the encoder's config.json is damaged: {_AGAIN}")
    return config


def reads_pictures(directory: Path) -> bool:
    """Whether a model's directory says that it is one; it is not opened."""
    try:
        read_siglip_config(directory)
    except Unavailable:
        return False
    return any((directory / name).is_file() for name in (CHECKPOINT, EXPORT))


def siglip_towers(directory: Path, weights: Weights = "float") -> Towers:
    """Build both graphs from config.json and model.safetensors. Raises NotInstalled, Unavailable."""
    config = read_siglip_config(directory)
    tensors = read_tensors(directory / CHECKPOINT)
    try:
        return SiglipBuilder(config, tensors, weights).towers()
    except KeyError as error:
        name = str(error.args[0]) if error.args else ""
        missing = "its head's weights" if ".head." in name else "weights"
        raise Unavailable(f"the encoder's model.safetensors lacks {missing} of a SigLIP: {_AGAIN}") from error


class SiglipBuilder:
    """Both graphs in the making. tensors: by transformers' names."""

    def __init__(self, config: SiglipConfig, tensors: Mapping[str, NDArray[Any]], weights: Weights = "float") -> None:
        """Raises NotInstalled, KeyError for a missing tensor, Unavailable for one of another shape than config says."""
        self._openvino = openvino_gate.openvino()
        self._op = self._openvino.opset13
        self._config = config
        self._tensors = tensors
        self._weights = weights

    def towers(self) -> Towers:
        """As `siglip_towers` says."""
        scale = float(np.exp(np.float32(self._numbers("logit_scale", 1)[0])))
        return Towers(self.image(), self.text(), scale, float(self._numbers("logit_bias", 1)[0]))

    def image(self) -> Any:
        """The tower for pictures."""
        op, config = self._op, self._config.vision_config
        side, patch, width = config.image_size, config.patch_size, config.hidden_size
        pixels = op.parameter([1, 3, side, side], np.float32, name="pixel_values")
        pixels.output(0).set_names({"pixel_values"})
        name = "vision_model.embeddings.patch_embedding"
        kernel = op.constant(self._numbers(f"{name}.weight", width, 3, patch, patch))
        seen = op.convolution(pixels, kernel, [patch, patch], [0, 0], [0, 0], [1, 1])
        seen = op.transpose(op.reshape(seen, self._whole(1, width, -1), False), self._whole(0, 2, 1))
        seen = op.add(seen, op.constant(self._numbers(f"{name}.bias", width)))
        places = self._numbers("vision_model.embeddings.position_embedding.weight", config.patches, width)
        hidden = self._layers("vision_model", op.add(seen, op.constant(places[np.newaxis])), config)
        hidden = self._norm("vision_model.post_layernorm", hidden, config)
        return self._model(self.pooled(hidden), pixels, "image_embeds")

    def pooled(self, hidden: Any) -> Any:
        """The head over all patches: (1, patches, width) -> (1, width)."""
        op, config, name = self._op, self._config.vision_config, "vision_model.head"
        width = config.hidden_size
        packed = self._numbers(f"{name}.attention.in_proj_weight", 3 * width, width)
        shift = self._numbers(f"{name}.attention.in_proj_bias", 3 * width)
        asked = (
            self._numbers(f"{name}.probe", 1, 1, width) @ packed[:width].T + shift[:width]
        )  # of every picture the same
        query = self._split(op.constant(asked), config)
        key, value = (
            self._split(self._product(hidden, packed[part : part + width], shift[part : part + width]), config)
            for part in (width, 2 * width)
        )
        seen = self._linear(f"{name}.attention.out_proj", self._attended(query, key, value, config), width, width)
        whole = op.add(seen, self._inner(f"{name}.mlp", self._norm(f"{name}.layernorm", seen, config), config))
        return op.reshape(whole, self._whole(1, width), False)

    def text(self) -> Any:
        """The tower for texts."""
        op, config = self._op, self._config.text_config
        tokens, width = config.max_position_embeddings, config.hidden_size
        ids = op.parameter([1, tokens], np.int64, name="input_ids")
        ids.output(0).set_names({"input_ids"})
        words = self._looked_up(
            self._numbers("text_model.embeddings.token_embedding.weight", config.vocab_size, width), ids
        )
        places = self._numbers("text_model.embeddings.position_embedding.weight", tokens, width)
        hidden = self._layers("text_model", op.add(words, op.constant(places[np.newaxis])), config)
        hidden = self._norm("text_model.final_layer_norm", hidden, config)
        last = op.gather(hidden, op.constant(np.int64(tokens - 1)), op.constant(np.int64(1)))
        vector = self._linear("text_model.head", last, config.projection_size or width, width)
        return self._model(vector, ids, "text_embeds")

    def _model(self, vector: Any, parameter: Any, name: str) -> Any:
        result = self._op.normalize_l2(vector, self._whole(1), 1e-24, "max")
        result.output(0).set_names({name})
        return self._openvino.Model([result], [parameter], f"siglip {name}")

    def _layers(self, tower: str, hidden: Any, config: TextConfig | VisionConfig) -> Any:
        for number in range(config.num_hidden_layers):
            hidden = self._layer(f"{tower}.encoder.layers.{number}", hidden, config)
        return hidden

    def _layer(self, name: str, hidden: Any, config: TextConfig | VisionConfig) -> Any:
        op, width = self._op, config.hidden_size
        normal = self._norm(f"{name}.layer_norm1", hidden, config)
        query, key, value = (
            self._split(self._linear(f"{name}.self_attn.{part}_proj", normal, width, width), config) for part in "qkv"
        )
        seen = self._attended(query, key, value, config)
        hidden = op.add(hidden, self._linear(f"{name}.self_attn.out_proj", seen, width, width))
        return op.add(hidden, self._inner(f"{name}.mlp", self._norm(f"{name}.layer_norm2", hidden, config), config))

    def _inner(self, name: str, value: Any, config: TextConfig | VisionConfig) -> Any:
        width, inner = config.hidden_size, config.intermediate_size
        grown = self._op.gelu(self._linear(f"{name}.fc1", value, inner, width), ACTIVATIONS[config.hidden_act])
        return self._linear(f"{name}.fc2", grown, width, inner)

    def _split(self, value: Any, config: TextConfig | VisionConfig) -> Any:
        """(1, tokens, width) -> (1, heads, tokens, head width)."""
        heads = config.num_attention_heads
        apart = self._op.reshape(value, self._whole(1, -1, heads, config.hidden_size // heads), False)
        return self._op.transpose(apart, self._whole(0, 2, 1, 3))

    def _attended(self, query: Any, key: Any, value: Any, config: TextConfig | VisionConfig) -> Any:
        op = self._op
        seen = op.scaled_dot_product_attention(query, key, value, causal=False)
        return op.reshape(op.transpose(seen, self._whole(0, 2, 1, 3)), self._whole(1, -1, config.hidden_size), False)

    def _linear(self, name: str, value: Any, out: int, into: int) -> Any:
        return self._product(value, self._numbers(f"{name}.weight", out, into), self._numbers(f"{name}.bias", out))

    def _product(self, value: Any, matrix: NDArray[np.float32], shift: NDArray[np.float32]) -> Any:
        op = self._op
        return op.add(op.matmul(value, self._kept(matrix), False, True), op.constant(np.ascontiguousarray(shift)))

    def _kept(self, matrix: NDArray[np.float32]) -> Any:
        """A matrix as it is kept, and what makes float32 of it."""
        op = self._op
        if self._weights == "float":
            return op.constant(np.ascontiguousarray(matrix))
        if self._weights == "half":
            return op.convert(op.constant(matrix.astype(np.float16)), "f32")
        small, scale = in_int8(matrix)
        return op.multiply(op.convert(op.constant(small), "f32"), op.constant(scale))

    def _looked_up(self, table: NDArray[np.float32], ids: Any) -> Any:
        """Rows of a table, which stays as it is kept: a vocabulary's is most of a tower's weight."""
        op, rows = self._op, self._op.constant(np.int64(0))
        if self._weights == "float":
            return op.gather(op.constant(np.ascontiguousarray(table)), ids, rows)
        if self._weights == "half":
            return op.convert(op.gather(op.constant(table.astype(np.float16)), ids, rows), "f32")
        small, scale = in_int8(table)
        found = op.convert(op.gather(op.constant(small), ids, rows), "f32")
        return op.multiply(found, op.gather(op.constant(scale), ids, rows))

    def _norm(self, name: str, value: Any, config: TextConfig | VisionConfig) -> Any:
        op, width = self._op, config.hidden_size
        normal = op.mvn(value, self._whole(-1), True, config.layer_norm_eps, "inside_sqrt")
        scale, shift = (op.constant(self._numbers(f"{name}.{part}", width)) for part in ("weight", "bias"))
        return op.add(op.multiply(normal, scale), shift)

    def _numbers(self, name: str, *shape: int) -> NDArray[np.float32]:
        found = self._tensors[name]
        if found.shape != shape and not (shape == (1,) and found.shape == ()):
            raise Unavailable(f"the encoder's config.json and its weights do not belong together: {_AGAIN}")
        return np.ascontiguousarray(found, np.float32).reshape(shape)

    def _whole(self, *numbers: int) -> Any:
        return self._op.constant(np.array(numbers, np.int64))


def in_int8(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """(rows, columns) as int8 with a scale for each row, (rows, 1): matrix ≈ int8 · scale."""
    scale: NDArray[np.float32] = np.abs(matrix).max(axis=1, keepdims=True).astype(np.float32) / np.float32(_INT8)
    scale[scale == 0] = 1.0
    return np.rint(matrix / scale).astype(np.int8), scale
