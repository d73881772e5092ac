"""`nearloop bench leak`, as a user types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROWS = (
    {"text": "write to maria.keller@quarrymail.de", "class": "mail", "lang": "en", "values": [{"type": "email", "text": "maria.keller@quarrymail.de"}]},
    {"text": "how are you?", "class": "harmless"},
)  # fmt: skip


def nearloop(home: Path, *args: str, check: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "daemon.cli.main", *args],
        capture_output=True,
        text=True,
        timeout=110,
        env={**os.environ, "NEARLOOP_HOME": str(home)},
    )
    assert done.returncode == check, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return path


def test_a_file_of_ones_own(tmp_path: Path, rows: Path) -> None:
    """One row a class, a table by language, what it covers; no value, no daemon, nothing written."""
    said = nearloop(tmp_path / "home", "bench", "leak", str(rows))

    assert "mail" in said
    assert "harmless" in said
    assert "Not covered" in said
    assert "keller" not in said
    assert not (tmp_path / "home").exists() or not list((tmp_path / "home").rglob("*.db"))


def test_as_data(tmp_path: Path, rows: Path) -> None:
    """With the preset that was asked for, or the user's own."""
    strict = json.loads(nearloop(tmp_path, "bench", "leak", str(rows), "--policy", "strict", "--json"))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text('version = 1\n[policy]\nprivacy = "open"\n', encoding="utf-8")
    own = json.loads(nearloop(tmp_path, "bench", "leak", str(rows), "--json"))

    assert (strict["policy"], {line["name"]: line["sent"]["hits"] for line in strict["lines"]}) == (
        "strict",
        {"mail": 0, "harmless": 1},
    )
    assert (own["policy"], {line["name"]: line["exact"]["hits"] for line in own["lines"]}) == (
        "open",
        {"mail": 1, "harmless": 0},
    )


def test_a_wrong_file_is_told(tmp_path: Path) -> None:
    """With its line, and exit status 2."""
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text('{"txt": 1}', encoding="utf-8")

    assert "line 1 is no row" in nearloop(tmp_path, "bench", "leak", str(wrong), check=2)


def test_the_shipped_set_runs(tmp_path: Path) -> None:
    """So that a newcomer needs no data: some of it, with classes and languages."""
    said = nearloop(tmp_path, "bench", "leak", "--limit", "12")

    assert "texts that come with Nearloop" in said
    assert "national_id" in said
