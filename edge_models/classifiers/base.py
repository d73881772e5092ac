"""The contract of encoders: texts in, numbers out.

All of them are synchronous, take any number of threads, and read texts of any length: one that is longer than the model's
window is read in overlapping windows, and nothing is cut. They raise Broken if the runtime fails on a text.
"""

from __future__ import annotations

from typing import Final, Literal, Protocol

from msgspec import Struct

from edge_models.pooling import Floats
from edge_models.runtimes.base import Placement

Task = Literal[
    "text-classification",
    "token-classification",
    "feature-extraction",
    "entailment",
    "zero-shot-image-classification",
]
"""What a text is, what its words are, where it lies among others, in the hub's words; in ours, what it says of another; and
where pictures and texts lie among each other.
"""
TASKS: Final[tuple[Task, ...]] = (
    "text-classification",
    "token-classification",
    "feature-extraction",
    "entailment",
    "zero-shot-image-classification",
)
Weights = Literal["float", "half", "int8"]
"""How the numbers of a graph that is built here are kept. On a CPU `half` saves nothing: OpenVINO widens it (measured)."""


class EncoderRef(Struct, frozen=True):
    """The encoder that shall be opened: a directory with a graph, tokenizer.json and config.json.

    runtime: its name in `edge_models.runtimes.registry`. across: how a long text's windows become one answer to
    text-classification; None: as the head asks for, see `edge_models.classifiers.sequence`. weights: of an encoder of
    pictures, whose graphs are built from a checkpoint.
    """

    directory: str
    task: Task
    runtime: str = "openvino"
    placement: Placement = Placement()
    across: Literal["mean", "max"] | None = None
    weights: Weights = "float"


class Span(Struct, frozen=True, array_like=True):
    """A stretch of a text that has a label. start, end: characters. score: mean probability of its words, 0 to 1."""

    label: str
    start: int
    end: int
    score: float


class Described(Struct, frozen=True):
    """What an opened encoder is. labels: in the order of the columns, empty for an embedder. width: columns.

    scale, bias: of an encoder of pictures and texts: a pair belongs together with sigmoid(scale · cosine + bias).
    """

    task: Task
    labels: tuple[str, ...]
    width: int
    window_tokens: int
    device: str
    scale: float = 1.0
    bias: float = 0.0


class Classifier(Protocol):
    """A head that says what a text is."""

    about: Described

    def predict(self, texts: tuple[str, ...]) -> Floats:
        """(texts, labels) probabilities, in the order of `about.labels`."""
        ...

    def close(self) -> None:
        """Give memory back."""
        ...


class TokenClassifier(Protocol):
    """A head that finds labelled stretches in a text."""

    about: Described

    def spans(self, texts: tuple[str, ...]) -> tuple[tuple[Span, ...], ...]:
        """For each text its spans, in order, none overlapping another."""
        ...

    def close(self) -> None:
        """Give memory back."""
        ...


class Entailer(Protocol):
    """A head that says whether a premise supports a hypothesis."""

    about: Described

    def judge(self, pairs: tuple[tuple[str, str], ...]) -> Floats:
        """(pairs, 3) probabilities: entailment, neutral, contradiction. pairs: (premise, hypothesis).

        Raises TextTooLong for a hypothesis that takes more than half of the window.
        """
        ...

    def close(self) -> None:
        """Give memory back."""
        ...


class Embedder(Protocol):
    """An encoder that says where a text lies among others."""

    about: Described

    def embed(self, texts: tuple[str, ...]) -> Floats:
        """(texts, width), each row of length 1; a row of zeros for a text without a token."""
        ...

    def close(self) -> None:
        """Give memory back."""
        ...


class ImageTextEncoder(Protocol):
    """An encoder that says where pictures and texts lie among each other; pictures as the bytes of their files."""

    about: Described

    def embed_pictures(self, pictures: tuple[bytes, ...]) -> Floats:
        """(pictures, width), each row of length 1. Raises Unseen if one can't be decoded within the limits."""
        ...

    def embed_texts(self, texts: tuple[str, ...]) -> Floats:
        """(texts, width), each row of length 1. A text over the window, which is for labels, loses its end."""
        ...

    def close(self) -> None:
        """Give memory back."""
        ...
