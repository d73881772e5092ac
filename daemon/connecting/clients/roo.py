"""Roo Code, whose settings and keys are in VS Code's own stores."""

from __future__ import annotations

from daemon.connecting.base import Client, Link, Machine, Plan


def _plan(_machine: Machine, link: Link) -> Plan:
    return Plan(
        steps=(
            "Open Roo Code's settings (the gear in its panel), and there Providers.",
            "API Provider: OpenAI Compatible",
            f"Base URL: {link.v1}",
            f"API Key: {link.token}",
            f"Model: {link.model}",
            f"Model Configuration: Context Window Size {link.context_tokens}, Max Output Tokens {link.output_tokens}",
        )
    )


ROO = Client("roo", "Roo Code", "hand", _plan)
