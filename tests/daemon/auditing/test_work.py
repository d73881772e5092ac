"""Which logs are read."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.fakes.agent_logs import MAKERS, aider, claude_code, codex, litellm
from tests.fakes.audited import report, written

MAIL = "write to maria.keller@acme-gmbh.de"


def test_each_file_once(tmp_path: Path) -> None:
    """One that is named twice, or has several names, is read once."""
    home = written(tmp_path, claude_code(MAIL, "x"))
    log = next(home.rglob("*.jsonl"))
    (home / "again.jsonl").hardlink_to(log)
    (home / "linked.jsonl").symlink_to(log)

    found = report(home, log, home, home / "again.jsonl", home / "linked.jsonl")
    assert [tool.files for tool in found.tools] == [1]


def test_a_folder_of_everything(tmp_path: Path) -> None:
    """Files are known by what stands in them, wherever they lie, and what is no log is left aside."""
    home = tmp_path / "copies"
    for maker in MAKERS.values():
        written(home, {name.replace("/", "-").lstrip("."): content for name, content in maker(MAIL, "x").items()})
    written(
        home,
        {"package.json": b'{"name": "x"}', "notes.md": b"# Notes\n", "data.jsonl": b'{"a": 1}\n', "empty.json": b""},
    )

    found = report(tmp_path, home)
    assert {tool.name: tool.turns for tool in found.tools} == dict.fromkeys(MAKERS, 1)


def test_only_some_tools(tmp_path: Path) -> None:
    """Others' logs are not opened."""
    home = written(tmp_path, {**claude_code(MAIL, "x"), **codex(MAIL, "x")})

    assert [tool.name for tool in report(home, formats=("codex",)).tools] == ["codex"]


def test_nothing_here(tmp_path: Path) -> None:
    """An empty home folder has an empty report."""
    found = report(tmp_path)

    assert (found.tools, found.classes, found.requests, found.first) == ((), (), 0, None)


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    """A pipe, a folder with a log's name, and a link to nowhere are counted and hold nobody up; the others are read."""
    home = written(tmp_path, claude_code(MAIL, "x"))
    folder = next(home.rglob("*.jsonl")).parent
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "gone.jsonl").symlink_to(home / "nowhere")
    (folder / "folder.jsonl").mkdir()
    (folder / "loop").symlink_to(folder)

    found = report(home)
    assert (found.skipped.files, found.tools[0].files, found.personal) == (2, 1, 1)


def test_old_files_are_not_read(tmp_path: Path) -> None:
    """One that was last written before the time that is asked for."""
    home = written(tmp_path, {**claude_code(MAIL, "x"), **codex(MAIL, "x")})
    old = next(home.rglob("rollout-*.jsonl"))
    now = datetime.now(UTC)
    past = (now - timedelta(days=400)).timestamp()
    os.utime(old, (past, past))

    found = report(home, since=datetime(2026, 1, 1, tzinfo=UTC))
    assert [tool.name for tool in found.tools] == ["claude-code"]


def test_projects_that_others_named(tmp_path: Path) -> None:
    """Aider's files lie in projects, which are known from logs of others."""
    project = tmp_path / "far" / "away" / "from" / "home" / "project"
    home = tmp_path / "home"
    ((name, content),) = claude_code(MAIL, "x").items()
    written(home, {name: content.replace(b"/srv/project", str(project).encode())})
    written(project.parent, aider(MAIL, "x"))

    assert [tool.name for tool in report(home).tools] == ["claude-code", "aider"]


def test_usual_places_are_left_alone_when_others_are_named(tmp_path: Path) -> None:
    """Who names a file is told of that file."""
    home = written(tmp_path, {**claude_code(MAIL, "x"), **litellm(MAIL, "x")})

    assert [tool.name for tool in report(home, home / "litellm.jsonl").tools] == ["litellm"]
