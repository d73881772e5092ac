"""Which language a text is in."""

from __future__ import annotations

import pytest

from daemon.signals.identifier import FALLBACK, Identifier, prose

IDENTIFIER = Identifier()
CODE = """
def mean(values: list[float]) -> float:
    total = sum(values) / len(values)
    return {"mean": total}[0] if values else (0, 1)[0]
"""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("What does a good answer to this question look like?", "en"),
        ("Wie funktioniert eine Wärmepumpe im Winter?", "de"),
        ("¿Puedes explicarme cómo funciona esto, por favor?", "es"),
        ("请检查这份合同的条款", "zh"),
        ("明日の会議は午後三時に変更になりました", "ja"),
        ("파이썬을 배우고 싶어요", "ko"),
        ("Pourquoi le ciel est-il bleu le matin ?", "fr"),
        ("Ka whānau mai te tangata i runga i te tikanga", "mi"),
        ("hi", FALLBACK[0]),
    ],
)
def test_languages_are_told(text: str, code: str) -> None:
    """Too short a text counts as English, half sure."""
    told = IDENTIFIER.tell(text)

    assert told is not None
    assert told[0] == code
    assert 0 < told[1] <= 1


@pytest.mark.parametrize("text", [CODE, f"```python\n{CODE}\nBitte\n```", "12 + 30 = 42", "", "…!?", "x = {}; y = [];"])
def test_code_is_no_language(text: str) -> None:
    """Nor are numbers and signs."""
    assert IDENTIFIER.tell(text) is None


def test_words_around_code_are_heard() -> None:
    """The question counts, and not what is quoted."""
    told = IDENTIFIER.tell(f"Warum gibt diese Funktion einen Fehler zurück?\n{CODE}")

    assert told is not None
    assert told[0] == "de"
    assert "total" not in prose(CODE)


def test_how_probably_a_text_is_english() -> None:
    """Close relatives share the rest of the chances."""
    assert IDENTIFIER.english("How does a heat pump work in the winter?") > 0.99
    assert IDENTIFIER.english("Hvordan virker en varmepumpe om vinteren?") < 0.01
    assert IDENTIFIER.english("请检查这份合同的条款") < 0.01
    assert IDENTIFIER.english("1 + 1 = 2") == 1.0
