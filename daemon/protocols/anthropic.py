"""Anthropic Messages, read; `anthropic_writer` writes the answers."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from daemon.errors import BadRequest
from daemon.protocols.anthropic_blocks import Blocks, keep_for
from daemon.protocols.anthropic_errors import field, refusal
from daemon.protocols.anthropic_writer import MessageWriter
from daemon.protocols.base import Envelope, Habits
from daemon.protocols.openai_fields import MAX_STOP_CHARS, MAX_STOPS, checked_schema, ignored, unknown
from daemon.protocols.reading import read_as
from daemon.protocols.tool_hints import hints_of
from providers import contract
from providers.contract import Request
from providers.wire import anthropic as wire

NAME: Final = "anthropic"
PATH: Final = "/v1/messages"
AREAS: tuple[str, ...] = ("/v1/messages",)
__all__ = ["AREAS", "HABITS", "NAME", "PATH", "field", "read", "read_count", "refusal", "writer"]
HABITS: Final = Habits(sign="anthropic-version", id_header="request-id", statuses={"overloaded": 529, "private": 400})
"""Claude Code 2.1 asks on for minutes where it is told 403, and ends where it is told 400 (tests/agents/test_blocks.py)."""

_decode: Final = msgspec.json.Decoder(wire.MessagesRequest).decode
_decode_count: Final = msgspec.json.Decoder(wire.CountRequest).decode

NO_THREADS: Final = "thread_unsupported_request"
"""Anthropic's own code: after it, the tool loops of its SDKs, which ask for a thread unasked, send whole conversations."""
_READ: Final = frozenset({"thinking", "cache_control"})
"""Read here, and kept as it is too, for what the neutral form has no place for."""
_KNOWN: Final = frozenset(wire.MessagesRequest.__struct_fields__) - _READ
_DOCUMENTED: Final = frozenset(
    {
        "betas",
        "container",
        "context_management",
        "diagnostics",
        "inference_geo",
        "mcp_servers",
        "service_tier",
        "speed",
        "user_profile_id",
        "workspace_id",
    }
)
"""Anthropic's own fields that this daemon does not honour."""
_EFFORTS: Final = {effort: effort for effort in ("low", "medium", "high", "xhigh")} | {"max": "xhigh"}
"""Anthropic's words for how hard to think, and other vendors' for the same."""
_THINKS: Final = {"enabled": True, "disabled": False, "adaptive": None, "between_tools": None}
_OF_TOOLS: Final = ("input_examples", "defer_loading", "allowed_callers", "eager_input_streaming")
"""What Anthropic knows of a tool and nobody else does."""
_BUILT_IN: Final = re.compile(r"[a-z_]{1,60}_20[0-9]{6}")
_SESSION: Final = re.compile(r'session(?:_|_id"\s*:\s*")([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})')
"""Of `metadata.user_id`, as Claude Code writes it: `user_…_account_…_session_UUID`, or JSON with a `session_id`."""
_BLOCKS: Final = "text, image, document, search_result, thinking, redacted_thinking, tool_use and tool_result"


def read(body: bytes, envelope: Envelope) -> Request:
    """Understand a request. Raises BadRequest with the field at fault."""
    asked = _read_as(_decode, body)
    extras = unknown(body, _KNOWN)
    if extras.get("mcp_servers"):
        raise BadRequest(
            "mcp_servers: Anthropic runs these, Nearloop does not: offer their tools as your own", "mcp_servers"
        )
    if extras.get("thread"):
        raise BadRequest(
            "thread: Nearloop holds no conversation between turns: send all of it each time, and leave thread out",
            "thread",
            NO_THREADS,
        )
    blocks = Blocks()
    session = _session(asked.metadata)
    blocks.note("metadata", asked.metadata and asked.metadata.user_id and not session)
    request = _request(asked, envelope, blocks)
    sampling = contract.Sampling(
        max_tokens=asked.max_tokens,
        temperature=asked.temperature,
        top_p=asked.top_p,
        top_k=asked.top_k or None,
        stop=_stops(asked.stop_sequences),
    )
    left = ignored({name: value for name, value in extras.items() if name not in _READ}, _DOCUMENTED)
    if asked.output_config is not None and asked.output_config.effort is not None:
        extras["output_config"] = {"effort": asked.output_config.effort}
    return replace(
        request,
        session=envelope.session or session,
        sampling=sampling,
        stream=bool(asked.stream),
        extras=extras,
        betas=envelope.betas,
        ignored=(*left, *request.ignored),
    )


def read_count(body: bytes, envelope: Envelope) -> Request:
    """Understand what is to be counted: a request without what only an answer needs. Raises BadRequest."""
    return _request(_read_as(_decode_count, body), envelope, Blocks())


def writer(request: Request, envelope: Envelope) -> MessageWriter:
    """For the answer to one request."""
    thinking = request.extras.get("thinking")
    omitted = isinstance(thinking, dict) and thinking.get("display") == "omitted"
    return MessageWriter(request, shows_thoughts=not omitted)


def _read_as(decode: Any, body: bytes) -> Any:
    """As `read_as`; of content blocks that aren't known it says which are."""
    try:
        return read_as(decode, body)
    except BadRequest as problem:
        where = (problem.parameter or "").removesuffix(".type")
        if where == problem.parameter or not where.endswith("]") or ".content[" not in where:
            raise
        raise BadRequest(
            f"{where}: Nearloop reads the blocks {_BLOCKS}; what Anthropic's own tools leave has no meaning for others",
            where,
        ) from problem


def _request(asked: wire.CountRequest, envelope: Envelope, blocks: Blocks) -> Request:
    messages = tuple(blocks.messages(asked.system, asked.messages))
    tools = tuple(_tool(tool, f"tools[{place}]", blocks) for place, tool in enumerate(asked.tools or ()))
    choice = asked.tool_choice
    thinking = _thinking(asked, blocks)
    return Request(
        id=envelope.id,
        model=asked.model,
        messages=messages,
        protocol=NAME,
        tools=tools,
        tool_choice=_tool_choice(choice, tools),
        parallel_calls=not (choice and choice.disable_parallel_tool_use),
        schema=_schema(asked),
        session=envelope.session,
        project=envelope.project,
        client=envelope.client,
        reach=envelope.reach,
        deadline=envelope.deadline,
        ignored=tuple(blocks.aside),
        thinking=thinking,
    )


def _stops(stops: tuple[str, ...] | None) -> tuple[str, ...]:
    listed = stops or ()
    if len(listed) > MAX_STOPS or sum(map(len, listed)) > MAX_STOP_CHARS or not all(listed):
        text = f"stop_sequences: at most {MAX_STOPS} strings of {MAX_STOP_CHARS} characters together, and no empty one"
        raise BadRequest(text, "stop_sequences")
    return listed


def _tool(tool: wire.Tool, where: str, blocks: Blocks) -> contract.Tool:
    if tool.type not in (None, "custom"):
        kind = f" ({tool.type})" if _BUILT_IN.fullmatch(tool.type or "") else ""
        raise BadRequest(
            f"{where}: a tool that Anthropic runs or defines{kind} means nothing to other models: leave it out, or "
            "offer one of your own with an input_schema",
            f"{where}.type",
        )
    if tool.input_schema is None:
        raise BadRequest(f"{where}.input_schema is missing", f"{where}.input_schema")
    for name in _OF_TOOLS:
        blocks.note(f"tools.{name}", getattr(tool, name))
    keep = keep_for(tool.cache_control)
    hints = hints_of(tool.annotations)
    return contract.Tool(tool.name, tool.description or "", tool.input_schema, tool.strict, hints, keep)


def _tool_choice(choice: wire.ToolChoice | None, tools: tuple[contract.Tool, ...]) -> str:
    if choice is None or choice.type in ("auto", "none"):
        return choice.type if choice else "auto"
    if not tools:
        raise BadRequest("tool_choice asks for a call, and there are no tools", "tool_choice")
    if choice.type == "any":
        return "required"
    if choice.name not in {tool.name for tool in tools}:
        raise BadRequest("tool_choice names a tool that is not among the tools", "tool_choice")
    return choice.name or ""


def _schema(asked: wire.CountRequest) -> dict[str, Any] | None:
    wanted = (asked.output_config.format if asked.output_config else None) or asked.output_format
    return checked_schema(wanted.schema, "output_config.format.schema", "output_config") if wanted else None


def _thinking(asked: wire.CountRequest, blocks: Blocks) -> contract.Thinking | None:
    effort = asked.output_config.effort if asked.output_config else None
    if effort is not None and effort not in _EFFORTS:
        raise BadRequest(f"output_config.effort is one of {', '.join(_EFFORTS)}", "output_config.effort")
    on = None
    if asked.thinking is not None:
        if asked.thinking.type not in _THINKS:
            raise BadRequest(f"thinking.type is one of {', '.join(_THINKS)}", "thinking.type")
        on = _THINKS[asked.thinking.type]
        blocks.note("budget_tokens", asked.thinking.budget_tokens)
    return contract.Thinking(on, _EFFORTS.get(effort or "")) if on is not None or effort else None


def _session(metadata: wire.Metadata | None) -> str | None:
    """The conversation that Claude Code says it is in; nothing else of who its user is."""
    found = _SESSION.search(metadata.user_id) if metadata and metadata.user_id else None
    return found[1] if found else None
