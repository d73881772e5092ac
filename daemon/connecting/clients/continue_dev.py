"""Continue, in VS Code and JetBrains IDEs: `~/.continue/config.yaml`, and its secrets in `.env` beside it."""

from __future__ import annotations

from typing import Any

from daemon.connecting.base import NAME, Change, Client, Link, Machine, Plan
from daemon.errors import Refused

_VARIABLE = "NEARLOOP_API_KEY"
_HEAD = {"name": "Local Config", "version": "0.0.1", "schema": "v1"}
"""What Continue wants a file to begin with."""


def _plan(machine: Machine, link: Link) -> Plan:
    folder = machine.told("CONTINUE_GLOBAL_DIR") or machine.home / ".continue"
    config = folder / "config.yaml"
    if not config.exists() and (folder / "config.json").exists():
        raise Refused(
            f"Continue reads {folder / 'config.json'} here, and would leave it aside for a config.yaml: "
            "turn it into a config.yaml first, as Continue's documentation says"
        )
    models = [
        {
            "name": f"{NAME} {model}",
            "provider": "openai",
            "model": model,
            "apiBase": link.v1,
            "apiKey": f"${{{{ secrets.{_VARIABLE} }}}}",
            "roles": ["chat", "edit", "apply"],
            "defaultCompletionOptions": {"contextLength": link.context_tokens, "maxTokens": link.output_tokens},
        }
        for model in link.models
    ]
    wanted: dict[str, Any] = {"models": models}
    if not config.exists() or not config.read_text(errors="replace").strip():
        wanted = {**_HEAD, **wanted}
    return Plan(
        (Change(config, "yaml", wanted), Change(folder / ".env", "env", {_VARIABLE: link.token})),
        then=(f"In Continue, choose {NAME} {link.model} in the list of models.",),
    )


CONTINUE = Client("continue", "Continue", "config", _plan)
