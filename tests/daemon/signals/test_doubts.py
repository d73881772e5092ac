"""The family `doubt`."""

from __future__ import annotations

import pytest

from daemon.recipes.signals import Signals
from daemon.settings import Dictionary
from daemon.signals.base import Asked
from daemon.signals.dictionary import Shelf
from daemon.signals.doubts import SPREAD, Doubts
from daemon.signals.parts import Parts
from providers.contract import Message, Request, Text
from providers.texts import fields


def asked(*said: str) -> Asked:
    messages = tuple(Message("user", (Text(text),)) for text in said)
    request = Request(id="0" * 16, model="auto", protocol="t", messages=messages)
    return Asked(request, fields(request))


def test_it_looks_only_where_a_policy_asks() -> None:
    """Without that, it costs nothing and finds nothing."""
    assert Doubts(Signals(), Parts(guard=True)).look(asked("Zyxwv Qqq")) == []
    assert Doubts(Signals(), Parts(reduce=frozenset({"doubt"}))).look(asked("Zyxwv Qqq"))


@pytest.mark.parametrize(
    "said",
    [
        ("the number is 41", "11 22", "33 of mine"),
        ("it begins with m", "a", "r and so on"),
        ("6", "2", "9", "4", "4", "1"),
    ],
)
def test_a_value_in_pieces_over_texts_is_in_doubt(said: tuple[str, ...]) -> None:
    """Digits and letters that go on in the next message, each of which alone is plain."""
    seen = Doubts(Signals(), Parts(reduce=frozenset({"doubt"}))).look(asked(*said))

    (spread,) = (each for each in seen if each.label == SPREAD)
    assert len({span.path for span in spread.spans}) > 1


def test_a_new_word_of_the_users_counts_at_once() -> None:
    """Each word of an entry by itself is in doubt from then on."""
    shelf = Shelf(Dictionary())
    family = Doubts(Signals(), Parts(reduce=frozenset({"doubt"}), dictionary=shelf))

    assert family.look(asked("the letter is long")) == []
    shelf.take(Dictionary(terms=("kiwi letter",)))
    assert family.look(asked("the letter is long"))
