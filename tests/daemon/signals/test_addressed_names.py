"""Persons are told by how they are addressed, in languages that the trained head doesn't read."""

from __future__ import annotations

import pytest

from daemon.signals.addressed_names import addressed_names
from daemon.signals.overlaps import Vocabulary, folded, settle


def persons(text: str) -> list[str]:
    lower = folded(text)
    return [text[hit.start : hit.end] for hit in settle(addressed_names(text, lower, Vocabulary(lower)))]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Herr Klaus-Dieter Vogt rief an.", ["Klaus-Dieter Vogt"]),
        ("Sehr geehrte Frau Dr. Steinbrück, danke für die Mail.", ["Steinbrück"]),
        ("Bitte Herrn von der Heydte anrufen", ["von der Heydte"]),
        ("Hallo Benno, bis morgen", ["Benno"]),
        ("Mein Name ist Quirin Loibl und ich suche", ["Quirin Loibl"]),
        ("Gestern hat Sabine Winkelmann den Vertrag unterschrieben.", ["Sabine Winkelmann"]),
        ("Mme Lefèvre-Duval conteste la facture", ["Lefèvre-Duval"]),
        ("M. d'Ormesson et Mlle Le Goff sont absents", ["d'Ormesson", "Le Goff"]),
        ("je m'appelle Ghislaine Tanguy et", ["Ghislaine Tanguy"]),
        ("Le rapport de Julien Mercadier est en retard", ["Julien Mercadier"]),
        ("Doña Inmaculada Ferreiro de la Torre pide", ["Inmaculada Ferreiro de la Torre"]),
        ("Estimado Sr. Zabala: le escribo", ["Zabala"]),
        ("Me llamo Eneko Urrutia.", ["Eneko Urrutia"]),
        ("Ayer Carmen Roldán pagó la factura del hotel", ["Carmen Roldán"]),
        ("Mr. Okafor and Ms. Lindgren agreed", ["Okafor", "Lindgren"]),
    ],
)
def test_who_is_addressed_is_found(text: str, wanted: list[str]) -> None:
    """By title, greeting, introduction, or a common first name in a sentence of the language."""
    assert persons(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "Hallo Welt",
        "Hola Mundo",
        "Bonjour à tous",
        "Liebe Kunden, wir haben umgebaut",
        "Frau und Mann sind gleichberechtigt",
        "Herr der Lage",
        "Sehr geehrte Damen und Herren",
        "Don't panic, Dr. is a title",
        "Peter Norvig wrote a spelling corrector",  # the head's business
        "paul_simon = Paul.Simon('x')",
        "Die Robert Straße wird gesperrt",
        "M. = 3 and Mr = matrix(R)",
    ],
)
def test_nobody_is_found(text: str) -> None:
    """Greetings to all, words that are no names, English sentences, code."""
    assert persons(text) == []
