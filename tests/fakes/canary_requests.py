"""Requests in every protocol's words, with a value in one of its fields."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any, Final

from msgspec import Struct

from tests.fakes.canary_values import CUT, KINDS, WRITINGS, Value, fits, value

CHAT, RESPONSES, COMPLETIONS, EMBEDDINGS = "/v1/chat/completions", "/v1/responses", "/v1/completions", "/v1/embeddings"
MESSAGES, OLLAMA, GENERATE = "/v1/messages", "/api/chat", "/api/generate"
_ASK: Final = "Please go on with this, and be brief."
_USES_PARTS: Final = frozenset({CHAT, RESPONSES, MESSAGES})


class Case(Struct, frozen=True):
    """One request, and what is planted in it."""

    path: str
    field: str
    writing: str
    value: Value
    body: dict[str, Any]
    headers: dict[str, str]


def cases(count: int, seed: int) -> Iterator[Case]:
    """So many, every kind, writing, protocol and field in turn at random; the same for the same seed."""
    dice = random.Random(seed)
    pairs = [(kind, writing) for kind in KINDS for writing in WRITINGS if fits(kind, writing)]
    for number in range(count):
        kind, writing = pairs[number % len(pairs)]
        path, field = dice.choice([(path, field) for path, fields in _FIELDS.items() for field in fields])
        yield _case(path, field, writing, value(kind, dice))


def _case(path: str, field: str, writing: str, planted: Value) -> Case:
    written = WRITINGS[writing](planted.text)
    one, _, other = planted.sentence(written).partition(CUT)
    if other and field not in _TEXTS:
        one, other = one + "\n" + other, ""
    body: dict[str, Any] = {"model": "cloud", "stream": True}
    headers: dict[str, str] = {}
    _FIELDS[path][field](body, headers, one, other, writing == "over two parts" and path in _USES_PARTS)
    return Case(path, field, writing, planted, body, headers)


_TEXTS: Final = frozenset({"user", "system", "developer", "earlier user", "assistant", "tool result"})
Plant = Callable[[dict[str, Any], dict[str, str], str, str, bool], None]


def _two(role: str, one: str, other: str, parts: bool, kind: str = "text") -> list[dict[str, Any]]:
    """Messages of one role that say one thing, and another one if there is one."""
    if not other:
        return [{"role": role, "content": one}]
    if parts:
        return [{"role": role, "content": [{"type": kind, "text": one}, {"type": kind, "text": other}]}]
    return [{"role": role, "content": one}, {"role": role, "content": other}]


def _user(text: str = _ASK) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text}]


# ---- OpenAI's Chat Completions, and Ollama's chat, which has its shape --------------------------------------------------


def _said(role: str) -> Plant:
    def plant(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
        said = _two(role, one, other, parts)
        body["messages"] = [*said, *(() if role == "user" else _user())]

    return plant


def _earlier(role: str) -> Plant:
    def plant(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
        body["messages"] = [*_user("Good morning"), *_two(role, one, other, parts), *_user()]

    return plant


def _chat_tool(arguments: Callable[[str], Any], result: Callable[[str], str], ollama: bool = False) -> Plant:
    def plant(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
        given = arguments(one)
        call: dict[str, Any] = {"function": {"name": "save", "arguments": given if ollama else json.dumps(given)}}
        answer = {"role": "tool", "content": result(one) + other}
        if not ollama:
            call |= {"id": "call", "type": "function"}
            answer["tool_call_id"] = "call"
        body["messages"] = [*_user(), {"role": "assistant", "content": "", "tool_calls": [call]}, answer]

    return plant


def _chat_schema(make: Callable[[str], dict[str, Any]]) -> Plant:
    def plant(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
        body["messages"] = _user()
        body["tools"] = [{"type": "function", "function": make(one)}]

    return plant


def _function(one: str) -> dict[str, Any]:
    return {"name": "save", "description": one, "parameters": {"type": "object", "properties": {}}}


def _described(one: str) -> dict[str, Any]:
    inside = {"note": {"type": "string", "description": one}}
    return {"name": "save", "description": "Save it", "parameters": {"type": "object", "properties": inside}}


def _choices(one: str) -> dict[str, Any]:
    inside = {"note": {"enum": ["none", one]}}
    return {"name": "save", "description": "Save it", "parameters": {"type": "object", "properties": inside}}


def _keyed(one: str) -> dict[str, Any]:
    return {"name": "save", "parameters": {"type": "object", "properties": {one: {"type": "string"}}}}


def _beside(make: Callable[[str], dict[str, Any]], base: Callable[[dict[str, Any]], None]) -> Plant:
    """Beside a harmless conversation."""

    def plant(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
        base(body)
        body |= make(one)

    return plant


def _header(name: str, base: Callable[[dict[str, Any]], None]) -> Plant:
    def plant(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
        base(body)
        headers[name] = "".join(letter if " " <= letter <= "~" else "?" for letter in one)

    return plant


def _chatting(body: dict[str, Any]) -> None:
    body["messages"] = _user()


def _prompting(body: dict[str, Any]) -> None:
    body["prompt"] = _ASK


def _inputting(body: dict[str, Any]) -> None:
    body["input"] = _ASK


def _limited(plant: Plant) -> Plant:
    """As Anthropic wants it."""

    def limited(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
        plant(body, headers, one, other, parts)
        body["max_tokens"] = 50

    return limited


def _of_user(name: str, one: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "name": one[:64], "content": _ASK}]}


def _file_name(one: str) -> dict[str, Any]:
    packed = "data:text/plain;base64,aGVsbG8="
    part = {"type": "file", "file": {"filename": one, "file_data": packed}}
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": _ASK}, part]}]}


# ---- Anthropic -----------------------------------------------------------------------------------------------------


def _claude_system(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
    body["system"] = [{"type": "text", "text": text} for text in (one, other) if text] if other else one
    body["messages"] = _user()


def _claude_tool(arguments: Callable[[str], Any], result: Callable[[str], Any]) -> Plant:
    def plant(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
        use = {"type": "tool_use", "id": "call", "name": "save", "input": arguments(one)}
        texts = [result(one), other]
        content = [{"type": "text", "text": text} for text in texts if text]
        answer = {"type": "tool_result", "tool_use_id": "call", "content": content}
        body["messages"] = [*_user(), {"role": "assistant", "content": [use]}, {"role": "user", "content": [answer]}]

    return plant


def _claude_schema(make: Callable[[str], dict[str, Any]]) -> Plant:
    def plant(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
        made = make(one)
        body["messages"] = _user()
        body["tools"] = [
            {"name": "save", "description": made.get("description", ""), "input_schema": made["parameters"]}
        ]

    return plant


# ---- Responses -----------------------------------------------------------------------------------------------------


def _item(role: str) -> Plant:
    def plant(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        said = _two(role, one, other, parts, kind)
        body["input"] = [*said, *(() if role == "user" else _user())]

    return plant


def _instructions(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
    body |= {"instructions": f"{one}\n{other}" if other else one, "input": _ASK}


def _responses_tool(arguments: Callable[[str], Any], result: Callable[[str], str]) -> Plant:
    def plant(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
        given = json.dumps(arguments(one))
        body["input"] = [
            *_user(),
            {"type": "function_call", "call_id": "call", "name": "save", "arguments": given},
            {"type": "function_call_output", "call_id": "call", "output": result(one) + other},
        ]

    return plant


def _responses_schema(make: Callable[[str], dict[str, Any]]) -> Plant:
    def plant(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
        body |= {"input": _ASK, "tools": [{"type": "function", **make(one)}]}

    return plant


# ---- prompts without messages ------------------------------------------------------------------------------------------


def _prompt(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
    body["prompt"] = f"{one}\n{other}" if other else one


def _embedded(body: dict[str, Any], headers: dict[str, str], one: str, other: str, parts: bool) -> None:
    del body["stream"]
    body["model"] = "local"  # nobody else makes vectors
    body["input"] = [one, other] if other else one


def _noted(one: str) -> dict[str, str]:
    return {"note": one}


def _as_key(one: str) -> dict[str, str]:
    return {one: "x"}


def _nothing(one: str) -> dict[str, str]:
    return {"note": "it"}


def _same(one: str) -> str:
    return one


def _done(one: str) -> str:
    return "done"


_SCHEMAS: Final = {
    "tool description": _function,
    "schema description": _described,
    "schema choice": _choices,
    "schema key": _keyed,
}
_HEADERS: Final = ("x-session-id", "user-agent", "x-nearloop-project", "x-request-id", "cookie")
_FIELDS: Final[dict[str, dict[str, Plant]]] = {
    CHAT: {
        "user": _said("user"),
        "system": _said("system"),
        "developer": _said("developer"),
        "earlier user": _earlier("user"),
        "assistant": _earlier("assistant"),
        "tool arguments": _chat_tool(_noted, _done),
        "JSON key": _chat_tool(_as_key, _done),
        "tool result": _chat_tool(_nothing, _same),
        **{name: _chat_schema(make) for name, make in _SCHEMAS.items()},
        "speaker": _beside(lambda one: _of_user("user", one), _chatting),
        "metadata": _beside(lambda one: {"metadata": {"ticket": one}}, _chatting),
        "user id": _beside(lambda one: {"user": one}, _chatting),
        "unknown field": _beside(lambda one: {"prediction": {"type": "content", "content": one}}, _chatting),
        "stop": _beside(lambda one: {"stop": ["END", one]}, _chatting),
        "file name": _beside(_file_name, _chatting),
        **{f"header {name}": _header(name, _chatting) for name in _HEADERS},
    },
    RESPONSES: {
        "user": _item("user"),
        "system": _item("system"),
        "developer": _instructions,
        "assistant": _item("assistant"),
        "tool arguments": _responses_tool(_noted, _done),
        "JSON key": _responses_tool(_as_key, _done),
        "tool result": _responses_tool(_nothing, _same),
        **{name: _responses_schema(make) for name, make in _SCHEMAS.items()},
        "metadata": _beside(lambda one: {"metadata": {"ticket": one[:500]}}, _inputting),
        "user id": _beside(lambda one: {"user": one}, _inputting),
    },
    COMPLETIONS: {
        "user": _prompt,
        "user id": _beside(lambda one: {"user": one}, _prompting),
        "stop": _beside(lambda one: {"stop": ["END", one]}, _prompting),
        "header user-agent": _header("user-agent", _prompting),
    },
    EMBEDDINGS: {"user": _embedded},
    MESSAGES: {
        "user": _limited(_said("user")),
        "system": _limited(_claude_system),
        "earlier user": _limited(_earlier("user")),
        "assistant": _limited(_earlier("assistant")),
        "tool arguments": _limited(_claude_tool(_noted, _done)),
        "JSON key": _limited(_claude_tool(_as_key, _done)),
        "tool result": _limited(_claude_tool(_nothing, _same)),
        **{name: _limited(_claude_schema(make)) for name, make in _SCHEMAS.items()},
        "metadata": _limited(_beside(lambda one: {"metadata": {"user_id": one}}, _chatting)),
        "stop": _limited(_beside(lambda one: {"stop_sequences": ["END", one]}, _chatting)),
    },
    OLLAMA: {
        "user": _said("user"),
        "system": _said("system"),
        "assistant": _earlier("assistant"),
        "tool arguments": _chat_tool(_noted, _done, ollama=True),
        "tool result": _chat_tool(_nothing, _same, ollama=True),
        **{name: _chat_schema(make) for name, make in _SCHEMAS.items()},
        "stop": _beside(lambda one: {"options": {"stop": ["END", one]}}, _chatting),
    },
    GENERATE: {
        "user": _prompt,
        "system": _beside(lambda one: {"system": one}, _prompting),
    },
}
