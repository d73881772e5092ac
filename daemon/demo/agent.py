"""A coding agent that does what the model says, with four tools that reach no further than its folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from daemon.client import Client

TESTS_S: Final = 60.0
_ROLE: Final = "You are a coding agent. Work in the folder by your tools."
_TEXT: Final = {"type": "string"}


def _tool(name: str, description: str, *parameters: str) -> dict[str, Any]:
    shape = {"type": "object", "properties": dict.fromkeys(parameters, _TEXT), "required": list(parameters)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": shape}}


TOOLS: Final = (
    _tool("read_file", "Read a file of the folder.", "path"),
    _tool("edit_file", "Replace a piece of a file.", "path", "old", "new"),
    _tool("run_tests", "Run the folder's tests."),
    _tool("http_post", "Send a body to a URL.", "url", "body"),
)


class Call(Struct, frozen=True):
    """A call of a tool as the agent got it, and what came of it."""

    tool: str
    arguments: dict[str, str]
    result: str


class Turn(Struct, frozen=True):
    """An answer. words, calls: as the agent got them. record: its id, for `nearloop why`."""

    words: str
    calls: tuple[Call, ...]
    record: str


class Agent:
    """One session. outbox: what `http_post` would have sent, since it has no network here. tests: how the last run ended."""

    def __init__(self, client: Client, token: str, folder: Path, model: str = "auto") -> None:
        self._client = client
        self._token = token
        self._folder = folder.resolve()
        self._model = model
        self.messages: list[dict[str, Any]] = [{"role": "system", "content": _ROLE}]
        self.outbox: list[str] = []
        self.tests: bool | None = None
        self._runs: dict[str, Callable[..., str]] = {
            "read_file": self._read,
            "edit_file": self._edit,
            "run_tests": self._test,
            "http_post": self._post,
        }

    def say(self, words: str) -> None:
        """The user's words, for the next turn."""
        self.messages.append({"role": "user", "content": words})

    def turn(self) -> Turn:
        """Ask, and do what the answer calls for. Raises what the daemon refuses."""
        body = {"model": self._model, "messages": self.messages, "tools": TOOLS, "stream": True}
        answer = self._client.chat(body, self._token)
        message = folded(answer.body)
        self.messages.append(message)
        calls = []
        for asked in message.get("tool_calls", ()):
            call = self._run(asked["function"]["name"], json.loads(asked["function"]["arguments"] or "{}"))
            calls.append(call)
            self.messages.append({"role": "tool", "tool_call_id": asked["id"], "content": call.result})
        return Turn(message["content"], tuple(calls), answer.headers["x-nearloop-record"])

    def aside(self, words: str, model: str, max_tokens: int = 60) -> Turn:
        """A question beside the session, such as agents ask for a title. Raises what the daemon refuses."""
        question = [{"role": "user", "content": words}]
        body = {"model": model, "messages": question, "stream": True, "max_tokens": max_tokens, "temperature": 0}
        answer = self._client.chat(body, self._token)
        return Turn(folded(answer.body)["content"], (), answer.headers["x-nearloop-record"])

    def _run(self, tool: str, arguments: dict[str, str]) -> Call:
        run = self._runs.get(tool)
        if run is None:
            return Call(tool, arguments, "there is no such tool")
        try:
            return Call(tool, arguments, run(**arguments))
        except (OSError, TypeError, ValueError) as error:
            return Call(tool, arguments, f"failed: {error}")

    def _inside(self, path: str) -> Path:
        found = (self._folder / path).resolve()
        if not found.is_relative_to(self._folder):
            raise ValueError("it lies outside of the folder")
        return found

    def _read(self, path: str) -> str:
        return f"{path}:\n{self._inside(path).read_text(encoding='utf-8')}"

    def _edit(self, path: str, old: str, new: str) -> str:
        file = self._inside(path)
        text = file.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise ValueError(f"what is to be replaced stands there {text.count(old)} times")
        file.write_text(text.replace(old, new), encoding="utf-8", newline="\n")
        return "done"

    def _test(self) -> str:
        done = subprocess.run(
            [sys.executable, "-B", "-m", "unittest", "-q"],
            cwd=self._folder,
            env={name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NEARLOOP"))},
            capture_output=True,
            text=True,
            timeout=TESTS_S,
        )
        self.tests = done.returncode == 0
        return done.stderr.strip()

    def _post(self, url: str, body: str) -> str:
        self.outbox.append(f"POST {url}\n{body}")
        return "queued"


def folded(stream: bytes) -> dict[str, Any]:
    """The message that the events of a stream make together."""
    words: list[str] = []
    calls: dict[int, dict[str, Any]] = {}
    for line in stream.decode().splitlines():
        if not line.startswith("data: ") or line == "data: [DONE]":
            continue
        for choice in json.loads(line.removeprefix("data: ")).get("choices", ()):
            delta = choice["delta"]
            words.append(delta.get("content") or "")
            for piece in delta.get("tool_calls") or ():
                known = calls.setdefault(
                    piece["index"], {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
                )
                known["id"] += piece.get("id") or ""
                for name, text in piece.get("function", {}).items():
                    known["function"][name] += text or ""
    message: dict[str, Any] = {"role": "assistant", "content": "".join(words)}
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return message
