"""Claude Code: variables in `~/.claude/settings.json`, and a command that prints our token file."""

from __future__ import annotations

import shlex
import subprocess
from typing import Final

from daemon.connecting.base import Change, Client, Link, Machine, Plan
from daemon.errors import Refused

_OTHERS: Final = ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY")


def _plan(machine: Machine, link: Link) -> Plan:
    folder = machine.told("CLAUDE_CONFIG_DIR") or machine.home / ".claude"
    file = folder / "settings.json"
    if file.exists() and any(name in file.read_text(errors="replace") for name in _OTHERS):
        raise Refused(
            f"{file} sets {' or '.join(_OTHERS)}, which goes before Nearloop's token: take that out first, and keep it"
        )
    command = machine.printing(link.token_file)
    joined = subprocess.list2cmdline(command[2:]) if machine.system == "win32" else shlex.join(command)
    roles = ("OPUS", "SONNET", "HAIKU")
    environment = {
        "ANTHROPIC_BASE_URL": link.root,
        "ANTHROPIC_MODEL": link.model,
        **{f"ANTHROPIC_DEFAULT_{role}_MODEL": link.model for role in roles},
        "CLAUDE_CODE_SUBAGENT_MODEL": link.model,
        # of a model that it doesn't know it believes a window of a million, and never makes room
        "CLAUDE_CODE_MAX_CONTEXT_TOKENS": str(link.context_tokens),
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(link.output_tokens),
        "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",  # else each turn begins with other words, and has to be read anew
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    return Plan(
        (Change(file, "json", {"env": environment, "apiKeyHelper": joined}),),
        then=(
            "Claude Code now asks Nearloop wherever you start it; `nearloop connect claude-code --undo` takes that back.",
            "ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN in your shell would go before the token: unset them.",
            f"It wants a window of some 25,000 tokens at least; {link.model} is told as {link.context_tokens:,}.",
        ),
    )


CLAUDE_CODE = Client("claude-code", "Claude Code", "file", _plan)
