"""Codex's logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from daemon.auditing.base import Answered, Forgotten, Given, Session
from daemon.auditing.log import Odd
from providers.prices import Tokens
from tests.fakes.agent_logs import ASKED, codex, codex_count, codex_item, codex_message, lines
from tests.fakes.audited import events, report, written

FILE = ".codex/sessions/2026/03/01/rollout-1.jsonl"


def _told(home: Path, *records: Any) -> list[Any]:
    written(home, {FILE: lines(*records)})
    return events(home / FILE, "codex")[1:]


def test_a_turn(tmp_path: Path) -> None:
    """Two requests, whatever else is repeated for the screen; their tokens and model are known."""
    home = written(tmp_path, codex("look, please", "it is there"))

    told = events(next(home.rglob("rollout-*.jsonl")), "codex")
    answers = [event for event in told if isinstance(event, Answered)]
    assert [(each.model, each.tokens) for each in answers] == [("gpt-5-codex", Tokens(1500, 500, 0, 0, 40))] * 2
    given = [event for event in told if isinstance(event, Given)]
    assert [each.by_user for each in given] == [False, False, True, False]
    assert (given[2].texts, given[3].texts) == (("look, please",), ("it is there",))
    assert Session(project="/srv/project", provider="openai") in told


def test_where_it_keeps_them(tmp_path: Path) -> None:
    """Under the home folder or where its variable says, put away or not, and the history of prompts."""
    files = codex("a", "b")
    (content,) = files.values()
    history = lines({"session_id": "s", "ts": 1_772_359_200, "text": "mail maria.keller@acme-gmbh.de"})
    home = written(
        tmp_path,
        {
            **files,
            ".codex/archived_sessions/rollout-2.jsonl": content,
            ".codex/history.jsonl": history,
            "else/sessions/rollout-3.jsonl": content,
        },
    )

    found = report(home, formats=("codex",))
    assert (found.tools[0].files, found.tools[0].turns, found.personal) == (3, 2, 1)
    assert report(home, formats=("codex",), environment={"CODEX_HOME": str(home / "else")}).tools[0].files == 1


def test_a_server_of_ones_own(tmp_path: Path) -> None:
    """What its open-source mode asked is not counted as sent."""
    files = codex("a", "mail maria.keller@acme-gmbh.de")
    ((name, content),) = files.items()
    home = written(tmp_path, {name: content.replace(b'"openai"', b'"ollama"')})

    found = report(home)
    assert (found.personal, found.requests, found.tools[0].local_requests) == (0, 0, 2)


def test_counts_that_come_again(tmp_path: Path) -> None:
    """A count with the same totals is no further request, and one without tokens is none."""
    empty = {"timestamp": ASKED, "type": "event_msg", "payload": {"type": "token_count", "info": None}}
    told = _told(tmp_path, codex_message("user", "a"), empty, codex_count(1), codex_count(1), codex_count(2))

    assert sum(isinstance(event, Answered) for event in told) == 2


def test_sessions_without_counts(tmp_path: Path) -> None:
    """Each answer and each call is a request, before what came of it."""
    told = _told(
        tmp_path,
        codex_message("user", "a"),
        codex_item(type="function_call", name="shell", arguments="{}", call_id="c"),
        codex_item(type="function_call_output", call_id="c", output={"content": "r"}),
        codex_message("assistant", "b"),
        codex_message("user", "c"),
        codex_message("assistant", "d"),
    )

    assert [type(event) for event in told] == [Given, Given, Answered, Answered, Given, Answered]


def test_the_oldest_form(tmp_path: Path) -> None:
    """Payloads alone, as until 2025: words, calls and results are found."""
    told = _told(
        tmp_path,
        {"id": "s", "timestamp": ASKED, "instructions": "Be brief."},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": '{"output": "r"}'},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "b"}]},
    )

    assert [type(event) for event in told] == [Given, Given, Answered, Given, Answered]
    assert (told[0].texts, told[1].by_user, told[3].texts) == (("Be brief.",), True, ('{"output": "r"}',))


def test_compaction(tmp_path: Path) -> None:
    """The context is empty but for the summary."""
    told = _told(tmp_path, {"timestamp": ASKED, "type": "compacted", "payload": {"message": "so far"}})

    assert [type(event) for event in told] == [Forgotten, Given]
    assert told[1].texts == ("so far",)


def test_records_of_other_versions(tmp_path: Path) -> None:
    """Payloads of another type are odd; kinds that are new are left aside."""
    told = _told(
        tmp_path,
        {"timestamp": ASKED, "type": "world_state", "payload": {"full": True}},
        {"timestamp": ASKED, "type": "response_item", "payload": 7},
        {"timestamp": ASKED, "type": "session_meta", "payload": {"cwd": 7}},
        {"timestamp": ASKED, "type": "turn_context", "payload": []},
        {"timestamp": ASKED, "type": "event_msg", "payload": "x"},
        codex_item(type="hologram", beam=1),
        [1],
    )

    assert told == [Odd()] * 5
