"""Sequence heads: what a text is.

The windows of a long text become one answer in one of two ways. `mean`: the average of the windows' probabilities, which
stays a distribution. `max`: each label's highest, so that one sentence in a long document can't be outvoted by the rest;
rows then don't sum to 1. A head of exclusive labels takes the mean unless told otherwise, one of independent labels the
maximum.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from edge_models.classifiers.base import Described
from edge_models.encoder import Encoder
from edge_models.engines.base import Broken, Unavailable
from edge_models.pooling import Floats

OUTPUTS: Final = ("logits",)
INDEPENDENT: Final = "multi_label_classification"  # transformers' word in `problem_type`


class SequenceClassifier:
    """An encoder with a head over whole texts. A head of one label gives its sigmoid."""

    def __init__(self, encoder: Encoder, across: Literal["mean", "max"] | None = None) -> None:
        """Raises Unavailable if the graph doesn't give a logit for each label."""
        labels = encoder.config.labels
        shape = encoder.probe()
        if shape != (1, len(labels)):
            raise Unavailable(f"the head gives {shape} and its config.json has {len(labels)} labels: export it again")
        self._encoder = encoder
        self._independent = encoder.config.problem_type == INDEPENDENT or len(labels) == 1
        self._across = across or ("max" if self._independent else "mean")
        self.about = Described(
            "text-classification", labels, len(labels), encoder.tokenizer.window_tokens, encoder.runtime.device
        )

    def predict(self, texts: tuple[str, ...]) -> Floats:
        rows = np.empty((len(texts), self.about.width), np.float32)
        for place, text in enumerate(texts):
            rows[place] = self._predict(text)
        return rows

    def _predict(self, text: str) -> Floats:
        logits = [values[0] for _, _, values in self._encoder.walk(text)]
        if not logits:
            raise Broken("the tokenizer makes no token of a text: it can't be classified")
        stacked: Floats = np.stack(logits)
        windows = sigmoid(stacked) if self._independent else softmax(stacked)
        answer: Floats = windows.max(axis=0) if self._across == "max" else windows.mean(axis=0)
        return answer

    def close(self) -> None:
        self._encoder.close()


def softmax(logits: Floats) -> Floats:
    """Along the last axis."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    result: NDArray[np.float32] = raised / raised.sum(axis=-1, keepdims=True)
    return result


def sigmoid(logits: Floats) -> Floats:
    """Of each number, without an overflow for large negative ones."""
    result: NDArray[np.float32] = np.float32(0.5) * (np.tanh(np.float32(0.5) * logits) + np.float32(1))
    return result
