"""Words in front of a conversation."""

from __future__ import annotations

from typing import Literal

import pytest
from msgspec.structs import replace

from daemon.recipes.plugins import SystemPrompt
from daemon.routing.plugins.system_prompt import system_prompt
from providers.contract import Message, Request, Text
from tests.fakes.asking import asking

OWN = Message("system", (Text("You are kind."),))


def prompted(request: Request, mode: Literal["insert", "replace"] | None) -> tuple[Message, ...]:
    return system_prompt(request, SystemPrompt(system_prompt="Be brief.", mode=mode)).request.messages


@pytest.mark.parametrize("mode", ["insert", "replace", None])
def test_where_there_is_none(mode: Literal["insert", "replace"] | None) -> None:
    """It becomes the first message."""
    assert prompted(asking("hello"), mode)[0] == Message("system", (Text("Be brief."),))


def test_insert_keeps_the_clients() -> None:
    """In one message with it, the recipe's words first; all else stays."""
    request = replace(asking("hello"), messages=(OWN, *asking("hello").messages))

    first, *rest = prompted(request, "insert")

    assert first == Message("system", (Text("Be brief.\n\n"), Text("You are kind.")))
    assert tuple(rest) == request.messages[1:]


def test_replace_drops_the_clients() -> None:
    """Wherever they stand."""
    request = replace(asking("hello"), messages=(OWN, *asking("hello").messages, OWN))

    assert prompted(request, "replace") == (Message("system", (Text("Be brief."),)), *asking("hello").messages)
