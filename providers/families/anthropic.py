"""Anthropic Messages: Anthropic itself, those who have a door for its clients, and another Nearloop."""

from __future__ import annotations

import base64
import re
from hashlib import blake2b
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from providers.cleared import Place
from providers.contract import (
    BadAnswer,
    File,
    Image,
    Key,
    Part,
    Request,
    Text,
    Thinking,
    Thought,
    Tool,
    ToolCall,
    ToolResult,
    Unsupported,
)
from providers.families import breakpoints
from providers.families.answer_bytes import AnswerReader
from providers.families.anthropic_answer import MessageHearing
from providers.families.base import Listed
from providers.target import Target
from providers.wire import anthropic as wire

NAME: Final = "anthropic"
VERSION: Final = "2023-06-01"
_OWN: Final = frozenset({"thinking", "output_config", "betas", "cache_control"})
"""Extras that are looked at, and not only passed on."""
_MANAGED: Final = (frozenset(wire.MessagesRequest.__struct_fields__) - {"metadata"}) | _OWN
"""What we write ourselves: extras never replace it."""
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DATA: Final = re.compile(r"data:([^;,]{1,80})(?:;[^;,]*)*;base64,", re.IGNORECASE)
_ODD: Final = re.compile(r"[^A-Za-z0-9_.-]")
_WEB: Final = ("http://", "https://")

_CLAUDE: Final = re.compile(r"(?:^|[/.])claude-([a-z0-9.-]+)")
_OLD: Final = re.compile(r"^(?:3-(?:opus|sonnet|haiku)|2|instant)")
_ELDER: Final = re.compile(r"^3-5-")
_UNTUNED: Final = re.compile(r"^[a-z]+-(?:4[-.][7-9](?!\d)|[5-9](?![0-9])|[1-9]\d)(?:[-.]|$)")
"""Claude from Opus 4.7 on, which refuses to be told how to draw its tokens."""
_BUDGETS: Final = {"low": 4096, "medium": 10_000, "high": 24_000, "xhigh": 31_000}
"""Tokens to think in, for models that aren't told by a word. Ours, not looked up."""
_LEAST_BUDGET: Final = 1024
_MOST_TEMPERATURE: Final = 1.0
_THINKS: Final = {"enabled": True, "disabled": False}
_encode: Final = msgspec.json.Encoder().encode
_decode_input: Final = msgspec.json.Decoder(dict[str, Raw]).decode


def _is_claude(model: str) -> bool:
    return _CLAUDE.search(model.lower()) is not None


def _takes_sampling(model: str) -> bool:
    found = _CLAUDE.search(model.lower())
    return found is None or _UNTUNED.match(found[1]) is None


def longest_answer(model: str, target: Target) -> int:
    """What is asked for where the client didn't say: as much as the model gives, where that is known."""
    found = _CLAUDE.search(model.lower())
    if found is None:
        return target.quirks.longest_answer
    if _OLD.match(found[1]):
        return 4096
    return 8192 if _ELDER.match(found[1]) else 32_000


# ---- asking ---------------------------------------------------------------------------------------------------------


class _Plan(Struct, frozen=True):
    """How the model is told to think, and what may be said beside it. aside: what can't be told, by neutral name."""

    fields: dict[str, Any]
    sampling: dict[str, Any]
    aside: tuple[str, ...]


def _plan(request: Request, model: str, target: Target) -> _Plan:
    most = request.sampling.max_tokens or longest_answer(model, target)
    thinking = _thinking(request, target, most)
    aside: list[str] = []
    wanted = request.thinking
    effort = thinking.get("output_config", {}).get("effort")
    if wanted is not None and not _is_told(wanted, thinking.get("thinking"), effort):
        aside.append("thinking")
    sampling = request.sampling
    told: dict[str, Any] = {"temperature": sampling.temperature, "top_p": sampling.top_p, "top_k": sampling.top_k}
    told = {name: value for name, value in told.items() if value is not None}
    if told and (not _takes_sampling(model) or (_thinks(thinking) and request.extras.get("thinking") is None)):
        aside += told
        told = {}
    if told.get("temperature", 0.0) > _MOST_TEMPERATURE:
        aside.append("temperature")
        told["temperature"] = _MOST_TEMPERATURE
    if "temperature" in told and "top_p" in told and _is_claude(model) and request.protocol != NAME:
        aside.append("top_p")  # its models since Opus 4.1 take one of the two
        del told["top_p"]
    return _Plan({"max_tokens": most, **thinking}, told, tuple(dict.fromkeys(aside)))


def _thinks(fields: dict[str, Any]) -> bool:
    return fields.get("thinking", {}).get("type") in ("enabled", "adaptive")


def _is_told(wanted: Thinking, thinking: dict[str, Any] | None, effort: str | None) -> bool:
    if wanted.on is not None and (thinking is None or (thinking.get("type") == "disabled") is wanted.on):
        return False
    if wanted.effort is None or effort is not None:
        return True
    return thinking is not None and "budget_tokens" in thinking


def _thinking(request: Request, target: Target, most: int) -> dict[str, Any]:
    """The client's own words, unless somebody decided otherwise; else as the settings say that this server is told."""
    wanted = request.thinking
    own, is_wanted = _own_words(request, wanted) if request.protocol == NAME else ({}, False)
    if is_wanted or wanted is None or target.reasoning not in ("effort", "budget"):
        return own
    forced = bool(request.tools) and request.tool_choice not in ("auto", "none")
    effort = {"output_config": {"effort": wanted.effort}} if wanted.effort and target.reasoning == "effort" else {}
    if wanted.on is False:
        return {"thinking": {"type": "disabled"}, **effort}
    if forced:  # who thinks can't be made to call
        return effort
    if target.reasoning == "effort":
        return {**({"thinking": {"type": "adaptive"}} if wanted.on else {}), **effort}
    budget = min(_BUDGETS.get(wanted.effort or "medium", _BUDGETS["medium"]), most - 1)
    return {"thinking": {"type": "enabled", "budget_tokens": budget}} if budget >= _LEAST_BUDGET else {}


def _own_words(request: Request, wanted: Thinking | None) -> tuple[dict[str, Any], bool]:
    """What a client of Anthropic's said of it, as it said it, and whether that is what is wanted still."""
    thinking, output = request.extras.get("thinking"), request.extras.get("output_config")
    kind = thinking.get("type") if isinstance(thinking, dict) else None
    effort = output.get("effort") if isinstance(output, dict) else None
    said: dict[str, Any] = {"thinking": thinking} if kind else {}
    said |= {"output_config": {"effort": effort}} if effort else {}
    means = Thinking(_THINKS.get(str(kind)), "xhigh" if effort == "max" else effort)
    return said, means == (wanted or Thinking())


def body_of(request: Request, model: str, target: Target) -> bytes:
    """The request in Anthropic's words. Raises Unsupported."""
    sampling = request.sampling
    if sampling.choices != 1:
        raise Unsupported("choices", f"{target.name} gives one answer a request: ask once for each")
    if any(not stop.strip() for stop in sampling.stop) and _is_claude(model):
        raise Unsupported("stop", f"{target.name} takes no stop string of blanks alone: leave it out")
    plan = _plan(request, model, target)
    reads = _reads_thoughts(model, target)
    system, turns = _conversation(request, target, model, reads)
    tools = [_tool(tool) for tool in request.tools]
    automatic = request.extras.get("cache_control") if request.protocol == NAME else None
    marked = bool(automatic) or any("cache_control" in block for block in _all(tools, system, turns))
    if marked:
        breakpoints.within_limit(tools, system, turns, 1 if automatic else 0)
    elif target.cache == "auto" and target.place is not Place.DEVICE:
        breakpoints.place(tools, system, turns)
    body: dict[str, Any] = {"model": model, **plan.fields, **plan.sampling}
    if request.schema is not None:
        form = {"type": "json_schema", "schema": request.schema}
        body["output_config"] = {**body.get("output_config", {}), "format": form}
    optional: dict[str, Any] = {
        "stop_sequences": list(sampling.stop) or None,
        "stream": True if request.stream else None,
        "tool_choice": _tool_choice(request) if tools else None,
        "cache_control": automatic,
    }
    body |= {name: value for name, value in optional.items() if value}
    if request.protocol == NAME:
        body |= {name: value for name, value in request.extras.items() if name not in _MANAGED and value is not None}
    if tools:
        body["tools"] = tools
    if system:
        body["system"] = system
    body["messages"] = turns
    return _encode(body)


def _all(tools: list[Any], system: list[Any], turns: list[Any]) -> list[Any]:
    inside = [block for turn in turns for block in turn["content"]]
    results = [each for block in inside if isinstance(block.get("content"), list) for each in block["content"]]
    return [*tools, *system, *inside, *results]


def _reads_thoughts(model: str, target: Target) -> bool:
    """Whether it takes reasoning that nobody signed. Claude doesn't, wherever it runs."""
    return target.quirks.reads_thoughts and not _is_claude(model)


def _tool(tool: Tool) -> dict[str, Any]:
    schema = tool.parameters if tool.parameters.get("type") else {"type": "object", **tool.parameters}
    written: dict[str, Any] = {"name": tool.name}
    if tool.description:
        written["description"] = tool.description
    written["input_schema"] = schema
    if tool.strict:
        written["strict"] = True
    return _kept(written, tool.keep)


def _tool_choice(request: Request) -> dict[str, Any] | None:
    choice = request.tool_choice
    if choice == "none":
        return {"type": "none"}
    kind = {"auto": "auto", "required": "any"}.get(choice, "tool")
    if kind == "auto" and request.parallel_calls:
        return None
    written: dict[str, Any] = {"type": kind, **({"name": choice} if kind == "tool" else {})}
    return written if request.parallel_calls else {**written, "disable_parallel_tool_use": True}


# ---- the conversation -----------------------------------------------------------------------------------------------


def _conversation(
    request: Request, target: Target, model: str, reads: bool
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(the system's blocks, the turns): whoever speaks twice in a row has one turn, with results of tools first."""
    messages = request.messages
    leading = next((n for n, message in enumerate(messages) if message.role != "system"), len(messages))
    system = [block for message in messages[:leading] for block in _blocks(message.parts, reads)]
    turns: list[dict[str, Any]] = []
    for message in messages[leading:]:
        blocks = _blocks(message.parts, reads)
        role = message.role if message.role in ("assistant", "system") else "user"
        if role == "system" and not (target.quirks.system_turns and _is_claude(model)):
            role = "user"
        if not blocks:
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    for turn in turns:
        if turn["role"] == "user":  # nothing may stand before results, and the order is kept otherwise
            turn["content"].sort(key=lambda block: block["type"] != "tool_result")
    if not turns and system:  # a question that only the system asks
        return [], [{"role": "user", "content": system}]
    return system, turns


def _blocks(parts: tuple[Part, ...], reads: bool) -> list[dict[str, Any]]:
    written = [block for part in parts if (block := _block(part, reads)) is not None]
    said = [block for block in written if block["type"] != "text" or block["text"].strip()]
    return said or written  # Claude refuses blanks, and a turn of nothing else is left as it is


def _block(part: Part, reads: bool) -> dict[str, Any] | None:
    match part:
        case Text(text=text):
            return _kept({"type": "text", "text": text}, part.keep) if text else None
        case Image(url=url):
            return _kept({"type": "image", "source": _source(url, "picture")}, part.keep)
        case File():
            return _kept(_document(part), part.keep)
        case Thought():
            return _thought(part, reads)
        case ToolCall(id=id, name=name, arguments=arguments):
            return _kept({"type": "tool_use", "id": _id(id), "name": name, "input": _input(arguments)}, part.keep)
        case ToolResult():
            return _result(part, reads)


def _kept(block: dict[str, Any], keep: str | None) -> dict[str, Any]:
    if keep is not None:
        block["cache_control"] = breakpoints.MARK if keep == "5m" else {**breakpoints.MARK, "ttl": keep}
    return block


def _thought(thought: Thought, reads: bool) -> dict[str, Any] | None:
    """As it was signed; what wasn't signed here is told only where it is read."""
    signed = thought.signature is not None and thought.note is None
    if thought.redacted:
        return {"type": "redacted_thinking", "data": thought.signature} if signed else None
    if signed or (reads and thought.text):
        return {"type": "thinking", "thinking": thought.text, "signature": thought.signature if signed else ""}
    return None


def _result(result: ToolResult, reads: bool) -> dict[str, Any]:
    parts = [part for part in result.parts if not isinstance(part, Text) or part.text]
    written: dict[str, Any] = {"type": "tool_result", "tool_use_id": _id(result.call_id)}
    if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].keep is None:
        written["content"] = parts[0].text
    elif parts:
        written["content"] = [_block(part, reads) for part in parts]
    elif result.failed:
        written["content"] = "Error"  # which Anthropic wants to be told
    if result.failed:
        written["is_error"] = True
    return _kept(written, result.keep)


def _id(id: str) -> str:
    """A call's name as Anthropic takes it. Others' may hold anything; the same one always becomes the same."""
    if _ID.fullmatch(id):
        return id
    return "toolu_" + blake2b(id.encode(errors="surrogatepass"), digest_size=12).hexdigest()


def _input(arguments: str) -> Raw:
    """A call's arguments, to the byte if they are an object; others' models also write what is none."""
    if not arguments.strip():
        return Raw(b"{}")
    try:
        _decode_input(arguments)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return Raw(_encode({"arguments": arguments}))
    return Raw(arguments.encode())


def _source(url: str, what: str) -> dict[str, Any]:
    if url.startswith(_WEB):
        return {"type": "url", "url": url}
    found = _DATA.match(url)
    if found is None:
        raise Unsupported("messages", f"this provider takes a {what} as base64 data or by its address: send it so")
    return {"type": "base64", "media_type": found[1].lower(), "data": url[found.end() :]}


def _document(file: File) -> dict[str, Any]:
    """PDFs whole or by address, texts as text."""
    source = _source(file.url, "document")
    kind = source.get("media_type", "application/pdf")
    if kind.startswith("text/"):
        try:
            words = base64.b64decode(source["data"], validate=True).decode()
        except ValueError as error:
            raise Unsupported("messages", "a text file that isn't UTF-8 can't be read: send it as UTF-8") from error
        source = {"type": "text", "media_type": "text/plain", "data": words}
    elif kind != "application/pdf":
        raise Unsupported("messages", "this provider reads PDFs and texts, and no other files: send their text")
    return {"type": "document", "source": source, **({"title": file.name} if file.name else {})}


# ---- the family -----------------------------------------------------------------------------------------------------


class AnthropicMessages:
    """Without state."""

    models_path = "models?limit=1000"
    marks_cache = True

    def path(self, request: Request, model: str) -> str:
        """The same for all."""
        return "messages"

    def body(self, request: Request, model: str, target: Target) -> bytes:
        """In Anthropic's words. Raises Unsupported."""
        return body_of(request, model, target)

    def headers(self, key: Key | None) -> dict[str, str]:
        """The version, and the key if there is one."""
        return {"anthropic-version": VERSION, **({"x-api-key": key.reveal()} if key is not None else {})}

    def headers_to(self, target: Target, key: Key | None, request: Request | None) -> dict[str, str]:
        """Also the key as others than Anthropic want it, and the features that a client of Anthropic's switched on."""
        written = self.headers(key)
        if key is not None and target.quirks.bearer:
            written["authorization"] = f"Bearer {key.reveal()}"
        if request is not None and request.protocol == NAME and request.betas:
            written["anthropic-beta"] = ",".join(request.betas)
        return written

    def reader(self, target: Target, request: Request) -> AnswerReader:
        """Of a stream or a whole message."""
        return AnswerReader(MessageHearing(target.name, request.id))

    def not_honoured(self, request: Request, target: Target) -> tuple[str, ...]:
        """What Anthropic has no word for, what its models refuse to be told, and reasoning that nobody signed."""
        sampling, model = request.sampling, request.model
        thoughts = [part for message in request.messages for part in message.parts if isinstance(part, Thought)]
        reads = _reads_thoughts(model, target)
        aside = {
            "seed": sampling.seed is not None,
            "presence_penalty": bool(sampling.presence_penalty),
            "frequency_penalty": bool(sampling.frequency_penalty),
            "logprobs": sampling.logprobs,
            "thoughts": any(_thought(thought, reads) is None for thought in thoughts),
        }
        return (*_plan(request, model, target).aside, *(name for name, is_so in aside.items() if is_so))

    def models(self, body: bytes, target: Target) -> Listed:
        """A page. Raises BadAnswer."""
        try:
            page = _decode_models(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadAnswer(f"{target.name} answered something that isn't a list of models: check base_url") from error
        more = f"{self.models_path}&after_id={_quoted(page.last_id)}" if page.has_more and page.last_id else None
        return Listed(tuple(model.id for model in page.data or ()), more)


def _quoted(id: str) -> str:
    """For a query: every byte that isn't plainly one of an id's is written as its number."""
    return _ODD.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), id)


class _Model(Struct, frozen=True):
    id: str


class _Models(Struct, frozen=True):
    data: list[_Model] | None = None
    has_more: bool = False
    last_id: str | None = None


_decode_models: Final = msgspec.json.Decoder(_Models).decode
