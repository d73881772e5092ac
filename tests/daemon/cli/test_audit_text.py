"""The report card on a terminal, and what it says of how it was reckoned."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from daemon.auditing.report import ClassCount, ProjectCount, Report, Skipped, ToolCount
from daemon.auditing.staying import Device
from daemon.cli.audit_text import show

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _shown(capsys: pytest.CaptureFixture[str], **more: object) -> str:
    told = {
        "complete": True,
        "deep": False,
        "first": AT,
        "last": AT,
        "classes": (ClassCount("secret", "GITHUB_TOKEN", 3, 40, {"codex": 3}, AT, AT),),
        "tools": (ToolCount("codex", "Codex", 2, 10, 4, 50, 5, 40, 1000, 100, 30, 1.5, 3, 0, 7),),
        "projects": tuple(ProjectCount(f"/srv/{n}", n, 0) for n in range(9, 0, -1)),
        "skipped": Skipped(1, 2, 3, 4),
        "device": Device(4096, 700.0, 30.0, 20.0),
        "prices_as_of": "2026-11-30",
    }
    show(Report(**{**told, **more}), ["Codex", "Aider"])  # type: ignore[arg-type]
    return " ".join(capsys.readouterr().out.replace("│", " ").split())


def test_how_it_was_reckoned(capsys: pytest.CaptureFixture[str]) -> None:
    """By what was measured here; what was left out is named; requests that stayed, and what nobody looked at."""
    told = _shown(capsys)

    assert "GitHub token 3 40 2026-03-01 2026-03-01 Codex 3" in told
    assert (
        "fits 4,096 tokens, and the speed measured here (reading 700, writing 30 tokens a second) answers within 20 s"
        in told
    )
    assert "40 % of 10 turns" in told
    assert "$1.50 for 30 requests; of 20 others the price is unknown" in told
    assert "5 requests went to a server of your own" in told
    assert "7 pictures and documents were sent as well, and not looked at" in told
    assert (
        "Left out: files that could not be opened (1), records that could not be read (2), last records without" in told
    )
    assert "--deep" in told


def test_only_the_first_projects(capsys: pytest.CaptureFixture[str]) -> None:
    """Those with most secrets, and how many more there are."""
    told = _shown(capsys)

    assert "/srv/9 9 0" in told
    assert "/srv/4 " not in told
    assert "and 4 more" in told
    assert "more" not in _shown(capsys, projects=())


def test_deep(capsys: pytest.CaptureFixture[str]) -> None:
    """What the trained models had a say in is said."""
    told = _shown(capsys, deep=True, skipped=Skipped())

    assert "asks for no code, mathematics or tool by the trained model" in told
    assert "--deep" not in told
    assert "Left out" not in told


def test_nothing_private(capsys: pytest.CaptureFixture[str]) -> None:
    """A clean record is told as that, and unknown money as unknown."""
    tools = (ToolCount("codex", "Codex", 1, 1, 0, 1),)
    told = _shown(capsys, classes=(), projects=(), tools=tools)

    assert "Nothing private was found in 1 request." in told
    assert "What it cost is unknown" in told


def test_no_logs(capsys: pytest.CaptureFixture[str]) -> None:
    """It names what was looked for."""
    assert _shown(capsys, tools=()) == "No logs were found of Codex, Aider. `--path` names a file or folder to read."
