"""Where scripts without blanks meet ASCII, a word ends."""

from __future__ import annotations

import pytest

from daemon.signals.pii import Pii
from daemon.signals.unspaced import has_unspaced, opened


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

    assert len(opened(text)) == len(text)
    assert "13817294406" in opened(text).split()[1]
    assert not has_unspaced("Größe, naïve, …")
    assert has_unspaced(text)
