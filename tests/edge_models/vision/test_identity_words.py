"""Words of identity documents, as OCR leaves them."""

from __future__ import annotations

import pytest

from edge_models.vision.identity_words import identity_words


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("PASSPORT\nSurname KELLER\nDate of birth 12.03.1985", 3),
        ("Dateofbirth\nDATE OF BIRTH", 1),
        ("Date de naissance / Date of birth", 1),
        ("FÜHRERSCHEIN\nGeburtsdatum, Gültig bis", 3),
        ("Apellidos / Nombre, NACIONALIDAD, Sexo F", 3),
        ("주민등록증\n생년월일", 2),
        ("運転免許証 氏名", 2),
        ("パスポート PASSPORT", 1),
        ("DL 1234  SEX F  EXP 2030", 3),
        ("A sextant, an experiment, and Essex", 0),
        ("The quarterly numbers look good, Jane Keller", 0),
        ("", 0),
    ],
)
def test_each_thing_counts_once(text: str, things: int) -> None:
    """In whatever language and however often, without blanks and accents; short words by themselves."""
    assert identity_words(text) == things
