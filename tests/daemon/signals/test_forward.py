"""The service over the shipped heads."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from daemon.signals.base import UNSCANNED
from daemon.signals.forward import NO_HEAD, Forward, Reading
from daemon.signals.opening import NO_MODEL, Unread
from edge_models.engines.base import Broken, Unavailable
from edge_models.heads.manifest import Calibration, Head, Spoken


class Counting:
    """Heads that count."""

    def __init__(self) -> None:
        self.heads = {"domain": Head("domain", "sequence", ("a",))}
        self.asked: list[str] = []
        self.closed = False

    def read(self, text: str, go_on: Callable[[], bool], language: str | None) -> Reading:
        self.asked.append(text)
        if text == "broken":
            raise Broken("the user's words")
        if not go_on():
            return Reading({}, {}, whole=False)
        return Reading({"domain": (("a", 1.0),)}, {}, whole=text != "long")

    def close(self) -> None:
        self.closed = True


class Abroad(Counting):
    """Multilingual heads, which know no names."""

    def __init__(self) -> None:
        super().__init__()
        german = Spoken(Calibration(2.0), 50, {"default": 0.8}, 60)
        self.heads = {
            "domain": Head("domain", "sequence", ("b",), thresholds={"default": 0.7}, languages={"de": german})
        }
        self.languages: list[str | None] = []

    def read(self, text: str, go_on: Callable[[], bool], language: str | None) -> Reading:
        super().read(text, go_on, language)
        self.languages.append(language)
        return Reading({"domain": (("b", 1.0),)}, {})


GERMAN = "Wie funktioniert eine Wärmepumpe im Winter?"


def yes() -> bool:
    return True


def test_a_text_is_read_once() -> None:
    """Whoever asks; what was not read whole is read again."""
    heads = Counting()
    service = Forward(lambda: heads)

    readings = [service.read(text, yes) for text in ("x", "y", "x", "long", "long")]

    assert heads.asked == ["x", "y", "long", "long"]
    assert readings[0].of("domain") == {"a": 1.0}
    assert readings[0].of("other") == {}
    assert not readings[3].whole


def test_the_memory_is_bounded() -> None:
    """The oldest text goes first."""
    heads = Counting()
    service = Forward(lambda: heads, kept_texts=2)
    for text in ("x", "y", "x", "z", "x", "y"):
        service.read(text, yes)

    assert heads.asked == ["x", "y", "z", "y"]


def test_failures_have_names() -> None:
    """No model, no such head, nothing read in time, a runtime that failed."""
    tries = []

    def absent() -> Counting:
        tries.append(1)
        raise Unavailable("install it")

    none, some = Forward(absent), Forward(Counting)
    for expected, ask in (
        (NO_MODEL, lambda: none.read("x", yes)),
        (NO_MODEL, lambda: none.head("domain")),
        (NO_HEAD, lambda: some.head("other")),
        (UNSCANNED, lambda: some.read("x", lambda: False)),
        ("Broken", lambda: some.read("broken", yes)),
    ):
        with pytest.raises(Unread) as error:
            ask()
        assert error.value.code == expected
    assert (none.why, len(tries)) == ("install it", 1)
    assert (none.has("domain"), some.has("domain"), some.has("other")) == (False, True, False)


def test_it_is_opened_once_by_many_threads() -> None:
    """And closed once; after that there is no model."""
    opened: list[Counting] = []
    service = Forward(lambda: opened.append(Counting()) or opened[-1])
    threads = [threading.Thread(target=service.read, args=("x", yes)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    service.close()

    assert [each.closed for each in opened] == [True]
    with pytest.raises(Unread, match=NO_MODEL):
        service.heads()


def test_another_language_is_read_by_others() -> None:
    """Opened for the first such text; names are looked for by the English heads all the same."""
    english, opened = Counting(), []
    service = Forward(lambda: english, abroad=lambda: opened.append(Abroad()) or opened[-1])

    assert service.read("How does a heat pump work in the winter?", yes).model is None
    assert opened == []
    reading = service.read(GERMAN, yes)
    assert (reading.model, reading.of("domain")) == ("multilingual", {"b": 1.0})
    assert service.head("domain", reading).threshold == 0.8
    assert service.head("domain").threshold == 0.5
    assert service.whole("domain", GERMAN, yes) == {"b": 1.0}
    assert opened[0].asked == [GERMAN]
    assert service.in_english(GERMAN, yes).of("domain") == {"a": 1.0}
    service.close()
    assert opened[0].closed


def test_a_text_is_judged_by_the_numbers_of_its_language() -> None:
    """Calibration and thresholds: by what is told for the text, and by all languages' where nothing is known of it."""
    abroad = Abroad()
    service = Forward(Counting, abroad=lambda: abroad)

    german, welsh = service.read(GERMAN, yes), service.read("Mae'r trên i Gaerdydd ugain munud yn hwyr heddiw.", yes)
    english = service.read("How does a heat pump work in the winter?", yes)
    assert abroad.languages == ["de", "cy"]
    assert [each.language for each in (german, welsh, english)] == ["de", "cy", None]
    assert [service.head("domain", each).threshold for each in (german, welsh, english)] == [0.8, 0.7, 0.5]
    told = [service.calibrated_by("domain", each.model, each.language) for each in (german, welsh, english)]
    assert told == ["language", "pooled", "language"]


def test_heads_that_are_english_only_read_every_language() -> None:
    """One of the user's own, say."""
    english = Counting()
    english.heads["mood"] = Head("mood", "sequence", ("a",))
    english.heads["pii"] = Head("pii", "token", ("O",))
    service = Forward(lambda: english, abroad=Abroad)

    service.read(GERMAN, yes)
    assert english.asked == [GERMAN]


def test_without_the_multilingual_heads_the_english_ones_read_all() -> None:
    """And it is said why."""

    def absent() -> Abroad:
        raise Unavailable("install the other ones")

    service = Forward(Counting, abroad=absent)
    assert service.read(GERMAN, yes).model is None
    assert service.why == "install the other ones"
