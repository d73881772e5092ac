"""Names of companies with what the law has them called."""

from __future__ import annotations

import pytest

from daemon.signals.companies import companies, unspaced_companies
from daemon.signals.overlaps import Vocabulary
from tests.fakes.growth import grows_with_length_alone


def found(text: str) -> list[str]:
    return [text[hit.start : hit.end] for hit in companies(text, Vocabulary(text.lower()))]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We met Nordhof Analytics GmbH in May", "Nordhof Analytics GmbH"),
        ("Lindgren & Sons Ltd. pays", "Lindgren & Sons Ltd."),
        ("signed with Tannhauser Rocket Systems, Inc. today", "Tannhauser Rocket Systems, Inc."),
        ("The Lindgren Corp contract", "Lindgren Corp"),
        ("the offer of Müller Gartenbau GmbH, dated", "Müller Gartenbau GmbH"),
        ("the offer of Huber & Söhne KG, dated", "Huber & Söhne KG"),
        ("the offer of Boulangerie Petit SARL, dated", "Boulangerie Petit SARL"),
        ("the offer of Talleres Ruiz S.L., dated", "Talleres Ruiz S.L."),
    ],
)
def test_the_whole_name_is_found(text: str, name: str) -> None:
    """With its form, and without the word that begins the sentence."""
    assert found(text) == [name]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "at Google LLC",
            "foo Inc",
            "Inc",
            "Run AB tests",
            "a Limited edition of 3 Corp units",
            "10 KG of flour",
            "an LLC",
        ),
        *("Copyright 2009 Acme Widgets Ltd", "SAS is a language"),
    ],
)
def test_famous_ones_and_other_words_are_left_alone(text: str) -> None:
    """And letters that mean something else."""
    assert found(text) == []


@pytest.mark.parametrize("unit", [" Inc", "A ", "A & ", "Aa Inc "])
def test_time_grows_with_length_alone(unit: str) -> None:
    """No text makes a pattern go back and forth."""
    assert grows_with_length_alone(found, unit)


@pytest.mark.parametrize("name", ["株式会社青空", "주식회사 한마음", "北京星辰科技有限公司"])
def test_without_blanks_too(name: str) -> None:
    """In Japanese, Korean and Chinese."""
    text = f"（{name}）"
    assert [text[hit.start : hit.end] for hit in unspaced_companies(text)] == [name]
