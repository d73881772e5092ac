"""Telephone numbers of several countries that no word names."""

from __future__ import annotations

import pytest

from daemon.signals.phones_abroad import phones_abroad
from daemon.signals.unspaced import opened, regions
from daemon.signals.windows import Windows, shape_of


def numbers(text: str) -> list[str]:
    unspaced = regions(text)
    text = opened(text, unspaced)
    return [text[hit.start : hit.end] for hit in phones_abroad(text, Windows(text, shape_of(text)), bool(unspaced))]


@pytest.mark.parametrize(
    "written",
    [
        "0711 / 48 22 190",
        "(0221) 4478-210",
        "0911-33871 220",
        "634 52 18 90",
        "0161 496 0733",
        "080-5512-9034",
        "02-733-1290",
    ],
)
def test_a_national_form_counts(written: str) -> None:
    """Anywhere in a sentence."""
    assert numbers(f"so: {written}, danke") == [written]


@pytest.mark.parametrize(
    ("text", "written"), [("打13900001234吧", "13900001234"), ("电话是021-62334455。", "021-62334455")]
)
def test_plain_digits_count_beside_their_script(text: str, written: str) -> None:
    """With no blank between them."""
    assert numbers(text) == [written]


@pytest.mark.parametrize(
    "text",
    [
        "id 13900001234 in a log",
        "2024-05-01 and 10/12/2024",
        "0123-4567-89012",
        "1.2.634 52 18 90",
        "3 100 200 300",
        "10 20 30 40",
    ],
)
def test_other_numbers_do_not(text: str) -> None:
    """Identifiers, dates, lists."""
    assert numbers(text) == []
