"""Entailment heads: what a premise says of a hypothesis, which is natural language inference with three labels.

A long premise is read in windows, each with the whole hypothesis. One sentence can support or contradict it, however much
else stands around: the window counts that is surest not to be neutral.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from edge_models.classifiers.base import Described
from edge_models.classifiers.sequence import softmax
from edge_models.encoder import Encoder
from edge_models.encoder_config import read_config
from edge_models.engines.base import EngineError, Unavailable
from edge_models.pooling import Floats
from edge_models.tokenizer import PairTokenizer

LABELS: Final = ("entailment", "neutral", "contradiction")
NEUTRAL: Final = LABELS.index("neutral")
_BEGINNINGS: Final = ("entail", "neutral", "contradict")
"""How a config.json may write them: ENTAILMENT, entailment, contradiction, …"""


class EntailmentHead:
    """An encoder with such a head."""

    def __init__(self, encoder: Encoder, pairs: PairTokenizer) -> None:
        """Raises Unavailable if the graph doesn't give a logit for each label, or its labels aren't the three."""
        labels = encoder.config.labels
        shape = encoder.probe()
        if shape != (1, len(labels)):
            raise Unavailable(f"the head gives {shape} and its config.json has {len(labels)} labels: export it again")
        self._columns = columns(labels)
        self._encoder = encoder
        self._pairs = pairs
        self.about = Described(
            "entailment", LABELS, len(LABELS), encoder.tokenizer.window_tokens, encoder.runtime.device
        )

    def judge(self, pairs: tuple[tuple[str, str], ...]) -> Floats:
        rows = np.empty((len(pairs), len(LABELS)), np.float32)
        for place, (premise, hypothesis) in enumerate(pairs):
            rows[place] = self._judge(premise, hypothesis)
        return rows

    def _judge(self, premise: str, hypothesis: str) -> Floats:
        windows = self._pairs.windows(premise, hypothesis)
        chances = softmax(np.stack([values[0] for _, _, values in self._encoder.read(windows)]))[:, self._columns]
        surest: Floats = chances[chances[:, NEUTRAL].argmin()]
        return surest

    def close(self) -> None:
        self._encoder.close()


def columns(labels: tuple[str, ...]) -> list[int]:
    """Where each of LABELS stands among a model's own. Raises Unavailable."""
    found = [
        [place for place, label in enumerate(labels) if label.lower().startswith(beginning)]
        for beginning in _BEGINNINGS
    ]
    if len(labels) != len(LABELS) or any(len(places) != 1 for places in found):
        raise Unavailable(
            "the model's config.json names its labels (id2label) otherwise than entailment, neutral and contradiction: if"
            " it is a model of natural language inference, write them there; else take one that is"
        )
    return [place for (place,) in found]


def is_entailment(directory: Path) -> bool:
    """Whether a model's directory says that it is one."""
    try:
        columns(read_config(directory).labels)
    except EngineError:
        return False
    return True
