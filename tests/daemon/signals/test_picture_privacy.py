"""What pictures are, for the boundary."""

from __future__ import annotations

import pytest

from daemon.recipes.signals import Signals
from daemon.signals.picture_privacy import IDENTITY, MAY_BE, PictureKinds, classes
from edge_models.vision.kinds import folder, read_manifest
from providers.contract import File, Image, Message, Request, Sight, Text, ToolResult
from tests.fakes.asking import asked, asking, without_models

ZONE = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<"


def sight(text: str = "", explicit: float | None = None, **kinds: float) -> Sight:
    return Sight(form="png", text=text, explicit=explicit, kinds=kinds)


@pytest.mark.parametrize(
    ("seen", "found"),
    [
        (sight(document=0.95), {"readable_picture"}),
        (sight(receipt=0.5, document=0.45), {"readable_picture"}),
        (sight(code_screenshot=0.72, photo=0.1), {"readable_picture"}),
        (sight(chart=0.4, ui=0.35), {"readable_picture"}),
        (sight(photo=0.9), {"photo"}),
        (sight(photo=0.5, document=0.4), {"photo", "picture"}),
        (sight(medical=0.9), {"medical_picture"}),
        (sight(medical=0.25, document=0.74), {"medical_picture", "readable_picture"}),
        (sight(identity_document=0.95), {"identity_document"}),
        (sight(identity_document=0.2, receipt=0.79), {"identity_document", "picture"}),
        (sight(identity_document=0.05, receipt=0.85), {"readable_picture"}),
        (sight(other=0.99), {"picture"}),
        (sight(), {"picture"}),
        (sight(document=0.69, other=0.31), {"picture"}),
        (sight(f"Passport\n{ZONE}", document=0.99), {"identity_document", "readable_picture"}),
        (sight("a << b << c << d << e << f, a shift to the left", code_screenshot=0.9), {"readable_picture"}),
        (sight(explicit=0.6, photo=0.9), {"explicit_picture", "photo"}),
        (sight(explicit=0.1, photo=0.9), {"photo"}),
    ],
)
def test_the_classes_of_a_picture(seen: Sight, found: set[str]) -> None:
    """What is delicate at a low probability, what can be read where it is sure, and of the rest nobody is sure."""
    assert {label for label, _ in classes(seen)} == found
    assert all(0 <= score <= 1 for _, score in classes(seen))


def test_each_picture_has_its_place() -> None:
    """Those in tools' results and files, too; what nobody looked at isn't named."""
    messages = (
        Message("user", (Text("look"), Image("data:image/png;base64,", sight=sight(photo=0.9)), Image("data:,"))),
        Message("tool", (ToolResult("c", (Text("x"), Image("data:,", sight=sight(ui=0.9)))),)),
        Message("user", (File("data:,", "a.pdf", Sight(form="pdf")),)),
    )
    request = asking(messages=messages)
    seen = PictureKinds(Signals(), without_models(guard=True)).look(asked(request))

    assert {(each.label, span.path, span.start, span.end, span.fixed) for each in seen for span in each.spans} == {
        ("photo", "messages[0].parts[1]", 0, 0, True),
        ("readable_picture", "messages[1].parts[0].1", 0, 0, True),
        ("picture", "messages[2].parts[0]", 0, 0, True),
    }


def test_it_looks_where_something_may_leave() -> None:
    """Without a provider nobody asks what a picture is."""
    request: Request = asking(messages=(Message("user", (Image("data:,", sight=sight(photo=0.9)),)),))
    assert PictureKinds(Signals(), without_models()).look(asked(request)) == []


def test_identity_documents_are_feared_as_the_shipped_model_was_measured() -> None:
    """Another model has another threshold."""
    assert read_manifest(folder()).identity_threshold == MAY_BE[IDENTITY]
