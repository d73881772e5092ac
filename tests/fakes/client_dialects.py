"""What clients of each protocol send and how they understand answers, independently of our codecs."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from tests.fakes.talk import Answer, Assistant, Call, Results, Talk, User

Events = Iterable[Any]
"""The decoded `data:` of an event stream, or the lines of another, in order."""
_DATA: Final = "data:image/png;base64,"


class Heard(Struct, frozen=True):
    """An answer as a client understands it. ids: of its calls. counted: whether the protocol tells of cached and reasoning
    tokens.
    """

    answer: Answer
    ids: tuple[str, ...] = ()


class Client(Struct, frozen=True):
    """One protocol's. lacks: of the features, those that it has no words for. asks: what of a conversation it can say.

    known: what of an answer it can be told, as a protocol without a word for something leaves it out.
    """

    path: str
    body: Callable[[Talk, bool], dict[str, Any]]
    whole: Callable[[Any], Heard]
    streamed: Callable[[Events], Heard]
    lacks: frozenset[str] = frozenset()
    asks: Callable[[Talk], Talk] = lambda talk: talk
    known: Callable[[Answer], Answer] = lambda answer: answer


def _b64(image: bytes) -> str:
    return base64.b64encode(image).decode()


def _only_question(talk: Talk) -> Talk:
    """Of protocols without a history: the last thing that the user says."""
    last = next(turn for turn in reversed(talk.turns) if isinstance(turn, User))
    return Talk((last,), talk.system, schema=talk.schema)


def _ids(talk: Talk) -> dict[int, tuple[str, ...]]:
    """Names for the calls of each turn, and for the results behind it."""
    named: dict[int, tuple[str, ...]] = {}
    for place, turn in enumerate(talk.turns):
        if isinstance(turn, Assistant):
            named[place] = named[place + 1] = tuple(f"call:{place}/{number}" for number in range(len(turn.calls)))
    return named


# ---- Chat Completions -----------------------------------------------------------------------------------------------


def _chat_body(talk: Talk, stream: bool) -> dict[str, Any]:
    ids = _ids(talk)
    messages: list[Any] = [{"role": "system", "content": talk.system}] if talk.system else []
    for place, turn in enumerate(talk.turns):
        match turn:
            case User(text=text, images=()):
                messages.append({"role": "user", "content": text})
            case User(text=text, images=images):
                parts: list[Any] = [{"type": "text", "text": text}]
                parts += [{"type": "image_url", "image_url": {"url": _DATA + _b64(image)}} for image in images]
                messages.append({"role": "user", "content": parts})
            case Assistant(text=text, thought=thought, calls=calls):
                said: dict[str, Any] = {"role": "assistant", "content": text or None}
                if thought:
                    said["reasoning_content"] = thought
                if calls:
                    said["tool_calls"] = [
                        {
                            "id": id,
                            "type": "function",
                            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
                        }
                        for id, call in zip(ids[place], calls, strict=True)
                    ]
                messages.append(said)
            case Results(texts=texts):
                messages += [
                    {"role": "tool", "tool_call_id": id, "content": text}
                    for id, text in zip(ids[place], texts, strict=True)
                ]
    body: dict[str, Any] = {"messages": messages}
    if stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    if talk.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
            }
            for tool in talk.tools
        ]
    if talk.schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "told", "schema": talk.schema}}
    return body


def _chat_usage(usage: Any) -> dict[str, int]:
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    return {
        "prompt_tokens": usage["prompt_tokens"],
        "completion_tokens": usage["completion_tokens"],
        "cached": usage["prompt_tokens_details"]["cached_tokens"],
        "reasoning": usage["completion_tokens_details"]["reasoning_tokens"],
    }


def _calls(told: Iterable[tuple[str, str]]) -> tuple[Call, ...]:
    return tuple(Call(name, json.loads(arguments)) for name, arguments in told)


def _chat_whole(body: Any) -> Heard:
    (choice,) = body["choices"]
    message = choice["message"]
    calls = message.get("tool_calls", [])
    answer = Answer(
        message["content"] or "",
        message.get("reasoning_content", ""),
        _calls((each["function"]["name"], each["function"]["arguments"]) for each in calls),
        choice["finish_reason"],
        **_chat_usage(body["usage"]),
    )
    return Heard(answer, tuple(each["id"] for each in calls))


def _chat_streamed(events: Events) -> Heard:
    *chunks, last, end = events
    assert end == "[DONE]"
    assert last["choices"] == []
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert deltas[0]["role"] == "assistant"
    calls: dict[int, list[str]] = {}
    for delta in deltas:
        for piece in delta.get("tool_calls", ()):
            call = calls.setdefault(piece["index"], [piece.get("id"), piece["function"].get("name"), ""])
            call[2] += piece["function"].get("arguments", "")
    reasons = [chunk["choices"][0]["finish_reason"] for chunk in chunks]
    assert [reason for reason in reasons[:-1] if reason] == []
    answer = Answer(
        "".join(delta.get("content", "") for delta in deltas),
        "".join(delta.get("reasoning_content", "") for delta in deltas),
        _calls((name, arguments) for _, name, arguments in calls.values()),
        reasons[-1],
        **_chat_usage(last["usage"]),
    )
    return Heard(answer, tuple(id for id, _, _ in calls.values()))


# ---- Completions ----------------------------------------------------------------------------------------------------


def _completions_body(talk: Talk, stream: bool) -> dict[str, Any]:
    (turn,) = talk.turns
    assert isinstance(turn, User)
    body: dict[str, Any] = {"prompt": turn.text}
    return body | ({"stream": True, "stream_options": {"include_usage": True}} if stream else {})


def _completions_whole(body: Any) -> Heard:
    (choice,) = body["choices"]
    thought = choice.get("reasoning_content", "")
    return Heard(Answer(choice["text"], thought, (), choice["finish_reason"], **_chat_usage(body["usage"])))


def _completions_streamed(events: Events) -> Heard:
    *chunks, last, end = events
    assert end == "[DONE]"
    choices = [chunk["choices"][0] for chunk in chunks]
    text = "".join(choice["text"] for choice in choices)
    thought = "".join(choice.get("reasoning_content", "") for choice in choices)
    return Heard(Answer(text, thought, (), choices[-1]["finish_reason"], **_chat_usage(last["usage"])))


# ---- Responses ------------------------------------------------------------------------------------------------------


def _responses_body(talk: Talk, stream: bool) -> dict[str, Any]:
    ids = _ids(talk)
    items: list[Any] = []
    for place, turn in enumerate(talk.turns):
        match turn:
            case User(text=text, images=images):
                parts: list[Any] = [{"type": "input_text", "text": text}]
                parts += [
                    {"type": "input_image", "detail": "auto", "image_url": _DATA + _b64(image)} for image in images
                ]
                items.append({"type": "message", "role": "user", "content": parts})
            case Assistant(text=text, thought=thought, calls=calls):
                if thought:
                    told = [{"type": "reasoning_text", "text": thought}]
                    items.append({"type": "reasoning", "id": f"rs_{place}", "summary": [], "content": told})
                if text:
                    said = [{"type": "output_text", "text": text, "annotations": []}]
                    items.append({"type": "message", "role": "assistant", "content": said})
                items += [
                    {"type": "function_call", "call_id": id, "name": call.name, "arguments": json.dumps(call.arguments)}
                    for id, call in zip(ids[place], calls, strict=True)
                ]
            case Results(texts=texts):
                items += [
                    {"type": "function_call_output", "call_id": id, "output": text}
                    for id, text in zip(ids[place], texts, strict=True)
                ]
    body: dict[str, Any] = {"input": items, "stream": stream, "store": False}
    if talk.system:
        body["instructions"] = talk.system
    if talk.tools:
        body["tools"] = [
            {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in talk.tools
        ]
    if talk.schema is not None:
        body["text"] = {"format": {"type": "json_schema", "name": "told", "schema": talk.schema}}
    return body


def _responses_whole(body: Any) -> Heard:
    output = body["output"]
    text = [part["text"] for item in output if item["type"] == "message" for part in item["content"]]
    thought = [part["text"] for item in output if item["type"] == "reasoning" for part in item["content"]]
    calls = [item for item in output if item["type"] == "function_call"]
    usage = body["usage"]
    cut = (body["incomplete_details"] or {}).get("reason")
    answer = Answer(
        "".join(text),
        "".join(thought),
        _calls((call["name"], call["arguments"]) for call in calls),
        {"max_output_tokens": "length", "content_filter": "content_filter"}.get(cut)
        or ("tool_calls" if calls else "stop"),  # type: ignore[arg-type]
        usage["input_tokens"],
        usage["output_tokens"],
        usage["input_tokens_details"]["cached_tokens"],
        usage["output_tokens_details"]["reasoning_tokens"],
    )
    return Heard(answer, tuple(call["call_id"] for call in calls))


def _responses_streamed(events: Events) -> Heard:
    told = list(events)
    assert [event["sequence_number"] for event in told] == list(range(len(told)))
    assert [event["type"] for event in told[:2]] == ["response.created", "response.in_progress"]
    assert told[-1]["type"] in ("response.completed", "response.incomplete")
    heard = _responses_whole(told[-1]["response"])
    pieces = dict.fromkeys(("output_text", "reasoning_text", "function_call_arguments"), "")
    for event in told:
        kind = event["type"].removeprefix("response.").removesuffix(".delta")
        if event["type"].endswith(".delta"):
            pieces[kind] += event["delta"]
    assert (pieces["output_text"], pieces["reasoning_text"]) == (heard.answer.text, heard.answer.thought)
    arguments = [item["arguments"] for item in told[-1]["response"]["output"] if item["type"] == "function_call"]
    assert pieces["function_call_arguments"] == "".join(arguments)
    return heard


# ---- Anthropic ------------------------------------------------------------------------------------------------------


def _anthropic_body(talk: Talk, stream: bool) -> dict[str, Any]:
    ids = _ids(talk)
    messages: list[Any] = []
    for place, turn in enumerate(talk.turns):
        blocks: list[Any] = []
        match turn:
            case User(text=text, images=images):
                blocks.append({"type": "text", "text": text})
                blocks += [
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _b64(image)}}
                    for image in images
                ]
            case Assistant(text=text, thought=thought, calls=calls):
                if thought:
                    blocks.append({"type": "thinking", "thinking": thought, "signature": ""})
                if text:
                    blocks.append({"type": "text", "text": text})
                blocks += [
                    {"type": "tool_use", "id": id, "name": call.name, "input": call.arguments}
                    for id, call in zip(ids[place], calls, strict=True)
                ]
            case Results(texts=texts):
                blocks += [
                    {"type": "tool_result", "tool_use_id": id, "content": text}
                    for id, text in zip(ids[place], texts, strict=True)
                ]
        messages.append({"role": "assistant" if isinstance(turn, Assistant) else "user", "content": blocks})
    body: dict[str, Any] = {"max_tokens": 4096, "messages": messages, "stream": stream}
    if talk.system:
        body["system"] = talk.system
    if talk.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in talk.tools
        ]
    if talk.schema is not None:
        body["output_config"] = {"format": {"type": "json_schema", "schema": talk.schema}}
    return body


_STOPPED: Final = {"end_turn": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "content_filter"}


def _anthropic_whole(body: Any) -> Heard:
    content, usage = body["content"], body["usage"]
    calls = [block for block in content if block["type"] == "tool_use"]
    answer = Answer(
        "".join(block["text"] for block in content if block["type"] == "text"),
        "".join(block["thinking"] for block in content if block["type"] == "thinking"),
        tuple(Call(call["name"], call["input"]) for call in calls),
        _STOPPED[body["stop_reason"]],  # type: ignore[arg-type]
        usage["input_tokens"] + usage["cache_read_input_tokens"],
        usage["output_tokens"],
        usage["cache_read_input_tokens"],
        usage["output_tokens_details"]["thinking_tokens"],
    )
    return Heard(answer, tuple(call["id"] for call in calls))


def _anthropic_streamed(events: Events) -> Heard:
    start, *told, ending, stop = [event for event in events if event["type"] != "ping"]
    assert (start["type"], ending["type"], stop["type"]) == ("message_start", "message_delta", "message_stop")
    assert [event for event in told if event["type"] == "message_start"] == []
    blocks: list[Any] = []
    inputs: list[str] = []
    for event in told:
        if event["type"] == "content_block_start":
            assert event["index"] == len(blocks)
            blocks.append(dict(event["content_block"]))
            inputs.append("")
        elif event["type"] == "content_block_delta":
            assert event["index"] == len(blocks) - 1
            delta, block = event["delta"], blocks[-1]
            match delta["type"]:
                case "text_delta":
                    block["text"] += delta["text"]
                case "thinking_delta":
                    block["thinking"] += delta["thinking"]
                case "input_json_delta":
                    inputs[-1] += delta["partial_json"]
    for block, text in zip(blocks, inputs, strict=True):
        if block["type"] == "tool_use":
            block["input"] = json.loads(text or "{}")
    return _anthropic_whole(
        {"content": blocks, "stop_reason": ending["delta"]["stop_reason"], "usage": ending["usage"]}
    )


# ---- Ollama ---------------------------------------------------------------------------------------------------------


def _ollama_body(talk: Talk, stream: bool) -> dict[str, Any]:
    messages: list[Any] = [{"role": "system", "content": talk.system}] if talk.system else []
    made: tuple[Call, ...] = ()
    for turn in talk.turns:
        match turn:
            case User(text=text, images=images):
                said: dict[str, Any] = {"role": "user", "content": text}
                messages.append({**said, "images": list(map(_b64, images))} if images else said)
            case Assistant(text=text, thought=thought, calls=made):
                said = {"role": "assistant", "content": text, **({"thinking": thought} if thought else {})}
                called = [{"function": {"name": call.name, "arguments": call.arguments}} for call in made]
                messages.append({**said, "tool_calls": called} if called else said)
            case Results(texts=texts):
                messages += [
                    {"role": "tool", "tool_name": call.name, "content": text}
                    for call, text in zip(made, texts, strict=True)
                ]
    body: dict[str, Any] = {"messages": messages, "stream": stream}
    if talk.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
            }
            for tool in talk.tools
        ]
    return body | ({"format": talk.schema} if talk.schema is not None else {})


def _generate_body(talk: Talk, stream: bool) -> dict[str, Any]:
    (turn,) = talk.turns
    assert isinstance(turn, User)
    body: dict[str, Any] = {"prompt": turn.text, "stream": stream}
    body |= {"system": talk.system} if talk.system else {}
    body |= {"images": list(map(_b64, turn.images))} if turn.images else {}
    return body | ({"format": talk.schema} if talk.schema is not None else {})


def _ollama_streamed(lines: Events) -> Heard:
    told = list(lines)
    assert [line["done"] for line in told] == [False] * (len(told) - 1) + [True]
    messages = [
        line.get("message") or {"content": line["response"], "thinking": line.get("thinking", "")} for line in told
    ]
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    answer = Answer(
        "".join(message["content"] for message in messages),
        "".join(message.get("thinking", "") for message in messages),
        tuple(Call(call["function"]["name"], call["function"]["arguments"]) for call in calls),
        "tool_calls" if calls else told[-1]["done_reason"],
        told[-1]["prompt_eval_count"],
        told[-1]["eval_count"],
    )
    return Heard(answer, tuple(call["id"] for call in calls))


def _ollama_whole(body: Any) -> Heard:
    return _ollama_streamed([body])


def _without_details(answer: Answer) -> Answer:
    return replace(answer, cached=0, reasoning=0)


CLIENTS: Final[dict[str, Client]] = {
    "openai-chat": Client("/v1/chat/completions", _chat_body, _chat_whole, _chat_streamed),
    "openai-completions": Client(
        "/v1/completions",
        _completions_body,
        _completions_whole,
        _completions_streamed,
        lacks=frozenset({"tools", "parallel tools", "image", "JSON schema"}),
        asks=lambda talk: replace(_only_question(talk), system=""),
    ),
    "openai-responses": Client("/v1/responses", _responses_body, _responses_whole, _responses_streamed),
    "anthropic": Client("/v1/messages", _anthropic_body, _anthropic_whole, _anthropic_streamed),
    "ollama-chat": Client("/api/chat", _ollama_body, _ollama_whole, _ollama_streamed, known=_without_details),
    "ollama-generate": Client(
        "/api/generate",
        _generate_body,
        _ollama_whole,
        _ollama_streamed,
        lacks=frozenset({"tools", "parallel tools"}),
        asks=_only_question,
        known=_without_details,
    ),
}
"""One line for each protocol of `daemon/protocols/registry.py`."""
