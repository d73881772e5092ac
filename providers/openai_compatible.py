"""Anybody who speaks OpenAI's Chat Completions: OpenAI itself, most clouds, and most servers for local models.

Streamed if the client reads a stream. A whole answer is asked for whole, which saves both sides most of the events, and is
told as deltas all the same.
"""

from __future__ import annotations

import re
from contextlib import closing
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from providers.cleared import Cleared, Witness
from providers.contract import (
    BadAnswer,
    Deltas,
    File,
    Image,
    KeyRejected,
    KeySource,
    Message,
    ProviderError,
    Request,
    Text,
    Thinking,
    Thought,
    Tool,
    ToolCall,
    ToolResult,
    Unsupported,
)
from providers.http import Http, Reply, Target
from providers.openai_answer import Hearing
from providers.openai_bytes import AnswerReader
from providers.places import place_of_model, url_of
from providers.reasoning_details import given_back
from providers.wire import openai_chat as wire

PROTOCOLS: Final = frozenset({"openai-chat", "openai-completions", "openai-responses"})
"""Their extras have the names of Chat Completions."""
_MANAGED: Final = frozenset(wire.ChatRequest.__struct_fields__)
"""What we write ourselves: extras never replace it."""
_OPENAI: Final = ("api.openai.com", ".openai.azure.com")
"""These want `max_completion_tokens`, which others don't know, and refuse `reasoning_content`, which others need."""

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What they take for the name of a format."""
_encode: Final = msgspec.json.Encoder().encode


# ---- asking ---------------------------------------------------------------------------------------------------------


def body_of(
    request: Request, model: str, openai: bool = False, reasoning: str | None = None, accepts: tuple[str, ...] = ()
) -> bytes:
    """The request in their words. openai: OpenAI itself is asked. reasoning, accepts: as in Target. Raises Unsupported."""
    sampling = request.sampling
    body: dict[str, Any] = {}
    if request.protocol in PROTOCOLS:
        body |= {name: value for name, value in request.extras.items() if name not in _MANAGED and value is not None}
    body |= _thinking(request.thinking, reasoning, body)
    body |= {
        "model": model,
        "messages": [each for message in _together(request.messages) for each in _messages(message, openai)],
    }
    if request.stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    optional: dict[str, Any] = {
        "max_completion_tokens" if openai else "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k if "top_k" in accepts else None,
        "seed": sampling.seed,
        "stop": list(sampling.stop) or None,
        "presence_penalty": sampling.presence_penalty or None,
        "frequency_penalty": sampling.frequency_penalty or None,
        "logprobs": sampling.logprobs or None,
        "top_logprobs": (sampling.top_logprobs or None) if sampling.logprobs else None,
        "n": sampling.choices if sampling.choices > 1 else None,
        "response_format": _response_format(request.schema),
    }
    if request.tools:
        optional["tools"] = [{"type": "function", "function": _function(tool)} for tool in request.tools]
        optional["parallel_tool_calls"] = None if request.parallel_calls else False
        optional["tool_choice"] = _tool_choice(request.tool_choice)
    body |= {name: value for name, value in optional.items() if value is not None}
    return _encode(body)


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


def _function(tool: Tool) -> dict[str, Any]:
    said = {"description": tool.description or None, "parameters": tool.parameters, "strict": tool.strict}
    return {"name": tool.name, **{name: value for name, value in said.items() if value is not None}}


def _tool_choice(choice: str) -> Any:
    if choice == "auto":
        return None
    return choice if choice in ("none", "required") else {"type": "function", "function": {"name": choice}}


def _response_format(schema: dict[str, Any] | None) -> dict[str, Any] | None:
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


def _messages(message: Message, openai: bool) -> list[dict[str, Any]]:
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
        return [*written, _assistant(message, said, openai)]
    if said:
        role = "user" if message.role == "tool" else message.role
        written.append({"role": role, "content": _content(said)})
    return written


def _assistant(message: Message, said: tuple[Text | Image | File, ...], openai: bool) -> dict[str, Any]:
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    thoughts = [part for part in message.parts if isinstance(part, Thought)]
    signed = given_back(thoughts)
    thought = "".join(part.text for part in thoughts if part.note is None)
    written: dict[str, Any] = {"role": "assistant", "content": _content(said) if said or not calls else None}
    if thought and not openai:
        written["reasoning_content"] = thought
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


# ---- the provider ---------------------------------------------------------------------------------------------------

_HEADERS: Final = {"content-type": "application/json", "accept": "text/event-stream, application/json"}


def _policys(cleared: Cleared) -> tuple[tuple[str, str], ...]:
    """Headers of the policy's. What isn't cleared is refused where the socket is, and has none here."""
    return cleared.request.headers if isinstance(cleared, Cleared) else ()


class OpenAICompatible:
    """One of them. Tries once; who asks decides about repeating."""

    def __init__(self, http: Http, target: Target, key: KeySource) -> None:
        self.place = target.place
        self._http = http
        self._target = target
        self._key = key
        self._openai = (url_of(target.base_url).host or "").endswith(_OPENAI)

    async def stream(self, cleared: Cleared, model: str, crossed: Witness) -> Deltas:
        """Ask once. Closing the generator closes the connection. Raises ProviderError."""
        target = self._target
        if (place := place_of_model(target.place, model)) is not target.place:
            target = replace(target, place=place)
        body = b""
        if isinstance(cleared, Cleared):
            body = body_of(cleared.request, model, self._openai, target.reasoning, target.accepts)
        headers = {**dict(_policys(cleared)), **await self._authorization(), **_HEADERS}
        asking = self._http.post(cleared, target, "chat/completions", body, headers, crossed)
        del body  # an answer may take long
        with closing(await asking) as reply:
            if reply.status != 200:
                raise await self._refused(reply)
            reader = AnswerReader(Hearing(target.name, cleared.request.id))
            while not reader.ended and (chunk := await reply.chunk()):
                for delta in reader.feed(chunk):
                    yield delta
            for delta in reader.end("event-stream" in reply.headers.get("content-type", "")):
                yield delta
            await reply.drain()

    def not_honoured(self, request: Request) -> tuple[str, ...]:
        """How hard to think and other things, where the settings don't say that this server can be told; thoughts that it
        can't read.
        """
        thinking, sampling = request.thinking, request.sampling
        thoughts = [part for message in request.messages for part in message.parts if isinstance(part, Thought)]
        aside = {
            "thinking": thinking is not None and not _thinking(thinking, self._target.reasoning, {}),
            "top_k": sampling.top_k is not None and "top_k" not in self._target.accepts,
            "thoughts": any(thought.note is None and (self._openai or thought.redacted) for thought in thoughts),
        }
        return tuple(name for name, is_so in aside.items() if is_so)

    async def models(self) -> tuple[str, ...]:
        """The names that it has. Raises ProviderError."""
        with closing(await self._http.get(self._target, "models", await self._authorization())) as reply:
            if reply.status != 200:
                raise await self._refused(reply)
            body = await reply.read()
        try:
            listed = _decode_models(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadAnswer(
                f"{self._target.name} answered something that isn't a list of models: check base_url"
            ) from error
        return tuple(model.id for model in listed.data or ())

    async def close(self) -> None:
        """Nothing to end: the connections are the client's, which all providers share."""

    async def _authorization(self) -> dict[str, str]:
        key = await self._key.read()
        return {} if key is None else {"authorization": f"Bearer {key.reveal()}"}

    async def _refused(self, reply: Reply) -> ProviderError:
        problem = await reply.problem(datetime.now(UTC))
        if isinstance(problem, KeyRejected):
            self._key.forget()
        return problem


class _Model(Struct, frozen=True):
    id: str


class _Models(Struct, frozen=True):
    data: list[_Model] | None = None


_decode_models: Final = msgspec.json.Decoder(_Models).decode
