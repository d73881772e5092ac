"""OpenAI Responses, read; written by `responses_output`."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daemon.errors import BadRequest
from daemon.protocols import openai_fields
from daemon.protocols.base import Envelope, Habits, Problem
from daemon.protocols.openai_fields import ignored, named_schema, unknown
from daemon.protocols.reading import read_as
from daemon.protocols.responses_items import referred, said, turns
from daemon.protocols.responses_output import ResponseWriter
from daemon.protocols.responses_tools import chosen, offered
from providers.contract import Message, Request, Sampling, Text
from providers.wire import openai_responses as wire

NAME: Final = "openai-responses"
PATH: Final = "/v1/responses"
AREAS: tuple[str, ...] = (PATH,)
_PRIVATE: Final = "private"
HABITS: Final = Habits(statuses={**openai_fields.STATUSES, _PRIVATE: 400}, come_back=True)
"""Codex 0.171 asks six times where it is told 403, and once where it is told 400 (tests/agents/test_blocks.py)."""

LOGPROBS: Final = "message.output_text.logprobs"
_INCLUDED: Final = frozenset({LOGPROBS, wire.SEALED})
_decode: Final = msgspec.json.Decoder(wire.ResponseRequest).decode
_decode_count: Final = msgspec.json.Decoder(wire.CountRequest).decode
_KNOWN: Final = frozenset(wire.ResponseRequest.__struct_fields__)
_PASSED_ON: Final = frozenset(
    {"user", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "service_tier"}
)
"""Fields that Chat Completions has too, under the same names."""
_DOCUMENTED: Final = _PASSED_ON | {
    "access_programs",
    "background_options",
    "context_management",
    "image",
    "max_tool_calls",
    "moderation",
    "prompt_cache_options",
}
_NEUTRAL_TO_OURS: Final = {
    "max_tokens": "max_output_tokens",
    "schema": "text.format",
    "messages": "input",
    "parallel_calls": "parallel_tool_calls",
    "logprobs": "include",
    "thoughts": "input.reasoning",
}


class _Follows(Struct, frozen=True):
    previous_response_id: str | None = None


_decode_follows: Final = msgspec.json.Decoder(_Follows).decode


def field(neutral: str) -> str:
    """OpenAI's name of a neutral field."""
    return _NEUTRAL_TO_OURS.get(neutral, neutral)


def follows(body: bytes) -> str | None:
    """The answer that a request goes on from, whose conversation `read` wants in the envelope. Raises BadRequest."""
    return read_as(_decode_follows, body).previous_response_id if b"previous_response_id" in body else None


def references(body: bytes) -> tuple[str, ...]:
    """The items of earlier answers that a request names one by one; `read` wants them in the envelope. Raises BadRequest."""
    if b"item_reference" not in body:
        return ()
    given = read_as(_decode_count, body).input
    if given is None or isinstance(given, str):
        return ()
    return tuple(id for raw in given if (id := referred(bytes(raw))) is not None)


def own_items(asked: wire.ResponseRequest, named: dict[str, bytes]) -> tuple[bytes, ...]:
    """What a request brings itself, as items; those that it only names are put in where they are known."""
    if isinstance(asked.input, str):
        return (said(asked.input),)
    items = map(bytes, asked.input or ())
    return tuple(named.get(referred(item) or "", item) for item in items) if named else tuple(items)


def read(body: bytes, envelope: Envelope) -> Request:
    """Understand a request; what came before it is `envelope.earlier`. Raises BadRequest with the field at fault."""
    return _request(read_as(_decode, body), body, envelope)


def read_count(body: bytes, envelope: Envelope) -> Request:
    """Understand a request for a count, which may leave the model open. Raises BadRequest with the field at fault."""
    return _request(read_as(_decode_count, body), body, envelope)


def _request(asked: wire.ResponseRequest, body: bytes, envelope: Envelope) -> Request:
    extras = unknown(body, _KNOWN)
    _check(asked)
    own = own_items(asked, envelope.named)
    items = [(item, "previous_response_id") for item in envelope.earlier]
    items += [(item, "input" if isinstance(asked.input, str) else f"input[{n}]") for n, item in enumerate(own)]
    instructions = (Message("system", (Text(asked.instructions),)),) if asked.instructions else ()
    messages = turns(items)
    if not messages:
        raise BadRequest("input is missing", "input")
    tools = offered(asked.tools or ())
    tool_choice, callable_ = chosen(asked.tool_choice, tools.tools)
    return Request(
        id=envelope.id,
        model=asked.model,
        messages=instructions + messages,
        protocol=NAME,
        sampling=_sampling(asked),
        tools=callable_,
        tool_choice=tool_choice,
        parallel_calls=asked.parallel_tool_calls is not False,
        schema=_schema(asked.text.format if asked.text else None),
        session=envelope.session,
        project=envelope.project,
        client=envelope.client,
        reach=envelope.reach,
        deadline=envelope.deadline,
        stream=bool(asked.stream),
        include_usage=True,
        extras=_passed_on(asked, extras),
        ignored=(*_aside(asked), *tools.aside, *ignored(extras, _DOCUMENTED)),
        echo=asked,
    )


def _check(asked: wire.ResponseRequest) -> None:
    """Refuse what would make another answer than the client waits for."""
    if asked.background:
        raise BadRequest("background: answers are given while the client waits: leave it out", "background")
    if asked.conversation is not None:
        raise BadRequest("conversation: use previous_response_id, or send the conversation", "conversation")
    if asked.prompt is not None:
        raise BadRequest("prompt: templates that are kept at OpenAI are not here: send the text itself", "prompt")


def _sampling(asked: wire.ResponseRequest) -> Sampling:
    return Sampling(
        max_tokens=asked.max_output_tokens,
        temperature=asked.temperature,
        top_p=asked.top_p,
        logprobs=LOGPROBS in (asked.include or ()) or bool(asked.top_logprobs),
        top_logprobs=asked.top_logprobs or 0,
    )


def _schema(format: wire.Format | None) -> dict[str, Any] | None:
    if format is None or format.type == "text":
        return None
    if format.type == "json_object":
        return {"type": "object"}
    return named_schema(format.schema, format.name, format.description, "text.format.schema", "text.format")


def _passed_on(asked: wire.ResponseRequest, extras: dict[str, Any]) -> dict[str, Any]:
    """What a provider may still honour, in Chat Completions' names where it has one."""
    passed = {name: value for name, value in extras.items() if name in _PASSED_ON}
    if asked.reasoning and asked.reasoning.effort:
        passed["reasoning_effort"] = asked.reasoning.effort
    if asked.text and asked.text.verbosity:
        passed["verbosity"] = asked.text.verbosity
    if asked.reasoning and asked.reasoning.summary:
        passed[wire.SUMMARY] = asked.reasoning.summary
    if wire.SEALED in (asked.include or ()):
        passed[wire.SEALED] = True
    return passed


def _aside(asked: wire.ResponseRequest) -> tuple[str, ...]:
    """Known fields that change nothing here. Nothing is ever cut, so leave to cut is not used."""
    reasoning = asked.reasoning or wire.ReasoningOptions()
    found = {
        "truncation": asked.truncation == "auto",
        "reasoning.effort": reasoning.effort is not None,
        "reasoning.summary": reasoning.summary is not None,
        "text.verbosity": asked.text is not None and asked.text.verbosity is not None,
        "include": not _INCLUDED.issuperset(asked.include or ()),
        "stream_options": bool(asked.stream_options and asked.stream_options.include_obfuscation),
    }
    return tuple(name for name, is_so in found.items() if is_so)


def writer(request: Request, envelope: Envelope) -> ResponseWriter:
    """For the answer to one request."""
    return ResponseWriter(request, envelope)


def refusal(problem: Problem) -> bytes:
    """OpenAI's error object."""
    if problem.code == _PRIVATE:
        problem = replace(problem, status=HABITS.statuses[_PRIVATE])
    return openai_fields.refusal(problem, field(problem.parameter) if problem.parameter else None)
