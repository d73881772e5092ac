"""Ollama's chat, read and written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET

from daemon.errors import BadRequest
from daemon.protocols import ollama_fields
from daemon.protocols.base import Envelope
from daemon.protocols.ollama_fields import pictures
from daemon.protocols.ollama_writing import LineWriter, answered, counted
from daemon.protocols.reading import read_as
from providers import contract
from providers.contract import Message, Part, Request, Text, ToolCall, ToolResult
from providers.wire import ollama as wire

NAME: Final = "ollama-chat"
PATH: Final = "/api/chat"
AREAS: tuple[str, ...] = ("/api/",)

HABITS = ollama_fields.HABITS
field = ollama_fields.field
refusal = ollama_fields.refusal
_decode: Final = msgspec.json.Decoder(wire.ChatRequest).decode
_decode_object: Final = msgspec.json.Decoder(dict[str, Any]).decode
_EMPTY: Final[dict[str, Any]] = {"type": "object", "properties": {}}


def read(body: bytes, envelope: Envelope) -> Request:
    """Understand a request. Without messages, it wants the model loaded. Raises BadRequest."""
    asked = read_as(_decode, body)
    tools = tuple(
        contract.Tool(tool.function.name, tool.function.description or "", tool.function.parameters or _EMPTY)
        for tool in asked.tools or ()
    )
    return ollama_fields.request(asked, body, envelope, NAME, _messages(asked.messages or ()), tools)


def _messages(given: tuple[wire.ChatMessage, ...]) -> tuple[Message, ...]:
    """Results are bound to their calls by id where there is one, else by the tool's name, else by their order."""
    messages: list[Message] = []
    open_calls: list[ToolCall] = []
    made = 0
    for place, message in enumerate(given):
        where = f"messages[{place}]"
        if message.role == "tool":
            messages.append(Message("tool", (_result(message, where, open_calls),)))
            continue
        parts: list[Part] = [contract.Thought(message.thinking)] if message.thinking else []
        if message.content or not (message.tool_calls or message.images):
            parts.append(Text(message.content or ""))
        parts += pictures(message.images, f"{where}.images")
        if message.role == "assistant":
            open_calls = [
                _call(call, f"call_{made + offset}", f"{where}.tool_calls[{offset}]")
                for offset, call in enumerate(message.tool_calls or ())
            ]
            made += len(open_calls)
            parts += open_calls
        elif message.tool_calls:
            raise BadRequest(f"{where}.tool_calls: only the assistant calls tools", f"{where}.tool_calls")
        role = "system" if message.role in ("system", "developer") else message.role
        messages.append(Message(role, tuple(parts)))  # type: ignore[arg-type]  # what is left are neutral roles
    return tuple(messages)


def _call(call: wire.CallMade, id: str, where: str) -> ToolCall:
    text = bytes(call.function.arguments)
    try:
        _decode_object(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        where = f"{where}.function.arguments"
        raise BadRequest(f"{where}: an object is expected, and not its text", where) from error
    return ToolCall(call.id or id, call.function.name, text.decode())


def _result(message: wire.ChatMessage, where: str, open_calls: list[ToolCall]) -> ToolResult:
    name = message.tool_name or message.name
    found = next((call for call in open_calls if message.tool_call_id and call.id == message.tool_call_id), None)
    if found is None and not message.tool_call_id:
        found = next((call for call in open_calls if call.name == name), None)
        if found is None and name is None:
            found = next(iter(open_calls), None)
    if found is not None:
        open_calls.remove(found)
    id = message.tool_call_id or (found.id if found else name or "")
    return ToolResult(id, (Text(message.content or ""), *pictures(message.images, f"{where}.images")))


class ChatWriter(LineWriter):
    """An answer is a message."""

    def _line(
        self,
        text: str = "",
        thought: str = "",
        calls: Sequence[ToolCall] = (),
        logprobs: tuple[contract.Logprob, ...] = (),
        done: str | None = None,
        tally: wire.Tally | None = None,
    ) -> msgspec.Struct:
        made = [answered(call, place) for place, call in enumerate(calls)]
        return wire.ChatAnswer(
            model=self._model,
            created_at=self._created_at,
            message=wire.AnswerMessage("assistant", text, thought or UNSET, made or UNSET),
            done=done is not None,
            done_reason=done if done is not None else UNSET,
            logprobs=self._logprobs(logprobs),
            **counted(tally),
        )


def writer(request: Request, envelope: Envelope) -> ChatWriter:
    """For the answer to one request."""
    return ChatWriter(request, envelope)
