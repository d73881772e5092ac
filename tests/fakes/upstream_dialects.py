"""How a provider's server of each wire protocol understands what it is asked, and how it answers."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from providers.contract import Delta
from providers.families import gemini_answer, responses_answer
from providers.families.answer_bytes import AnswerReader
from providers.families.anthropic_answer import MessageHearing
from providers.families.ollama_answer import Lines
from providers.families.openai_answer import Hearing
from tests.fakes import anthropic_events
from tests.fakes.anthropic_events import block, ending, event, start, words
from tests.fakes.responses_events import events
from tests.fakes.talk import Answer, Assistant, Call, Results, Talk, Tool, Turn, User
from tests.fakes.upstream import frames

Cutter = Callable[[str], list[str]]
"""From a text to the pieces that it is said in."""


class Dialect(Struct, frozen=True):
    """One wire protocol's. asked: from the body of a request. streamed: the pieces of an answer's body; whole: all of it.

    ids: what the calls of an answer are called. hear: from pieces of a stream's body to deltas, as the provider reads them.
    takes: what of a conversation it can be told. known: what of an answer it can tell. events: whether a stream is one of server-sent events.
    """

    asked: Callable[[Any], Talk]
    streamed: Callable[[Answer, tuple[str, ...], Cutter], bytes]
    whole: Callable[[Answer, tuple[str, ...]], bytes]
    hear: Callable[[Iterable[bytes]], list[Delta]]
    takes: Callable[[Talk], Talk] = lambda talk: talk
    known: Callable[[Answer], Answer] = lambda answer: answer
    events: bool = True


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


# ---- Responses ------------------------------------------------------------------------------------------------------


def _responses_asked(body: Any) -> Talk:
    system, turns, results, made = "", list[Turn](), dict[str, str](), list[str]()
    assert body["store"] is False
    calls: list[Call] = []
    text, thought = "", ""

    def spoken() -> None:
        nonlocal text, thought
        if text or thought or calls:
            turns.append(Assistant(text, thought, tuple(calls)))
        text, thought = "", ""
        calls.clear()

    for item in body["input"]:
        kind = item.get("type", "message")
        if results and kind != "function_call_output":
            raise AssertionError("results are missing")
        match kind:
            case "message" if item["role"] == "assistant":
                if text:
                    spoken()
                text = item["content"]
            case "message" if item["role"] == "system":
                system += item["content"]
            case "message":
                spoken()
                content = item["content"]
                if isinstance(content, str):
                    content = [{"type": "input_text", "text": content}]
                said, *pictures = content
                images = [each["image_url"].removeprefix("data:image/png;base64,") for each in pictures]
                turns.append(User(said["text"], tuple(map(base64.b64decode, images))))
            case "reasoning":
                spoken()
                (said,) = item["content"]
                thought = said["text"]
            case "function_call":
                if not calls:
                    made.clear()
                made.append(item["call_id"])
                assert len(set(made)) == len(made)
                calls.append(Call(item["name"], json.loads(item["arguments"])))
            case "function_call_output":
                spoken()
                results[item["call_id"]] = item["output"]
                if len(results) == len(made):
                    turns.append(Results(tuple(results[id] for id in made)))
                    results.clear()
            case odd:
                raise AssertionError(odd)
    spoken()
    assert not results
    tools = tuple(Tool(tool["name"], tool.get("description", ""), tool["parameters"]) for tool in body.get("tools", ()))
    format = body.get("text", {}).get("format")
    return Talk(tuple(turns), system, tools, _chat_schema({"response_format": format and _layered(format)}))


def _layered(format: Any) -> Any:
    """As Chat Completions has it."""
    _, *rest = format.items()
    return {"type": format["type"], **({"json_schema": dict(rest)} if rest else {})}


def _responses_ended(answer: Answer, output: list[Any]) -> dict[str, Any]:
    whole = answer.reason in ("stop", "tool_calls")
    why = {"length": "max_output_tokens"}.get(answer.reason, answer.reason)
    return {
        "id": "resp_1",
        "object": "response",
        "status": "completed" if whole else "incomplete",
        "incomplete_details": None if whole else {"reason": why},
        "error": None,
        "output": output,
        "usage": {
            "input_tokens": answer.prompt_tokens,
            "input_tokens_details": {"cached_tokens": answer.cached},
            "output_tokens": answer.completion_tokens,
            "output_tokens_details": {"reasoning_tokens": answer.reasoning},
            "total_tokens": answer.prompt_tokens + answer.completion_tokens,
        },
    }


def _responses_items(answer: Answer, ids: tuple[str, ...]) -> list[Any]:
    items: list[Any] = []
    if answer.thought:
        said = [{"type": "reasoning_text", "text": answer.thought}]
        items.append({"type": "reasoning", "id": "rs_1", "summary": [], "content": said})
    if answer.text or not (answer.thought or answer.calls):
        part = {"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}
        items.append({"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [part]})
    for number, (id, call) in enumerate(zip(ids, answer.calls, strict=True)):
        arguments = json.dumps(call.arguments, ensure_ascii=number % 2 == 0)
        named = {"type": "function_call", "id": f"fc_{number}", "status": "completed", "call_id": id, "name": call.name}
        items.append({**named, "arguments": arguments})
    return items


def _responses_streamed(answer: Answer, ids: tuple[str, ...], cut: Cutter) -> bytes:
    """As OpenAI sends it: each piece of new, then all of it at each level. Pieces of parallel calls come mixed."""
    items = _responses_items(answer, ids)
    told: list[Any] = [
        {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}}
    ]
    queues: list[list[Any]] = []
    for place, item in enumerate(items):
        at = {"item_id": item["id"], "output_index": place}
        empty = {name: value for name, value in item.items() if name not in ("content", "arguments")}
        added = {
            "type": "response.output_item.added",
            "output_index": place,
            "item": {**empty, "status": "in_progress"},
        }
        done = {"type": "response.output_item.done", "output_index": place, "item": item}
        if item["type"] == "function_call":
            added["item"]["arguments"] = ""
            stem, words = "response.function_call_arguments", item["arguments"]
            all_of_it = {"type": f"{stem}.done", **at, "name": item["name"], "arguments": words}
        else:
            (part,) = item["content"]
            stem, words = f"response.{part['type']}", part["text"]
            at["content_index"] = 0
            all_of_it = {"type": f"{stem}.done", **at, "text": words}
        news = [{"type": f"{stem}.delta", **at, "delta": piece} for piece in cut(words)]
        if item["type"] == "function_call":
            queues.append([added, *news, all_of_it, done])
        else:
            told += [added, *news, all_of_it, done]
    while any(queues):
        told += [queue.pop(0) for queue in queues if queue]
    last = _responses_ended(answer, items)
    return b"".join(events(*told, {"type": f"response.{last['status']}", "response": last}))


def _responses_whole(answer: Answer, ids: tuple[str, ...]) -> bytes:
    return json.dumps(_responses_ended(answer, _responses_items(answer, ids))).encode()


def _responses_heard(pieces: Iterable[bytes]) -> list[Delta]:
    reader = AnswerReader(responses_answer.Hearing("work", "0" * 16))
    deltas = [delta for piece in pieces for delta in reader.feed(piece)]
    return [*deltas, *reader.end(said_events=True)]


# ---- Gemini ---------------------------------------------------------------------------------------------------------


def _gemini_asked(body: Any) -> Talk:
    assert body.keys() <= {"contents", "systemInstruction", "tools", "toolConfig", "generationConfig"}
    system = "".join(part["text"] for part in body.get("systemInstruction", {"parts": []})["parts"])
    turns, made = list[Turn](), list[Any]()
    for content in body["contents"]:
        parts = content["parts"]
        assert parts
        if content["role"] == "model":
            calls = [part["functionCall"] for part in parts if "functionCall" in part]
            assert len({call["id"] for call in calls}) == len(calls)
            made = [(call["id"], call["name"]) for call in calls]
            turns.append(
                Assistant(
                    "".join(part["text"] for part in parts if "text" in part and not part.get("thought")),
                    "".join(part["text"] for part in parts if part.get("thought")),
                    tuple(Call(call["name"], call["args"]) for call in calls),
                )
            )
        elif "functionResponse" in parts[0]:
            told = [part["functionResponse"] for part in parts]
            assert [(each["id"], each["name"]) for each in told] == made
            turns.append(Results(tuple(each["response"]["output"] for each in told)))
        else:
            images = [part["inlineData"] for part in parts if "inlineData" in part]
            assert all(image["mimeType"] == "image/png" for image in images)
            (text,) = (part["text"] for part in parts if "text" in part)
            turns.append(User(text, tuple(base64.b64decode(image["data"]) for image in images)))
    declared = [tool for each in body.get("tools", ()) for tool in each["functionDeclarations"]]
    tools = tuple(Tool(tool["name"], tool.get("description", ""), tool["parametersJsonSchema"]) for tool in declared)
    return Talk(tuple(turns), system, tools, _gemini_schema(body.get("generationConfig", {})))


def _gemini_schema(config: Any) -> dict[str, Any] | None:
    if config.get("responseMimeType") is None:
        return None
    schema = config.get("responseJsonSchema", {"type": "object"})
    return {word: value for word, value in schema.items() if word != "title"}


_GEMINI_REASONS: Final = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}


def _gemini_answer(answer: Answer, parts: list[Any], **more: Any) -> dict[str, Any]:
    usage = {
        "promptTokenCount": answer.prompt_tokens,
        "cachedContentTokenCount": answer.cached,
        "candidatesTokenCount": answer.completion_tokens - answer.reasoning,
        "thoughtsTokenCount": answer.reasoning,
    }
    candidate = {"content": {"parts": parts, "role": "model"}, "index": 0, **more}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "big"}


def _gemini_call(id: str, call: Call) -> dict[str, Any]:
    return {"functionCall": {"id": id, "name": call.name, "args": call.arguments}}


def _gemini_streamed(answer: Answer, ids: tuple[str, ...], cut: Cutter) -> bytes:
    parts = [{"text": piece, "thought": True} for piece in cut(answer.thought)]
    parts += [{"text": piece} for piece in cut(answer.text)]
    parts += [_gemini_call(id, call) for id, call in zip(ids, answer.calls, strict=True)]
    told = [_gemini_answer(answer, [part]) for part in parts]
    told.append(_gemini_answer(answer, [{"text": ""}], finishReason=_GEMINI_REASONS[answer.reason]))
    return b"".join(frames(*told, done=False))


def _gemini_whole(answer: Answer, ids: tuple[str, ...]) -> bytes:
    parts: list[Any] = [{"text": answer.thought, "thought": True}] if answer.thought else []
    parts += [{"text": answer.text}] if answer.text else []
    parts += [_gemini_call(id, call) for id, call in zip(ids, answer.calls, strict=True)]
    return json.dumps(_gemini_answer(answer, parts, finishReason=_GEMINI_REASONS[answer.reason])).encode()


def _gemini_heard(pieces: Iterable[bytes]) -> list[Delta]:
    reader = AnswerReader(gemini_answer.Hearing("work", "0" * 16))
    deltas = [delta for piece in pieces for delta in reader.feed(piece)]
    return [*deltas, *reader.end(said_events=True)]


# ---- Ollama ---------------------------------------------------------------------------------------------------------


def _ollama_asked(body: Any) -> Talk:
    system, turns, results, made = "", list[Turn](), list[str](), list[Any]()
    for message in body["messages"]:
        images = tuple(map(base64.b64decode, message.get("images", ())))
        match message["role"]:
            case "system":
                system += message["content"]
            case "user":
                turns.append(User(message["content"], images))
            case "assistant":
                calls = message.get("tool_calls", [])
                made = [(call["id"], call["function"]["name"]) for call in calls]
                told = tuple(Call(call["function"]["name"], call["function"]["arguments"]) for call in calls)
                turns.append(Assistant(message["content"], message.get("thinking", ""), told))
            case "tool":
                assert (message["tool_call_id"], message["tool_name"]) == made[len(results)]
                results.append(message["content"])
                if len(results) == len(made):
                    turns.append(Results(tuple(results)))
                    results.clear()
    assert not results
    schema = {"type": "object"} if body.get("format") == "json" else body.get("format")
    if schema is not None:
        schema = {word: value for word, value in schema.items() if word != "title"}
    return Talk(tuple(turns), system, tuple(map(_chat_tool, body.get("tools", ()))), schema)


def _ollama_line(done: Answer | None = None, **message: Any) -> dict[str, Any]:
    line: dict[str, Any] = {"model": "big", "created_at": "2026-11-30T00:00:00Z"}
    line["message"] = {"role": "assistant", "content": "", **message}
    if done is None:
        return {**line, "done": False}
    reason = "stop" if done.reason == "tool_calls" else done.reason
    counts = {"prompt_eval_count": done.prompt_tokens, "eval_count": done.completion_tokens, "total_duration": 1}
    return {**line, "done": True, "done_reason": reason, **counts}


def _ollama_call(index: int, id: str, call: Call) -> dict[str, Any]:
    return {"id": id, "function": {"index": index, "name": call.name, "arguments": call.arguments}}


def _ollama_streamed(answer: Answer, ids: tuple[str, ...], cut: Cutter) -> bytes:
    told = [_ollama_line(thinking=piece) for piece in cut(answer.thought)]
    told += [_ollama_line(content=piece) for piece in cut(answer.text)]
    for index, (id, call) in enumerate(zip(ids, answer.calls, strict=True)):
        told.append(_ollama_line(tool_calls=[_ollama_call(index, id, call)]))
    return b"".join(json.dumps(line).encode() + b"\n" for line in (*told, _ollama_line(answer)))


def _ollama_whole(answer: Answer, ids: tuple[str, ...]) -> bytes:
    said: dict[str, Any] = {"content": answer.text}
    if answer.thought:
        said["thinking"] = answer.thought
    if answer.calls:
        pairs = enumerate(zip(ids, answer.calls, strict=True))
        said["tool_calls"] = [_ollama_call(index, id, call) for index, (id, call) in pairs]
    return json.dumps(_ollama_line(answer, **said)).encode()


def _ollama_heard(pieces: Iterable[bytes]) -> list[Delta]:
    reader = Lines("work", "0" * 16)
    deltas = [delta for piece in pieces for delta in reader.feed(piece)]
    return [*deltas, *reader.end(said_events=False)]


def _without_details(answer: Answer) -> Answer:
    """Which tokens were cached or thought isn't counted."""
    return replace(answer, cached=0, reasoning=0)


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


_CHAT: Final = Dialect(_chat_asked, _chat_streamed, _chat_whole, _chat_heard)
DIALECTS: Final[dict[str, Dialect]] = {
    "openai-chat": _CHAT,
    "openai-responses": Dialect(_responses_asked, _responses_streamed, _responses_whole, _responses_heard),
    "anthropic": Dialect(
        _anthropic_asked, _anthropic_streamed, _anthropic_whole, _anthropic_heard, takes=_anthropic_takes
    ),
    "azure": _CHAT,
    "gemini": Dialect(_gemini_asked, _gemini_streamed, _gemini_whole, _gemini_heard),
    "ollama": Dialect(
        _ollama_asked, _ollama_streamed, _ollama_whole, _ollama_heard, known=_without_details, events=False
    ),
}
"""One line for each protocol of `providers/registry.py`."""
DIFFERENT: Final = {wire: dialect for wire, dialect in DIALECTS.items() if wire != "azure"}
"""Those whose words differ: Azure's are OpenAI's, under another header."""
