"""Anybody who speaks OpenAI's Chat Completions: OpenAI itself, most clouds, and most servers for local models.

Streamed if the client reads a stream. A whole answer is asked for whole, which saves both sides most of the events, and is
told as deltas all the same.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from providers.contract import (
    File,
    Image,
    Key,
    Message,
    Request,
    Text,
    Thinking,
    Thought,
    Tool,
    ToolCall,
    ToolResult,
    Unsupported,
)
from providers.families.answer_bytes import AnswerReader
from providers.families.base import Listed
from providers.families.model_list import listed
from providers.families.openai_answer import Hearing
from providers.families.reasoning_details import given_back
from providers.target import Quirks, Target
from providers.wire import openai_chat as wire
from providers.wire import openai_responses

PROTOCOLS: Final = frozenset({"openai-chat", "openai-completions", "openai-responses"})
"""Their extras have the names of Chat Completions."""
_MANAGED: Final = frozenset(wire.ChatRequest.__struct_fields__) | openai_responses.ONLY_HERE
"""What we write ourselves, which extras never replace, and what another protocol alone has."""

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What they take for the name of a format."""
_encode: Final = msgspec.json.Encoder().encode


# ---- asking ---------------------------------------------------------------------------------------------------------


def body_of(
    request: Request,
    model: str,
    quirks: Quirks = Quirks(),  # noqa: B008  # frozen
    reasoning: str | None = None,
    accepts: tuple[str, ...] = (),
) -> bytes:
    """The request in their words. quirks, reasoning, accepts: as in Target. Raises Unsupported."""
    sampling = request.sampling
    body: dict[str, Any] = {}
    _check(request, quirks)
    body |= _passed(request, quirks)
    body |= _thinking(request.thinking, reasoning, body)
    body |= {
        "model": model,
        "messages": [each for message in _together(request.messages) for each in _messages(message, quirks)],
    }
    if request.stream:
        body |= {"stream": True, **({"stream_options": {"include_usage": True}} if quirks.stream_usage else {})}
    tells_logprobs = sampling.logprobs and _tells_logprobs(request, quirks)
    optional: dict[str, Any] = {
        "max_completion_tokens" if quirks.completion_tokens else "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k if "top_k" in accepts else None,
        quirks.seed or "seed": sampling.seed if quirks.seed else None,
        "stop": list(sampling.stop) or None,
        "presence_penalty": (sampling.presence_penalty or None) if quirks.penalties else None,
        "frequency_penalty": (sampling.frequency_penalty or None) if quirks.penalties else None,
        "logprobs": tells_logprobs or None,
        "top_logprobs": (sampling.top_logprobs or None) if tells_logprobs else None,
        "n": sampling.choices if sampling.choices > 1 else None,
        "response_format": response_format(request.schema),
    }
    if request.tools and (request.tool_choice != "none" or quirks.tool_choice is not None):
        optional["tools"] = [{"type": "function", "function": _function(tool, quirks)} for tool in request.tools]
        optional["parallel_tool_calls"] = None if request.parallel_calls or not quirks.parallel_field else False
        optional["tool_choice"] = _tool_choice(request.tool_choice, quirks)
    body |= {name: value for name, value in optional.items() if value is not None}
    return _encode(body)


def _passed(request: Request, quirks: Quirks) -> dict[str, Any]:
    """A client's own fields that go on: of the same protocol, and known to this server."""
    if request.protocol not in PROTOCOLS:
        return {}
    own = {name: value for name, value in request.extras.items() if name not in _MANAGED and value is not None}
    return own if quirks.extras is None else {name: own[name] for name in own if name in quirks.extras}


def _check(request: Request, quirks: Quirks) -> None:
    """Raises Unsupported for what this server can't be told, and an answer would mean something else without."""
    if request.sampling.choices > 1 and not quirks.choices:
        raise Unsupported("choices", "this provider gives one answer to a request: ask for one")
    if request.schema is not None and (
        quirks.schema == "none" or (quirks.schema == "object" and request.schema != {"type": "object"})
    ):
        raise Unsupported("schema", "this provider can't hold its answers to a schema: ask for any JSON object")
    if request.tools and quirks.tool_choice is None and request.tool_choice not in ("auto", "none"):
        raise Unsupported("tool_choice", "this provider can't be told to call a tool: leave the choice to it")


def _tells_logprobs(request: Request, quirks: Quirks) -> bool:
    return quirks.logprobs == "all" or (quirks.logprobs == "whole" and not request.stream)


def _thinking(wanted: Thinking | None, reasoning: str | None, body: dict[str, Any]) -> dict[str, Any]:
    """Whether and how hard to reason, as this server is told. It replaces what the client says."""
    if wanted is None or reasoning is None:
        return {}
    if reasoning == "effort":
        return {"reasoning_effort": wanted.effort} if wanted.effort is not None else {}
    if wanted.on is None:
        return {}
    given = body.get("chat_template_kwargs")
    switch = reasoning.removeprefix("template:")
    return {"chat_template_kwargs": {**(given if isinstance(given, dict) else {}), switch: wanted.on}}


def _function(tool: Tool, quirks: Quirks) -> dict[str, Any]:
    strict = tool.strict if quirks.strict else None
    said = {"description": tool.description or None, "parameters": tool.parameters, "strict": strict}
    return {"name": tool.name, **{name: value for name, value in said.items() if value is not None}}


def _tool_choice(choice: str, quirks: Quirks) -> Any:
    if choice == "auto":
        return None
    if choice == "required":
        return quirks.tool_choice
    return choice if choice == "none" else {"type": "function", "function": {"name": choice}}


def response_format(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """The form of the answer: any object, or what a schema allows."""
    if schema is None:
        return None
    if schema == {"type": "object"}:
        return {"type": "json_object"}
    title = schema.get("title")
    name = title if isinstance(title, str) and _NAME.fullmatch(title) else "answer"
    return {"type": "json_schema", "json_schema": {"name": name, "schema": schema, "strict": _is_strict(schema)}}


def _is_strict(schema: Any) -> bool:
    """Whether OpenAI would hold an answer to it exactly: each object closed, each of its properties required."""
    if isinstance(schema, list):
        return all(_is_strict(each) for each in schema)
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    if schema.get("type") == "object" or isinstance(properties, dict):
        named = set(properties) if isinstance(properties, dict) else set()
        required = schema.get("required", [])
        if schema.get("additionalProperties") is not False or not isinstance(required, list):
            return False
        if any(name not in required for name in named):
            return False
    return all(_is_strict(each) for each in schema.values())


def _together(messages: tuple[Message, ...]) -> list[Message]:
    """Results of tools that follow one another as one turn: nothing may stand between them, not even their pictures."""
    turns: list[Message] = []
    for message in messages:
        if message.role == "tool" and turns and turns[-1].role == "tool":
            turns[-1] = Message("tool", turns[-1].parts + message.parts)
        else:
            turns.append(message)
    return turns


def _messages(message: Message, quirks: Quirks) -> list[dict[str, Any]]:
    """One turn as theirs: each tool result is a message of its own, and pictures in it follow in the user's name."""
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    written: list[dict[str, Any]] = [
        {"role": "tool", "tool_call_id": result.call_id, "content": _joined(result.marked)} for result in results
    ]
    pictures = [part for result in results for part in result.parts if isinstance(part, Image)]
    if pictures:
        written.append({"role": "user", "content": [_part(picture) for picture in pictures]})
    said = tuple(part for part in message.parts if isinstance(part, Text | Image | File))
    if message.role == "assistant":
        return [*written, _assistant(message, said, quirks)]
    if said:
        role = "user" if message.role == "tool" else message.role
        written.append({"role": role, "content": _content(said)})
    return written


def _assistant(message: Message, said: tuple[Text | Image | File, ...], quirks: Quirks) -> dict[str, Any]:
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    thoughts = [part for part in message.parts if isinstance(part, Thought)]
    signed = given_back(thoughts)
    thought = "".join(part.text for part in thoughts if part.note is None)
    written: dict[str, Any] = {"role": "assistant", "content": _content(said) if said or not calls else None}
    if thought and quirks.reads_thoughts:
        written[quirks.thoughts_field] = thought
    if signed:
        written["reasoning_details"] = signed
    if calls:
        written["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments or "{}"}}
            for call in calls
        ]
    return written


def _content(parts: tuple[Text | Image | File, ...]) -> Any:
    """One string for words alone, since many servers know no other form; else a list."""
    if all(isinstance(part, Text) for part in parts):
        return _joined(parts)
    return [_part(part) for part in parts]


def _joined(parts: tuple[Text | Image | File, ...]) -> str:
    return "\n".join(part.text for part in parts if isinstance(part, Text))


def _part(part: Text | Image | File) -> dict[str, Any]:
    match part:
        case Text(text=text):
            return {"type": "text", "text": text}
        case Image(url=url, detail=detail):
            return {"type": "image_url", "image_url": {"url": url, **({"detail": detail} if detail else {})}}
        case File(url=url, name=name):
            if url.startswith(("http://", "https://")):
                raise Unsupported(
                    "messages", "this provider takes files whole or by id, not by address: send the file itself"
                )
            kind = "file_id" if url.startswith(("file-", "file_")) else "file_data"
            return {"type": "file", "file": {kind: url, **({"filename": name} if name else {})}}


# ---- the family -----------------------------------------------------------------------------------------------------


class OpenAIChat:
    """Without state. key_header: which one carries the key; as a bearer's, or by itself."""

    models_path = "models"

    def __init__(self, key_header: str = "authorization") -> None:
        self._key_header = key_header

    def path(self, request: Request, model: str) -> str:
        """The same for all."""
        return "chat/completions"

    def body(self, request: Request, model: str, target: Target) -> bytes:
        """In their words. Raises Unsupported."""
        return body_of(request, model, target.quirks, target.reasoning, target.accepts)

    def headers(self, key: Key | None) -> dict[str, str]:
        """The key, if there is one."""
        if key is None:
            return {}
        bearer = self._key_header == "authorization"
        return {self._key_header: f"Bearer {key.reveal()}" if bearer else key.reveal()}

    def reader(self, target: Target, request: Request) -> AnswerReader:
        """Of a stream or a whole completion."""
        return AnswerReader(Hearing(target.name, request.id))

    def not_honoured(self, request: Request, target: Target) -> tuple[str, ...]:
        """How hard to think and other things, where the settings don't say that this server can be told; what its vendor
        doesn't know; thoughts that it can't read.
        """
        thinking, sampling, quirks = request.thinking, request.sampling, target.quirks
        thoughts = [part for message in request.messages for part in message.parts if isinstance(part, Thought)]
        reads = target.quirks.reads_thoughts
        aside = {
            "thinking": thinking is not None and not _thinking(thinking, target.reasoning, {}),
            "top_k": sampling.top_k is not None and "top_k" not in target.accepts,
            "other": len(_passed(request, quirks)) < len(_passed(request, Quirks())),
            "seed": sampling.seed is not None and quirks.seed is None,
            "presence_penalty": bool(sampling.presence_penalty) and not quirks.penalties,
            "frequency_penalty": bool(sampling.frequency_penalty) and not quirks.penalties,
            "logprobs": sampling.logprobs and not _tells_logprobs(request, quirks),
            "parallel_calls": bool(request.tools) and not request.parallel_calls and not quirks.parallel_field,
            "thoughts": any(thought.note is None and (not reads or thought.redacted) for thought in thoughts),
        }
        return tuple(name for name, is_so in aside.items() if is_so)

    def models(self, body: bytes, target: Target) -> Listed:
        """All at once. Raises BadAnswer."""
        return listed(body, target.name)
