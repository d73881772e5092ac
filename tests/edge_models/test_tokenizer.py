"""The tokenizer: nothing padded, nothing cut, and every token answered for once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_models.engines.base import TextTooLong, Unavailable
from edge_models.tokenizer import MAX_FILE_BYTES, OVERLAP_SHARE, PairTokenizer, Tokenizer
from tests.fakes.encoders import tiny_tokenizer
from tests.fakes.minilm import minilm


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer(minilm() / "tokenizer.json", 32)


def test_nothing_is_padded(tokenizer: Tokenizer) -> None:
    """MiniLM's file pads to 128 tokens; a text of two words is four with its special tokens."""
    (window,) = tokenizer.windows("hello world")
    assert window.ids.tolist() == [101, 7592, 2088, 102]
    assert window.own == range(1, 3)
    assert [window.offsets[place] for place in window.own] == [(0, 5), (6, 11)]


def test_a_text_that_fits_is_one_window(tokenizer: Tokenizer) -> None:
    """Thirty tokens and two special ones fill the window; one more makes a second."""
    assert len(tokenizer.windows("cat " * 30)) == 1
    assert len(tokenizer.windows("cat " * 31)) == 2


def test_windows_overlap(tokenizer: Tokenizer) -> None:
    """A later window begins with the last tokens of the one before it."""
    first, second = tokenizer.windows(" ".join(f"w{number}" for number in range(40)))[:2]
    overlap = (32 - 2) // OVERLAP_SHARE
    assert first.ids[-1 - overlap : -1].tolist() == second.ids[1 : 1 + overlap].tolist()


@cache
def reading(window_tokens: int) -> Tokenizer:
    return Tokenizer(minilm() / "tokenizer.json", window_tokens)


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=400), window=st.sampled_from((3, 4, 10, 11, 37)))
def test_every_token_is_answered_for_once(text: str, window: int) -> None:
    """The windows' own tokens, laid end to end, are those of the text read whole."""
    whole = reading(4096).windows(text)
    parts = reading(window).windows(text)
    own = [(part.ids[place], part.offsets[place], part.words[place]) for part in parts for place in part.own]
    assert own == [(part.ids[place], part.offsets[place], part.words[place]) for part in whole for place in part.own]
    assert all(len(part.ids) <= window for part in parts)


def test_offsets_are_characters() -> None:
    """Offsets count characters of the text, whatever they are in bytes."""
    text = "Müller 🦊 wörld"
    (window,) = Tokenizer(minilm() / "tokenizer.json", 64).windows(text)
    spans = [window.offsets[place] for place in window.own]
    assert text[spans[0][0] : spans[0][1]] == "Müller"
    assert text[spans[-1][0] : spans[-1][1]].endswith("ld")


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[" * 100_000, b"\xff\xfe", b'{"model": {"type": "WordPiece", "vocab": 7}}']
)
def test_a_bad_file_is_unavailable(data: bytes, tmp_path: Path) -> None:
    """A tokenizer.json that is none is told as such, and does not end the process."""
    (tmp_path / "tokenizer.json").write_bytes(data)
    with pytest.raises(Unavailable, match=r"tokenizer\.json"):
        Tokenizer(tmp_path / "tokenizer.json", 16)


def test_a_missing_or_huge_file_is_unavailable(tmp_path: Path) -> None:
    """So is none at all, and one over the limit, which is not read."""
    with pytest.raises(Unavailable, match="can't be read"):
        Tokenizer(tmp_path / "tokenizer.json", 16)
    with (tmp_path / "tokenizer.json").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(Unavailable, match="128 MB"):
        Tokenizer(tmp_path / "tokenizer.json", 16)


def test_a_window_without_room_is_unavailable(tmp_path: Path) -> None:
    """Two tokens of window are the special ones alone."""
    tiny_tokenizer(tmp_path / "tokenizer.json")
    with pytest.raises(Unavailable, match="window"):
        Tokenizer(tmp_path / "tokenizer.json", 2)


@cache
def pairing() -> PairTokenizer:
    return PairTokenizer(minilm() / "tokenizer.json", 32)


def test_two_texts_are_numbered() -> None:
    """As the tokenizer's own template says: BERT's second text, with its end, has type 1."""
    (window,) = pairing().windows("hello world", "hello")
    assert window.ids.tolist() == [101, 7592, 2088, 102, 7592, 102]
    assert window.type_ids.tolist() == [0, 0, 0, 0, 1, 1]


@settings(max_examples=50, deadline=None)
@given(words=st.integers(0, 120), second=st.integers(0, 14))
def test_the_second_text_is_in_every_window(words: int, second: int) -> None:
    """And of the first no token is lost, however many windows it takes."""
    windows = pairing().windows(" ".join(f"w{n}" for n in range(words)), "cat " * second)

    assert all(len(window.ids) <= 32 and window.type_ids.tolist().count(1) == second + 1 for window in windows)
    seen = {
        place for window in windows for place, kind in zip(window.offsets, window.type_ids, strict=True) if not kind
    }
    whole = reading(4096).windows(" ".join(f"w{n}" for n in range(words)))
    assert seen == {place for window in whole for place in window.offsets}


def test_a_second_text_that_leaves_no_room_is_refused() -> None:
    """It may take half of the window, and nothing of it is cut."""
    pairs = pairing()
    assert pairs.windows("dog " * 100, "cat " * 14)
    with pytest.raises(TextTooLong, match="more than the 14 tokens"):
        pairs.windows("dog", "cat " * 15)
    with pytest.raises(TextTooLong):
        pairs.windows("dog", "cat " * 1500)
