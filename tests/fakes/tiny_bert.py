"""A BERT of random numbers with MiniLM's tokenizer: the right shape for training, and small."""

from __future__ import annotations

import shutil
from pathlib import Path

import torch
import transformers

from tests.fakes.minilm import minilm


def tiny_bert(folder: Path) -> Path:
    """Two layers, 32 wide, as Hugging Face lays it out."""
    torch.manual_seed(3)
    config = transformers.BertConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=160
    )
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(minilm() / name, folder / name)
    return folder
