"""Claude Code's logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from daemon.auditing.base import Answered, Forgotten, Given, Session
from daemon.auditing.log import Odd
from providers.prices import Tokens
from tests.fakes.agent_logs import claude_answer, claude_code, claude_line, claude_result, lines
from tests.fakes.audited import events, report, written

FILE = ".claude/projects/-work-project/a.jsonl"


def _told(home: Path, *records: Any) -> list[Any]:
    written(home, {FILE: lines(*records)})
    return events(home / FILE, "claude-code")[1:]


def test_a_turn(tmp_path: Path) -> None:
    """The user's words, an answer with its tokens, a tool's result, the next answer; all else is left aside."""
    home = written(tmp_path, claude_code("look, please", "it is there"))

    first, folder, *told = events(next(home.rglob("*.jsonl")), "claude-code")
    assert (first, folder) == (Session(fresh=True), Session(project="/srv/project"))
    asked, call, result, answer = told
    assert isinstance(asked, Given)
    assert (asked.texts, asked.by_user, asked.id) == (("look, please",), True, "u1")
    assert isinstance(call, Answered)
    assert (call.model, call.tokens, call.id) == ("claude-opus-4-8", Tokens(1200, 800, 300, 0, 42), "msg_1 req_1")
    assert isinstance(result, Given)
    assert (result.texts, result.by_user) == (("it is there",), False)
    assert isinstance(answer, Answered)


def test_where_it_keeps_them(tmp_path: Path) -> None:
    """Under the home folder, in XDG's, or where the user's variable says, agents' files of a session included."""
    files = claude_code("a", "b")
    (content,) = files.values()
    nested = {f"{root}/projects/p/s/subagents/agent-1.jsonl": content for root in (".claude", ".config/claude", "else")}
    home = written(tmp_path, {**files, **nested})

    assert report(home, formats=("claude-code",)).tools[0].files == 3
    told = report(home, formats=("claude-code",), environment={"CLAUDE_CONFIG_DIR": str(home / "else")})
    assert told.tools[0].files == 1


def test_who_speaks(tmp_path: Path) -> None:
    """What the program itself put in the user's place begins no turn, and went out all the same."""
    told = _told(
        tmp_path,
        claude_line("user", "real words", "u1"),
        claude_line("user", "Caveat: as below", "u2", isMeta=True),
        claude_line("user", "<command-name>/clear</command-name>", "u3"),
        claude_line("user", [{"type": "text", "text": "[Request interrupted by user]"}], "u4"),
        claude_line("user", "do this", "u5", isSidechain=True, agentId="a1"),
        {"type": "attachment", "uuid": "u6", "attachment": {"type": "file", "content": {"file": {"content": "text"}}}},
    )

    given = [event for event in told if isinstance(event, Given)]
    assert [event.by_user for event in given] == [True, False, False, False, False, False]
    assert given[4].thread == "agent a1"
    assert given[5].texts == ("file", "text")


def test_compaction(tmp_path: Path) -> None:
    """At its boundary and at its summary the context is empty."""
    told = _told(
        tmp_path,
        {"type": "system", "subtype": "compact_boundary"},
        claude_line("user", "This session is being continued", "u1", isCompactSummary=True),
    )

    assert [type(event) for event in told] == [Forgotten, Session, Forgotten, Given]


def test_answers_that_no_model_gave(tmp_path: Path) -> None:
    """Errors that the program writes as answers aren't requests."""
    line = claude_answer("1", [{"type": "text", "text": "API Error"}], "a1")
    line["message"]["model"] = "<synthetic>"

    assert _told(tmp_path, line) == [Session(project="/srv/project")]


def test_blocks_of_one_answer(tmp_path: Path) -> None:
    """Lines with one id are one request, also with results between them, and the last usage counts."""
    home = written(
        tmp_path,
        {
            FILE: lines(
                claude_line("user", "two things", "u1"),
                claude_answer("1", [{"type": "text", "text": "ok"}], "a1", written=1),
                claude_answer("1", [{"type": "tool_use", "id": "t1", "input": {}}], "a2", written=1),
                claude_result("one", "u2"),
                claude_answer("1", [{"type": "tool_use", "id": "t2", "input": {}}], "a3", written=99),
                claude_result("two", "u3"),
                claude_answer("2", [{"type": "text", "text": "done"}], "a4", written=1),
            )
        },
    )

    (tool,) = report(home).tools
    assert (tool.turns, tool.requests, tool.answer_tokens) == (1, 2, 100)


def test_records_of_other_versions(tmp_path: Path) -> None:
    """Fields of another type make a record odd; fields and kinds that are new are left aside."""
    told = _told(
        tmp_path,
        {"type": 7},
        {"type": "hologram", "beam": [1]},
        claude_line("user", "words", "u1", isMeta=None, extra={"new": 1}),
        {"type": "user", "message": "words alone"},
    )

    assert [type(event) for event in told] == [Odd, Session, Given, Odd]


def test_long_cache_writes(tmp_path: Path) -> None:
    """Tokens that are stored for an hour are told from those for five minutes."""
    line = claude_answer("1", [], "a1")
    line["message"]["usage"]["cache_creation"] = {"ephemeral_1h_input_tokens": 200}

    (_, answer) = _told(tmp_path, line)
    assert answer.tokens == Tokens(1200, 800, 100, 200, 42)
