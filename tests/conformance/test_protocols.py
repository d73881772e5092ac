"""What every client protocol has to do, whatever its shapes."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.errors import BadRequest
from daemon.protocols.base import Codec, Envelope, Problem
from daemon.protocols.dialects import dialect
from daemon.protocols.registry import PROTOCOLS
from providers.contract import (
    Choice,
    Delta,
    Finish,
    Progress,
    Request,
    Response,
    Text,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Usage,
)

ENVELOPE: Final = Envelope("00000000000000aa", "editor", "session", "project", "device", 1_700_000_000)
EXAMPLES: Final[dict[str, Callable[[str, bool], bytes]]] = {
    "anthropic": lambda words, stream: json.dumps(
        {"model": "local", "max_tokens": 9, "messages": [{"role": "user", "content": words}], "stream": stream}
    ).encode(),
    "openai-chat": lambda words, stream: json.dumps(
        {"model": "local", "messages": [{"role": "user", "content": words}], "stream": stream}
    ).encode(),
    "ollama-chat": lambda words, stream: json.dumps(
        {"model": "local", "messages": [{"role": "user", "content": words}], "stream": stream}
    ).encode(),
    "ollama-generate": lambda words, stream: json.dumps({"model": "local", "prompt": words, "stream": stream}).encode(),
    "openai-completions": lambda words, stream: json.dumps(
        {"model": "local", "prompt": words, "stream": stream}
    ).encode(),
    "openai-responses": lambda words, stream: json.dumps({"model": "local", "input": words, "stream": stream}).encode(),
}
"""The smallest request of each protocol: its words, and whether it is streamed."""

every = pytest.mark.parametrize("name", PROTOCOLS)


def asked(name: str, words: str = "hi", stream: bool = True) -> Request:
    return PROTOCOLS[name].read(EXAMPLES[name](words, stream), ENVELOPE)


def test_every_protocol_has_an_example() -> None:
    """A protocol that is added to the table is tested here once its smallest request is written down."""
    assert EXAMPLES.keys() == PROTOCOLS.keys()


def test_every_address_is_its_own() -> None:
    """No two protocols share a path, and all paths are where SDKs look for them."""
    paths = [codec.PATH for codec in PROTOCOLS.values()]

    assert len(set(paths)) == len(paths)
    assert all(path.startswith("/") and not path.startswith("/nearloop") for path in paths)


@every
def test_an_error_at_its_address_has_its_shape(name: str) -> None:
    """Whoever refuses a request, the guard or a route, does it in the shape of the protocol that lives at the address."""
    assert dialect(PROTOCOLS[name].PATH) is PROTOCOLS[name]


@every
def test_a_protocol_knows_its_name(name: str) -> None:
    """A request says by which protocol it came, under the name of the table."""
    assert name == PROTOCOLS[name].NAME
    assert asked(name).protocol == name


@every
@pytest.mark.parametrize("words", ["hi", 'ä 😀 \u2028 \x00 " \\ \r\n', "[DONE]", "data: x\n\n"])
def test_the_words_are_read_as_they_are(name: str, words: str) -> None:
    """What the user wrote is one text of one user's turn, letter by letter."""
    (message,) = asked(name, words).messages

    assert (message.role, message.parts) == ("user", (Text(words),))


@every
def test_the_envelope_is_taken_over(name: str) -> None:
    """Who asks, and how far it may travel, is the daemon's knowledge and not the body's."""
    request = asked(name)

    assert (request.id, request.client, request.session, request.project, request.reach) == (
        ENVELOPE.id,
        "editor",
        "session",
        "project",
        "device",
    )


@every
@pytest.mark.parametrize("stream", [True, False])
def test_streaming_is_the_clients_choice(name: str, stream: bool) -> None:
    """Whether deltas are wanted is read from the request."""
    assert asked(name, stream=stream).stream is stream


@every
@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"{}", b'"x"', b"{", b"\xff", b"\xef\xbb\xbf{}", b"[" * 100_000])
def test_what_is_no_request_is_refused(name: str, body: bytes) -> None:
    """Whatever is no request is a BadRequest with words in it."""
    with pytest.raises(BadRequest) as caught:
        PROTOCOLS[name].read(body, ENVELOPE)

    assert str(caught.value)


@every
@settings(deadline=None)
@given(noise=st.binary(max_size=20), place=st.integers(0, 80))
def test_a_request_with_noise_is_read_or_refused(name: str, noise: bytes, place: int) -> None:
    """Bytes put anywhere into a request make another request or a BadRequest, and nothing else."""
    raw = EXAMPLES[name]("words", True)
    with suppress(BadRequest):
        assert PROTOCOLS[name].read(raw[:place] + noise + raw[place:], ENVELOPE).model


TOOLLESS: Final = frozenset({"ollama-generate", "openai-completions"})
"""Protocols by which no tool can be offered."""


def deltas_of(name: str) -> list[Delta]:
    """One of each kind that an answer can have."""
    calls: list[Delta] = [ToolCallDelta(0, "c1", "look", '{"a":\n"b"}')]
    return [
        Progress("loading", 0.5),
        ThoughtDelta("hm"),
        TextDelta("line\nline\n\ndata: x"),
        *(calls if name not in TOOLLESS else ()),
        Finish("stop", Usage(1, 2)),
    ]


@every
def test_a_stream_is_whole_frames(name: str) -> None:
    """Every delta is written as whole events, or as lines of JSON, so that words with line ends can't forge one."""
    request = asked(name)
    writer = PROTOCOLS[name].writer(request, ENVELOPE)
    written = [*(writer.feed(delta, "local/play") for delta in deltas_of(name)), writer.heartbeat(), writer.end()]

    for raw in filter(None, written):
        if writer.media_type == "application/x-ndjson":
            assert raw.endswith(b"\n")
            assert all(isinstance(json.loads(line), dict) for line in raw[:-1].split(b"\n"))
        else:
            assert writer.media_type == "text/event-stream"
            assert raw.endswith(b"\n\n")
            for line in raw.split(b"\n"):
                assert line.startswith((b"data: ", b"event: ", b": ")) or line == b""


@every
def test_a_heartbeat_says_nothing(name: str) -> None:
    """A sign of life is something that no client takes for words, and it can be written at any time."""
    codec, words = PROTOCOLS[name], TextDelta("words")
    with_beats, without = codec.writer(asked(name), ENVELOPE), codec.writer(asked(name), ENVELOPE)

    beats = [with_beats.heartbeat()]
    first = with_beats.feed(words, "m")
    beats.append(with_beats.heartbeat())
    second = with_beats.feed(words, "m")

    assert (first, second) == (without.feed(words, "m"), without.feed(words, "m"))
    assert all(beat and b"words" not in beat for beat in beats)


@every
def test_the_answer_names_who_answered(name: str) -> None:
    """Streamed or whole, the client can see which model spoke, and its words are there."""
    codec, request = PROTOCOLS[name], asked(name)
    streamed = b"".join(codec.writer(request, ENVELOPE).feed(delta, "local/play") for delta in deltas_of(name))
    whole = codec.writer(request, ENVELOPE).whole(Response((Choice((Text("so"),), "stop"),), Usage(1, 2)), "local/play")

    assert b"local/play" in streamed
    assert b"local/play" in whole
    assert b'"so"' in whole
    json.loads(whole)


@every
@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 415, 429, 500, 502, 503])
def test_an_error_has_its_code_and_its_words(name: str, status: int) -> None:
    """An error is JSON with the message and the code, as a body and as the last frame of a stream."""
    codec = PROTOCOLS[name]
    problem = Problem(status, "some_code", 'what happened "here"', "choices", 2.0)

    body = codec.refusal(problem)
    frame = codec.writer(asked(name), ENVELOPE).failed(problem)

    assert isinstance(json.loads(body), dict)
    assert b"some_code" in body
    assert json.dumps(problem.message).encode()[1:-1] in body
    assert frame.endswith(b"\n")
    assert b"some_code" in frame


@every
def test_every_neutral_field_has_a_name(name: str) -> None:
    """Every field that a provider can refuse is called something by the protocol."""
    codec: Codec = PROTOCOLS[name]

    for neutral in ("choices", "schema", "logprobs", "top_logprobs", "tool_choice", "tools", "seed", "messages"):
        assert codec.field(neutral).replace(".", "").isidentifier()
