"""Every family over answers in the form of its vendor's documentation: whole, streamed, cut anywhere, and refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, Final

import pytest

from providers.cleared import Place
from providers.contract import (
    Choice,
    Delta,
    Finish,
    ProviderError,
    Text,
    TextDelta,
    Thought,
    ThoughtDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
    fold,
)
from providers.refusals import refusal
from providers.registry import FAMILIES
from providers.target import Target
from tests.fakes.cleared import ASKED
from tests.fakes.strict_provider import FAMILIES as RECORDED
from tests.fakes.strict_provider import FOLDER, expected_of, recorded, server_of

NOT_YET: Final = {"anthropic", "gemini", "ollama"}
"""Families whose answers and faults are tested by themselves (tests/providers/families) and in translation alone: their
servers' recorded forms are to come (docs/LIMITS.md).
"""
NOW: Final = datetime(2026, 11, 30, tzinfo=UTC)
TARGET: Final = Target("work", "https://x.example/v1", Place.CLOUD)


def cases(wanted: str) -> list[tuple[str, str]]:
    """(family, name of a file) of those that mean an answer, an error inside one, or a refusal."""
    found = []
    for family in RECORDED:
        for name, meant in expected_of(family).items():
            kind = (
                "refusal"
                if "status" in meant
                else "error"
                if "error" in meant
                else "models"
                if "models" in meant
                else "answer"
            )
            if kind == wanted:
                found.append((family, name))
    return found


def read(family: str, body: bytes, streamed: bool, step: int) -> list[Delta]:
    """The deltas of a body that comes in pieces of so many bytes."""
    reader = FAMILIES[family].reader(TARGET, ASKED)
    deltas: list[Delta] = []
    for at in range(0, len(body), step):
        deltas += reader.feed(body[at : at + step])
        if reader.ended:
            break
    media = server_of(family).media if streamed else "application/json"
    return [*deltas, *reader.end("event-stream" in media)]


def test_every_family_is_recorded() -> None:
    """A family is tested here once its folder is there; each file of it is named in what is expected, and there."""
    assert set(RECORDED) | NOT_YET == FAMILIES.keys()
    for family in (each for each in RECORDED if server_of(each).answers is None):
        files = {path.stem for path in (FOLDER / family).iterdir()} - {"server", "expected"}
        assert files == expected_of(family).keys()


@pytest.mark.parametrize("form", ["streamed", "whole"])
@pytest.mark.parametrize(("family", "name"), cases("answer"))
async def test_answers(family: str, name: str, form: str) -> None:
    """The words, reasoning, calls, reason and tokens are what they are meant to be, to the token, however they are cut."""
    streamed, meant = form == "streamed", expected_of(family)[name]
    body = recorded(family, f"{name}.{server_of(family).suffix if streamed else 'json'}")
    told = {step: read(family, body, streamed, step) for step in (1, 7, len(body))}

    for deltas in told.values():
        choice = await _folded(deltas)
        assert "".join(part.text for part in choice.parts if isinstance(part, Text)) == meant.get("text", "")
        assert "".join(part.text for part in choice.parts if isinstance(part, Thought)) == meant.get("thought", "")
        assert [part.signature for part in choice.parts if isinstance(part, Thought) and part.signature] == [
            each for each in [meant.get("signature")] if each
        ]
        calls = [(part.id, part.name, part.arguments) for part in choice.parts if isinstance(part, ToolCall)]
        wanted = [tuple(call) for call in meant.get("calls", ())]
        assert [_same(call) for call in calls] == [_same(call) for call in wanted]
        assert choice.reason == meant["reason"]
        (finish,) = [delta for delta in deltas if isinstance(delta, Finish)]
        assert finish.usage == Usage(*meant["usage"])


def _same(call: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments are what their JSON means."""
    id, name, arguments = call
    return id, name, json.loads(arguments)


async def _folded(deltas: list[Delta]) -> Choice:
    async def told() -> Any:
        for delta in deltas:
            yield delta

    return (await fold(told())).choices[0]


@pytest.mark.parametrize(("family", "name"), cases("error"))
def test_errors_inside_an_answer(family: str, name: str) -> None:
    """They are told as what they are behind the words that came, and never end as an answer."""
    body, said = recorded(family, f"{name}.{server_of(family).suffix}"), list[Delta]()
    reader = FAMILIES[family].reader(TARGET, ASKED)

    with pytest.raises(ProviderError) as caught:
        said += reader.feed(body)
        said += reader.end(said_events=True)
    assert type(caught.value).__name__ == expected_of(family)[name]["error"]
    assert not any(isinstance(delta, Finish) for delta in said)


@pytest.mark.parametrize(("family", "name"), cases("refusal"))
def test_refusals(family: str, name: str) -> None:
    """A status and its body mean the same error for all."""
    meant = expected_of(family)[name]
    found = refusal("work", meant["status"], {}, recorded(family, f"{name}.json"), NOW)

    assert type(found).__name__ == meant["error"]


@pytest.mark.parametrize(("family", "name"), cases("models"))
def test_models(family: str, name: str) -> None:
    """The list of models."""
    listed = FAMILIES[family].models(recorded(family, f"{name}.json"), TARGET)

    assert list(listed.names) == expected_of(family)[name]["models"]


@pytest.mark.parametrize("family", RECORDED)
def test_words_come_with_their_events(family: str) -> None:
    """What an event says is told when it came, not at the end."""
    body = recorded(family, f"text.{server_of(family).suffix}")
    reader = FAMILIES[family].reader(TARGET, ASKED)
    before_end = [delta for delta in reader.feed(body) if isinstance(delta, TextDelta | ThoughtDelta | ToolCallDelta)]

    assert len(before_end) > 1
