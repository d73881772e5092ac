"""OpenAI Chat Completions, read and written."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from daemon.errors import BadRequest
from daemon.protocols import openai_fields
from daemon.protocols.base import Envelope, Habits, Problem
from daemon.protocols.openai_fields import ignored, named_schema, stops, unknown
from daemon.protocols.reading import read_as
from daemon.protocols.tool_hints import hints_of
from providers import contract
from providers.contract import Delta, Finish, Message, Part, Progress, Request, Response, TextDelta, ThoughtDelta
from providers.wire import openai_chat as wire

NAME: Final = "openai-chat"
PATH: Final = "/v1/chat/completions"
AREAS: tuple[str, ...] = ("/", "/api/v0/", "/api/v1/")
HABITS: Final = Habits(id_header="x-request-id", statuses=openai_fields.STATUSES)

_RESULTS: Final = frozenset({"tool", "function"})
_CHOICES: Final = frozenset({"auto", "none", "required"})

_decode: Final = msgspec.json.Decoder(wire.ChatRequest).decode
_encode: Final = msgspec.json.Encoder().encode

_NEUTRAL_TO_OURS: Final = {
    "choices": "n",
    "schema": "response_format",
    "parallel_calls": "parallel_tool_calls",
    "thoughts": "messages.reasoning_content",
}
_DOCUMENTED: Final = frozenset(
    {
        "audio",
        "logit_bias",
        "metadata",
        "modalities",
        "moderation",
        "prediction",
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "reasoning_effort",
        "safety_identifier",
        "service_tier",
        "store",
        "user",
        "verbosity",
        "web_search_options",
    }
)
"""OpenAI's own fields that this daemon does not honour."""
_KNOWN: Final = frozenset(wire.ChatRequest.__struct_fields__)
_EMPTY_FUNCTION: Final[dict[str, Any]] = {"type": "object", "properties": {}}


def field(neutral: str) -> str:
    """OpenAI's name of a neutral field."""
    return _NEUTRAL_TO_OURS.get(neutral, neutral)


# ---- reading --------------------------------------------------------------------------------------------------------


def read(body: bytes, envelope: Envelope) -> Request:
    """Understand a request. Raises BadRequest with the field at fault."""
    asked = read_as(_decode, body)
    extras = unknown(body, _KNOWN)
    if asked.max_completion_tokens is not None and asked.max_tokens not in (None, asked.max_completion_tokens):
        raise BadRequest("max_tokens and max_completion_tokens differ: send one of them", "max_tokens")
    for old, new in (("functions", "tools"), ("function_call", "tool_choice")):
        if extras.get(old) is not None:
            raise BadRequest(f"{old}: the form that OpenAI had before {new}: send that", old)
    if not asked.tools and _tool_choice(asked.tool_choice) not in ("auto", "none"):
        raise BadRequest("tool_choice asks for a call, and there are no tools", "tool_choice")
    if asked.tools and _tool_choice(asked.tool_choice) not in _CHOICES.union(
        tool.function.name for tool in asked.tools
    ):
        raise BadRequest("tool_choice names a function that is not among the tools", "tool_choice")
    if asked.top_logprobs and not asked.logprobs:
        raise BadRequest("top_logprobs needs logprobs: true", "top_logprobs")
    return Request(
        id=envelope.id,
        model=asked.model,
        messages=tuple(_message(message, place) for place, message in enumerate(asked.messages)),
        protocol=NAME,
        sampling=_sampling(asked),
        tools=tuple(_tool(tool) for tool in asked.tools or ()),
        tool_choice=_tool_choice(asked.tool_choice),
        parallel_calls=asked.parallel_tool_calls is not False,
        schema=_schema(asked.response_format),
        session=envelope.session,
        project=envelope.project,
        client=envelope.client,
        reach=envelope.reach,
        deadline=envelope.deadline,
        stream=bool(asked.stream),
        include_usage=bool(asked.stream_options and asked.stream_options.include_usage),
        extras=extras,
        ignored=(*_aside(asked), *ignored(extras, _DOCUMENTED)),
    )


def _aside(asked: wire.ChatRequest) -> tuple[str, ...]:
    """What of known fields changes nothing here."""
    found = {
        "messages.name": any(message.name and message.role not in _RESULTS for message in asked.messages),
        "messages.audio": any(message.audio is not None for message in asked.messages),
        "stream_options": bool(asked.stream_options and asked.stream_options.include_obfuscation),
    }
    return tuple(name for name, is_so in found.items() if is_so)


def _sampling(asked: wire.ChatRequest) -> contract.Sampling:
    return contract.Sampling(
        max_tokens=asked.max_completion_tokens if asked.max_completion_tokens is not None else asked.max_tokens,
        temperature=asked.temperature,
        top_p=asked.top_p,
        seed=asked.seed,
        stop=stops(asked.stop),
        presence_penalty=asked.presence_penalty or 0.0,
        frequency_penalty=asked.frequency_penalty or 0.0,
        logprobs=bool(asked.logprobs),
        top_logprobs=asked.top_logprobs or 0,
        choices=asked.n or 1,
    )


def _tool(tool: wire.FunctionTool) -> contract.Tool:
    function = tool.function
    parameters = function.parameters or _EMPTY_FUNCTION
    hints = hints_of(tool.annotations, function.annotations)
    return contract.Tool(function.name, function.description or "", parameters, function.strict, hints)


def _tool_choice(choice: str | wire.NamedTool | None) -> str:
    if isinstance(choice, wire.NamedTool):
        return choice.function.name
    return choice or "auto"


def _schema(format: wire.ResponseFormat | None) -> dict[str, Any] | None:
    if format is None or format.type == "text":
        return None
    if format.type == "json_object":
        return {"type": "object"}
    told = format.json_schema or wire.JsonSchema("")
    where = "response_format.json_schema.schema"
    return named_schema(told.schema, told.name, told.description, where, "response_format")


def _message(message: wire.ChatMessage, place: int) -> Message:
    where = f"messages[{place}]"
    content = _parts(message.content, where)
    match message.role:
        case "tool" | "function":
            words = tuple(part for part in content if isinstance(part, contract.Text | contract.Image))
            if len(words) != len(content):
                raise BadRequest(f"{where}.content: a tool's result is text or images", f"{where}.content")
            return Message("tool", (contract.ToolResult(message.tool_call_id or message.name or "", words),))
        case "assistant":
            reasoning = message.reasoning_content or message.reasoning
            thought: tuple[Part, ...] = (contract.Thought(reasoning),) if reasoning else ()
            calls = tuple(
                contract.ToolCall(call.id, call.function.name, call.function.arguments)
                for call in message.tool_calls or ()
            )
            if (old := message.function_call) is not None:  # its result is found by its name
                calls = (*calls, contract.ToolCall(old.name, old.name, old.arguments))
            refusal = (contract.Text(message.refusal),) if message.refusal else ()
            return Message("assistant", thought + content + refusal + calls)
        case _:
            if not content:
                raise BadRequest(f"{where}.content is missing", f"{where}.content")
            return Message("system" if message.role in ("system", "developer") else "user", content)


def _parts(content: str | tuple[wire.ContentPart, ...] | None, where: str) -> tuple[Part, ...]:
    if content is None:
        return ()
    if isinstance(content, str):
        return (contract.Text(content),)
    return tuple(_part(part, f"{where}.content[{place}]") for place, part in enumerate(content))


def _part(part: wire.ContentPart, where: str) -> Part:
    match part:
        case wire.TextPart(text=text) | wire.RefusalPart(refusal=text):
            return contract.Text(text)
        case wire.ImagePart(image_url=image):
            return contract.Image(image.url, image.detail)
        case wire.FilePart(file=file):
            return contract.File(file.file_data or file.file_id or "", file.filename)
        case wire.AudioPart():
            raise BadRequest(f"{where}: audio can't be read here: send text", where)


# ---- writing --------------------------------------------------------------------------------------------------------


class ChatWriter:
    """Writes one answer. Each choice opens with its role, as OpenAI's first chunk does."""

    media_type = "text/event-stream"

    def __init__(self, request: Request, envelope: Envelope) -> None:
        self._id = f"chatcmpl-{request.id}"
        self._created = envelope.created_s
        self._include_usage = request.include_usage
        self._opened: set[int] = set()
        self._usages: list[contract.Usage] = []
        self._model = request.model

    def feed(self, delta: Delta, answered_by: str) -> bytes:
        """The frames for one delta."""
        self._model = answered_by
        if isinstance(delta, Progress):
            return self.heartbeat()
        opening = b""
        if delta.choice not in self._opened:
            self._opened.add(delta.choice)
            opening = self._chunk(delta.choice, wire.ChunkDelta(role="assistant", content=""))
        match delta:
            case TextDelta(text=text, logprobs=logprobs):
                return opening + self._chunk(delta.choice, wire.ChunkDelta(content=text), _logprobs(logprobs))
            case ThoughtDelta(text=text):
                return opening + self._chunk(delta.choice, wire.ChunkDelta(reasoning_content=text))
            case contract.ToolCallDelta():
                return opening + self._chunk(delta.choice, wire.ChunkDelta(tool_calls=[_call_delta(delta)]))
            case Finish(reason=reason, usage=usage):
                self._usages.append(usage)
                return opening + self._chunk(delta.choice, wire.ChunkDelta(), finish_reason=reason)

    def _chunk(
        self,
        choice: int,
        delta: wire.ChunkDelta,
        logprobs: wire.Logprobs | None = None,
        finish_reason: str | None = None,
    ) -> bytes:
        usage: UnsetType | None = None if self._include_usage else UNSET
        choices = [wire.ChunkChoice(choice, delta, logprobs, finish_reason)]
        return _frame(wire.Chunk(self._id, self._created, self._model, choices, usage))

    def end(self) -> bytes:
        """The usage chunk if it was asked for, and the end mark."""
        usage = b""
        if self._include_usage and self._usages:
            usage = _frame(wire.Chunk(self._id, self._created, self._model, [], usage_of(contract.total(self._usages))))
        return usage + b"data: [DONE]\n\n"

    def heartbeat(self) -> bytes:
        """A comment, which event-stream readers skip."""
        return b": nearloop is at work\n\n"

    def failed(self, problem: Problem) -> bytes:
        """The data frame that SDKs raise as an error."""
        return b"data: " + refusal(problem) + b"\n\n"

    def whole(self, response: Response, answered_by: str) -> bytes:
        """One `chat.completion` object."""
        choices = [_answer_choice(place, choice) for place, choice in enumerate(response.choices)]
        return _encode(wire.Completion(self._id, self._created, answered_by, choices, usage_of(response.usage)))


def writer(request: Request, envelope: Envelope) -> ChatWriter:
    """For the answer to one request."""
    return ChatWriter(request, envelope)


def _frame(chunk: wire.Chunk) -> bytes:
    return b"data: " + _encode(chunk) + b"\n\n"


def usage_of(usage: contract.Usage) -> wire.Usage:
    """Tokens in OpenAI's shape."""
    return wire.Usage(
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.prompt_tokens + usage.completion_tokens,
        wire.PromptDetails(usage.cached_tokens),
        wire.CompletionDetails(usage.reasoning_tokens),
    )


def _logprobs(logprobs: tuple[contract.Logprob, ...]) -> wire.Logprobs | None:
    if not logprobs:
        return None
    return wire.Logprobs(
        [
            wire.TokenLogprob(
                token.piece.decode(errors="replace"),
                token.logprob,
                list(token.piece),
                [
                    wire.TopLogprob(top.piece.decode(errors="replace"), top.logprob, list(top.piece))
                    for top in token.top
                ],
            )
            for token in logprobs
        ]
    )


def _call_delta(delta: contract.ToolCallDelta) -> wire.CallDelta:
    opening = delta.id is not None
    return wire.CallDelta(
        delta.index,
        delta.id if delta.id is not None else UNSET,
        "function" if opening else UNSET,
        wire.FunctionDelta(delta.name if delta.name is not None else UNSET, delta.arguments),
    )


def _answer_choice(place: int, choice: contract.Choice) -> wire.AnswerChoice:
    texts = [part.text for part in choice.parts if isinstance(part, contract.Text)]
    thoughts = [part.text for part in choice.parts if isinstance(part, contract.Thought)]
    calls = [part for part in choice.parts if isinstance(part, contract.ToolCall)]
    message = wire.AnswerMessage(
        role="assistant",
        content="".join(texts) if texts or not calls else None,
        refusal=None,
        reasoning_content="".join(thoughts) if thoughts else UNSET,
        tool_calls=[wire.CallMade(call.id, wire.CalledFunction(call.name, call.arguments)) for call in calls] or UNSET,
    )
    return wire.AnswerChoice(place, message, choice.reason, _logprobs(choice.logprobs))


def refusal(problem: Problem) -> bytes:
    """OpenAI's error object."""
    return openai_fields.refusal(problem, field(problem.parameter) if problem.parameter else None)
