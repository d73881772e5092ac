"""Items of an OpenAI Responses conversation as turns of the neutral model.

What a model did in one turn is several items there: its reasoning, its words and each of its calls. They are one turn here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from daemon.errors import BadRequest
from daemon.protocols.reading import read_as
from daemon.protocols.responses_tools import joined
from providers.contract import File, Image, Message, Part, Role, Text, Thought, ToolCall, ToolResult
from providers.wire import openai_responses as wire

_decode_kind: Final = msgspec.json.Decoder(wire.Kind).decode
_decode_message: Final = msgspec.json.Decoder(wire.MessageItem).decode
_decode_call: Final = msgspec.json.Decoder(wire.CallItem).decode
_decode_custom_call: Final = msgspec.json.Decoder(wire.CustomCallItem).decode
_decode_output: Final = msgspec.json.Decoder(wire.CallOutputItem).decode
_decode_reasoning: Final = msgspec.json.Decoder(wire.ReasoningItem).decode
_decode_reference: Final = msgspec.json.Decoder(wire.Reference).decode
_encode: Final = msgspec.json.Encoder().encode
_decode_any: Final = msgspec.json.Decoder().decode
_HOSTED: Final = frozenset(
    {
        "apply_patch_call",
        "apply_patch_call_output",
        "code_interpreter_call",
        "compaction",
        "computer_call",
        "computer_call_output",
        "file_search_call",
        "image_generation_call",
        "local_shell_call",
        "local_shell_call_output",
        "mcp_approval_request",
        "mcp_approval_response",
        "mcp_call",
        "mcp_list_tools",
        "shell_call",
        "shell_call_output",
        "web_search_call",
    }
)
"""Kinds that are known, and whose names may so be told."""


def said(text: str) -> bytes:
    """An input that is one string, as an item."""
    content = [{"type": "input_text", "text": text}]
    return _encode({"type": "message", "role": "user", "content": content})


def referred(raw: bytes) -> str | None:
    """The name of the item that this one stands for; None if it is an item itself."""
    if b"item_reference" not in raw:
        return None
    try:
        reference = _decode_reference(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None  # the fault is told when it is read
    return reference.id if reference.type == "item_reference" else None


def turns(items: Iterable[tuple[bytes, str]]) -> tuple[Message, ...]:
    """The conversation. items: each with where it stands, for messages about it. Raises BadRequest."""
    told: list[Message] = []
    for raw, where in items:
        role, parts = _item(raw, where)
        if role == "assistant" and told and told[-1].role == "assistant" and not _begins_anew(parts, told[-1].parts):
            told[-1] = Message("assistant", told[-1].parts + parts)
        elif parts:
            told.append(Message(role, parts))
    return tuple(told)


def _begins_anew(parts: tuple[Part, ...], before: tuple[Part, ...]) -> bool:
    """Whether a model's item belongs to its next turn: words after words, or a thought after anything but a thought."""
    had_words = any(isinstance(part, Text) for part in before)
    if any(isinstance(part, Thought) for part in parts):
        return not all(isinstance(part, Thought) for part in before)
    return had_words and any(isinstance(part, Text) for part in parts)


def _item(raw: bytes, where: str) -> tuple[Role, tuple[Part, ...]]:
    kind = _read(_decode_kind, raw, where).type
    match kind:
        case None | "message":
            message = _read(_decode_message, raw, where)
            role: Role = "system" if message.role in ("system", "developer") else message.role
            parts = _parts(message.content, f"{where}.content")
            if not parts and role != "assistant":
                raise BadRequest(f"{where}.content is empty", f"{where}.content")
            return role, parts
        case "function_call":
            call = _read(_decode_call, raw, where)
            return "assistant", (ToolCall(call.call_id, joined(call.namespace, call.name), call.arguments),)
        case "custom_tool_call":
            custom = _read(_decode_custom_call, raw, where)
            return "assistant", (ToolCall(custom.call_id, custom.name, in_json(custom.input)),)
        case "function_call_output" | "custom_tool_call_output":
            output = _read(_decode_output, raw, where)
            parts = _parts(output.output, f"{where}.output")
            words = tuple(part for part in parts if isinstance(part, Text | Image))
            if len(words) != len(parts):
                raise BadRequest(f"{where}.output: a tool's result is text or images", f"{where}.output")
            return "tool", (ToolResult(output.call_id, words),)
        case "reasoning":
            thought = _read(_decode_reasoning, raw, where)
            text = "".join(part.text for part in thought.content or thought.summary or ())
            sealed = thought.encrypted_content
            return "assistant", (Thought(text, sealed, sealed is not None and not text),) if text or sealed else ()
        case "item_reference":
            raise BadRequest(
                f"{where}: the item that is named isn't kept here, or not any more: send the item itself", where
            )
        case _:
            named = kind if kind in _HOSTED else "this type"
            raise BadRequest(f"{where}: items of {named} belong to tools that run at OpenAI: leave them out", where)


def _parts(content: str | tuple[wire.InputPart, ...], where: str) -> tuple[Part, ...]:
    if isinstance(content, str):
        return (Text(content),) if content else ()
    return tuple(_part(part, f"{where}[{place}]") for place, part in enumerate(content))


def _part(part: wire.InputPart, where: str) -> Part:
    match part:
        case wire.InputText(text=text) | wire.OutputTextSaid(text=text) | wire.PlainText(text=text):
            return Text(text)
        case wire.RefusalSaid(refusal=text):
            return Text(text)
        case wire.InputImage(image_url=url, file_id=file_id, detail=detail):
            if not url:
                told = (
                    "pictures by file_id can't be fetched here: send image_url" if file_id else "image_url is missing"
                )
                raise BadRequest(f"{where}: {told}", where)
            return Image(url, detail)
        case wire.InputFile(file_data=data, file_id=file_id, file_url=url, filename=name):
            if not (data or file_id or url):
                raise BadRequest(f"{where}: file_data is missing", where)
            return File(data or file_id or url or "", name)
        case wire.InputAudio():
            raise BadRequest(f"{where}: audio can't be read here: send text", where)


def in_json(text: str) -> str:
    """The input of a tool that takes free text, as a function's arguments."""
    return _encode({"input": text}).decode()


def from_json(arguments: str) -> str:
    """The other way round; arguments that a model made up otherwise are the text themselves."""
    try:
        match _decode_any(arguments.encode()):
            case {"input": str(text)}:
                return text
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    return arguments


def _read(decode: Any, raw: bytes, where: str) -> Any:
    """One item. Raises BadRequest with the place in it."""
    try:
        return read_as(decode, raw)
    except BadRequest as error:
        parameter = f"{where}.{error.parameter}" if error.parameter else where
        raise BadRequest(f"{where}: {error}", parameter) from error
