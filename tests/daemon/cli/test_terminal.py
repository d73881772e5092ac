"""What a terminal is sent."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from daemon.cli.terminal import plain
from daemon.paths import Paths
from tests.fakes.running import running

CLI: Final = Path(__file__).resolve().parents[3] / "daemon" / "cli"
TITLE: Final = "\x1b]0;owned\x07"
"""Sets a terminal's title; the same way leads to its clipboard, and to what it types by itself."""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("Grüße 你好 مرحبا 👩‍👩‍👧", "Grüße 你好 مرحبا 👩‍👩‍👧"),
        ("a\r\nb", "a\nb"),
        ("good\rbad", r"good\rbad"),
        ("\x1b[8mhidden", r"\x1b[8mhidden"),
        ("\x9b2J\x07\x00\x7f\x08", r"\x9b2J\x07\x00\x7f\x08"),
        ("admin\u202egpj.exe\u2066", r"admin\u202egpj.exe\u2066"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_by_its_number(text: str, shown: str) -> None:
    """Words of all languages, tabs and ends of lines stay."""
    assert plain(text) == shown


def on_a_terminal(*words: str, home: Path, input: str = "") -> str:
    """What the command sends to a terminal, on both streams."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "daemon.cli.main", *words],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "NEARLOOP_HOME": str(home), "TERM": "xterm"},
    )
    os.close(theirs)
    said = b""
    try:
        while piece := os.read(ours, 4096):
            said += piece
    except OSError:  # the last one hung up
        pass
    os.close(ours)
    process.wait(timeout=60)
    return said.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such terminals")
def test_words_of_others_steer_no_terminal(tmp_path: Path, home: Path) -> None:
    """Not a model's answer, nor names in a recipe, in files and in arguments; in a pipe each byte is as it was."""
    recipe = tmp_path / f"r{TITLE}.yaml"
    recipe.write_text(f"routing:\n  decisions:\n    - name: {json.dumps(TITLE)}\n      wrong: 1\n")
    with running(home):
        told = {
            "answer": on_a_terminal("ask", f"say {TITLE}", home=home),
            "recipe": on_a_terminal("recipe", "check", str(recipe), home=home),
            "argument": on_a_terminal(f"no{TITLE}", home=home),
            "error": on_a_terminal("recipe", "fmt", str(tmp_path / f"no{TITLE}.dsl"), home=home),
        }
        piped = subprocess.run(
            [sys.executable, "-m", "daemon.cli.main", "ask", f"say {TITLE}"], capture_output=True, text=True, timeout=60
        )

    for name, said in told.items():
        assert TITLE not in said, name
        assert "\x07" not in said, name
        assert r"\x1b]0;owned\x07" in said, name
    assert "\x1b[" in told["answer"]  # the dim line below it is ours
    assert piped.stdout == f"say {TITLE}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such terminals")
def test_a_diff_is_in_our_colours_alone(tmp_path: Path, where: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands in another program's file is shown by its number between them."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".aider.conf.yml").write_text("# turned \u202eround\nmodel: x\n")

    said = on_a_terminal("connect", "aider", home=where.config.parent)

    assert r"\u202eround" in said
    assert "\u202e" not in said
    assert "\x1b[32m+" in said


def test_colours_go_by_this_door() -> None:
    """Whoever prints one past it would print the words beside it as they are."""
    for file in CLI.glob("*.py"):
        if file.name != "terminal.py":
            text = file.read_text()
            assert "secho(" not in text, file.name
            assert "click.style(" not in text, file.name
            assert text.count("\\x1b") == sum(line.count("\\x1b") for line in text.splitlines() if "steer(" in line), (
                file.name
            )
