"""Words that everybody writes small."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.signals.shipped import folder, shipped_words
from edge_models.engines.base import Unavailable
from edge_models.multilingual.words import written_small


def test_words_are_there_and_names_are_not() -> None:
    """Forms of words too, and no name of the commonest."""
    words = shipped_words()

    assert {"bridges", "carry", "weight", "function", "getting", "exactly", "wichtig", "beaucoup"} - words == set()
    assert {
        "maria",
        "keller",
        "anna",
        "smith",
        "john",
        "michael",
        "schmidt",
        "garcia",
        "berlin",
        "james",
    } & words == set()
    assert all(word == word.lower() and word.isalpha() and len(word) >= 3 for word in words)


def test_a_damaged_vocabulary_is_told(tmp_path: Path) -> None:
    """With what to do."""
    assert (folder() / "embedder" / "tokenizer.json").is_file()
    (tmp_path / "tokenizer.json").write_text("{}")

    with pytest.raises(Unavailable, match="install Nearloop again"):
        written_small(tmp_path / "tokenizer.json")
