"""Who reads a text: the English models or the multilingual ones."""

from __future__ import annotations

import pytest

from daemon.signals.identifier import Identifier
from daemon.signals.tongues import Tongues, is_plainly_english

FOREIGN = (
    "Wie funktioniert eine Wärmepumpe im Winter?",
    "Bonjour, je voudrais réserver une table pour quatre personnes samedi soir.",
    "¿Cuál es la mejor manera de aprender a tocar la guitarra?",
    "Il treno per Milano parte dal binario cinque con dieci minuti di ritardo.",
    "今天天气怎么样?",
    "明日は歯医者の予約があります。",
    "내일 치과 예약이 있어요.",
    "Поезд опаздывает на двадцать минут.",
)
ENGLISH = (
    "What is the capital of France?",
    "thanks!",
    "ok",
    "",
    "Translate 'Der Zug hat Verspätung' into English for me, and explain the grammar.",
    "def f(x):\n    return x ** 2\n\nprint(f(3))",
    "SELECT name, COUNT(*) FROM orders WHERE status = 'open' GROUP BY name;",
    "kubectl get pods -n kube-system | grep -v Running",
    "2026-03-01T12:00:05Z ERROR worker[3]: connection reset by peer",
    "merci",
)


class Counting(Identifier):
    """Counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def english(self, text: str) -> float:
        self.asked += 1
        return super().english(text)


@pytest.mark.parametrize("text", FOREIGN)
def test_other_languages_are_told(text: str) -> None:
    """In any script."""
    assert Tongues().foreign(text)


@pytest.mark.parametrize("text", ENGLISH, ids=range(len(ENGLISH)))
def test_what_may_be_english_counts_as_it(text: str) -> None:
    """So do code, logs, what is too short, and a request that quotes another language."""
    assert not Tongues().foreign(text)


def test_the_library_is_asked_about_what_is_doubtful_and_once() -> None:
    """Plain English never is: it costs nothing until the first text of another language."""
    counting = Counting()
    tongues = Tongues(counting)
    for _ in range(3):
        tongues.foreign("How do I reset the password of my account?")
        tongues.foreign("Wie setze ich das Passwort meines Kontos zurück?")
    assert counting.asked == 1


def test_plain_english_tells_by_its_words() -> None:
    """A few of many are not enough."""
    assert is_plainly_english("Write a poem about the sea.")
    assert not is_plainly_english("Schreibe ein Gedicht über das Meer, und zwar im Stil von Goethe: the end.")
    assert not is_plainly_english("")
