"""JetBrains AI Assistant, which keeps keys in the IDE's password safe."""

from __future__ import annotations

from daemon.connecting.base import Client, Link, Machine, Plan


def _plan(_machine: Machine, link: Link) -> Plan:
    return Plan(
        steps=(
            "Open Settings | Tools | AI Assistant | Providers & API keys (in older versions: Models & API Keys).",
            "Third-party AI providers: OpenAI-compatible",
            f"URL: {link.v1}",
            f"API Key: {link.token}",
            "Tool calling: on, if your model calls tools.",
            f"Test Connection, Apply; then choose {link.model} in AI Chat.",
        )
    )


JETBRAINS = Client("jetbrains", "JetBrains AI Assistant", "hand", _plan)
