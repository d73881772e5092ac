"""The user's own editor."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tui.editing import NoEditor, edited, editor


def writing(tmp_path: Path, code: str) -> str:
    """An editor that runs `code` over the file `path`."""
    script = tmp_path / "editor.py"
    script.write_text(f"import sys, os\nfrom pathlib import Path\npath = Path(sys.argv[-1])\n{code}\n")
    return f"{Path(sys.executable).as_posix()} {script.as_posix()}"


def test_what_was_written_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is the user's alone while it is there, has the suffix that editors colour by, and is gone afterwards."""
    seen = tmp_path / "seen"
    code = f"Path({str(seen)!r}).write_text(f'{{path}} {{path.parent.stat().st_mode & 0o77}}')\n"
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", writing(tmp_path, code + "path.write_text(path.read_text() + 'more\\n')"))

    assert edited("ä\n", ".dsl") == "ä\nmore\n"
    where, mode = seen.read_text().rsplit(" ", 1)
    assert where.endswith(".dsl")
    assert not Path(where).exists()
    assert sys.platform == "win32" or mode == "0"


def test_visual_goes_before_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    """As elsewhere; with its arguments."""
    monkeypatch.setenv("EDITOR", "nano")
    monkeypatch.setenv("VISUAL", "code --wait")

    assert editor() == ["code", "--wait"]


def test_an_editor_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that isn't there, one that gives up, and none at all are told of."""
    for command, told in (
        (str(tmp_path / "nowhere"), "can't be started"),
        (writing(tmp_path, "sys.exit(3)"), "status 3"),
    ):
        monkeypatch.setenv("VISUAL", command)
        with pytest.raises(NoEditor, match=told):
            edited("x", ".dsl")
    monkeypatch.delenv("VISUAL")
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoEditor, match="EDITOR"):
        editor()
