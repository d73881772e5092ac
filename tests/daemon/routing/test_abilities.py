"""Tests of who can answer a request at all."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.recipes.model import ModelCard
from daemon.routing.abilities import Able, Needs, able, needs
from providers.contract import Image, Message, Sampling, Tool
from tests.fakes.asking import asking


def card(**about: object) -> ModelCard:
    return ModelCard(name="m", **about)  # type: ignore[arg-type]


def test_what_a_request_takes() -> None:
    """Its length with the answer's, pictures, tools and a format."""
    plain = asking("hello")
    picture = replace(plain, messages=(Message("user", (Image("data:x"),)),))
    full = replace(plain, tools=(Tool("t", "", {}),), schema={}, sampling=Sampling(max_tokens=50))

    assert needs(plain, 10) == Needs(10, frozenset())
    assert needs(picture, 10).abilities == {"vision"}
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
