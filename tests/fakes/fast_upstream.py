"""A provider's server that is as fast as asyncio lets it be, in a process of its own: what relays are measured against.

`python fast_upstream.py` prints its port. It answers OpenAI's Chat Completions and Responses, Anthropic Messages, Gemini and Ollama, by the path that is asked
for; orders stand in the request's text as
`[[tokens=N]]`, `[[delay=MS]]` between tokens, and `[[silent=1]]`: one token, and then nothing until the client is gone.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

_ORDER: Final = re.compile(rb"\[\[(\w+)=([0-9.]+)\]\]")
_LENGTH: Final = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_HEAD: Final = b"HTTP/1.1 200 OK\r\ncontent-type: "
_CHUNKED: Final = b"\r\ntransfer-encoding: chunked\r\n\r\n"


class _Words(NamedTuple):
    """One protocol's. kind: of a stream. first: before any token. end: from the number of tokens. whole: likewise, all of it."""

    kind: bytes
    first: bytes
    token: bytes
    end: Callable[[int], bytes]
    whole: Callable[[int], dict[str, Any]]

    @property
    def begun(self) -> bytes:
        return _HEAD + self.kind + _CHUNKED + self.first


def _framed(frame: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(frame), frame)


def _event(value: Any) -> bytes:
    return _framed(b"data: " + json.dumps(value).encode() + b"\n\n")


def _line(value: Any) -> bytes:
    return _framed(json.dumps(value).encode() + b"\n")


_LAST: Final = b"0\r\n\r\n"

# ---- Chat Completions

_BASE: Final = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "big"}


def _chunk(delta: dict[str, Any], reason: str | None = None) -> bytes:
    return _event({**_BASE, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]})


def _chat_end(tokens: int) -> bytes:
    last = _event({**_BASE, "choices": [], "usage": _chat_usage(tokens)})
    return _chunk({}, "stop") + last + _framed(b"data: [DONE]\n\n") + _LAST


def _chat_usage(tokens: int) -> dict[str, int]:
    return {"prompt_tokens": 9, "completion_tokens": tokens, "total_tokens": tokens + 9}


def _chat_whole(tokens: int) -> dict[str, Any]:
    message = {"role": "assistant", "content": " token" * tokens, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return {**_BASE, "object": "chat.completion", "choices": [choice], "usage": _chat_usage(tokens)}


# ---- Gemini


def _gemini(text: str, tokens: int, **more: str) -> dict[str, Any]:
    candidate = {"content": {"parts": [{"text": text}], "role": "model"}, "index": 0, **more}
    usage = {"promptTokenCount": 9, "candidatesTokenCount": tokens, "totalTokenCount": tokens + 9}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "big", "responseId": "c"}


# ---- Ollama


def _ollama(text: str, tokens: int | None = None) -> dict[str, Any]:
    line = {"model": "big", "created_at": "2026-11-30T00:00:00.000000Z"}
    told = {**line, "message": {"role": "assistant", "content": text}, "done": tokens is not None}
    return told if tokens is None else {**told, "done_reason": "stop", "prompt_eval_count": 9, "eval_count": tokens}


# ---- Responses


def _typed(kind: str, **fields: Any) -> bytes:
    data = json.dumps({"type": kind, "sequence_number": 0, **fields}).encode()
    return _framed(b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n")


def _response(tokens: int, output: list[Any]) -> dict[str, Any]:
    usage = {"input_tokens": 9, "output_tokens": tokens, "total_tokens": tokens + 9}
    return {"id": "r", "object": "response", "status": "completed", "model": "big", "output": output, "usage": usage}


def _response_whole(tokens: int) -> dict[str, Any]:
    part = {"type": "output_text", "text": " token" * tokens, "annotations": []}
    return _response(tokens, [{"type": "message", "role": "assistant", "content": [part]}])


# ---- Anthropic Messages


def _named(kind: str, **fields: Any) -> bytes:
    return _framed(f"event: {kind}\ndata: ".encode() + json.dumps({"type": kind, **fields}).encode() + b"\n\n")


_OPENING: Final = {"id": "m", "type": "message", "role": "assistant", "model": "big", "stop_sequence": None}
_BEGUN: Final = {**_OPENING, "content": [], "stop_reason": None, "usage": {"input_tokens": 9, "output_tokens": 1}}


def _message_end(tokens: int) -> bytes:
    last = _named("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": tokens})
    return _named("content_block_stop", index=0) + last + _named("message_stop") + _LAST


def _message(tokens: int) -> dict[str, Any]:
    content = [{"type": "text", "text": " token" * tokens}]
    usage = {"input_tokens": 9, "output_tokens": tokens}
    return {**_OPENING, "content": content, "stop_reason": "end_turn", "usage": usage}


_CHAT: Final = _Words(
    b"text/event-stream",
    _chunk({"role": "assistant", "content": ""}),
    _chunk({"content": " token"}),
    _chat_end,
    _chat_whole,
)
_OTHERS: Final = {
    b":streamGenerateContent": _Words(
        b"text/event-stream",
        b"",
        _event(_gemini(" token", 1)),
        lambda tokens: _event(_gemini("", tokens, finishReason="STOP")) + _LAST,
        lambda tokens: _gemini(" token" * tokens, tokens, finishReason="STOP"),
    ),
    b"/responses": _Words(
        b"text/event-stream",
        _typed("response.created", response={"id": "r", "status": "in_progress"}),
        _typed("response.output_text.delta", item_id="m", output_index=0, content_index=0, delta=" token"),
        lambda tokens: _typed("response.completed", response=_response(tokens, [])) + _LAST,
        _response_whole,
    ),
    b"/messages": _Words(
        b"text/event-stream",
        _named("message_start", message=_BEGUN)
        + _named("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        _named("content_block_delta", index=0, delta={"type": "text_delta", "text": " token"}),
        _message_end,
        _message,
    ),
    b"/api/chat": _Words(
        b"application/x-ndjson",
        b"",
        _line(_ollama(" token")),
        lambda tokens: _line(_ollama("", tokens)) + _LAST,
        lambda tokens: _ollama(" token" * tokens, tokens),
    ),
}


def _words(head: bytes) -> tuple[_Words, bool | None]:
    """Those of the path, and whether a stream is asked for; None: the body says it."""
    path = head.split(b" ", 2)[1]
    if b"GenerateContent" in path or b":generateContent" in path:
        return _OTHERS[b":streamGenerateContent"], b":stream" in path
    return next((words for end, words in _OTHERS.items() if path.endswith(end)), _CHAT), None


def _whole(words: _Words, tokens: int) -> bytes:
    body = json.dumps(words.whole(tokens)).encode()
    return _HEAD + b"application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


class _Connection(asyncio.Protocol):
    def __init__(self) -> None:
        self._left = b""
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        if self._task:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        self._left += data
        head, found, rest = self._left.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        size = int(length[1]) if length else 0
        if not found or len(rest) < size:
            return
        self._left = rest[size:]
        body = rest[:size]
        orders = {name: float(value) for name, value in _ORDER.findall(body)}
        tokens, delay_s = int(orders.get(b"tokens", 16)), orders.get(b"delay", 0.0) / 1000
        words, stream = _words(head)
        if stream is None:
            stream = b'"stream":true' in body.replace(b" ", b"")
        if not stream:
            self._transport.write(_whole(words, tokens))
        elif b"silent" in orders:
            self._transport.write(words.begun + words.token)
        elif delay_s:
            self._task = asyncio.get_running_loop().create_task(self._slowly(words, tokens, delay_s))
        else:
            self._transport.write(words.begun)
            for _ in range(tokens):
                self._transport.write(words.token)
            self._transport.write(words.end(tokens))

    async def _slowly(self, words: _Words, tokens: int, delay_s: float) -> None:
        self._transport.write(words.begun)
        for _ in range(tokens):
            await asyncio.sleep(delay_s)
            self._transport.write(words.token)
        self._transport.write(words.end(tokens))


async def _serve() -> None:
    server = await asyncio.get_running_loop().create_server(_Connection, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def fast_upstream() -> Iterator[int]:
    """Its port, for as long as it runs."""
    process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE)
    assert process.stdout
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


if __name__ == "__main__":
    asyncio.run(_serve())
