"""Anybody who speaks OpenAI's Responses: OpenAI itself, some clouds, and some servers for local models.

Nothing is kept there: each request carries its whole conversation. Reasoning that came sealed is given back as it was told,
item by item, since a model goes on from it only so. What this protocol has no word for is refused if an answer would mean
something else without (stop strings, several answers), and left aside otherwise (seed, penalties).
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from providers.contract import (
    File,
    Image,
    Key,
    Message,
    Request,
    Text,
    Thought,
    Tool,
    ToolCall,
    ToolResult,
    Unsupported,
)
from providers.families.answer_bytes import AnswerReader
from providers.families.base import Listed
from providers.families.model_list import listed
from providers.families.openai_chat import PROTOCOLS, response_format
from providers.families.responses_answer import Hearing
from providers.families.responses_reasoning import item_of
from providers.target import Target
from providers.wire import openai_responses as wire

_SHARED: Final = frozenset(
    {"user", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "service_tier", "metadata"}
)
"""Extras that have the same name and meaning here and in Chat Completions."""
_WORDLESS: Final = ("logit_bias", "prediction", "web_search_options", "modalities", "audio")
"""What Chat Completions has beside that, and this protocol hasn't."""
_encode: Final = msgspec.json.Encoder().encode


def body_of(request: Request, model: str, target: Target) -> bytes:
    """The request in their words. Raises Unsupported."""
    sampling = request.sampling
    if sampling.stop:
        raise Unsupported("stop", f"{target.name} speaks Responses, which knows no stop strings: leave stop out")
    if sampling.choices > 1:
        raise Unsupported("choices", f"{target.name} speaks Responses, which gives one answer: ask for one")
    extras = request.extras if request.protocol in PROTOCOLS else {}
    body: dict[str, Any] = {name: value for name, value in extras.items() if name in _SHARED and value is not None}
    reasoning = _reasoning(request, target, extras)
    include = [wire.SEALED] if _wants_sealed(request, reasoning, extras) else []
    include += ["message.output_text.logprobs"] if sampling.logprobs else []
    text = {"format": _format(request.schema), "verbosity": extras.get("verbosity")}
    body |= {
        "model": model,
        "input": [item for message in request.messages for item in _items(message, target.quirks.reads_thoughts)],
        "store": False,
    }
    optional: dict[str, Any] = {
        "stream": request.stream or None,
        "max_output_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k if "top_k" in target.accepts else None,
        "top_logprobs": (sampling.top_logprobs or None) if sampling.logprobs else None,
        "include": include or None,
        "reasoning": reasoning or None,
        "text": {name: value for name, value in text.items() if value is not None} or None,
    }
    if request.tools:
        optional["tools"] = [_tool(tool, request.protocol) for tool in request.tools]
        optional["parallel_tool_calls"] = None if request.parallel_calls else False
        optional["tool_choice"] = _tool_choice(request.tool_choice)
    body |= {name: value for name, value in optional.items() if value is not None}
    return _encode(body)


def _reasoning(request: Request, target: Target, extras: dict[str, Any]) -> dict[str, Any]:
    """How hard to reason: by the settings if they say that it can be told, else as the client has it."""
    effort = extras.get("reasoning_effort")
    if target.reasoning == "effort" and request.thinking is not None:
        effort = request.thinking.effort or effort
    told = {"effort": effort, "summary": extras.get(wire.SUMMARY)}
    return {name: value for name, value in told.items() if value is not None}


def _wants_sealed(request: Request, reasoning: dict[str, Any], extras: dict[str, Any]) -> bool:
    """Models that don't reason refuse a request for it, so it is made only where somebody spoke of reasoning."""
    if reasoning.get("effort") == "none":
        return False
    before = (part for message in request.messages for part in message.parts)
    return bool(reasoning or extras.get(wire.SEALED)) or any(isinstance(part, Thought) and part.note for part in before)


def _format(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """As Chat Completions has it, without the layer around the schema."""
    format = response_format(schema)
    return format and {"type": format["type"], **format.get("json_schema", {})}


def _tool(tool: Tool, protocol: str) -> dict[str, Any]:
    """strict is on here unless it is said, and off in all other protocols."""
    strict = tool.strict if tool.strict is not None or protocol == "openai-responses" else False
    said = {"description": tool.description or None, "strict": strict}
    told = {name: value for name, value in said.items() if value is not None}
    return {"type": "function", "name": tool.name, "parameters": tool.parameters, **told}


def _tool_choice(choice: str) -> Any:
    if choice == "auto":
        return None
    return choice if choice in ("none", "required") else {"type": "function", "name": choice}


def _items(message: Message, reads_thoughts: bool) -> list[dict[str, Any]]:
    """One turn as their items, in its own order."""
    items: list[dict[str, Any]] = []
    said: list[Text | Image | File] = []
    role = "user" if message.role == "tool" else message.role

    def close() -> None:
        content = _content(role, said) if said else ""
        if content or (said and role != "assistant"):
            items.append({"role": role, "content": content})
            said.clear()

    for part in message.parts:
        match part:
            case Text() | Image() | File():
                said.append(part)
            case Thought():
                close()
                items += item_of(part, reads_thoughts)
            case ToolCall(id=id, name=name, arguments=arguments):
                close()
                items.append({"type": "function_call", "call_id": id, "name": name, "arguments": arguments or "{}"})
            case ToolResult(call_id=id, marked=parts):
                close()
                items.append({"type": "function_call_output", "call_id": id, "output": _output(parts)})
    close()
    return items


def _content(role: str, said: list[Text | Image | File]) -> Any:
    """One string for words alone; a model's are nothing else, since lists of its own parts need their ids."""
    if role == "assistant":
        return "\n".join(part.text for part in said if isinstance(part, Text))
    if len(said) == 1 and isinstance(said[0], Text):
        return said[0].text
    return [_part(part) for part in said]


def _output(parts: tuple[Text | Image, ...]) -> Any:
    """One string for words alone, since some servers know no other form; else a list."""
    if all(isinstance(part, Text) for part in parts):
        return "\n".join(part.text for part in parts if isinstance(part, Text))
    return [_part(part) for part in parts]


def _part(part: Text | Image | File) -> dict[str, Any]:
    match part:
        case Text(text=text):
            return {"type": "input_text", "text": text}
        case Image(url=url, detail=detail):
            return {"type": "input_image", "image_url": url, "detail": detail or "auto"}
        case File(url=url, name=name):
            kind = "file_data"
            if url.startswith(("http://", "https://")):
                kind = "file_url"
            elif url.startswith(("file-", "file_")):
                kind = "file_id"
            named = name if name and kind == "file_data" else None
            return {"type": "input_file", kind: url, **({"filename": named} if named else {})}


class OpenAIResponses:
    """Without state."""

    models_path = "models"

    def path(self, request: Request, model: str) -> str:
        """The same for all."""
        return "responses"

    def body(self, request: Request, model: str, target: Target) -> bytes:
        """In their words. Raises Unsupported."""
        return body_of(request, model, target)

    def headers(self, key: Key | None) -> dict[str, str]:
        """The key, if there is one."""
        return {} if key is None else {"authorization": f"Bearer {key.reveal()}"}

    def reader(self, target: Target, request: Request) -> AnswerReader:
        """Of a stream or a whole response."""
        return AnswerReader(Hearing(target.name, request.id))

    def not_honoured(self, request: Request, target: Target) -> tuple[str, ...]:
        """What has no word here, and thoughts that it can't read."""
        thinking, sampling = request.thinking, request.sampling
        thoughts = [part for message in request.messages for part in message.parts if isinstance(part, Thought)]
        told = target.reasoning == "effort" and thinking is not None and thinking.effort is not None
        aside = {
            "thinking": thinking is not None and not told,
            "seed": sampling.seed is not None,
            "presence_penalty": bool(sampling.presence_penalty),
            "frequency_penalty": bool(sampling.frequency_penalty),
            "top_k": sampling.top_k is not None and "top_k" not in target.accepts,
            "thoughts": any(not item_of(part, target.quirks.reads_thoughts) for part in thoughts),
            **{name: request.extras.get(name) is not None for name in _WORDLESS},
        }
        return tuple(name for name, is_so in aside.items() if is_so)

    def models(self, body: bytes, target: Target) -> Listed:
        """As in Chat Completions. Raises BadAnswer."""
        return listed(body, target.name)
