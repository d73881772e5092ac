"""What a record tells of pictures."""

from __future__ import annotations

import msgspec
import pytest

from daemon import wire
from daemon.cli.why import explain
from daemon.shown_pictures import MOST, NOT_LOOKED, pictures_before, pictures_of
from daemon.signals.base import Kind, Observation, Span
from providers.contract import File, Image, Text
from providers.texts import sight_path
from tests.fakes.asking import observed
from tests.fakes.sights import PIXEL, picture, result, shown, sight, unseen
from tests.fakes.signal_parts import with_models
from tests.fakes.told_records import with_pictures

FIRST = "messages[0].parts[1]"


def found(label: str, path: str, kind: Kind = Kind.PRIVACY) -> Observation:
    return Observation(signal="pii", kind=kind, name="pii", label=label, spans=(Span(path, 0, 3, label),))


def test_a_request_without_pictures_has_none() -> None:
    """Nothing is told of it."""
    assert pictures_of(shown("hello"), (found("PERSON", FIRST),)) == ()


def test_what_was_seen_is_told_in_numbers() -> None:
    """Kind, size, numbers and classes, each with its picture; things of photographs alone."""
    request = shown(
        "x",
        picture("photo", 0.8, words="ADA BYRON", things={"vehicle": 0.7, "person": 0.2}, explicit=0.1, detail=0.3),
        File(
            "data:application/pdf;base64,",
            sight=sight("document", form="pdf", pages=3, width=0, height=0, things={"food": 1.0}),
        ),
        after=(result(Text("see"), unseen()),),
    )
    observations = (
        found("PERSON", sight_path(FIRST)),
        found("PERSON", sight_path(FIRST)),
        found("EMAIL_ADDRESS", FIRST),
    )

    one, other, third = pictures_of(request, observations, {"messages[1].parts[0].1": "broken"}, {FIRST: 12.5})

    assert one == wire.Picture(
        path=FIRST, part="image", form="png", width=640, height=480, size_bytes=len(PIXEL), kind="photo", probability=0.8,
        thing="vehicle", thing_probability=0.7, words=2, findings={"PERSON": 2}, explicit=0.1, detail=0.3, took_ms=12.5,
    )  # fmt: skip
    assert (other.part, other.form, other.pages, other.kind, other.thing, other.findings) == (
        "file",
        "pdf",
        3,
        "document",
        None,
        {},
    )
    assert (third.path, third.error, third.form) == ("messages[1].parts[0].1", "broken", None)


def test_a_picture_that_nobody_was_asked_about() -> None:
    """It has a code as well, and no size where it is an address."""
    (one,) = pictures_of(shown("", Image("https://pictures.test/a.png")), ())

    assert (one.error, one.size_bytes) == (NOT_LOOKED, None)


async def test_no_word_that_was_read_is_told() -> None:
    """With the findings of the real signals; in the record, its sentences and the dashboard's lines."""
    words = "write to canary.byron@analytical-engines.net, DE89 3704 0044 0532 0130 00"
    request = shown("x", picture("document", words=words))
    observations = await observed("", messages=request.messages, parts=with_models(guard=True))
    told = pictures_of(request, observations)

    record = msgspec.structs.replace(with_pictures(1), pictures=told)
    everything = (msgspec.json.encode(record).decode() + "\n".join(explain(record))).lower()

    assert told[0].findings == {"EMAIL_ADDRESS": 1, "IBAN_CODE": 1}
    assert "among them 1 EMAIL_ADDRESS, 1 IBAN_CODE" in "\n".join(explain(record))
    assert not any(word in everything for word in ("canary", "analytical", "3704"))


@pytest.mark.parametrize(
    "line",
    [
        "Picture 1 (messages[0].parts[1]): jpeg, 1240 × 874 pixels, 241000 bytes, identity document by 97%, 41 words, among "
        "them 1 MRZ, 2 PERSON, nudity 1%; seen after 312 ms.",
        "Picture 2 (messages[0].parts[2]): png, 640 × 480 pixels, 90400 bytes, photo by 88%, of vehicle by 80%, 0 words.",
        "File 3 (messages[0].parts[3]): pdf, 3 pages, 1200000 bytes, 902 words; seen after 950 ms.",
        "Picture 4 (messages[2].parts[0].1): nobody saw what is in it, since it is too large.",
    ],
)
def test_why_says_what_was_seen(line: str) -> None:
    """A sentence for each."""
    assert line in explain(with_pictures(1))


def test_the_newest_are_told_of() -> None:
    """Agents send every screenshot again with each turn: a record has a bound, and says how many were before."""
    request = shown("x", *[unseen()] * (MOST + 2))
    told = pictures_of(request, ())
    record = msgspec.structs.replace(with_pictures(1), pictures=told, pictures_before=pictures_before(request))

    assert [each.path for each in told] == [f"messages[0].parts[{number}]" for number in range(3, MOST + 3)]
    assert pictures_before(request) == 2
    assert "2 older pictures are in it, too." in explain(record)
    assert any(line.startswith("Picture 3 (messages[0].parts[3])") for line in explain(record))
