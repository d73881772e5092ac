"""Continue's sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from daemon.auditing.base import Answered, Given, Session
from daemon.auditing.log import Odd
from providers.prices import Tokens
from tests.fakes.agent_logs import continue_dev, lines
from tests.fakes.audited import events, report, written

FILE = ".continue/sessions/a.json"


def _told(home: Path, session: Any) -> list[Any]:
    written(home, {FILE: json.dumps(session).encode()})
    return events(home / FILE, "continue")


def test_a_turn(tmp_path: Path) -> None:
    """What a tool gave back stands with the call, and goes out with the request after it."""
    home = written(tmp_path, continue_dev("look, please", "it is there"))

    session, asked, call, result, answer = events(home / ".continue/sessions/01386c28.json", "continue")
    assert session == Session(fresh=True, project="/srv/project")
    assert isinstance(asked, Given)
    assert (asked.texts, asked.by_user) == (("look, please",), True)
    assert isinstance(call, Answered)
    assert (call.model, call.tokens) == ("gpt-5", Tokens(read=1500, written=30))
    assert isinstance(result, Given)
    assert "it is there" in result.texts
    assert isinstance(answer, Answered)


def test_what_plugins_write(tmp_path: Path) -> None:
    """Files that were put into the context, prompts that were kept, tokens by other names, folders as URLs."""
    told = _told(
        tmp_path,
        {
            "sessionId": "a",
            "workspaceDirectory": "file:///srv/project",
            "history": [
                {
                    "message": {"role": "user", "content": [{"type": "text", "text": "why?"}]},
                    "contextItems": [{"name": "a.py", "content": "code here", "id": {"providerTitle": "file"}}],
                },
                {
                    "message": {
                        "role": "assistant",
                        "content": "so",
                        "usage": {"promptTokens": 7, "completionTokens": 3},
                    },
                    "promptLogs": [{"modelProvider": "ollama", "prompt": "why? all of it", "completion": "so"}],
                },
            ],
        },
    )

    assert told[0] == Session(fresh=True, project="/srv/project")
    assert told[1].texts == ("why?", "a.py", "code here", "file")
    assert told[2] == Session(provider="ollama")
    assert told[3].texts == ("why? all of it",)
    assert told[4].tokens == Tokens(read=7, written=3)


def test_what_was_kept_for_development(tmp_path: Path) -> None:
    """Prompts count as sent, and not as turns."""
    kept = lines(
        {"timestamp": "2026-03-01T10:00:00Z", "prompt": "mail maria.keller@acme-gmbh.de", "modelProvider": "openai"}
    )
    home = written(tmp_path, {".continue/dev_data/0.2.0/chatInteraction.jsonl": kept})

    found = report(home)
    assert (found.personal, found.turns, found.tools[0].files) == (1, 0, 1)


def test_where_it_keeps_them(tmp_path: Path) -> None:
    """Under the home folder or where its variable says; the list of sessions is none."""
    files = {name.replace(".continue", "else"): content for name, content in continue_dev("a", "b").items()}
    home = written(tmp_path, {**continue_dev("a", "b"), **files})

    assert report(home, formats=("continue",)).tools[0].files == 1
    assert report(home, formats=("continue",), environment={"CONTINUE_GLOBAL_DIR": str(home / "else")}).turns == 1


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """One that was cut is torn, one of another shape odd, and so is each of its items that is."""
    content = next(iter(continue_dev("a", "b").values()))
    written(tmp_path, {FILE: content[: len(content) // 2]})
    assert events(tmp_path / FILE, "continue") == [Odd(torn=True)]

    assert _told(tmp_path, {"history": 7}) == [Odd()]
    told = _told(tmp_path, {"history": [7, {"message": {"role": "user", "content": "a"}}, {"message": {"role": 7}}]})
    assert [type(event) for event in told] == [Session, Odd, Given, Odd]
