"""Aider's histories."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from daemon.auditing.base import Answered, Given, Session
from providers.prices import Tokens
from tests.fakes.agent_logs import aider
from tests.fakes.audited import events, report, written

CHAT = "project/.aider.chat.history.md"


def _told(home: Path, text: str) -> list[Any]:
    written(home, {CHAT: text.encode()})
    return events(home / CHAT, "aider")[1:]


def test_a_turn(tmp_path: Path) -> None:
    """What the user said, on however many lines, and the request with model, tokens and cost."""
    home = written(tmp_path, aider("look,\nplease", "it is there"))

    session, asked, answer = events(home / CHAT, "aider")[1:]
    at = datetime(2026, 3, 1, 10).astimezone(UTC)  # Aider writes this machine's time
    assert session == Session(fresh=True, project=str(home / "project"))
    assert asked == Given(("look,\nplease",), at, by_user=True)
    assert answer == Answered(at, "openai/gpt-5", "openai", Tokens(read=2500, written=30), 0.0062)


def test_a_models_headings(tmp_path: Path) -> None:
    """Headings of four hashes in an answer are no words of the user."""
    told = _told(
        tmp_path, "# aider chat started at 2026-03-01 10:00:00\n\n#### why?  \n\n#### Because\n\n#### Of it\nyes\n"
    )

    assert [type(event) for event in told] == [Session, Given, Answered]
    assert told[1].texts == ("why?",)


def test_commands(tmp_path: Path) -> None:
    """Commands that stay here are no turns; those that carry words are."""
    told = _told(tmp_path, "#### /add notes  \n> Added notes  \n#### /ask why?  \n\nSo.\n\n#### /run make  \n")

    assert [event.texts for event in told if isinstance(event, Given)] == [("/ask why?",)]


def test_tokens_in_all_forms(tmp_path: Path) -> None:
    """With and without a cache and a cost."""
    told = _told(
        tmp_path,
        "> Tokens: 12k sent, 3.5k cache write, 1.2M cache hit, 987 received. Cost: $1,234.50 message, $2 session.  \n"
        "> Tokens: 1,500 sent, 2 received.  \n"
        "> Tokens: many sent, some received.  \n",
    )

    assert [(each.tokens, each.cost_usd) for each in told] == [
        (Tokens(12_000, 1_200_000, 3_500, 0, 987), 1234.5),
        (Tokens(1_500, written=2), None),
    ]


def test_what_was_sent_whole(tmp_path: Path) -> None:
    """Its third file has what was added to the chat, message by message, without the roles before each line."""
    home = written(tmp_path, aider("look", "line one\nline two"))

    told = events(home / "project/.aider.llm.history", "aider")
    texts = [event.texts[0] for event in told if isinstance(event, Given)]
    assert texts == ["Act as an expert.\n", "notes:\nline one\nline two\nlook\n"]
    assert not any(isinstance(event, Answered) for event in told)


def test_prompts(tmp_path: Path) -> None:
    """Each prompt of its second file, with all its lines."""
    told = events(written(tmp_path, aider("look,\nplease", "x")) / "project/.aider.input.history", "aider")

    assert [event.texts for event in told if isinstance(event, Given)] == [("look,\nplease\n",)]


def test_where_it_keeps_them(tmp_path: Path) -> None:
    """In the working tree that the user is in, in folders that other logs named, and some folders below the home folder."""
    home = tmp_path / "home"
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "tree" / ".git").mkdir(parents=True)
    (elsewhere / "tree" / "inner").mkdir()
    chat = aider("look", "x")[CHAT]
    written(
        home,
        {"a/b/.aider.chat.history.md": chat, "a/b/c/d/.aider.chat.history.md": chat, "a/node_modules/" + CHAT: chat},
    )
    written(elsewhere, {"tree/.aider.chat.history.md": chat})

    assert report(home, formats=("aider",)).tools[0].files == 1
    assert report(home, formats=("aider",), folder=elsewhere / "tree" / "inner").tools[0].files == 2
