"""How each agent that calls tools is run headless, and what it calls the tools that every one of them has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct

from tests.fakes.player import Call

LLM_TOOLS: Final = """
def read(path: str) -> str:
    "Read a file."
    return open(path, encoding="utf-8").read()

def edit(path: str, old: str, new: str) -> str:
    "Replace text in a file."
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert old in text
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))
    return "edited"
"""


class Agent(Struct, frozen=True):
    """One of them. client: as `nearloop connect` knows it. program: below the folder of what is installed.

    words, again: how it is told to begin, and to go on with the same session; the request comes last. quiet: what its makers
    say keeps it from asking for anything but an answer. read, edit: calls of its tools. session: whether its requests name
    the session. mends: whether it asks again for an answer that broke off.
    """

    client: str
    program: str
    words: tuple[str, ...]
    again: tuple[str, ...]
    read: Callable[[Path], Call]
    edit: Callable[[Path, str, str], Call]
    quiet: dict[str, str] = {}
    session: bool = True
    mends: bool = True


def _patch(path: Path, old: str, new: str) -> Call:
    """As a model of OpenAI's writes it: the patch's lines are whole ones."""
    lines = ["*** Begin Patch", f"*** Update File: {path.name}", "@@", f"-{old}", f"+{new}", "*** End Patch"]
    return Call(
        "exec_command", {"cmd": "apply_patch <<'EOF'\n" + "\n".join(lines) + "\nEOF\n", "workdir": str(path.parent)}
    )


_CODEX: Final = (
    "--profile", "nearloop", "--dangerously-bypass-approvals-and-sandbox",
    "-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false",
)  # fmt: skip

AGENTS: Final[dict[str, Agent]] = {
    "codex": Agent(
        "codex",
        "node_modules/.bin/codex",
        ("exec", *_CODEX),
        ("exec", *_CODEX, "resume", "--last"),
        read=lambda path: Call("exec_command", {"cmd": f"cat {path.name}", "workdir": str(path.parent)}),
        edit=_patch,
    ),
    "opencode": Agent(
        "opencode",
        "node_modules/.bin/opencode",
        ("run", "-m", "nearloop/auto", "--auto"),
        ("run", "-m", "nearloop/auto", "--auto", "--continue"),
        read=lambda path: Call("read", {"filePath": str(path)}),
        edit=lambda path, old, new: Call("edit", {"filePath": str(path), "oldString": old, "newString": new}),
        quiet={"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
    ),
    "claude-code": Agent(
        "claude-code",
        "node_modules/.bin/claude",
        ("--permission-mode", "acceptEdits", "--print"),
        ("--permission-mode", "acceptEdits", "--continue", "--print"),
        read=lambda path: Call("Read", {"file_path": str(path)}),
        edit=lambda path, old, new: Call("Edit", {"file_path": str(path), "old_string": old, "new_string": new}),
    ),
    "llm": Agent(
        "llm",
        "llm/bin/llm",
        ("-m", "nearloop/auto", "--td", "--functions", LLM_TOOLS),
        ("--continue", "--functions", LLM_TOOLS),
        read=lambda path: Call("read", {"path": str(path)}),
        edit=lambda path, old, new: Call("edit", {"path": str(path), "old": old, "new": new}),
        session=False,
        mends=False,
    ),
}
