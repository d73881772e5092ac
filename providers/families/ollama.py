"""Ollama in its own words: `chat`, which answers in lines of JSON, or in one object.

It can be told what its other door, OpenAI's, can't: how long a model is kept, and not to cut a prompt that doesn't fit its
window (`truncate`, by those versions that know the word).
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct

from providers.contract import (
    BadAnswer,
    File,
    Image,
    Key,
    Message,
    Request,
    Text,
    Thinking,
    Thought,
    ToolCall,
    ToolResult,
    Unsupported,
)
from providers.families.base import Listed
from providers.families.data_url import data_of
from providers.families.json_object import object_of
from providers.families.ollama_answer import Lines
from providers.target import Target

PROTOCOLS: Final = frozenset({"ollama-chat", "ollama-generate"})
"""Whose clients say in Ollama's words whether to think."""
_EFFORTS: Final = {"minimal": "low", "low": "low", "medium": "medium", "high": "high"}
_encode: Final = msgspec.json.Encoder().encode


# ---- asking ---------------------------------------------------------------------------------------------------------


def body_of(request: Request, model: str, reasoning: str | None = None) -> bytes:
    """The request in their words. reasoning: as in Target. Raises Unsupported."""
    _require(request)
    sampling = request.sampling
    options: dict[str, Any] = {
        "num_predict": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "seed": sampling.seed,
        "stop": list(sampling.stop) or None,
        "presence_penalty": sampling.presence_penalty or None,
        "frequency_penalty": sampling.frequency_penalty or None,
    }
    optional: dict[str, Any] = {
        "options": {name: value for name, value in options.items() if value is not None} or None,
        "format": "json" if request.schema == {"type": "object"} else request.schema,
        "think": _think(request, reasoning),
        "keep_alive": _kept(request.keep_s),
        "logprobs": sampling.logprobs or None,
        "top_logprobs": (sampling.top_logprobs or None) if sampling.logprobs else None,
    }
    if request.tools and request.tool_choice != "none":
        optional["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
            }
            for tool in request.tools
        ]
    body = {"model": model, "messages": _messages(request.messages), "stream": request.stream, "truncate": False}
    return _encode(body | {name: value for name, value in optional.items() if value is not None})


def _require(request: Request) -> None:
    if request.tools and request.tool_choice not in ("auto", "none"):
        raise Unsupported(
            "tool_choice", "this provider can't be told that a tool has to be called: leave it to the model"
        )
    if request.sampling.choices > 1:
        raise Unsupported("choices", "this provider gives one answer: ask again for another")


def _think(request: Request, reasoning: str | None) -> bool | str | None:
    """As an Ollama client said it. Of others, what no model refuses: a model that can think does so if nothing is said."""
    wanted = request.thinking
    if wanted is None:
        return None
    if wanted.on is False or wanted.effort == "none":
        return False
    effort = _EFFORTS.get(wanted.effort, "high") if wanted.effort is not None else None
    if _is_told(request, reasoning):
        return effort or wanted.on
    return None


def _is_told(request: Request, reasoning: str | None) -> bool:
    return request.protocol in PROTOCOLS or reasoning == "effort"


def _kept(keep_s: float | None) -> float | None:
    """In seconds; what is negative means for ever."""
    return -1 if keep_s == float("inf") else keep_s


def _messages(messages: tuple[Message, ...]) -> list[dict[str, Any]]:
    written: list[dict[str, Any]] = []
    pictures: list[str] = []
    names: dict[str, str] = {}

    def close() -> None:
        """Pictures that tools gave back, in the user's name: templates look for them nowhere else."""
        if pictures:
            written.append({"role": "user", "content": "", "images": list(pictures)})
            pictures.clear()

    for message in messages:
        results = [part for part in message.parts if isinstance(part, ToolResult)]
        rest = tuple(part for part in message.parts if not isinstance(part, ToolResult))
        for result in results:
            words = "\n".join(part.text for part in result.marked if isinstance(part, Text))
            name = names.get(result.call_id, result.call_id)
            written.append({"role": "tool", "content": words, "tool_name": name, "tool_call_id": result.call_id})
            pictures += [_picture(part) for part in result.parts if isinstance(part, Image)]
        if rest or not results:
            close()
            names |= {part.id: part.name for part in rest if isinstance(part, ToolCall)}
            written.append(_message(message, rest))
    close()
    return written


def _message(message: Message, parts: tuple[Any, ...]) -> dict[str, Any]:
    if any(isinstance(part, File) for part in parts):
        raise Unsupported("messages", "this provider takes words and pictures, no documents: send the text itself")
    role = "user" if message.role == "tool" else message.role
    said: dict[str, Any] = {
        "role": role,
        "content": "\n".join(part.text for part in parts if isinstance(part, Text)),
    }
    if thought := "".join(part.text for part in parts if isinstance(part, Thought)):
        said["thinking"] = thought
    if images := [_picture(part) for part in parts if isinstance(part, Image)]:
        said["images"] = images
    if calls := [part for part in parts if isinstance(part, ToolCall)]:
        said["tool_calls"] = [
            {"id": call.id, "function": {"name": call.name, "arguments": object_of(call.arguments)}} for call in calls
        ]
    return said


def _picture(image: Image) -> str:
    if (data := data_of(image.url)) is None:
        raise Unsupported("messages", "this provider takes pictures whole, not by address: send the picture itself")
    return data.base64


# ---- the family -----------------------------------------------------------------------------------------------------


class Ollama:
    """Without state."""

    models_path = "tags"
    keeps_models = True

    def path(self, request: Request, model: str) -> str:
        """The same for all."""
        return "chat"

    def body(self, request: Request, model: str, target: Target) -> bytes:
        """In their words. Raises Unsupported."""
        return body_of(request, model, target.reasoning)

    def headers(self, key: Key | None) -> dict[str, str]:
        """A bearer's key, for Ollama's cloud and for those who keep a server of theirs behind one."""
        return {"authorization": f"Bearer {key.reveal()}"} if key is not None else {}

    def reader(self, target: Target, request: Request) -> Lines:
        """Of lines or one object."""
        return Lines(target.name, request.id)

    def not_honoured(self, request: Request, target: Target) -> tuple[str, ...]:
        """One call at a time; how hard to think, where that isn't told; thoughts that only others can read."""
        thoughts = [part for message in request.messages for part in message.parts if isinstance(part, Thought)]
        wanted = request.thinking or Thinking()
        told = _is_told(request, target.reasoning) or wanted.effort in (None, "none") or wanted.on is False
        aside = {
            "thinking": not told,
            "parallel_calls": bool(request.tools) and not request.parallel_calls,
            "thoughts": any(thought.redacted for thought in thoughts),
        }
        return tuple(name for name, is_so in aside.items() if is_so)

    def models(self, body: bytes, target: Target) -> Listed:
        """All at once. Raises BadAnswer."""
        try:
            listed = _decode_models(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadAnswer(f"{target.name} answered something that isn't a list of models: check base_url") from error
        return Listed(tuple(name for each in listed.models or () if (name := each.name or each.model)))


class _Model(Struct, frozen=True):
    name: str | None = None
    model: str | None = None


class _Models(Struct, frozen=True):
    models: list[_Model] | None = None


_decode_models: Final = msgspec.json.Decoder(_Models).decode
