"""A secret among a tool's choices keeps its request here, where a call of the tool could carry it out."""

from __future__ import annotations

import pytest

from daemon.boundary.choices import with_fixed_choices
from daemon.signals.base import Kind, Observation, Span
from providers.contract import Message, Request, Text, Tool

KEY = "sk-proj-abcd1234efgh5678ijkl"
ASKED = Request(
    id="0" * 16,
    model="cloud",
    protocol="t",
    messages=(Message("user", (Text("hi"),)),),
    tools=(Tool("deploy", "", {}), Tool("write_file", "", {})),
)


def fixed(path: str, signal: str = "secret") -> bool:
    span = Span(path, 0, len(KEY), "OPENAI_KEY")
    seen = Observation(signal=signal, kind=Kind.PRIVACY, name=signal, spans=(span,))
    other = Observation(signal="pii", kind=Kind.PRIVACY, name="pii")
    first, second = with_fixed_choices(ASKED, (seen, other))
    assert second == other
    return first.spans[0].fixed


@pytest.mark.parametrize(
    "path",
    [
        "tools[0].parameters/properties/key/enum/0",
        "tools[0].parameters/enum/12",
        "tools[0].parameters/properties/key/const",
        "tools[0].parameters/properties/enum/enum/3",
        "tools[0].parameters/properties/key/items/anyOf/1/const",
        "tools[0].parameters/properties/key/enum/0/inner/1",
        "tools[0].parameters/$defs/a\nb/const/inner",
    ],
)
def test_a_choice(path: str) -> None:
    """However deep it stands; a tool that works on files may be called with it, and names of persons are turned back."""
    assert fixed(path)
    assert not fixed(path.replace("[0]", "[1]", 1))
    assert not fixed(path, "pii")


@pytest.mark.parametrize(
    "path",
    [
        "tools[0].description",
        "tools[0].parameters/properties/key/default",
        "tools[0].parameters/properties/enum/description",
        "tools[0].parameters/properties/const/description",
        "tools[0].parameters/properties/key/examples/0",
        "messages[0].parts[0]",
    ],
)
def test_no_choice(path: str) -> None:
    """What a call need not repeat is masked as everywhere."""
    assert not fixed(path)
