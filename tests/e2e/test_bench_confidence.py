"""`nearloop bench confidence`, with the real embedded model."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon.certifying.recording import rows
from daemon.cli.main import cli

pytestmark = pytest.mark.slow


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["bench", "confidence", *arguments])
    return result.exit_code, result.output + (str(result.exception) if result.exception else "")


@pytest.fixture
def home(tmp_path: Path, model_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "models").symlink_to(model_cache)
    monkeypatch.setenv("NEARLOOP_HOME", str(tmp_path))
    return tmp_path


def test_a_model_is_recorded_without_a_daemon(home: Path) -> None:
    """The command asks the default model, says how far it is, and goes on with the same file."""
    to = home / "new" / "rows.jsonl"

    code, said = run("record", "--to", str(to), "--own", "3")
    again = run("record", "--to", str(to), "--own", "4")

    assert code == 0, said
    assert said.splitlines() == ["0 of 3 questions", "3 of 3 questions"]
    assert again[1].splitlines() == ["3 of 4 questions", "4 of 4 questions"]
    assert len(list(rows([to]))) == 4


def test_an_unknown_model_is_refused(home: Path) -> None:
    """The message names those that there are."""
    code, said = run("record", "--to", str(home / "rows.jsonl"), "--model", "nobody")

    assert code != 0
    assert "smollm2-135m-instruct" in said
