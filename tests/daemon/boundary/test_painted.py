"""Pictures that may leave, which only painting makes, and without which `clear` lets none through."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from daemon.boundary.clear import clear
from daemon.boundary.judge import Clearance
from daemon.boundary.painted import _BRUSH, NOTHING, Painted, Painting
from daemon.boundary.vault import Vault
from daemon.errors import Refused
from daemon.signals.base import Span
from providers.cleared import Place
from providers.contract import File, Image, Message, Request, Sight, Text
from tests.fakes.asking import asking
from tests.fakes.pictures import drawn
from tests.structure.test_layout import SOURCES, name

PAGE: Final = drawn(["Write to Jane Keller, please"])
BEFORE: Final = PAGE.part()
AFTER: Final = Image("data:image/png;base64,QUZURVI=", sight=Sight(form="png", text="Write to             , please"))
PATH: Final = "messages[0].parts[1]"
NAME: Final = Span(f"{PATH}.sight", 9, 20, "PERSON")
MASKED: Final = Clearance("masked", (NAME,))


def request(*parts: Image | File, said: str = "hello") -> Request:
    return asking(messages=(Message("user", (Text(said), *parts)),))


def painted(before: Image = BEFORE, after: Image = AFTER, *over: Span) -> Painted:
    return Painted(_BRUSH, {PATH: Painting(before, after, frozenset(over))})


def left(asked: Request, clearance: Clearance, made: Painted) -> Request:
    return clear(asked, clearance, Place.CLOUD, Vault(), "openai", made).cleared.request


def test_what_was_painted_leaves() -> None:
    """In the place of what it was painted of, and with nothing of what was seen in either."""
    asked = request(BEFORE)
    assert left(asked, MASKED, painted(BEFORE, AFTER, NAME)).messages[0].parts[1] == replace(AFTER, sight=None)
    assert left(asked, Clearance("open"), painted()).messages[0].parts[1] == replace(AFTER, sight=None)


@pytest.mark.parametrize(
    ("asked", "clearance", "made"),
    [
        (request(BEFORE), Clearance("open"), NOTHING),
        (request(BEFORE), MASKED, NOTHING),
        (request(BEFORE), MASKED, painted()),
        (request(BEFORE), MASKED, painted(BEFORE, AFTER, replace(NAME, end=15))),
        (request(BEFORE), Clearance("open"), painted(replace(BEFORE, url="data:image/png;base64,QQ=="))),
        (request(BEFORE, BEFORE), Clearance("open"), painted()),
        (
            request(BEFORE, said="Jane Keller"),
            Clearance("masked", (Span("messages[0].parts[0]", 0, 11, "PERSON"),)),
            painted(),
        ),
        (request(BEFORE), MASKED, painted(BEFORE, BEFORE, NAME)),
        (
            request(File("data:application/pdf;base64,", "a", Sight(form="pdf", text="Write to Jane Keller"))),
            MASKED,
            NOTHING,
        ),
    ],
    ids=[
        "nobody painted it",
        "nobody painted what was found",
        "it was made anew, and nothing painted over",
        "too little was painted over",
        "it is another picture",
        "one of two",
        "found in the words beside it",
        "it can still be read",
        "in a file nothing can be replaced",
    ],
)
def test_nothing_else_does(asked: Request, clearance: Clearance, made: Painted) -> None:
    """Whatever was forgotten, the picture stays."""
    with pytest.raises(Refused):
        left(asked, clearance, made)


def test_what_nobody_looked_at_leaves_as_it_is() -> None:
    """If its clearance lets it: what can't be looked at is judged before."""
    unseen = replace(BEFORE, sight=None)
    assert left(request(unseen), Clearance("open"), NOTHING).messages[0].parts[1] == unseen
    document = File("data:application/pdf;base64,QQ==", "a.pdf", Sight(form="pdf", text="words"))
    assert left(request(document), Clearance("open"), NOTHING).messages[0].parts[1] == replace(document, sight=None)


def test_on_this_machine_pictures_stay_whole() -> None:
    """A server here gets the picture itself, and not what was seen in it."""
    cleared = clear(request(BEFORE), MASKED, Place.DEVICE, Vault(), "ollama").cleared
    assert cleared.request.messages[0].parts[1] == replace(BEFORE, sight=None)


def test_what_is_painted_over_is_told() -> None:
    """For the receipt's counts and the glass wall: each value, in the pictures that this request has."""
    made = painted(BEFORE, AFTER, NAME, replace(NAME, start=0, end=5, label="TERM"))
    told = [(each.alias.label, each.alias.value, each.alias.text) for each in made.replaced(request(BEFORE))]

    assert told == [("TERM", "Write", "[painted over]"), ("PERSON", "Jane Keller", "[painted over]")]
    assert made.replaced(request()) == ()
    passage = clear(request(BEFORE), MASKED, Place.CLOUD, Vault(), "openai", painted(BEFORE, AFTER, NAME))
    assert passage.cleared.masks == {"PERSON": 1}
    assert [each.alias.value for each in passage.replaced] == ["Jane Keller"]


@pytest.mark.parametrize("brush", [None, object()])
def test_only_painting_makes_one(brush: object) -> None:
    """It takes the boundary's own brush."""
    with pytest.raises(TypeError, match="only the privacy boundary"):
        Painted(brush, {})


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_it_can_not_be_copied_or_changed(copied: Callable[[Painted], object]) -> None:
    """As what was cleared can't."""
    made = painted()
    with pytest.raises(TypeError):
        copied(made)
    with pytest.raises(AttributeError):
        made._paintings = {}  # type: ignore[misc]
    with pytest.raises(TypeError):
        made._paintings[PATH] = made._paintings[PATH]  # type: ignore[index]
    assert "data:" not in repr(made) + repr(made._paintings[PATH])


def test_the_brush_is_in_two_hands() -> None:
    """No other module of ours names it."""
    holders = {name(path) for path in SOURCES if "_BRUSH" in Path(path).read_text()}
    assert holders == {"daemon/boundary/painted.py", "daemon/boundary/painting.py"}
