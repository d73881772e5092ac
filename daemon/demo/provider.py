"""The cloud of the demonstration: a server on loopback that replays recorded answers and keeps each byte that it is sent."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Final

from daemon.demo.answers import Answers, RecordedTurn
from daemon.errors import NearloopError

MODEL: Final = "recorded-model"
_PIECE: Final = 12
"""Characters in one event."""


class RecordedProvider:
    """Speaks OpenAI's Chat Completions, streamed and whole. Use it as a context manager."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._lock = threading.Lock()
        self._received = bytearray()
        self.bodies: list[bytes] = []
        """Of each request, as it came."""
        provider = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                provider._serve(self)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="recorded provider", daemon=True)

    def __enter__(self) -> RecordedProvider:
        self._server.server_bind()
        self._server.server_activate()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """As settings have it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def received(self) -> bytes:
        """All that came, heads and bodies."""
        with self._lock:
            return bytes(self._received)

    def _serve(self, request: socketserver.StreamRequestHandler) -> None:
        """One connection, which ends with its answer."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = request.rfile.readline()
            if not line:
                return
            head += line
        fields = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:])
        }
        body = request.rfile.read(int(fields.get("content-length", 0)))
        with self._lock:
            self._received += head + body
            self.bodies.append(body)
        kind, pieces = self._answer(body)
        status = "200 OK" if kind else "400 Bad Request"
        request.wfile.write(
            f"HTTP/1.1 {status}\r\nContent-Type: {kind or 'application/json'}\r\nConnection: close\r\n\r\n".encode()
        )
        for piece in pieces:
            request.wfile.write(piece)

    def _answer(self, body: bytes) -> tuple[str | None, Iterator[bytes]]:
        """Its kind, None: an error, and its bytes."""
        try:
            asked = json.loads(body)
            turn = self._answers.turn(asked["messages"])
        except (ValueError, KeyError, TypeError, NearloopError) as error:
            return None, iter((json.dumps({"error": {"message": str(error), "code": "not_recorded"}}).encode(),))
        place = len(asked["messages"])
        if asked.get("stream"):
            return "text/event-stream", _streamed(turn, place)
        return "application/json", iter((json.dumps(_whole(turn, place)).encode(),))


def _calls(turn: RecordedTurn, place: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{place}_{number}",
            "type": "function",
            "function": {"name": call.tool, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
        }
        for number, call in enumerate(turn.calls)
    ]


def _reason(turn: RecordedTurn) -> str:
    return "tool_calls" if turn.calls else "stop"


def _whole(turn: RecordedTurn, place: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.words}
    if turn.calls:
        message["tool_calls"] = _calls(turn, place)
    choice = {"index": 0, "message": message, "finish_reason": _reason(turn)}
    return {"object": "chat.completion", "model": MODEL, "choices": [choice]}


def _streamed(turn: RecordedTurn, place: int) -> Iterator[bytes]:
    for begin in range(0, len(turn.words), _PIECE):
        yield _event({"content": turn.words[begin : begin + _PIECE]})
    for number, call in enumerate(_calls(turn, place)):
        written = call["function"]["arguments"]
        yield _event({"tool_calls": [{"index": number, **call, "function": {**call["function"], "arguments": ""}}]})
        for begin in range(0, len(written), _PIECE):
            piece = written[begin : begin + _PIECE]
            yield _event({"tool_calls": [{"index": number, "function": {"arguments": piece}}]})
    yield _event({}, _reason(turn))
    yield b"data: [DONE]\n\n"


def _event(delta: dict[str, Any], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    chunk = {"object": "chat.completion.chunk", "model": MODEL, "choices": [choice]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"
