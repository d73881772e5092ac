"""A provider's server that is as fast as asyncio lets it be, in a process of its own: what relays are measured against.

`python fast_upstream.py` prints its port. It answers OpenAI's Chat Completions and Responses; orders stand in the request's text as
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
    data = json.dumps({"type": kind, "sequence_number": 0, **fields}).encode()
    return _framed(b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n")


def _response(tokens: int, output: list[Any]) -> dict[str, Any]:
    usage = {"input_tokens": 9, "output_tokens": tokens, "total_tokens": tokens + 9}
    return {"id": "r", "object": "response", "status": "completed", "model": "big", "output": output, "usage": usage}


def _response_whole(tokens: int) -> bytes:
    part = {"type": "output_text", "text": " token" * tokens, "annotations": []}
    body = json.dumps(_response(tokens, [{"type": "message", "role": "assistant", "content": [part]}])).encode()
    return _HEAD + b"application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


_NEW: Final = _event("response.output_text.delta", item_id="m", output_index=0, content_index=0, delta=" token")


class _Spoken(NamedTuple):
    """What a protocol's server says: of a stream the first piece, one for each token, and its end; and all at once."""

    first: bytes
    token: bytes
    end: Callable[[int], bytes]
    whole: Callable[[int], bytes]


_CHAT: Final = _Spoken(_FIRST, _TOKEN, _end, _whole)
_RESPONSES: Final = _Spoken(
    _event("response.created", response={"id": "r", "status": "in_progress"}),
    _NEW,
    lambda tokens: _event("response.completed", response=_response(tokens, [])) + b"0\r\n\r\n",
    _response_whole,
)


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
        said = _RESPONSES if head.split(b" ", 2)[1].endswith(b"/responses") else _CHAT
        if b'"stream":true' not in body.replace(b" ", b""):
            self._transport.write(said.whole(tokens))
        elif b"silent" in orders:
            self._transport.write(_STREAM + said.first + said.token)
        elif delay_s:
            self._task = asyncio.get_running_loop().create_task(self._slowly(said, tokens, delay_s))
        else:
            self._transport.write(_STREAM + said.first)
            for _ in range(tokens):
                self._transport.write(said.token)
            self._transport.write(said.end(tokens))

    async def _slowly(self, said: _Spoken, tokens: int, delay_s: float) -> None:
        self._transport.write(_STREAM + said.first)
        for _ in range(tokens):
            await asyncio.sleep(delay_s)
            self._transport.write(said.token)
        self._transport.write(said.end(tokens))


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
