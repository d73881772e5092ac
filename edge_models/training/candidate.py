"""An artefact as Nearloop will run it: its own tokenizer, windows, pooling and heads over the exported graph."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np

from edge_models import openvino_gate
from edge_models.classifiers.base import EncoderRef, Task
from edge_models.classifiers.embedder import TextEmbedder
from edge_models.classifiers.entailment import EntailmentHead
from edge_models.classifiers.opening import open_encoder
from edge_models.classifiers.sequence import SequenceClassifier
from edge_models.classifiers.tokens import TokenHead
from edge_models.engines.base import Unavailable
from edge_models.pooling import Floats
from edge_models.training.parity import Labels, Reading
from edge_models.training.samples import Sample

_REFUSALS: Final = (RuntimeError, IndexError, ValueError, TypeError, MemoryError)  # of pybind11


class EncoderCandidate:
    """An exported encoder."""

    def __init__(self, directory: Path, task: Task) -> None:
        """Raises Unavailable."""
        self._head = open_encoder(EncoderRef(str(directory), task))
        self.window_tokens = self._head.about.window_tokens

    def embeddings(self, texts: tuple[str, ...]) -> Floats:
        assert isinstance(self._head, TextEmbedder)
        return self._head.embed(texts)

    def sequences(self, texts: tuple[str, ...]) -> Floats:
        assert isinstance(self._head, SequenceClassifier)
        return self._head.predict(texts)

    def tokens(self, texts: tuple[str, ...]) -> list[Labels]:
        assert isinstance(self._head, TokenHead)
        return [tuple(word.label for word in self._head.words(text)) for text in texts]

    def entailments(self, pairs: tuple[tuple[str, str], ...]) -> Floats:
        assert isinstance(self._head, EntailmentHead)
        return self._head.judge(pairs)

    def latency_ms(self, texts: tuple[Sample, ...]) -> float:
        """Median of one text or pair, tokenizer and pooling included."""
        took = []
        for text in texts:
            began = time.perf_counter()
            match self._head, text:
                case TextEmbedder(), str():
                    self._head.embed((text,))
                case SequenceClassifier(), str():
                    self._head.predict((text,))
                case TokenHead(), str():
                    self._head.spans((text,))
                case EntailmentHead(), tuple():
                    self._head.judge((text,))
            took.append(time.perf_counter() - began)
        return 1000 * median(took)


class DecoderCandidate:
    """An exported decoder: its graph, stepped over whole texts, with the tokenizer that GenAI will use."""

    def __init__(self, directory: Path) -> None:
        """Raises Unavailable."""
        openvino = openvino_gate.openvino()
        try:
            self._tokenizer = openvino_gate.genai().Tokenizer(str(directory))
            compiled = openvino.Core().compile_model(directory / "openvino_model.xml", "CPU")
        except _REFUSALS as error:
            raise Unavailable("OpenVINO can't read the exported model") from error
        self._request = compiled.create_infer_request()
        self._inputs = {port.get_any_name() for port in compiled.inputs}
        self.took_s: list[float] = []

    def readings(self, texts: tuple[str, ...]) -> list[Reading]:
        """Each text as the decoder reads it."""
        return [self._read(np.array(self._tokenizer.encode(text).input_ids.data, np.int64)) for text in texts]

    def _read(self, ids: Any) -> Reading:
        """ids: (1, tokens)."""
        count = ids.shape[1]
        feeds = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "position_ids": np.arange(count, dtype=np.int64)[np.newaxis],
            "beam_idx": np.zeros(1, np.int32),
        }
        began = time.perf_counter()
        self._request.reset_state()
        results = self._request.infer({name: feeds[name] for name in self._inputs})
        self.took_s.append(time.perf_counter() - began)
        logits = np.array(results["logits"], np.float64)[0, :-1]
        raised = logits - logits.max(axis=1, keepdims=True)
        chances = raised - np.log(np.exp(raised).sum(axis=1, keepdims=True))
        return Reading(ids[0], chances[np.arange(count - 1), ids[0, 1:]], logits.argmax(axis=1).astype(np.int64))

    @property
    def latency_ms(self) -> float:
        """Median of one text, so far."""
        return 1000 * median(self.took_s)
