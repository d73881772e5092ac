"""Organisations are told by their legal form."""

from __future__ import annotations

import pytest

from daemon.signals.companies import companies, unspaced_companies
from daemon.signals.overlaps import Vocabulary, folded


def organizations(text: str) -> list[str]:
    found = (*companies(text, Vocabulary(folded(text))), *unspaced_companies(text))
    return [text[hit.start : hit.end] for hit in found]


@pytest.mark.parametrize(
    "name",
    [
        "Müller Gartenbau GmbH",
        "Huber & Söhne KG",
        "Boulangerie Petit SARL",
        "Talleres Ruiz S.L.",
        "Greenfield Tools Ltd",
    ],
)
def test_a_form_makes_a_name(name: str) -> None:
    """With what stands before it."""
    assert organizations(f"the offer of {name}, dated") == [name]


@pytest.mark.parametrize("name", ["株式会社青空", "주식회사 한마음", "北京星辰科技有限公司"])
def test_without_blanks_too(name: str) -> None:
    """In Japanese, Korean and Chinese."""
    assert organizations(f"（{name}）") == [name]


@pytest.mark.parametrize(
    "text", ["Google Inc", "Copyright 2009 Acme Widgets Ltd", "10 KG of flour", "SAS is a language", "an LLC"]
)
def test_other_words_are_none(text: str) -> None:
    """What everybody knows, notices of copyright, weights, words alone."""
    assert organizations(text) == []
