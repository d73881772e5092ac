"""Which pictures can be painted, what in them can be, and what is said of them."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from daemon.boundary.pictures import (
    Lines,
    as_sent,
    can_be_painted,
    leaves_as_it_is,
    told,
    with_paintable,
    without_sights,
)
from daemon.signals.base import Kind, Observation, Span
from providers.contract import File, Image, Line, Message, Request, Sight, Text, ToolResult
from tests.fakes.asking import asking

BOX = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
SIGHT = Sight(form="png", width=640, height=480, text="one two\nthree", lines=(Line(0, 7, BOX), Line(8, 13, BOX)))
SEEN = Image("data:image/png;base64,QQ==", sight=SIGHT)
PDF = File("data:application/pdf;base64,QQ==", "a.pdf", Sight(form="pdf", text="one two", lines=(Line(0, 7, BOX),)))


def request(*parts: Image | File) -> Request:
    return asking(messages=(Message("user", (Text("hello"), *parts)),))


def observed(signal: str, *spans: Span) -> Observation:
    return Observation(signal=signal, kind=Kind.PRIVACY, name=signal, spans=spans)


@pytest.mark.parametrize(
    ("part", "can"),
    [
        (SEEN, True),
        (replace(SEEN, sight=None), False),
        (replace(SEEN, url="https://a.example/x.png"), False),
        (replace(SEEN, sight=replace(SIGHT, form="svg")), False),
        (PDF, False),
        (File("data:image/png;base64,QQ==", "a.png", SIGHT), False),
    ],
)
def test_which_can_be_painted(part: Image | File, can: bool) -> None:
    """Pictures that are whole, were looked at, and are of pixels."""
    assert can_be_painted(part) is can


def test_what_leaves_as_it_is() -> None:
    """Whatever can't be painted, and pictures of which the signal said nothing."""
    asked = request(SEEN, PDF, replace(SEEN, sight=None), SEEN)
    said = observed("picture", Span("messages[0].parts[1]", 0, 0, "photo", fixed=True))

    def paths(*looked: Observation) -> list[str]:
        return [each.path for each in leaves_as_it_is(asked, looked)]

    assert paths(said) == ["messages[0].parts[2]", "messages[0].parts[3]", "messages[0].parts[4]"]
    assert paths()[0] == "messages[0].parts[1]"
    assert paths(replace(said, error="Late"))[0] == "messages[0].parts[1]"


@pytest.mark.parametrize(
    ("start", "end", "holds"),
    [(0, 3, True), (4, 13, True), (0, 13, True), (0, 14, True), (0, 15, False), (14, 18, False)],
)
def test_where_words_stand(start: int, end: int, holds: bool) -> None:
    """A place is known if each of its letters is in a line; what is between lines is none."""
    lines = Lines(replace(SIGHT, text="one two\nthree four"))
    assert lines.hold(start, end) is holds


def test_what_is_found_in_pictures_can_be_masked() -> None:
    """Where lines are known; in other pictures, files and fixed texts it can't, whatever a signal says."""
    without = replace(SEEN, sight=replace(SIGHT, lines=(Line(0, 7, BOX),)))
    asked = request(SEEN, without, PDF)
    places = [("messages[0].parts[0]", False), *((f"messages[0].parts[{n}].sight", n != 2) for n in (1, 2, 3))]
    spans = tuple(
        Span(path, 8 if path.endswith("2].sight") else 0, 13 if "2" in path else 3, "TERM", fixed)
        for path, fixed in places
    )
    tool = Span("tools[0].name", 0, 3, "TERM", fixed=True)
    (found,) = with_paintable(asked, (observed("pii", *spans, tool),))

    assert [span.fixed for span in found.spans] == [False, False, True, True, True]
    assert with_paintable(request(), (found,)) == (found,)


def test_no_sight_is_left() -> None:
    """In messages and in tools' results; everything else stays."""
    inner = Message("tool", (ToolResult("c", (Text("x"), SEEN)),))
    asked = asking(messages=(Message("user", (SEEN, PDF, Text("y"))), inner))
    bare = without_sights(asked)

    assert b"three" in msgspec.json.encode(asked)
    assert b'"sight":{' not in msgspec.json.encode(bare)
    assert without_sights(bare) is bare
    assert bare.messages[0].parts[2] == Text("y")


def test_what_a_picture_is_known_by() -> None:
    """By what the client sent: it is the same one when it was looked at."""
    assert as_sent(SEEN) == as_sent(replace(SEEN, sight=None, keep="5m"))
    assert as_sent(SEEN) == '{"type":"image","url":"data:image/png;base64,QQ==","detail":null}'


def test_what_is_told_holds_no_words() -> None:
    """Its form, size, kind and the number of finds; of what nobody looked at, what the client sent."""
    seen = replace(SEEN, sight=replace(SIGHT, kinds={"photo": 0.9, "ui": 0.1}))

    assert (
        told(seen, ["PERSON", "TERM", "PERSON"])
        == "png, 640x480, looks like photo (90%); found in it: 2 PERSON, 1 TERM"
    )
    assert told(replace(PDF, sight=Sight(form="pdf")), []) == "pdf; found in it: nothing"
    assert told(replace(SEEN, sight=None), []) == as_sent(SEEN)
