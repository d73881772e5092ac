"""Gemini behind the daemon: its signatures come back to the byte, in the very part that they came in, whoever asked."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.upstream import Answer, Received, Upstream, as_json, frames, serving

pytestmark = pytest.mark.slow

VALUE: Final = "ada.byron@analytical-engines.net"
ASKED: Final = f"Write to {VALUE}"
KEY: Final = "AIza-" + "test-0815"
SETTINGS: Final = """
[providers.google]
wire = "gemini"
base_url = "{url}beta"
models = ["gemini-3-pro"]
key = "env:NEARLOOP_TEST_KEY"
[signals]
deadline_s = 60.0
"""
_MAIL: Final = re.compile(r"[\w.+-]+@[\w.-]+\w")
PARAMETERS: Final = {"type": "object", "properties": {"to": {"type": "string"}}}


def signature(value: Any) -> str:
    """Of what a part holds beside it."""
    told = json.dumps(value, sort_keys=True).encode()
    return "Ab+/" + hmac.new(b"google's own", told, hashlib.sha256).hexdigest() + "=="


class Signing(Upstream):
    """Writes to whoever is named by two calls, of which it signs the first, and then says that it did, signed. It refuses what
    comes back unsigned, signed otherwise or elsewhere. signed: how many signatures came back, by request.
    """

    def __init__(self) -> None:
        super().__init__()
        self.signed: list[int] = []

    def choose(self, request: Received) -> Answer:
        contents = request.json["contents"]
        parts = [part for content in contents if content["role"] == "model" for part in content["parts"]]
        signed = [part for part in parts if "thoughtSignature" in part]
        self.signed.append(len(signed))
        for part in signed:
            if part["thoughtSignature"] != signature(_beside(part)):
                return as_json({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "corrupted"}}, 400)
        calls = [part for part in parts if "functionCall" in part]
        if calls and "thoughtSignature" not in calls[0]:
            return as_json({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "missing"}}, 400)
        if not calls:
            to = _MAIL.findall(json.dumps(contents))[-1]
            made = [{"functionCall": {"id": f"fc{n}", "name": "mail", "args": {"to": to}}} for n in (1, 2)]
            return self._told(request, {"text": "hm", "thought": True}, _signed(made[0]), made[1])
        return self._told(request, {"text": "I wrote. "}, _signed({"text": "Both of them."}))

    def _told(self, request: Received, *parts: Any) -> Answer:
        usage = {"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4, "thoughtsTokenCount": 5}}
        if ":generateContent" in request.path:
            candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": "STOP"}
            return as_json({"candidates": [candidate], **usage})
        told: list[Any] = [{"candidates": [{"content": {"role": "model", "parts": [part]}}]} for part in parts]
        told[-1]["candidates"][0]["finishReason"] = "STOP"
        return Answer(frames(*told[:-1], {**told[-1], **usage}, done=False))


def _beside(part: dict[str, Any]) -> Any:
    return {name: value for name, value in part.items() if name != "thoughtSignature"}


def _signed(part: dict[str, Any]) -> dict[str, Any]:
    return {**part, "thoughtSignature": signature(part)}


@asynccontextmanager
async def google(folder: Path) -> AsyncIterator[tuple[Signing, httpx.AsyncClient]]:
    async with serving(Signing()) as served:
        settings = SCRIPTED.format(options="") + SETTINGS.format(url=served.url)
        daemon = await asyncio.to_thread(RunningDaemon, folder / "home", settings, {"NEARLOOP_TEST_KEY": KEY})
        try:
            await asyncio.to_thread(daemon.wait_ready)
            with daemon.client() as control:
                token = (await asyncio.to_thread(control.add_client, "tests", None)).token
            headers = {"authorization": f"Bearer {token}"}
            async with httpx.AsyncClient(base_url=daemon.url, headers=headers, trust_env=False, timeout=60) as client:
                yield served, client
        finally:
            await asyncio.to_thread(daemon.stop)


def events(text: str) -> list[Any]:
    return [json.loads(line.removeprefix("data: ")) for line in text.split("\n") if line.startswith("data: {")]


# ---- clients: from an answer to what stands for it in the next turn, and the results of its calls


def anthropic(answer: str, stream: bool) -> tuple[list[Any], list[Any]]:
    blocks: list[dict[str, Any]] = [] if stream else json.loads(answer)["content"]
    for event in events(answer) if stream else ():
        if event["type"] == "content_block_start":
            blocks.append({**event["content_block"], "partial": ""})
        elif event["type"] == "content_block_delta":
            block, delta = blocks[event["index"]], dict(event["delta"])
            delta.pop("type")
            block["partial"] += delta.pop("partial_json", "")
            block.update({name: block.get(name, "") + piece for name, piece in delta.items()})
    for block in blocks:
        if partial := block.pop("partial", ""):
            block["input"] = json.loads(partial)
    results = [
        {"type": "tool_result", "tool_use_id": block["id"], "content": "sent"}
        for block in blocks
        if block["type"] == "tool_use"
    ]
    return [{"role": "assistant", "content": blocks}], [{"role": "user", "content": results}] if results else []


def responses(answer: str, stream: bool) -> tuple[list[Any], list[Any]]:
    output: list[Any] = (events(answer)[-1]["response"] if stream else json.loads(answer))["output"]
    calls = [item for item in output if item["type"] == "function_call"]
    return output, [{"type": "function_call_output", "call_id": call["call_id"], "output": "sent"} for call in calls]


def chat(answer: str, stream: bool) -> tuple[list[Any], list[Any]]:
    if not stream:
        message: dict[str, Any] = json.loads(answer)["choices"][0]["message"]
    else:
        message = {"role": "assistant", "content": "", "tool_calls": []}
        for event in events(answer):
            for choice in event["choices"]:
                message["content"] += choice["delta"].get("content") or ""
                for piece in choice["delta"].get("tool_calls", ()):
                    if piece["index"] == len(message["tool_calls"]):
                        message["tool_calls"].append(
                            {"id": piece["id"], "type": "function", "function": {**piece["function"]}}
                        )
                    else:
                        message["tool_calls"][piece["index"]]["function"]["arguments"] += piece["function"]["arguments"]
    calls = message.get("tool_calls") or []
    if not calls:
        message.pop("tool_calls", None)
    return [message], [{"role": "tool", "tool_call_id": call["id"], "content": "sent"} for call in calls]


TOOL: Final = {"name": "mail", "description": "Mails."}
CLIENTS: Final[dict[str, tuple[str, str, Callable[[str, bool], tuple[list[Any], list[Any]]], dict[str, Any]]]] = {
    "anthropic": (
        "/v1/messages",
        "messages",
        anthropic,
        {"max_tokens": 500, "tools": [{**TOOL, "input_schema": PARAMETERS}]},
    ),
    "responses": (
        "/v1/responses",
        "input",
        responses,
        {
            "store": False,
            "include": ["reasoning.encrypted_content"],
            "tools": [{"type": "function", **TOOL, "parameters": PARAMETERS}],
        },
    ),
    "chat": (
        "/v1/chat/completions",
        "messages",
        chat,
        {"tools": [{"type": "function", "function": {**TOOL, "parameters": PARAMETERS}}]},
    ),
}
CARRIES_WORDS: Final = frozenset({"anthropic", "responses"})
"""Whose clients carry signatures that stand on words; on calls they come back from all."""


async def test_conversations(tmp_path: Path) -> None:
    """Calls, their results, words and a further question: all that was signed comes back as it was, the address never leaves,
    and the key stands in a header alone.
    """
    async with google(tmp_path) as (served, client):
        for name, (path, field, read, more) in CLIENTS.items():
            for stream in (False, True):
                served.signed.clear()
                turns: list[Any] = [{"role": "user", "content": ASKED}]
                for number in range(3):
                    body = {"model": "google/gemini-3-pro", field: turns, "stream": stream, **more}
                    answer = await client.post(path, json=body)
                    assert answer.status_code == 200, (name, stream, number, answer.text)
                    said, results = read(answer.text, stream)
                    assert (VALUE in json.dumps(said)) is (number == 0)
                    turns += [*said, *(results or [{"role": "user", "content": "and?"}])]

                assert served.signed == [0, 1, 2 if name in CARRIES_WORDS else 1], (name, stream)
                last = served.requests[-1].json["contents"]
                assert [content["role"] for content in last] == ["user", "model", "user", "model", "user"]
                assert [part["functionResponse"]["id"] for part in last[2]["parts"]] == ["fc1", "fc2"]

        assert VALUE.encode() not in served.bytes
        assert all(request.headers["x-goog-api-key"] == KEY for request in served.requests)
        assert all(KEY not in request.path for request in served.requests)


async def test_a_call_that_another_model_made(tmp_path: Path) -> None:
    """It says that it has no signature, which is what their validator wants of it."""
    call = {"id": "x", "type": "function", "function": {"name": "mail", "arguments": "{}"}}
    turns = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "x", "content": "sent"},
    ]
    async with google(tmp_path) as (served, client):
        await client.post("/v1/chat/completions", json={"model": "google/gemini-3-pro", "messages": turns})

        (part,) = served.requests[0].json["contents"][1]["parts"]
        assert part["thoughtSignature"] == "skip_thought_signature_validator"
