"""However bytes are cut on their way, they mean the same: what providers stream to us, and what we stream to clients."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Final

import anthropic._streaming
import httpx
import openai._streaming
import pytest

from daemon.protocols.base import Envelope
from daemon.protocols.registry import PROTOCOLS
from providers.contract import Delta, Finish, Progress, TextDelta, ThoughtDelta, ToolCallDelta, Usage
from tests.fakes.client_dialects import CLIENTS, Heard
from tests.fakes.talk import Answer, Call, Talk, Tool, User
from tests.fakes.upstream_dialects import DIALECTS, DIFFERENT

LOOK: Final = Tool("look", "", {"type": "object"})
CALLS: Final = (Call("look", {"ä": '😀"}', "b": [{}]}), Call("look", {}), Call("look", {"n": 1.5}))
ANSWERS: Final[dict[str, Answer]] = {
    "text": Answer("Grüße, 😀 文\r\n\ndata: x"),
    "tools": Answer("", "", CALLS[:1], "tool_calls"),
    "parallel tools": Answer("", "", CALLS, "tool_calls"),
    "reasoning": Answer("so", "hm ä\n文", (), "length"),
    "all": Answer("né", "hm 😀", CALLS, "tool_calls", 1000, 50, 900, 20),
}
ENVELOPE: Final = Envelope("00000000000000aa", None, None, None, "device", 1_700_000_000)


def thirds(text: str) -> list[str]:
    """In three pieces, or fewer."""
    size = len(text) // 3 + 1
    return [text[start : start + size] for start in range(0, len(text), size)]


def names(answer: Answer) -> tuple[str, ...]:
    return tuple(f"call:{number}" for number in range(len(answer.calls)))


def every_cut(stream: bytes) -> Iterable[list[bytes]]:
    """In two pieces at every byte, and byte by byte."""
    yield from ([stream[:cut], stream[cut:]] for cut in range(len(stream) + 1))
    yield [stream[at : at + 1] for at in range(len(stream))]


# ---- from providers -------------------------------------------------------------------------------------------------

FORMS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "CR LF": lambda stream: stream.replace(b"\n", b"\r\n"),
    "CR": lambda stream: stream.replace(b"\n", b"\r"),
    "comments": lambda stream: b": hi\n\n" + stream.replace(b"\n\n", b"\n\n: \xc3\xa4 [DONE]\n\n:\n"),
    "names": lambda stream: stream.replace(b"data: ", b"event: chunk\nid: 1\nretry: 5\ndata:"),
    "lines of data": lambda stream: stream.replace(b"data: {", b"data: {\ndata: "),
    "BOM": lambda stream: b"\xef\xbb\xbf" + stream,
    "open end": lambda stream: stream.removesuffix(b"\n"),
}
"""Ways to write the same events."""


@pytest.mark.parametrize("wire", DIFFERENT)
@pytest.mark.parametrize("kind", ANSWERS)
def test_a_providers_stream_cut_anywhere(wire: str, kind: str) -> None:
    """Each kind of answer gives the same deltas, wherever its stream is cut."""
    dialect, answer = DIALECTS[wire], ANSWERS[kind]
    stream = dialect.streamed(answer, names(answer), thirds)
    expected = dialect.hear([stream])
    assert isinstance(expected[-1], Finish)

    for pieces in every_cut(stream):
        assert dialect.hear(pieces) == expected, pieces


@pytest.mark.parametrize("wire", [wire for wire, dialect in DIFFERENT.items() if dialect.events])
@pytest.mark.parametrize("form", FORMS)
def test_events_in_every_form_cut_anywhere(wire: str, form: str) -> None:
    """Line ends, comments, names, split data, a byte order mark, a missing end: the deltas are those of the plain stream."""
    dialect, answer = DIALECTS[wire], ANSWERS["all"]
    plain = dialect.streamed(answer, names(answer), lambda text: [text])
    expected, stream = dialect.hear([plain]), FORMS[form](plain)
    assert stream != plain

    for pieces in every_cut(stream):
        assert dialect.hear(pieces) == expected, pieces


@pytest.mark.parametrize("wire", DIFFERENT)
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b"\r\n "])
def test_a_whole_answer_cut_anywhere(wire: str, before: bytes) -> None:
    """One body, whatever is in front of it."""
    dialect, answer = DIALECTS[wire], ANSWERS["all"]
    plain = dialect.whole(answer, names(answer))
    expected = dialect.hear([plain])

    for pieces in every_cut(before + plain):
        assert dialect.hear(pieces) == expected, pieces


# ---- to clients -----------------------------------------------------------------------------------------------------


def deltas(answer: Answer) -> list[Delta]:
    """As a provider says it, with signs of life between."""
    said: list[Delta] = [Progress("loading")]
    said += [ThoughtDelta(piece) for piece in thirds(answer.thought)]
    said += [Progress("thinking"), *(TextDelta(piece) for piece in thirds(answer.text))]
    said += [
        ToolCallDelta(index, id, call.name, json.dumps(call.arguments, ensure_ascii=False))
        for index, (id, call) in enumerate(zip(names(answer), answer.calls, strict=True))
    ]
    usage = Usage(answer.prompt_tokens, answer.completion_tokens, answer.cached, answer.reasoning)
    return [*said, Finish(answer.reason, usage)]


def read(pieces: list[bytes], protocol: str) -> list[str]:
    """What the official client's reader makes of them: the data of events, or lines."""
    if protocol.startswith("ollama"):
        return list(httpx.Response(200, content=iter(filter(None, pieces))).iter_lines())
    reader = anthropic._streaming.SSEDecoder() if protocol == "anthropic" else openai._streaming.SSEDecoder()
    return [event.data for event in reader.iter_bytes(iter(pieces))]


def without_calls(answer: Answer) -> Answer:
    return Answer(answer.text, answer.thought, (), "stop", 1000, 50, 900, 20)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_stream_to_a_client_cut_anywhere(protocol: str) -> None:
    """The official client's reader understands the same answer, wherever it is cut."""
    codec, client = PROTOCOLS[protocol], CLIENTS[protocol]
    toolless = "tools" in client.lacks
    answer = without_calls(ANSWERS["all"]) if toolless else ANSWERS["all"]
    talk = client.asks(Talk((User("hi"),), tools=() if toolless else (LOOK,)))
    request = codec.read(json.dumps({"model": "m", **client.body(talk, True)}).encode(), ENVELOPE)
    writer = codec.writer(request, ENVELOPE)
    stream = b"".join(writer.feed(delta, "work/big") for delta in deltas(answer)) + writer.end()
    expected = read([stream], protocol)
    events = [data if data == "[DONE]" else json.loads(data) for data in expected]
    assert client.streamed(events) == Heard(client.known(answer), names(answer))

    for pieces in every_cut(stream):
        assert read(pieces, protocol) == expected, pieces
