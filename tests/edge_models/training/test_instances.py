"""Windows of rows, as training sees them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edge_models.engines.base import Unavailable
from edge_models.tokenizer import Tokenizer
from edge_models.training.heads import Head
from edge_models.training.instances import MOST_WINDOWS, UNKNOWN, instances, token_labels, tokenizer
from edge_models.training.rows import Row
from tests.fakes.encoders import tiny_tokenizer
from tests.fakes.minilm import minilm

FLAG = Head("flag", ("no", "yes"), pool="max")
TOPIC = Head("topic", ("a", "b", "c"))
NAMES = Head("names", ("O", "B-PER", "I-PER"), task="token")


def tiny(folder: Path, window: int = 8) -> Tokenizer:
    tiny_tokenizer(folder / "tokenizer.json")
    return Tokenizer(folder / "tokenizer.json", window, 2)


def test_only_windows_that_hold_the_place_are_positive(tmp_path: Path) -> None:
    """A text is positive where the attack stands, and negative elsewhere."""
    words = ["met"] * 20
    words[16] = "bad"
    text = " ".join(words)
    place = text.index("bad")
    row = Row(text, {"flag": "yes"}, where={"flag": (place, place + 3)})

    found = list(instances([row], tiny(tmp_path), [FLAG]))

    bad = 13  # in the tiny vocabulary
    assert len(found) > 2
    assert [instance.targets["flag"][1] == 1 for instance in found] == [bad in instance.ids for instance in found]


def test_a_long_text_is_a_few_windows(tmp_path: Path) -> None:
    """At most MOST_WINDOWS for heads that look for one bad window; one for the others."""
    row = Row("met " * 90, {"flag": "no", "topic": "b"})

    found = list(instances([row], tiny(tmp_path), [FLAG, TOPIC]))

    assert len(found) == MOST_WINDOWS
    assert ["topic" in instance.targets for instance in found] == [True, False, False, False]
    assert found[0].targets["topic"].tolist() == [0, 1, 0]


def test_a_probability_is_a_target(tmp_path: Path) -> None:
    """A number is the second label's share."""
    (found,) = instances([Row("met", {"flag": 0.25})], tiny(tmp_path), [FLAG])
    assert found.targets["flag"].tolist() == [0.75, 0.25]


def test_an_unknown_label_is_refused(tmp_path: Path) -> None:
    """The message names the head and what it knows."""
    with pytest.raises(Unavailable, match="topic has no label 'z': it knows a, b, c"):
        list(instances([Row("met", {"topic": "z"})], tiny(tmp_path), [TOPIC]))


def test_labels_stand_at_the_first_piece_of_a_word(tmp_path: Path) -> None:
    """Later pieces and special tokens teach nothing."""
    text = "alice met bobs smith"
    window = tiny(tmp_path).windows(text)[0]
    marks = token_labels(window, [("PER", 0, 5), ("PER", 10, 20)], NAMES.labels)

    assert marks.tolist() == [UNKNOWN, 1, 0, 1, UNKNOWN, 2, UNKNOWN]


def test_two_names_side_by_side_are_two() -> None:
    """Each span begins with B."""
    window = tokenizer(minilm() / "tokenizer.json").windows("Ann Bob")[0]
    assert token_labels(window, [("PER", 0, 3), ("PER", 4, 7)], NAMES.labels).tolist() == [UNKNOWN, 1, 1, UNKNOWN]


def test_the_real_tokenizer_neither_pads_nor_cuts() -> None:
    """MiniLM's own file pads to 128: nothing of that is left."""
    windows = tokenizer(minilm() / "tokenizer.json").windows("a few words")
    assert len(windows) == 1
    assert np.count_nonzero(windows[0].ids) == len(windows[0].ids) == 5
