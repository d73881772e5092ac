"""LiteLLM's payloads and rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from daemon.auditing.base import Answered, Given, Session
from daemon.auditing.log import Odd
from providers.prices import Tokens
from tests.fakes.agent_logs import lines, litellm_row
from tests.fakes.audited import events, report, written

WORDS = "mail maria.keller@acme-gmbh.de"


def _told(home: Path, content: bytes) -> list[Any]:
    written(home, {"rows.jsonl": content})
    return events(home / "rows.jsonl", "litellm")


def test_a_request(tmp_path: Path) -> None:
    """All that its conversation held before, the user's last words, tokens and cost; the model's own words aren't given."""
    session, before, asked, answer = _told(tmp_path, lines(litellm_row("look, please", "it is there")))

    assert session == Session(fresh=True, provider="openai")
    assert before.texts == ("Be brief.", "notes:\nit is there")
    assert (asked.texts, asked.by_user) == (("look, please",), True)
    assert isinstance(answer, Answered)
    assert (answer.model, answer.tokens, answer.cost_usd) == ("gpt-5", Tokens(read=1500, written=30), 0.004)


def test_a_tools_result_begins_no_turn(tmp_path: Path) -> None:
    """A request whose last message is one goes on with a turn that began before."""
    row = litellm_row("a", "b")
    row["messages"].append({"role": "tool", "content": "c"})

    assert not any(isinstance(event, Given) and event.by_user for event in _told(tmp_path, lines(row)))


@pytest.mark.parametrize("indent", [None, 1])
def test_arrays_and_single_objects(tmp_path: Path, indent: int | None) -> None:
    """An export is an array, and a bucket holds single objects, on one line or several."""
    rows = [litellm_row("a", "b", id="1"), litellm_row("c", "d", id="2")]

    assert len(_told(tmp_path, json.dumps(rows, indent=indent).encode())) == 8
    assert len(_told(tmp_path, json.dumps(rows[0], indent=indent).encode())) == 4


def test_rows_of_spending(tmp_path: Path) -> None:
    """Money and tokens without words; words as text within, or in what the proxy was sent."""
    bare = {"request_id": "1", "call_type": "acompletion", "spend": 0.5, "prompt_tokens": 7, "completion_tokens": 2}
    bare |= {"model": "gpt-5", "startTime": "2026-03-01 10:00:00", "messages": {}, "custom_llm_provider": "openai"}
    body = {"messages": [{"role": "user", "content": WORDS}], "model": "gpt-5"}
    rows = [
        bare,
        {**bare, "request_id": "2", "messages": json.dumps(body["messages"])},
        {**bare, "request_id": "3", "proxy_server_request": json.dumps(body)},
        {**bare, "request_id": "4", "messages": WORDS},
    ]
    home = written(tmp_path, {"rows.jsonl": lines(*rows)})

    found = report(home, home / "rows.jsonl")
    assert (found.requests, found.exposed_requests, found.personal, found.cost_usd) == (4, 3, 1, 2.0)
    assert found.priced == 4


def test_rows_that_cannot_be_read(tmp_path: Path) -> None:
    """One of another shape is odd, an array without its end torn."""
    assert _told(tmp_path, lines(7, {"model": 7})) == [Odd(), Odd()]
    assert _told(tmp_path, b'[{"model": "gpt-5"}, {"mod') == [Odd(torn=True)]
    assert _told(tmp_path, b'{\n "model": "gp') == [Odd(torn=True)]
    assert _told(tmp_path, b'[7, {"model": "gpt-5", "messages": [1, null, "x"]}]')[0] == Odd()


def test_copies(tmp_path: Path) -> None:
    """One request in two files is one."""
    content = lines(litellm_row(WORDS, "b"))
    home = written(tmp_path, {"a.jsonl": content, "b.jsonl": content})

    found = report(home, home)
    assert (found.requests, found.turns, found.tools[0].files) == (1, 1, 2)
