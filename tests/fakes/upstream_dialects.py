"""How a provider's server of each wire protocol understands what it is asked, and how it answers."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec import Struct

from providers.contract import Delta
from providers.families.answer_bytes import AnswerReader
from providers.families.anthropic_answer import MessageHearing
from providers.families.openai_answer import Hearing
from tests.fakes import anthropic_events
from tests.fakes.anthropic_events import block, ending, event, start, words
from tests.fakes.talk import Answer, Assistant, Call, Results, Talk, Tool, Turn, User
from tests.fakes.upstream import frames

Cutter = Callable[[str], list[str]]
"""From a text to the pieces that it is said in."""


class Dialect(Struct, frozen=True):
    """One wire protocol's. asked: from the body of a request. streamed: the pieces of an answer's body; whole: all of it.

    ids: what the calls of an answer are called. hear: from pieces of a stream's body to deltas, as the provider reads them.
    takes: what of a conversation it can be told.
    """

    asked: Callable[[Any], Talk]
    streamed: Callable[[Answer, tuple[str, ...], Cutter], bytes]
    whole: Callable[[Answer, tuple[str, ...]], bytes]
    hear: Callable[[Iterable[bytes]], list[Delta]]
    takes: Callable[[Talk], Talk] = lambda talk: talk


# ---- Chat Completions -----------------------------------------------------------------------------------------------


def _chat_asked(body: Any) -> Talk:
    system, turns, results, made = "", list[Turn](), dict[str, str](), list[str]()
    for message in body["messages"]:
        if results and message["role"] != "tool":
            raise AssertionError("results are missing")
        match message["role"]:
            case "system":
                system += message["content"]
            case "user" if isinstance(message["content"], str):
                turns.append(User(message["content"]))
            case "user":
                said, *pictures = message["content"]
                images = [each["image_url"]["url"].removeprefix("data:image/png;base64,") for each in pictures]
                turns.append(User(said["text"], tuple(map(base64.b64decode, images))))
            case "assistant":
                calls = message.get("tool_calls", [])
                made = [call["id"] for call in calls]
                assert len(set(made)) == len(made)
                told = [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls]
                turns.append(
                    Assistant(
                        message["content"] or "",
                        message.get("reasoning_content", ""),
                        tuple(Call(name, arguments) for name, arguments in told),
                    )
                )
            case "tool":
                results[message["tool_call_id"]] = message["content"]
                if len(results) == len(made):
                    turns.append(Results(tuple(results[id] for id in made)))
                    results.clear()
    assert not results
    return Talk(tuple(turns), system, tuple(map(_chat_tool, body.get("tools", ()))), _chat_schema(body))


def _chat_tool(tool: Any) -> Tool:
    function = tool["function"]
    return Tool(function["name"], function.get("description", ""), function["parameters"])


def _chat_schema(body: Any) -> dict[str, Any] | None:
    """Without the name that a client gave its format."""
    match body.get("response_format"):
        case None:
            return None
        case {"type": "json_object"}:
            return {"type": "object"}
        case {"json_schema": {"name": name, "schema": dict(schema)}}:
            assert name in ("told", "answer")
            return {word: value for word, value in schema.items() if word != "title"}
        case odd:
            raise AssertionError(odd)


def _chat_usage(answer: Answer) -> dict[str, Any]:
    return {
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        "total_tokens": answer.prompt_tokens + answer.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": answer.cached},
        "completion_tokens_details": {"reasoning_tokens": answer.reasoning},
    }


def _chat_call(index: int, id: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    opening = {"id": id, "type": "function"} if id else {}
    return {"index": index, **opening, "function": {**({"name": name} if name else {}), "arguments": arguments}}


def _chat_streamed(answer: Answer, ids: tuple[str, ...], cut: Cutter) -> bytes:
    """Pieces of parallel calls come mixed."""
    deltas: list[Any] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in cut(answer.thought)]
    deltas += [{"content": piece} for piece in cut(answer.text)]
    queues = []
    for index, (id, call) in enumerate(zip(ids, answer.calls, strict=True)):
        first, *rest = ["", *cut(json.dumps(call.arguments, ensure_ascii=index % 2 == 0))]
        queues.append(
            [_chat_call(index, id, call.name, first), *(_chat_call(index, None, None, piece) for piece in rest)]
        )
    while any(queues):
        deltas += [{"tool_calls": [queue.pop(0)]} for queue in queues if queue]
    chunks = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": answer.reason}]})
    return b"".join(frames(*chunks, {"choices": [], "usage": _chat_usage(answer)}))


def _chat_whole(answer: Answer, ids: tuple[str, ...]) -> bytes:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if answer.thought:
        message["reasoning_content"] = answer.thought
    if answer.calls:
        message["tool_calls"] = [
            {"id": id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
            for id, call in zip(ids, answer.calls, strict=True)
        ]
    choice = {"index": 0, "message": message, "finish_reason": answer.reason}
    return json.dumps({"choices": [choice], "usage": _chat_usage(answer)}).encode()


def _chat_heard(pieces: Iterable[bytes]) -> list[Delta]:
    reader = AnswerReader(Hearing("work", "0" * 16))
    deltas = [delta for piece in pieces for delta in reader.feed(piece)]
    return [*deltas, *reader.end(said_events=True)]


# ---- Anthropic Messages ---------------------------------------------------------------------------------------------


def _anthropic_asked(body: Any) -> Talk:
    turns: list[Turn] = []
    made: list[str] = []
    for turn in body["messages"]:
        blocks = [_unmarked(block) for block in turn["content"]]
        assert blocks
        if turn["role"] == "assistant":
            assert not made, "results are missing"
            made, said = _anthropic_said(blocks)
            turns.append(said)
            continue
        results = [block for block in blocks if block["type"] == "tool_result"]
        assert results == blocks[: len(results)], "results come first"
        assert [block["tool_use_id"] for block in results] == made
        if results:
            turns.append(Results(tuple(block.get("content", "") for block in results)))
        made = []
        if rest := blocks[len(results) :]:
            images = [block["source"] for block in rest if block["type"] == "image"]
            assert all((source["type"], source["media_type"]) == ("base64", "image/png") for source in images)
            text = "".join(block["text"] for block in rest if block["type"] == "text")
            turns.append(User(text, tuple(base64.b64decode(source["data"]) for source in images)))
    assert body["max_tokens"] > 0
    system = "".join(_unmarked(block)["text"] for block in body.get("system", ()))
    form = body.get("output_config", {}).get("format", {}).get("schema")
    schema = {name: value for name, value in form.items() if name != "title"} if form else form
    tools = tuple(
        Tool(tool["name"], tool.get("description", ""), tool["input_schema"])
        for tool in map(_unmarked, body.get("tools", ()))
    )
    return Talk(tuple(turns), system, tools, schema)


def _anthropic_said(blocks: list[Any]) -> tuple[list[str], Assistant]:
    calls = [block for block in blocks if block["type"] == "tool_use"]
    ids = [call["id"] for call in calls]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch("[A-Za-z0-9_-]+", id) for id in ids)
    thoughts = [block for block in blocks if block["type"] == "thinking"]
    assert all(block["signature"] == "" for block in thoughts)
    return ids, Assistant(
        "".join(block["text"] for block in blocks if block["type"] == "text"),
        "".join(block["thinking"] for block in thoughts),
        tuple(Call(call["name"], call["input"]) for call in calls),
    )


def _unmarked(block: Any) -> Any:
    return {name: value for name, value in block.items() if name != "cache_control"}


def _anthropic_takes(talk: Talk) -> Talk:
    """Words of blanks alone are left out where the turn says something else."""

    def turn(each: Turn) -> Turn:
        match each:
            case User(text=text, images=images) if images and not text.strip():
                return User("", images)
            case Assistant(text=text, thought=thought, calls=calls) if (thought or calls) and not text.strip():
                return Assistant("", thought, calls)
        return each

    return Talk(tuple(map(turn, talk.turns)), talk.system, talk.tools, talk.schema)


_ANTHROPIC_REASONS: Final = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}


def _anthropic_usage(answer: Answer) -> dict[str, Any]:
    return {
        "input_tokens": answer.prompt_tokens - answer.cached,
        "cache_read_input_tokens": answer.cached,
        "output_tokens": answer.completion_tokens,
        "output_tokens_details": {"thinking_tokens": answer.reasoning},
    }


def _anthropic_streamed(answer: Answer, ids: tuple[str, ...], cut: Cutter) -> bytes:
    """Blocks behind one another, and an event in between that nobody knows."""
    frames = [start(**(_anthropic_usage(answer) | {"output_tokens": 1})), event("ping"), event("tomorrows", words="x")]
    index = 0
    if answer.thought:
        pieces = ({"type": "thinking_delta", "thinking": piece} for piece in cut(answer.thought))
        frames += block(index, {"type": "thinking", "thinking": "", "signature": ""}, *pieces)
        index += 1
    if answer.text:
        frames += words(index, *cut(answer.text))
        index += 1
    for n, (id, call) in enumerate(zip(ids, answer.calls, strict=True), index):
        inputs = cut(json.dumps(call.arguments, ensure_ascii=n % 2 == 0)) if call.arguments else [""]
        opening = {"type": "tool_use", "id": id, "name": call.name, "input": {}}
        frames += block(n, opening, *({"type": "input_json_delta", "partial_json": piece} for piece in inputs))
    told = {name: value for name, value in _anthropic_usage(answer).items() if name.startswith("output")}
    return b"".join((*frames, *ending(_ANTHROPIC_REASONS[answer.reason], **told)))


def _anthropic_whole(answer: Answer, ids: tuple[str, ...]) -> bytes:
    content: list[dict[str, Any]] = []
    if answer.thought:
        content.append({"type": "thinking", "thinking": answer.thought, "signature": ""})
    if answer.text:
        content.append({"type": "text", "text": answer.text})
    content += [
        {"type": "tool_use", "id": id, "name": call.name, "input": call.arguments}
        for id, call in zip(ids, answer.calls, strict=True)
    ]
    told = anthropic_events.message(*content, reason=_ANTHROPIC_REASONS[answer.reason], **_anthropic_usage(answer))
    return json.dumps(told).encode()


def _anthropic_heard(pieces: Iterable[bytes]) -> list[Delta]:
    reader = AnswerReader(MessageHearing("work", "0" * 16))
    deltas = [delta for piece in pieces for delta in reader.feed(piece)]
    return [*deltas, *reader.end(said_events=True)]


DIALECTS: Final[dict[str, Dialect]] = {
    "openai-chat": Dialect(_chat_asked, _chat_streamed, _chat_whole, _chat_heard),
    "anthropic": Dialect(_anthropic_asked, _anthropic_streamed, _anthropic_whole, _anthropic_heard, _anthropic_takes),
}
"""One line for each protocol of `providers/registry.py`."""
