"""Street addresses in the forms of several countries."""

from __future__ import annotations

import pytest

from daemon.signals.overlaps import Vocabulary, folded, settle
from daemon.signals.postal_addresses import postal_addresses, unspaced_addresses
from daemon.signals.windows import shape_of


def addresses(text: str) -> list[str]:
    lower = folded(text)
    found = (*postal_addresses(text, lower, Vocabulary(lower), shape_of(text)), *unspaced_addresses(text))
    return [text[hit.start : hit.end] for hit in settle(found)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("wohnt Hans-Böckler-Straße 12b, 45127 Essen.", "Hans-Böckler-Straße 12b, 45127 Essen"),
        ("liefern an Im Winkel 3, 79100 Freiburg bitte", "Im Winkel 3, 79100 Freiburg"),
        ("12 bis rue de l'Abbaye, 75006 Paris est fermé", "12 bis rue de l'Abbaye, 75006 Paris"),
        ("vive en C/ Goya 14, 3.º izq, 28001 Madrid", "C/ Goya 14, 3.º izq, 28001 Madrid"),
        ("at 9 Tanner Row, York YO1 6JB today", "9 Tanner Row, York YO1 6JB"),
        ("주소는 서울특별시 종로구 세종대로 175입니다", "서울특별시 종로구 세종대로 175"),
        ("〒160-0023 東京都新宿区西新宿2-8-1です", "〒160-0023 東京都新宿区西新宿2-8-1"),
        ("地址：广州市天河区天河路385号。", "广州市天河区天河路385号"),
    ],
)
def test_an_address_is_found_whole(text: str, wanted: str) -> None:
    """With house number, flat, postcode and town."""
    assert addresses(text) == [wanted]


@pytest.mark.parametrize(
    "text",
    [
        "str.join(3) and weg = 5",
        "the place 3 of the list, square 9",
        "Kapitel 5, 12345 wörter",
        "第5号線、3号",
        "서울의 날씨는 3도",
        "avenue A: 0 of 12, 34567 rows",
    ],
)
def test_numbers_are_no_addresses(text: str) -> None:
    """Code, counts, lines of a railway."""
    assert addresses(text) == []
