"""Tests of who can answer a request at all."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.recipes.model import ModelCard
from daemon.routing.abilities import Able, Needs, able, needs
from providers.contract import File, Image, Message, Sampling, Sight, Tool
from tests.fakes.asking import asking


def card(**about: object) -> ModelCard:
    return ModelCard(name="m", **about)  # type: ignore[arg-type]


def test_what_a_request_takes() -> None:
    """Its length with the answer's, pictures, tools and a format."""
    plain = asking("hello")
    picture = replace(plain, messages=(Message("user", (Image("data:x"),)),))
    full = replace(plain, tools=(Tool("t", "", {}),), schema={}, sampling=Sampling(max_tokens=50))

    assert needs(plain, 10) == Needs(10, frozenset())
    assert needs(picture, 10) == Needs(10, frozenset({"vision"}), legible=False)
    assert needs(full, 10) == Needs(60, frozenset({"tools", "schema"}))
    assert needs(replace(full, tool_choice="none"), 10).abilities == {"schema"}


@pytest.mark.parametrize(
    ("candidates", "wanted", "places"),
    [
        ([Able("work", card(context_window_size=50)), Able("work", None)], Needs(60, frozenset()), [1]),
        ([Able("local", card(context_window_size=50), 100), Able("work", None)], Needs(60, frozenset()), [0, 1]),
        ([Able("local", None, 50), Able("work", card(context_window_size=55))], Needs(60, frozenset()), [0, 1]),
        ([Able("local", None), Able("work", None)], Needs(1, frozenset({"vision"})), [1]),
        ([Able("local", None)], Needs(1, frozenset({"vision"})), [0]),
        ([Able("work", card()), Able("work", card(modality="omni"))], Needs(1, frozenset({"vision"})), [1]),
        ([Able("local", None), Able("work", None)], Needs(1, frozenset({"vision"}), legible=True), [1]),
        ([Able("local", None, 9), Able("local", None, 99)], Needs(50, frozenset({"vision"}), legible=True), [1]),
        ([Able("local", None, 9), Able("local", None, 99)], Needs(50, frozenset({"vision"})), [0, 1]),
        ([Able("local", None), Able("work", card(context_window_size=9))], Needs(50, frozenset({"vision"}), True), [0]),
        ([Able("work", card(capabilities=("code",))), Able("work", None)], Needs(1, frozenset({"tools"})), [0, 1]),
        (
            [Able("work", card(capabilities=("code",))), Able("work", card(capabilities=("Tools",)))],
            Needs(1, frozenset({"tools"})),
            [1],
        ),
        (
            [Able("work", card(capabilities=("tools",))), Able("work", card(tags=("json_schema", "tools")))],
            Needs(1, frozenset({"tools", "schema"})),
            [1],
        ),
    ],
)
def test_who_can(candidates: list[Able], wanted: Needs, places: list[int]) -> None:
    """A window that is too small, and a word that another one's card has; if nobody is left, all are."""
    assert able(candidates, wanted) == places


def seen(text: str) -> Image:
    return Image("data:x", sight=Sight(form="png", text=text))


@pytest.mark.parametrize(
    ("parts", "legible"),
    [
        ((seen("def add(a, b):\n    return a - b"),), True),
        ((seen("one two three"), seen("four five")), True),
        ((seen("one two"),), False),
        ((seen("one two three four five"), Image("data:x")), False),
        ((File("data:x", sight=Sight(form="pdf", text="a document of five words")),), True),
    ],
)
def test_pictures_that_can_be_read(parts: tuple[Image | File, ...], legible: bool) -> None:
    """All were looked at, and there are words enough to answer by."""
    assert needs(asking(messages=(Message("user", parts),)), 10).legible is legible
