"""The agent's tools, which reach no further than its folder, and its reading of streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from daemon.client import Chat, Client
from daemon.demo.agent import Agent, Call, folded


class Said:
    """A daemon's end that answers with these calls."""

    def __init__(self, *calls: tuple[str, Any]) -> None:
        pieces = [
            {"index": n, "id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
            for n, (name, given) in enumerate(calls)
        ]
        self._event = {"choices": [{"index": 0, "delta": {"content": "Ok.", "tool_calls": pieces}}]}
        self.asked: list[Any] = []

    def chat(self, body: Any, token: str) -> Chat:
        self.asked.append(body)
        return Chat(b"data: " + json.dumps(self._event).encode() + b"\n\ndata: [DONE]\n\n", {"x-nearloop-record": "r"})


def run(folder: Path, *calls: tuple[str, Any]) -> tuple[Agent, list[Call]]:
    agent = Agent(cast("Client", Said(*calls)), "token", folder)
    return agent, list(agent.turn().calls)


def test_files_are_read_and_edited(tmp_path: Path) -> None:
    """Results stand in the conversation, beside the calls that they are of."""
    (tmp_path / "a.txt").write_text("one two")
    agent, calls = run(
        tmp_path, ("read_file", {"path": "a.txt"}), ("edit_file", {"path": "a.txt", "old": "two", "new": "three"})
    )

    assert (tmp_path / "a.txt").read_text() == "one three"
    assert [call.result for call in calls] == ["a.txt:\none two", "done"]
    assert [each["tool_call_id"] for each in agent.messages if each["role"] == "tool"] == ["c0", "c1"]


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/hostname", "link/outside.txt"])
def test_nothing_outside_is_reached(tmp_path: Path, path: str) -> None:
    """Not by dots, an absolute path or a link."""
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "outside.txt").write_text("secret")
    (folder / "link").symlink_to(tmp_path)
    _, calls = run(folder, ("read_file", {"path": path}), ("edit_file", {"path": path, "old": "secret", "new": ""}))

    assert all("outside of the folder" in call.result for call in calls)
    assert (tmp_path / "outside.txt").read_text() == "secret"


def test_a_call_that_fails_is_told(tmp_path: Path) -> None:
    """To the model: a file that is not there, a piece that stands there twice, an argument or a tool that is none."""
    (tmp_path / "a.txt").write_text("x x")
    _, calls = run(
        tmp_path,
        ("read_file", {"path": "b.txt"}),
        ("edit_file", {"path": "a.txt", "old": "x", "new": "y"}),
        ("read_file", {"file": "a.txt"}),
        ("shell", {}),
    )

    assert [call.result.startswith("failed: ") for call in calls] == [True, True, True, False]
    assert "2 times" in calls[1].result
    assert calls[3].result == "there is no such tool"


@pytest.mark.parametrize(("holds", "passed"), [("1 == 1", True), ("1 == 2", False)])
def test_tests_are_really_run(tmp_path: Path, holds: str, passed: bool) -> None:
    """In the folder, and how they end is known."""
    (tmp_path / "test_a.py").write_text(
        f"import unittest\nclass A(unittest.TestCase):\n    def test_it(self):\n        self.assertTrue({holds})\n"
    )
    agent, (call,) = run(tmp_path, ("run_tests", {}))

    assert agent.tests is passed
    assert "Ran 1 test" in call.result


def test_nothing_is_posted(tmp_path: Path) -> None:
    """It is kept, to be looked at."""
    agent, (call,) = run(tmp_path, ("http_post", {"url": "https://a.example", "body": "k=v"}))

    assert agent.outbox == ["POST https://a.example\nk=v"]
    assert call.result == "queued"


def test_a_stream_is_folded() -> None:
    """Words and arguments in pieces; events without a choice say nothing."""
    function = {"name": "run", "arguments": '{"a"'}
    deltas = [
        {"content": "He"}, {"content": "llo", "tool_calls": [{"index": 0, "id": "c", "function": function}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]},
    ]  # fmt: skip
    events = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas] + [{"choices": [], "usage": {}}]
    stream = ": comment\n\n" + "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"

    message = folded(stream.encode())

    assert message["content"] == "Hello"
    assert message["tool_calls"] == [
        {"id": "c", "type": "function", "function": {"name": "run", "arguments": '{"a": 1}'}}
    ]
