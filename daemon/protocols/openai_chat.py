"""OpenAI Chat Completions, read and written."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from daemon.errors import BadRequest
from daemon.protocols.base import Envelope, Problem
from providers import contract
from providers.contract import Delta, Finish, Message, Part, Progress, Request, Response, TextDelta, ThoughtDelta
from providers.wire import openai_chat as wire

NAME: Final = "openai-chat"
PATH: Final = "/v1/chat/completions"
AREAS: tuple[str, ...] = ("/",)

MAX_STOPS: Final = 64
MAX_STOP_CHARS: Final = 4096
MAX_SCHEMA_BYTES: Final = 256 * 1024
"""Each text in it is looked at for what is private: a second for so much. OpenAI's own limit is 120,000 characters."""
_CHOICES: Final = frozenset({"auto", "none", "required"})
"""Each token of an answer is held against all of them; OpenAI itself takes four."""

_decode: Final = msgspec.json.Decoder(wire.ChatRequest).decode
_decode_fields: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode: Final = msgspec.json.Encoder().encode

_NEUTRAL_TO_OURS: Final = {"choices": "n", "schema": "response_format"}
_DOCUMENTED: Final = frozenset(
    {
        "audio",
        "function_call",
        "functions",
        "logit_bias",
        "metadata",
        "modalities",
        "moderation",
        "parallel_tool_calls",
        "prediction",
        "prompt_cache_key",
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
"""OpenAI's own fields that this daemon does not honour. Any other name is the client's text, and is not written down."""
OTHER: Final = "other"
_KNOWN: Final = frozenset(wire.ChatRequest.__struct_fields__)
_EMPTY_FUNCTION: Final[dict[str, Any]] = {"type": "object", "properties": {}}


def field(neutral: str) -> str:
    """OpenAI's name of a neutral field."""
    return _NEUTRAL_TO_OURS.get(neutral, neutral)


# ---- reading --------------------------------------------------------------------------------------------------------


def read(body: bytes, envelope: Envelope) -> Request:
    """Understand a request. Raises BadRequest with the field at fault."""
    try:
        asked = _decode(body)
        fields = _decode_fields(body)
        extras = {name: msgspec.json.decode(raw) for name, raw in fields.items() if name not in _KNOWN}
    except msgspec.ValidationError as error:
        message, parameter = _explain(str(error))
        raise BadRequest(message, parameter) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest("the body is not valid JSON in UTF-8: check what the client sends") from error
    if asked.max_completion_tokens is not None and asked.max_tokens not in (None, asked.max_completion_tokens):
        raise BadRequest("max_tokens and max_completion_tokens differ: send one of them", "max_tokens")
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
        tools=tuple(_tool(tool.function) for tool in asked.tools or ()),
        tool_choice=_tool_choice(asked.tool_choice),
        schema=_schema(asked.response_format),
        session=envelope.session,
        project=envelope.project,
        client=envelope.client,
        reach=envelope.reach,
        deadline=envelope.deadline,
        stream=bool(asked.stream),
        include_usage=bool(asked.stream_options and asked.stream_options.include_usage),
        extras=extras,
        ignored=_ignored(extras),
    )


def _ignored(extras: dict[str, Any]) -> tuple[str, ...]:
    """The names of unknown fields that have a value; those that OpenAI doesn't have are one name together."""
    names = [name if name in _DOCUMENTED else OTHER for name, value in extras.items() if value is not None]
    return tuple(dict.fromkeys(names))


def _explain(message: str) -> tuple[str, str | None]:
    """A decoder's message as a sentence, and the field that it is about."""
    text, _, place = message.partition(" - at `")
    text = re.sub(r" '.*'$", "", text, flags=re.DOTALL)  # the value, which is the client's text
    path = re.sub(r"^\$\.?", "", place.removesuffix("`"))
    if missing := re.fullmatch(r"Object missing required field `(.*)`", text):
        path = f"{path}.{missing[1]}" if path else missing[1]
        return f"{path} is missing", path
    return f"{path or 'the body'}: {text[:1].lower()}{text[1:]}", path or None


def _sampling(asked: wire.ChatRequest) -> contract.Sampling:
    stop = (asked.stop,) if isinstance(asked.stop, str) else asked.stop or ()
    if len(stop) > MAX_STOPS or sum(map(len, stop)) > MAX_STOP_CHARS:
        raise BadRequest(f"stop: at most {MAX_STOPS} strings of {MAX_STOP_CHARS} characters together", "stop")
    if not all(stop):
        raise BadRequest("stop: an empty string would end every answer at once: leave it out", "stop")
    return contract.Sampling(
        max_tokens=asked.max_completion_tokens if asked.max_completion_tokens is not None else asked.max_tokens,
        temperature=asked.temperature,
        top_p=asked.top_p,
        seed=asked.seed,
        stop=stop,
        presence_penalty=asked.presence_penalty or 0.0,
        frequency_penalty=asked.frequency_penalty or 0.0,
        logprobs=bool(asked.logprobs),
        top_logprobs=asked.top_logprobs or 0,
        choices=asked.n or 1,
    )


def _tool(function: wire.Function) -> contract.Tool:
    return contract.Tool(function.name, function.description or "", function.parameters or _EMPTY_FUNCTION)


def _tool_choice(choice: str | wire.NamedTool | None) -> str:
    if isinstance(choice, wire.NamedTool):
        return choice.function.name
    return choice or "auto"


def _schema(format: wire.ResponseFormat | None) -> dict[str, Any] | None:
    if format is None or format.type == "text":
        return None
    if format.type == "json_object":
        return {"type": "object"}
    if format.json_schema is None or format.json_schema.schema is None:
        raise BadRequest("response_format.json_schema.schema is missing", "response_format")
    if len(msgspec.json.encode(format.json_schema.schema)) > MAX_SCHEMA_BYTES:
        text = f"response_format: the schema is longer than {MAX_SCHEMA_BYTES >> 10} kB: send a shorter one"
        raise BadRequest(text, "response_format")
    return format.json_schema.schema


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
            thought: tuple[Part, ...] = (
                (contract.Thought(message.reasoning_content),) if message.reasoning_content else ()
            )
            calls = tuple(
                contract.ToolCall(call.id, call.function.name, call.function.arguments)
                for call in message.tool_calls or ()
            )
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
            usage = _frame(wire.Chunk(self._id, self._created, self._model, [], _usage(contract.total(self._usages))))
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
        return _encode(wire.Completion(self._id, self._created, answered_by, choices, _usage(response.usage)))


def writer(request: Request, envelope: Envelope) -> ChatWriter:
    """For the answer to one request."""
    return ChatWriter(request, envelope)


def _frame(chunk: wire.Chunk) -> bytes:
    return b"data: " + _encode(chunk) + b"\n\n"


def _usage(usage: contract.Usage) -> wire.Usage:
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


_TYPES: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
}


def refusal(problem: Problem) -> bytes:
    """OpenAI's error object."""
    kind = _TYPES.get(problem.status, "invalid_request_error" if problem.status < 500 else "server_error")
    parameter = field(problem.parameter) if problem.parameter else None
    return _encode(wire.Error(wire.ErrorBody(problem.message, kind, parameter, problem.code)))
