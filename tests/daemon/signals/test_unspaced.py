"""Where scripts without blanks meet ASCII, a word ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.signals.pii import Pii
from daemon.signals.unspaced import opened, regions


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("번호는 010-2345-6789로 연락", "010-2345-6789"),
        ("메일은hong@example-shop.co.kr입니다", "hong@example-shop.co.kr"),
        ("身份证号是11010519491231002X。", "11010519491231002X"),
        ("カードは4111111111111111です", "4111111111111111"),
        ("マイナンバーは123456789018です", "123456789018"),
    ],
)
def test_a_value_between_such_letters_is_found(text: str, value: str) -> None:
    """Exactly it, and not the letters beside it."""
    assert [text[hit.start : hit.end] for hit in Pii().find(text)] == [value]


def test_places_stay() -> None:
    """Nothing gets longer or shorter, and texts without such letters are left as they are."""
    text = "电话13817294406，abc한글def"

    assert len(opened(text, regions(text))) == len(text)
    assert "13817294406" in opened(text, regions(text)).split()[1]
    assert regions("Größe, naïve, …") == []
    assert regions("plain") == []


@given(st.lists(st.sampled_from(["a1", " ", "\n", "한", "文字", "x" * 150, "é"]), max_size=40).map("".join))
def test_regions_hold_all_such_letters(text: str) -> None:
    """In order and apart, and what lies outside is of no such script."""
    at = 0
    for start, end in regions(text):
        assert at <= start < end <= len(text)
        assert not regions(text[at:start])
        at = end
    assert not regions(text[at:])
    assert len(opened(text, regions(text))) == len(text)


def test_a_long_line_is_looked_at_where_they_stand() -> None:
    """And a name in its midst is found all the same."""
    text = "a " * 2000 + "김철수 씨가" + " b" * 2000

    ((start, end),) = regions(text)
    assert end - start < 500
    assert [text[hit.start : hit.end] for hit in Pii().find(text)] == ["김철수"]
