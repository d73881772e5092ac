"""The original of an export, run by torch as its authors run it.

It takes nothing of ours: transformers' own tokenizer, its own model class, pooling written after sentence-transformers.
What an artefact is held to must not share its faults.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
import torch
import transformers

from edge_models.classifiers.sequence import INDEPENDENT
from edge_models.encoder_config import read_config, read_pooling
from edge_models.engines.base import Unavailable
from edge_models.pooling import Floats
from edge_models.training.parity import Labels, Reading
from edge_models.training.quiet import quiet
from edge_models.training.samples import Sample

_CLASSES: Final = {
    "feature-extraction": "AutoModel",
    "text-classification": "AutoModelForSequenceClassification",
    "token-classification": "AutoModelForTokenClassification",
    "entailment": "AutoModelForSequenceClassification",
    "text-generation": "AutoModelForCausalLM",
}


class Reference:
    """One model in torch, float32, on the CPU. It never runs code from the directory, and reads no pickles."""

    def __init__(self, directory: Path, task: str) -> None:
        """Raises Unavailable if transformers can't read it."""
        kind = getattr(transformers, _CLASSES[task])
        options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        try:
            with quiet():
                self.tokenizer = transformers.AutoTokenizer.from_pretrained(directory, **options)
                self._model = kind.from_pretrained(directory, dtype=torch.float32, use_safetensors=True, **options)
        except Exception as error:
            raise Unavailable(
                f"transformers can't read this directory for {task}: it needs config.json, model.safetensors and the"
                f" tokenizer's files, of a model without code of its own ({type(error).__name__})"
            ) from error
        self._model.eval()
        self._task = task
        self._directory = directory
        self.took_s: list[float] = []

    @property
    def latency_ms(self) -> float:
        """Median of one pass, so far."""
        return 1000 * median(self.took_s)

    def length(self, text: Sample) -> int:
        """In tokens, special ones included."""
        return len(self.tokenizer(*_sides(text))["input_ids"])

    def _run(self, text: Sample) -> tuple[Any, Any]:
        """What the tokenizer and the model give for one text or pair."""
        encoded = self.tokenizer(*_sides(text), return_tensors="pt", truncation=False, padding=False)
        with torch.inference_mode():
            began = time.perf_counter()
            output = self._model(**encoded)
            self.took_s.append(time.perf_counter() - began)
        return encoded, output

    def embeddings(self, texts: tuple[str, ...]) -> Floats:
        """(texts, width), unit length."""
        mean = read_pooling(self._directory) == "mean"
        rows = []
        for text in texts:
            encoded, output = self._run(text)
            hidden = output.last_hidden_state
            mask = encoded["attention_mask"].unsqueeze(-1).float()
            vector = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9) if mean else hidden[:, 0]
            rows.append(torch.nn.functional.normalize(vector, dim=1)[0].numpy())
        return np.stack(rows)

    def sequences(self, texts: tuple[str, ...]) -> Floats:
        """(texts, labels) probabilities."""
        independent = self._model.config.problem_type == INDEPENDENT or self._model.config.num_labels == 1
        squash: Callable[[Any], Any] = torch.sigmoid if independent else lambda logits: torch.softmax(logits, dim=-1)
        return np.stack([squash(self._run(text)[1].logits)[0].numpy() for text in texts])

    def entailments(self, pairs: tuple[tuple[str, str], ...]) -> Floats:
        """(pairs, 3) probabilities: entailment, neutral, contradiction."""
        names = {place: label.lower() for place, label in self._model.config.id2label.items()}
        order = [next(place for place in names if names[place][:6] == word) for word in ("entail", "neutra", "contra")]
        return np.stack([torch.softmax(self._run(pair)[1].logits, dim=-1)[0, order].numpy() for pair in pairs])

    def tokens(self, texts: tuple[str, ...]) -> list[Labels]:
        """For each text the labels of its words, each that of its first token."""
        labels = read_config(self._directory).labels
        answers = []
        for text in texts:
            encoded, output = self._run(text)
            best = output.logits[0].argmax(-1).tolist()
            words = encoded.word_ids(0)
            firsts = [place for place, word in enumerate(words) if word is not None and word not in words[:place]]
            answers.append(tuple(labels[best[place]] for place in firsts))
        return answers

    def readings(self, texts: tuple[str, ...]) -> list[Reading]:
        """Each text as the decoder reads it."""
        answers = []
        for text in texts:
            encoded, output = self._run(text)
            ids = encoded["input_ids"][0]
            chances = torch.log_softmax(output.logits[0, :-1].double(), dim=-1)
            chosen = chances.gather(1, ids[1:, None])[:, 0]
            answers.append(Reading(ids.numpy(), chosen.numpy(), chances.argmax(-1).numpy()))
        return answers


def _sides(text: Sample) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else text
