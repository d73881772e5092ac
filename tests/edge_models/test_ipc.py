"""The worker protocol: every message there and back, and the limit of a frame."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from edge_models import ipc
from edge_models.catalog import ModelRef
from edge_models.engines.base import Call, Capabilities, Chat, Raw, Sampling, Tool, Turn
from edge_models.ipc import (
    HEADER_BYTES,
    MAX_FRAME_BYTES,
    Batch,
    Called,
    Cancel,
    Command,
    Count,
    Counted,
    End,
    Event,
    Failed,
    Hello,
    Load,
    Loading,
    Ready,
    Score,
    Scored,
    Start,
    Started,
    Text,
    TokenInfo,
    body_length,
    decode_command,
    decode_event,
    frame,
)

SAMPLING = Sampling(9, 0.5, 0.25, -(2**63), ("a", "😀"), 1.5, -1.5, True, 3, '{"type": "object"}', True)
LOOK = Tool("look", "ä", "{}")

COMMANDS: list[Command] = [
    Load(ModelRef("play", "scripted", "parallel=1"), "/cache"),
    Load(ModelRef("known", "openvino-genai"), ""),
    Start(1, Chat((Turn("system", "be brief"), Turn("user", "ä😀\n"))), SAMPLING),
    Start(2**40, Raw("<|special|>"), Sampling()),
    Start(2, Chat((Turn("assistant", "", (Call("look", "{}"),)),), (LOOK,)), Sampling(), "required"),
    Cancel(1),
    Count(3, Chat((Turn("user", "ä"),))),
    Score(1, (" yes", "")),
]
EVENTS: list[Event] = [
    Hello(1, "scripted", {"openvino": "1.2"}, 4711),
    Loading("preparing", 0.25),
    Loading("loading", None),
    Ready(Capabilities(8, "top", True, False, True, True), 8192, "GPU.0"),
    Started(3, 0),
    Failed(None, "Unavailable", "no file"),
    Failed(3, "ContextTooLong", "too long", (9, 8)),
    Counted(3, 7),
    Scored(3, ((-0.5, 0.0), ())),
    Batch(()),
    Batch(
        (
            Text(1, "ä"),
            Text(2, "", (TokenInfo(b"\xf0", -1.5), TokenInfo(b"", 0.0, ((b"\xff", -2.5), (b"x", -3.0))))),
            Called(1, "look", '{"what": "ä"}'),
            Called(1, "look", "{}", (TokenInfo(b"{}", -0.5),)),
            End(1, "stop", 3),
            End(4, "stop", 3, "END"),
            End(3, "tool_calls", 3),
            End(2, "length", 0),
        )
    ),
]


def body(framed: bytes) -> bytes:
    """What a reader gets out of one frame and nothing more."""
    length = body_length(framed[:HEADER_BYTES])
    assert len(framed) == HEADER_BYTES + length
    return framed[HEADER_BYTES:]


@pytest.mark.parametrize("command", COMMANDS, ids=repr)
def test_commands_there_and_back(command: Command) -> None:
    """A command is read as it was written."""
    assert decode_command(body(frame(command))) == command


@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_events_there_and_back(event: Event) -> None:
    """An event is read as it was written, bytes and numbers included."""
    assert decode_event(body(frame(event))) == event


def test_every_message_is_tried_above() -> None:
    """No kind of message is missing from this file."""
    assert {type(command) for command in COMMANDS} == set(get_args(Command))
    assert {type(event) for event in EVENTS} == set(get_args(Event))


@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_an_event_is_no_command(event: Event) -> None:
    """Reading with the wrong decoder fails instead of making something up."""
    with pytest.raises(msgspec.ValidationError):
        decode_command(body(frame(event)))


def test_the_header_is_four_bytes_big_endian() -> None:
    """The length stands in front as the protocol says."""
    framed = frame(Cancel(1))

    assert framed[:HEADER_BYTES] == (len(framed) - 4).to_bytes(4, "big")
    assert body_length(b"\x00\x00\x01\x02") == 258


def test_a_frame_over_the_limit_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message that its reader would refuse is refused by its writer, exactly from the limit on."""
    size = len(frame(Cancel(1))) - HEADER_BYTES
    monkeypatch.setattr(ipc, "MAX_FRAME_BYTES", size)
    assert frame(Cancel(1))

    monkeypatch.setattr(ipc, "MAX_FRAME_BYTES", size - 1)
    with pytest.raises(ValueError, match=f"{size} bytes is over the limit of {size - 1}"):
        frame(Cancel(1))


def test_a_header_over_the_limit_is_not_believed() -> None:
    """Nobody makes room for a length that no frame has."""
    assert body_length(MAX_FRAME_BYTES.to_bytes(4, "big")) == MAX_FRAME_BYTES
    with pytest.raises(ValueError, match="over the limit"):
        body_length((MAX_FRAME_BYTES + 1).to_bytes(4, "big"))
    with pytest.raises(ValueError, match="over the limit"):
        body_length(b"\xff\xff\xff\xff")
