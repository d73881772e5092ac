"""Tiny SigLIP checkpoints with random weights, as the hub lays them out, and pictures to show them; no torch."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

WIDTH, HEADS, INNER, SIDE, PATCH, TOKENS, LAYERS = 32, 4, 48, 34, 8, 12, 2
WORDS: Final = (
    "<pad>", "</s>", "<unk>", "a", "photo", "of", "cat", "dog", "passport", "code", "screen", "x-ray", "chart", "car",
    "chest", "brain", "scan", "ultrasound", "skin", "microscope", "slide", "retina", "prescription", "identity", "card",
    "driving", "licence", "credit", "receipt", "bank", "invoice", "screenshot", "terminal", "bar", "presentation",
    "spreadsheet", "diagram", "page", "text",
)  # fmt: skip
VISION: Final = {
    "hidden_size": WIDTH,
    "intermediate_size": INNER,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "image_size": SIDE,
    "patch_size": PATCH,
}
TEXT: Final = {
    "hidden_size": WIDTH,
    "intermediate_size": INNER,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "max_position_embeddings": TOKENS,
    "vocab_size": len(WORDS),
}
PREPROCESSOR: Final = {
    "image_processor_type": "SiglipImageProcessor",
    "do_resize": True,
    "size": {"height": SIDE, "width": SIDE},
    "resample": 3,
    "do_rescale": True,
    "rescale_factor": 1 / 255,
    "do_normalize": True,
    "image_mean": [0.5, 0.5, 0.5],
    "image_std": [0.5, 0.5, 0.5],
    "do_convert_rgb": None,
}
Tensors = dict[str, NDArray[Any]]


def tensors(seed: int = 3) -> Tensors:
    """Random weights by transformers' names; norms near 1, so that layers matter."""
    rng = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "logit_scale": (1,),
        "logit_bias": (1,),
        "vision_model.embeddings.patch_embedding.weight": (WIDTH, 3, PATCH, PATCH),
        "vision_model.embeddings.patch_embedding.bias": (WIDTH,),
        "vision_model.embeddings.position_embedding.weight": ((SIDE // PATCH) ** 2, WIDTH),
        "vision_model.head.probe": (1, 1, WIDTH),
        "vision_model.head.attention.in_proj_weight": (3 * WIDTH, WIDTH),
        "vision_model.head.attention.in_proj_bias": (3 * WIDTH,),
        "text_model.embeddings.token_embedding.weight": (len(WORDS), WIDTH),
        "text_model.embeddings.position_embedding.weight": (TOKENS, WIDTH),
    }
    linear = {
        "vision_model.head.attention.out_proj": (WIDTH, WIDTH),
        "vision_model.head.mlp.fc1": (INNER, WIDTH),
        "vision_model.head.mlp.fc2": (WIDTH, INNER),
        "text_model.head": (WIDTH, WIDTH),
    }
    norms = ["vision_model.post_layernorm", "vision_model.head.layernorm", "text_model.final_layer_norm"]
    for layer in (f"{tower}_model.encoder.layers.{n}" for tower in ("vision", "text") for n in range(LAYERS)):
        linear |= {f"{layer}.self_attn.{part}_proj": (WIDTH, WIDTH) for part in ("q", "k", "v", "out")}
        linear |= {f"{layer}.mlp.fc1": (INNER, WIDTH), f"{layer}.mlp.fc2": (WIDTH, INNER)}
        norms += [f"{layer}.layer_norm1", f"{layer}.layer_norm2"]
    for name, (out, into) in linear.items():
        shapes |= {f"{name}.weight": (out, into), f"{name}.bias": (out,)}
    made: Tensors = {
        name: (rng.normal(size=shape) * (0.4 if len(shape) > 1 else 0.2)).astype(np.float32)
        for name, shape in shapes.items()
    }
    for name in norms:
        made[f"{name}.weight"] = rng.normal(1, 0.3, WIDTH).astype(np.float32)
        made[f"{name}.bias"] = rng.normal(0, 0.3, WIDTH).astype(np.float32)
    made["logit_scale"][:] = np.log(np.float32(90))
    made["logit_bias"][:] = -12.5
    return made


def write_tensors(path: Path, tensors: Tensors) -> None:
    """A safetensors file of float32, float16 or int64."""
    kinds = {"float32": "F32", "float16": "F16", "int64": "I64"}
    header, data = {}, bytearray()
    for name, tensor in tensors.items():
        places = [len(data), len(data) + tensor.nbytes]
        header[name] = {"dtype": kinds[tensor.dtype.name], "shape": list(tensor.shape), "data_offsets": places}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def write_tokenizer(folder: Path) -> None:
    """A tokenizer of few words that ends texts with `</s>`; it is not what pads them that says how."""
    tokenizer = Tokenizer(models.WordLevel({word: id for id, word in enumerate(WORDS)}, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    tokenizer.add_special_tokens(["<pad>", "</s>", "<unk>"])
    tokenizer.save(str(folder / "tokenizer.json"))
    told = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": "<pad>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "model_max_length": TOKENS,
        "padding_side": "right",
        "model_input_names": ["input_ids"],
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(told))


def tiny_siglip(folder: Path, weights: Tensors | None = None, **preprocessor: Any) -> Path:
    """A whole directory. preprocessor: instead of what PREPROCESSOR says."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tensors(folder / "model.safetensors", weights or tensors())
    config = {"model_type": "siglip", "architectures": ["SiglipModel"], "text_config": TEXT, "vision_config": VISION}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "preprocessor_config.json").write_text(json.dumps(PREPROCESSOR | preprocessor))
    write_tokenizer(folder)
    return folder


def picture(seed: int = 0, size: tuple[int, int] = (61, 40)) -> Image.Image:
    """Noise over a gradient, (width, height)."""
    rng = np.random.default_rng(seed)
    ramp = np.linspace(0, 255, size[0])[None, :, None] * np.array([1.0, 0.5, 0.2])
    return Image.fromarray(np.clip(ramp + rng.normal(0, 60, (size[1], size[0], 3)), 0, 255).astype(np.uint8))


def png(image: Image.Image) -> bytes:
    """Its file."""
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()
