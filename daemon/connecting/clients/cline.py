"""Cline, whose settings and keys are in VS Code's own stores."""

from __future__ import annotations

from daemon.connecting.base import Client, Link, Machine, Plan


def _plan(_machine: Machine, link: Link) -> Plan:
    return Plan(
        steps=(
            "Open Cline's settings (the gear in its panel).",
            "API Provider: OpenAI Compatible",
            f"Base URL: {link.v1}",
            f"API Key: {link.token}",
            f"Model ID: {link.model}",
            f"Model Configuration: Context Window Size {link.context_tokens}, Max Output Tokens {link.output_tokens}",
        )
    )


CLINE = Client("cline", "Cline", "hand", _plan)
