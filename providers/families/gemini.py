"""Google's Gemini in its own words: `generateContent`, and `streamGenerateContent` as server-sent events.

Theory of operation of signatures. A thinking model signs parts of its answer: calls of functions, and the last of its words.
Gemini 3 refuses to go on from a call whose signature is missing, so each comes back in the very part that it came in. One on
a call is kept as the call's note. One on words is told as a thought of its own behind them, whose note says how much of them
it signed; on the way back they are cut there, since a signed part must not be merged with another. A call that another
model made has no signature; there, Google's word for such calls stands in its place (ai.google.dev/gemini-api/docs/
thought-signatures).
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from providers.contract import (
    BadAnswer,
    File,
    Image,
    Key,
    Message,
    Request,
    Sampling,
    Text,
    Thinking,
    Thought,
    ToolCall,
    ToolResult,
    Unsupported,
)
from providers.families.answer_bytes import AnswerReader
from providers.families.base import Listed
from providers.families.data_url import data_of
from providers.families.gemini_answer import Hearing, Note, note_of
from providers.families.json_object import object_of
from providers.percent import encoded
from providers.target import Target
from providers.wire import gemini as wire

MOST_STOPS: Final = 5
"""So many stop strings are taken (`stopSequences`)."""
_UNSIGNED: Final = "skip_thought_signature_validator"
"""Google's word for a call that none of its models made."""
_BUDGETS: Final = {"none": 0, "minimal": 512, "low": 1024, "medium": 8192, "high": 24576}
"""Tokens of thought by effort, for the generation that counts them; ours, not looked up."""
_LEAST_OF_PRO: Final = 128
"""2.5 Pro always thinks."""
_LEVELS: Final = {"none": "minimal", "minimal": "minimal", "low": "low", "medium": "medium", "high": "high"}
_COUNTS_THOUGHTS: Final = re.compile(r"gemini-2\.5")
_UNTAUGHT: Final = re.compile(r"gemini-[12]\.|gemma")
"""Which know no signatures, or don't ask for them."""
_PAGE: Final = "models?pageSize=1000"
_encode: Final = msgspec.json.Encoder().encode


# ---- asking ---------------------------------------------------------------------------------------------------------


def body_of(request: Request, model: str) -> bytes:
    """The request in their words. Raises Unsupported."""
    leading = next((n for n, each in enumerate(request.messages) if each.role != "system"), len(request.messages))
    contents = _contents(request.messages[leading:], signs=not _UNTAUGHT.search(model))
    system = [{"text": text} for each in request.messages[:leading] if (text := _words(each))]
    if not contents:  # which they refuse
        contents, system = [{"role": "user", "parts": system}], []
    body: dict[str, Any] = {"contents": contents}
    if system:
        body["systemInstruction"] = {"parts": system}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_function(tool.name, tool) for tool in request.tools]}]
        if (config := _tool_config(request.tool_choice)) is not None:
            body["toolConfig"] = {"functionCallingConfig": config}
    if config := _generation(request.sampling, request.schema, request.thinking, model):
        body["generationConfig"] = config
    return _encode(body)


def _function(name: str, tool: Any) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {"name": name, **described, "parametersJsonSchema": tool.parameters}


def _tool_config(choice: str) -> dict[str, Any] | None:
    match choice:
        case "auto":
            return None
        case "none":
            return {"mode": "NONE"}
        case "required":
            return {"mode": "ANY"}
        case name:
            return {"mode": "ANY", "allowedFunctionNames": [name]}


def _generation(
    sampling: Sampling, schema: dict[str, Any] | None, thinking: Thinking | None, model: str
) -> dict[str, Any]:
    if len(sampling.stop) > MOST_STOPS:
        raise Unsupported("stop", f"this provider takes at most {MOST_STOPS} stop strings: give fewer")
    wanted: dict[str, Any] = {
        "maxOutputTokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "topP": sampling.top_p,
        "topK": sampling.top_k,
        "seed": sampling.seed % 2**31 if sampling.seed is not None else None,  # an int32, and the same for the same
        "stopSequences": list(sampling.stop) or None,
        "presencePenalty": sampling.presence_penalty or None,
        "frequencyPenalty": sampling.frequency_penalty or None,
        "candidateCount": sampling.choices if sampling.choices > 1 else None,
        "responseLogprobs": sampling.logprobs or None,
        "logprobs": (sampling.top_logprobs or None) if sampling.logprobs else None,
        "responseMimeType": "application/json" if schema is not None else None,
        "responseJsonSchema": schema if schema != {"type": "object"} else None,
        "thinkingConfig": _thinking(thinking, model),
    }
    return {name: value for name, value in wanted.items() if value is not None}


def _thinking(wanted: Thinking | None, model: str) -> dict[str, Any] | None:
    """Tokens for the generation that counts them, a level for later ones. Who wants it reasoned is shown the reasoning."""
    if wanted is None or (wanted.on is None and wanted.effort is None):
        return None
    effort = "none" if wanted.on is False else wanted.effort
    shown = {"includeThoughts": True} if effort != "none" else {}
    if effort is None:
        return shown
    if _COUNTS_THOUGHTS.search(model):
        least = _LEAST_OF_PRO if "pro" in model else 0
        return {**shown, "thinkingBudget": max(_BUDGETS.get(effort, _BUDGETS["high"]), least)}
    return {**shown, "thinkingLevel": _LEVELS.get(effort, "high")}


# ---- a conversation -------------------------------------------------------------------------------------------------


def _contents(messages: Iterable[Message], signs: bool) -> list[dict[str, Any]]:
    """Turns. Results of one turn's calls stand together, in the order of the calls; what one model said in several messages,
    as clients of Responses tell it, is one turn.
    """
    written: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    order: list[str] = []
    results: list[ToolResult] = []

    def close() -> None:
        if not results:
            return
        results.sort(key=lambda each: order.index(each.call_id) if each.call_id in order else len(order))
        parts = [_result(each, names.get(each.call_id, each.call_id)) for each in results]
        parts += [_data(part) for each in results for part in each.parts if isinstance(part, Image)]
        written.append({"role": "user", "parts": parts})
        results.clear()

    for message in _together(messages):
        told = [part for part in message.parts if isinstance(part, ToolResult)]
        results += told
        rest = tuple(part for part in message.parts if not isinstance(part, ToolResult))
        if told and not rest:
            continue
        close()
        if message.role == "assistant":
            calls = [part for part in rest if isinstance(part, ToolCall)]
            names |= {call.id: call.name for call in calls}
            order = [call.id for call in calls]
            parts = _answered(rest, signs)
        else:
            said = [part for part in rest if isinstance(part, Text | Image | File)]
            parts = [_part(part) for part in said if not isinstance(part, Text) or part.text]  # they refuse empty ones
        if parts:
            written.append({"role": "model" if message.role == "assistant" else "user", "parts": parts})
    close()
    return written


def _together(messages: Iterable[Message]) -> list[Message]:
    turns: list[Message] = []
    for message in messages:
        if message.role == "assistant" and turns and turns[-1].role == "assistant":
            turns[-1] = Message("assistant", turns[-1].parts + message.parts)
        else:
            turns.append(message)
    return turns


def _answered(parts: tuple[Any, ...], signs: bool) -> list[dict[str, Any]]:
    """A model's turn, each signature in the part that it came in."""
    written: list[dict[str, Any]] = []
    called = False
    for part in parts:
        match part:
            case Text(text=text) if text:
                written.append({"text": text})
            case Image() | File():
                written.append(_data(part))
            case ToolCall():
                written.append(_call(part, unsigned=signs and not called))
                called = True
            case Thought(text=text, signature=str(signature), note=str(note)):
                _sign(written, text, signature, note_of(note))
            case Thought(text=text, redacted=False) if text:
                written.append({"text": text, "thought": True})
    return written


def _sign(written: list[dict[str, Any]], text: str, signature: str, note: Note) -> None:
    """Put a signature that isn't a call's where it was."""
    signed = {"thoughtSignature": signature}
    if note.at == "thought":
        written.append({"text": text, "thought": True, **signed})
        return
    words = written[-1].get("text") if written and written[-1].keys() == {"text"} else None
    if not note.chars or words is None or len(words) < note.chars:
        written.append({"text": "", **signed})
        return
    written.pop()
    if len(words) > note.chars:
        written.append({"text": words[: -note.chars]})
    written.append({"text": words[-note.chars :], **signed})


def _call(call: ToolCall, unsigned: bool) -> dict[str, Any]:
    """unsigned: whether one that has no signature has to say so."""
    made = {"functionCall": {"id": call.id, "name": call.name, "args": object_of(call.arguments)}}
    signature = note_of(call.note).signature if call.note is not None else None
    if signature is None and unsigned:
        signature = _UNSIGNED
    return {**made, "thoughtSignature": signature} if signature is not None else made


def _result(result: ToolResult, name: str) -> dict[str, Any]:
    words = "\n".join(part.text for part in result.parts if isinstance(part, Text))
    response = {"error" if result.failed else "output": words}
    return {"functionResponse": {"id": result.call_id, "name": name, "response": response}}


def _words(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, Text))


def _part(part: Text | Image | File) -> dict[str, Any]:
    return {"text": part.text} if isinstance(part, Text) else _data(part)


def _data(part: Image | File) -> dict[str, Any]:
    """Whole, or by an address that they fetch."""
    if (data := data_of(part.url)) is not None:
        return {"inlineData": {"mimeType": data.kind, "data": data.base64}}
    if not part.url.startswith(("http://", "https://", "gs://")):
        raise Unsupported("messages", "this provider takes files whole or by address: send the file itself")
    path = part.url.partition("?")[0].partition("#")[0].split("/", 3)[3:]
    kind = mimetypes.guess_type(f"/{path[0]}")[0] if path else None
    return {"fileData": {"fileUri": part.url, **({"mimeType": kind} if kind else {})}}


# ---- the family -----------------------------------------------------------------------------------------------------


class Gemini:
    """Without state."""

    models_path = _PAGE

    def path(self, request: Request, model: str) -> str:
        """A method of the model. Whatever a client calls a model, it stays one name in the path."""
        name = encoded(model.removeprefix("models/"))
        return f"models/{name}:streamGenerateContent?alt=sse" if request.stream else f"models/{name}:generateContent"

    def body(self, request: Request, model: str, target: Target) -> bytes:
        """In their words. Raises Unsupported."""
        return body_of(request, model)

    def headers(self, key: Key | None) -> dict[str, str]:
        """The key, never in an address."""
        return {"x-goog-api-key": key.reveal()} if key is not None else {}

    def reader(self, target: Target, request: Request) -> AnswerReader:
        """Of a stream or a whole answer."""
        return AnswerReader(Hearing(target.name, request.id))

    def not_honoured(self, request: Request, target: Target) -> tuple[str, ...]:
        """One call at a time; thoughts that only others can read."""
        thoughts = [part for message in request.messages for part in message.parts if isinstance(part, Thought)]
        aside = {
            "parallel_calls": bool(request.tools) and not request.parallel_calls,
            "thoughts": any(thought.redacted and thought.note is None for thought in thoughts),
        }
        return tuple(name for name, is_so in aside.items() if is_so)

    def models(self, body: bytes, target: Target) -> Listed:
        """A page of those that generate content. Raises BadAnswer."""
        try:
            page = _decode_models(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadAnswer(f"{target.name} answered something that isn't a list of models: check base_url") from error
        names = tuple(model.name.removeprefix("models/") for model in page.models or () if _generates(model))
        more = f"{_PAGE}&pageToken={encoded(page.next_page_token)}" if page.next_page_token else None
        return Listed(names, more)


def _generates(model: wire.Model) -> bool:
    methods = model.supported_generation_methods
    return methods is None or "generateContent" in methods


_decode_models: Final = msgspec.json.Decoder(wire.Models).decode
