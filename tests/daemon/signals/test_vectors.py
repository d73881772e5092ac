"""The service over the shipped encoder."""

from __future__ import annotations

import pytest

from daemon.signals.opening import NO_MODEL, Unread
from daemon.signals.vectors import Bank, Score, Scoring, Vector, Vectors
from edge_models.engines.base import Broken, Unavailable


class Letters:
    """A text's vector is how often it has an `a` and a `b`."""

    width = 2

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def embed(self, texts: tuple[str, ...]) -> list[Vector]:
        self.asked.append(texts)
        if "broken" in texts:
            raise Broken("the user's words")
        return [(text.count("a"), text.count("b")) for text in texts]

    def tokens(self, text: str) -> int:
        return len(text)

    def bank(self, vectors: list[Vector], cluster: float, most: int, weight: float, top: int) -> Bank:
        class Fixed:
            def score(self, vector: Vector) -> Score:
                return Score(cluster, len(vectors), most)

            def best(self, vector: Vector) -> float:
                return 1.0

        return Fixed()

    def likeness(self, one: Vector, other: Vector) -> float:
        return float(one[0] * other[0] + one[1] * other[1])

    def close(self) -> None: ...


def test_texts_and_banks_are_made_once() -> None:
    """Examples that are the same count once."""
    letters = Letters()
    vectors = Vectors(lambda: letters, kept=2)

    assert vectors.likeness("aa", "ab") == 2.0
    assert vectors.of("aa") == (2, 0)
    bank = vectors.bank(("a", "b", "a"))
    assert vectors.bank(("a", "b", "a")) is bank
    assert vectors.bank(("a", "b", "a"), Scoring(cluster=0.5)) is not bank
    assert bank.score((0, 0)) == Score(0.9, 2, 8)
    assert letters.asked == [("aa",), ("ab",), ("a", "b"), ("a", "b")]
    assert vectors.width == 2


def test_the_memory_is_bounded() -> None:
    """The oldest vector goes first."""
    letters = Letters()
    vectors = Vectors(lambda: letters, kept=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        vectors.of(text)

    assert [texts[0] for texts in letters.asked] == ["a", "b", "c", "b"]


def test_failures_have_names() -> None:
    """No encoder, or one that failed."""

    def absent() -> Letters:
        raise Unavailable("install it")

    none = Vectors(absent)
    with pytest.raises(Unread, match=NO_MODEL):
        none.of("x")
    assert none.why == "install it"
    with pytest.raises(Unread, match="Broken"):
        Vectors(Letters).of("broken")
    closed = Vectors(Letters)
    closed.of("a")
    closed.close()
    with pytest.raises(Unread, match=NO_MODEL):
        closed.bank(("a",))


def test_a_long_text_is_its_beginning_and_end() -> None:
    """Unless all of it is asked for."""
    letters = Letters()
    vectors = Vectors(lambda: letters)
    long = "a" * 1000 + "b" * 2000

    assert vectors.of(long) == (900, 900)
    assert vectors.whole(long) == (1000, 2000)
    assert vectors.numbers(long) == [1000.0, 2000.0]
    assert vectors.tokens(long) == len(long)


def test_pieces_are_the_sentences_of_a_text() -> None:
    """Very long ones in parts; signs alone are none; they end when there is no time."""
    vectors = Vectors(Letters)
    text = "aaa b. Bbb!\nab ab?  … " + "a" * 500
    left = iter([True, False])

    assert list(vectors.pieces(text, lambda: True)) == [(3, 1), (0, 2), (2, 2), (396, 0), (104, 0)]
    assert list(vectors.pieces("abab", lambda: True)) == [(2, 2)]
    assert list(vectors.pieces(" …", lambda: True)) == []
    assert len(list(vectors.pieces(text, lambda: next(left)))) == 1


class Abroad(Letters):
    """The multilingual encoder, whose likenesses are worth half."""

    def scaled(self, likeness: float) -> float:
        return likeness / 2

    def bank(self, vectors: list[Vector], cluster: float, most: int, weight: float, top: int) -> Bank:
        class Fixed:
            def score(self, vector: Vector) -> Score:
                return Score(0.7, float(vector[0]), 0.4)

            def best(self, vector: Vector) -> float:
                return float(vector[1])

        return Fixed()


GERMAN = "Wie baue ich eine Wärmepumpe ein?"


def test_another_language_is_compared_by_another_encoder() -> None:
    """With examples as that one reads them, on the English one's scale; plain numbers stay the English one's."""
    english, opened = Letters(), []
    vectors = Vectors(lambda: english, abroad=lambda: opened.append(Abroad()) or opened[-1])
    bank = vectors.bank(("a", "b"))

    assert bank.score(vectors.of("aa")).best == 2
    assert opened == []
    a, b = GERMAN.count("a"), GERMAN.count("b")
    assert bank.score(vectors.of(GERMAN)) == Score(0.75 * a / 2 + 0.25 * 0.2, a / 2, 0.2)
    assert bank.best(vectors.whole(GERMAN)) == b / 2
    assert vectors.likeness("aab", GERMAN) == (2 * a + b) / 2
    assert vectors.numbers(GERMAN) == [a, b]
    assert opened[0].asked == [(GERMAN,), ("a", "b"), ("aab",)]
    assert english.asked == [("a", "b"), ("aa",), (GERMAN,)]
    assert [vectors.model("aa"), vectors.model("aa", GERMAN)] == [None, "multilingual"]
    assert len(list(vectors.pieces(f"{GERMAN} Und was kostet das alles am Ende?", lambda: True))) == 2


def test_without_it_the_english_one_compares_all() -> None:
    """And it is said why."""

    def absent() -> Abroad:
        raise Unavailable("install the other one")

    vectors = Vectors(Letters, abroad=absent)
    assert vectors.of(GERMAN) == (GERMAN.count("a"), GERMAN.count("b"))
    assert vectors.why == "install the other one"
