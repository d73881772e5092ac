"""Words that everybody uses are told from names."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.signals import everyday
from daemon.signals.everyday import is_everyday


@pytest.mark.parametrize("word", ["the", "The", "PROJECT", "users", "main", "the house"])
def test_everyday_words(word: str) -> None:
    """In any case, and several of them."""
    assert is_everyday(word)


@pytest.mark.parametrize("word", ["falcon", "falcon ledger", "the falcon", "invoice-2", "Keller", "", "王"])
def test_others(word: str) -> None:
    """A name among them makes it one."""
    assert not is_everyday(word)


def test_without_the_vocabulary_nobody_warns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation without the encoder can still take words in."""
    monkeypatch.setattr(everyday, "folder", lambda: tmp_path)
    assert not is_everyday("the")
