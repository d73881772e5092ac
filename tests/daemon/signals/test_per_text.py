"""The memory of what was found in a text."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

from daemon.signals.base import Asked, Found, Kind, Observation, Span
from daemon.signals.per_text import PerText
from daemon.signals.pii import Pii
from providers.contract import Message, Request, ToolCall
from providers.texts import Field, fields

ASKED = Request(id="0" * 16, model="auto", protocol="t", messages=())


class Counting:
    """Finds each `x`, and remembers how often it was asked."""

    signal = "counting"
    kind = Kind.PRIVACY

    def __init__(self) -> None:
        self.asked: list[str] = []

    def find(self, text: str) -> tuple[Found, ...]:
        self.asked.append(text)
        return tuple(Found(n, n + 1, "X", 0.75) for n, sign in enumerate(text) if sign == "x")


def look(signal: PerText, *texts: str) -> list[Observation]:
    return signal.look(Asked(ASKED, tuple(Field(f"messages[{n}].parts[0]", text) for n, text in enumerate(texts))))


def test_one_observation_for_a_label_with_all_its_places() -> None:
    """Places carry the path and whether the field is fixed."""
    signal = PerText(Counting())

    [seen] = signal.look(Asked(ASKED, (Field("a", "x"), Field("b", "-x", fixed=True))))

    assert (seen.signal, seen.kind, seen.label, seen.value, seen.score) == ("counting", Kind.PRIVACY, "X", 2.0, 0.75)
    assert seen.spans == (Span("a", 0, 1, "X"), Span("b", 1, 2, "X", fixed=True))
    assert seen.scanned == 3


def test_the_next_turn_scans_what_is_new() -> None:
    """A text that was seen before is not looked at again, and what it holds is still told, at its new place."""
    rule = Counting()
    signal = PerText(rule)
    look(signal, "long x", "x")

    [seen] = look(signal, "new", "long x", "x")

    assert rule.asked == ["long x", "x", "new"]
    assert seen.scanned == len("new")
    assert [span.path for span in seen.spans] == ["messages[1].parts[0]", "messages[2].parts[0]"]


def test_the_memory_is_bounded_in_texts_and_in_hits() -> None:
    """The oldest is forgotten, and looked at again when it comes back."""
    rule = Counting()
    signal = PerText(rule, kept_texts=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        look(signal, text)
    assert rule.asked == ["a", "b", "c", "b"]

    rule = Counting()
    signal = PerText(rule, kept_hits=3)
    for text in ("xx", "xxx", "xxx", "xx"):
        look(signal, text)
    assert rule.asked == ["xx", "xxx", "xx"]


def test_a_text_is_not_kept() -> None:
    """Nothing that the signal holds on to contains a word of a text."""
    signal = PerText(Counting())
    look(signal, "canary-" + "x" * 3)

    reached, todo = set(), [signal._known, signal._key]
    while todo:
        thing = todo.pop()
        if id(thing) not in reached:
            reached.add(id(thing))
            todo += gc.get_referents(thing)
            assert not (isinstance(thing, str) and "canary" in thing)
            assert not (isinstance(thing, bytes) and b"canary" in thing)


def test_two_processes_keep_a_text_under_different_hashes() -> None:
    """The key is random, so nobody can look up a text in a dump."""
    one, two = PerText(Counting()), PerText(Counting())
    look(one, "x")
    look(two, "x")

    assert one._known.keys().isdisjoint(two._known.keys())


def test_a_rule_that_breaks_is_asked_again() -> None:
    """A failure is not remembered as finding nothing."""

    class Breaking(Counting):
        def find(self, text: str) -> tuple[Found, ...]:
            super().find(text)
            raise ValueError

    rule = Breaking()
    signal = PerText(rule)
    for _ in range(2):
        try:
            look(signal, "x")
        except ValueError:
            continue
    assert rule.asked == ["x", "x"]


def test_threads_share_it() -> None:
    """Many threads see the same and keep the bounds."""
    signal = PerText(Counting(), kept_texts=5, kept_hits=20)
    texts = ["x" * n for n in range(1, 20)]
    with ThreadPoolExecutor(8) as pool:
        for text, seen in zip(texts * 20, pool.map(lambda text: look(signal, text), texts * 20), strict=True):
            assert seen[0].value == len(text)
    assert len(signal._known) <= 5
    assert signal._hits == sum(map(len, signal._known.values()))


def test_places_in_tool_arguments_are_places_in_the_decoded_value() -> None:
    """An address that JSON escapes is found as the value that it is."""
    call = ToolCall("c1", "send", '{"to": "mara\\u0040nordhof.com", "n": ["call +44 20 7183 8750"]}')
    asked = Request(id="0" * 16, model="auto", protocol="t", messages=(Message("assistant", (call,)),))
    texts = {field.path: field.text for field in fields(asked) if not field.fixed}

    seen = PerText(Pii()).look(Asked(asked, fields(asked)))

    assert {texts[span.path][span.start : span.end] for each in seen for span in each.spans} == {
        "mara@nordhof.com",
        "+44 20 7183 8750",
    }


def test_a_key_of_an_object_is_fixed() -> None:
    """What stands in a key is told, and that it can't be masked."""
    call = ToolCall("c1", "send", '{"mara@nordhof.com": 1}')
    asked = Request(id="0" * 16, model="auto", protocol="t", messages=(Message("assistant", (call,)),))

    [seen] = PerText(Pii()).look(Asked(asked, fields(asked)))

    assert [span.fixed for span in seen.spans] == [True]
