"""The trunk with its heads in torch: what is trained, and what the artefact is held to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import torch
import transformers

from edge_models.engines.base import Unavailable
from edge_models.training.heads import Head
from edge_models.training.quiet import quiet

INNER: Final = 128
"""Width of each head's own layer, which lets tasks differ that share a trunk: 50,000 numbers a head."""
DROPOUT: Final = 0.1


def seeded(seed: int) -> None:
    """Fix what torch draws: first numbers of heads, dropout."""
    torch.manual_seed(seed)


class Trunk(torch.nn.Module):  # type: ignore[misc]  # torch has no types here
    """A BERT, mean pooling over what the mask keeps, and for each head a layer of its own and its logits."""

    def __init__(self, base: Path, heads: Sequence[Head]) -> None:
        super().__init__()
        with quiet():
            self.bert = transformers.BertModel.from_pretrained(
                base, add_pooling_layer=False, dtype=torch.float32, use_safetensors=True, local_files_only=True
            )
        width = self.bert.config.hidden_size
        self.drop = torch.nn.Dropout(DROPOUT)
        self.inner = torch.nn.ModuleDict({head.name: torch.nn.Linear(width, INNER) for head in heads})
        self.outer = torch.nn.ModuleDict({head.name: torch.nn.Linear(INNER, len(head.labels)) for head in heads})
        self.tasks = {head.name: head.task for head in heads}

    def forward(self, ids: Any, mask: Any, wanted: Sequence[str] | None = None) -> dict[str, Any]:
        """Logits of the wanted heads (None: all): (batch, labels), or (batch, tokens, labels)."""
        hidden = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state.float()
        kept = mask.unsqueeze(-1).float()
        pooled = (hidden * kept).sum(1) / kept.sum(1)
        answers = {}
        for name in self.tasks if wanted is None else wanted:
            answers[name] = self.answer(name, pooled if self.tasks[name] == "sequence" else hidden)
        return answers

    def answer(self, name: str, vectors: Any) -> Any:
        """Logits of one head. vectors: (…, width)."""
        return self.outer[name](torch.nn.functional.gelu(self.inner[name](self.drop(vectors))))

    def freeze_words(self) -> None:
        """Leave the word embeddings as they are: half of the numbers, and rare words keep what they mean."""
        self.bert.embeddings.word_embeddings.weight.requires_grad_(False)

    def save(self, path: Path) -> None:
        """Write all numbers as safetensors: the BERT's names, `inner.NAME.weight`, `outer.NAME.weight`, …"""
        from safetensors.torch import save_file

        state = {name.removeprefix("bert."): tensor.contiguous() for name, tensor in self.state_dict().items()}
        state.pop("embeddings.position_ids", None)
        save_file(state, path)

    def load(self, path: Path) -> None:
        """Read what `save` wrote. Raises Unavailable if it is of another form."""
        from safetensors.torch import load_file

        own = ("inner.", "outer.")
        state = {name if name.startswith(own) else f"bert.{name}": tensor for name, tensor in load_file(path).items()}
        missing, unknown = self.load_state_dict(state, strict=False)
        if unknown or [name for name in missing if not name.endswith("position_ids")]:
            raise Unavailable("these numbers belong to other heads, or to another encoder: train without --start")
