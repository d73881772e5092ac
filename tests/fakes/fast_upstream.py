"""A provider's server that is as fast as asyncio lets it be, in a process of its own: what relays are measured against.

`python fast_upstream.py` prints its port. It answers OpenAI's Chat Completions, and Anthropic Messages at their address; orders stand in the request's text as
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
_STREAM: Final = _HEAD + b"text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_BASE: Final = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "big"}


def _chunk(delta: dict[str, Any], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return _framed(b"data: " + json.dumps({**_BASE, "choices": [choice]}).encode() + b"\n\n")


def _framed(frame: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(frame), frame)


_FIRST: Final = _chunk({"role": "assistant", "content": ""})
_TOKEN: Final = _chunk({"content": " token"})


def _end(tokens: int) -> bytes:
    usage = {"prompt_tokens": 9, "completion_tokens": tokens, "total_tokens": tokens + 9}
    last = b"data: " + json.dumps({**_BASE, "choices": [], "usage": usage}).encode() + b"\n\n"
    return _chunk({}, "stop") + _framed(last) + _framed(b"data: [DONE]\n\n") + b"0\r\n\r\n"


def _whole(tokens: int) -> bytes:
    message = {"role": "assistant", "content": " token" * tokens, "refusal": None}
    usage = {"prompt_tokens": 9, "completion_tokens": tokens, "total_tokens": tokens + 9}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    body = json.dumps({**_BASE, "object": "chat.completion", "choices": [choice], "usage": usage}).encode()
    return _HEAD + b"application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


def _event(kind: str, **fields: Any) -> bytes:
    return _framed(f"event: {kind}\ndata: ".encode() + json.dumps({"type": kind, **fields}).encode() + b"\n\n")


_OPENING: Final = {"id": "m", "type": "message", "role": "assistant", "model": "big", "stop_sequence": None}
_BEGUN: Final = {**_OPENING, "content": [], "stop_reason": None, "usage": {"input_tokens": 9, "output_tokens": 1}}
_BLOCK: Final = _event("message_start", message=_BEGUN) + _event(
    "content_block_start", index=0, content_block={"type": "text", "text": ""}
)
_PIECE: Final = _event("content_block_delta", index=0, delta={"type": "text_delta", "text": " token"})


def _message_end(tokens: int) -> bytes:
    last = _event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": tokens})
    return _event("content_block_stop", index=0) + last + _event("message_stop") + b"0\r\n\r\n"


def _message(tokens: int) -> bytes:
    content = [{"type": "text", "text": " token" * tokens}]
    usage = {"input_tokens": 9, "output_tokens": tokens}
    body = json.dumps({**_OPENING, "content": content, "stop_reason": "end_turn", "usage": usage}).encode()
    return _HEAD + b"application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


class _Speech(NamedTuple):
    """One protocol's: what opens a stream, each token, what ends it, and a whole answer."""

    first: bytes
    token: bytes
    end: Callable[[int], bytes]
    whole: Callable[[int], bytes]


_CHAT: Final = _Speech(_FIRST, _TOKEN, _end, _whole)
_MESSAGES: Final = _Speech(_BLOCK, _PIECE, _message_end, _message)


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
        speech = _MESSAGES if head.startswith(b"POST /v1/messages") else _CHAT
        if b'"stream":true' not in body.replace(b" ", b""):
            self._transport.write(speech.whole(tokens))
        elif b"silent" in orders:
            self._transport.write(_STREAM + speech.first + speech.token)
        elif delay_s:
            self._task = asyncio.get_running_loop().create_task(self._slowly(speech, tokens, delay_s))
        else:
            self._transport.write(_STREAM + speech.first)
            for _ in range(tokens):
                self._transport.write(speech.token)
            self._transport.write(speech.end(tokens))

    async def _slowly(self, speech: _Speech, tokens: int, delay_s: float) -> None:
        self._transport.write(_STREAM + speech.first)
        for _ in range(tokens):
            await asyncio.sleep(delay_s)
            self._transport.write(speech.token)
        self._transport.write(speech.end(tokens))


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
