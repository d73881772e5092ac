"""Token heads: which stretches of a text have a label.

A word is what the tokenizer's pre-tokenizer makes of the text; its label is that of its first token, as such heads are
trained (transformers, `run_ner`). Labels are in BIO form: `B-PER` begins a span, `I-PER` goes on, `O` is outside; an `I-`
that nothing goes before, or that follows another label, begins one too, and labels without a prefix are runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from edge_models.classifiers.base import Described, Span
from edge_models.classifiers.sequence import softmax
from edge_models.encoder import Encoder
from edge_models.engines.base import Unavailable

OUTPUTS: Final = ("logits",)
OUTSIDE: Final = "O"


class Word(Struct, frozen=True):
    """A word with the label of its first token. start, end: characters of the text."""

    label: str
    score: float
    start: int
    end: int


class TokenHead:
    """An encoder with a head over each token."""

    def __init__(self, encoder: Encoder) -> None:
        """Raises Unavailable if the graph doesn't give a logit for each label of each token."""
        labels = encoder.config.labels
        shape = encoder.probe()
        if len(shape) != 3 or shape[2] != len(labels):
            raise Unavailable(f"the head gives {shape} and its config.json has {len(labels)} labels: export it again")
        self._encoder = encoder
        self.about = Described(
            "token-classification", labels, len(labels), encoder.tokenizer.window_tokens, encoder.runtime.device
        )

    def spans(self, texts: tuple[str, ...]) -> tuple[tuple[Span, ...], ...]:
        return tuple(joined(self.words(text)) for text in texts)

    def words(self, text: str) -> list[Word]:
        """A text's words with their labels."""
        found: list[Word] = []
        numbers: list[int | None] = []  # of the words in `found`
        for window, _, values in self._encoder.walk(text):
            chances = softmax(values[0])
            for place in window.own:
                start, end = window.offsets[place]
                number = window.words[place]
                if numbers and number is not None and number == numbers[-1]:
                    last = found[-1]  # a later token of the same word
                    found[-1] = Word(last.label, last.score, last.start, max(last.end, end))
                    continue
                best = int(chances[place].argmax())
                found.append(Word(self.about.labels[best], float(chances[place, best]), start, end))
                numbers.append(number)
        return found

    def close(self) -> None:
        self._encoder.close()


def joined(words: Iterable[Word]) -> tuple[Span, ...]:
    """Words in BIO form as spans, in order."""
    groups: list[tuple[str, list[Word]]] = []
    open_label: str | None = None
    for word in words:
        prefix, _, rest = word.label.partition("-")
        bare = not rest or prefix not in ("B", "I")
        label = word.label if bare else rest
        if word.label == OUTSIDE:
            open_label = None
        elif label == open_label and (bare or prefix == "I"):
            groups[-1][1].append(word)
        else:
            groups.append((label, [word]))
            open_label = label
    return tuple(
        Span(label, group[0].start, group[-1].end, sum(word.score for word in group) / len(group))
        for label, group in groups
    )
