"""Zed: `settings.json`, where a provider of OpenAI's kind is listed; its key is in the system's keychain."""

from __future__ import annotations

from daemon.connecting.base import NAME, Change, Client, Link, Machine, Plan


def _plan(machine: Machine, link: Link) -> Plan:
    folder = machine.roaming / "Zed" if machine.system == "win32" else machine.config / "zed"
    if machine.system == "darwin":
        folder = machine.home / ".config/zed"
    models = [
        {
            "name": model,
            "display_name": f"{NAME} {model}",
            "max_tokens": link.context_tokens,
            "max_output_tokens": link.output_tokens,
            "capabilities": {"tools": True, "images": False, "parallel_tool_calls": True, "prompt_cache_key": False},
        }
        for model in link.models
    ]
    provider = {"api_url": link.v1, "available_models": models}
    return Plan(
        (Change(folder / "settings.json", "json", {"language_models": {"openai_compatible": {NAME: provider}}}),),
        steps=(
            f"Open the agent's settings (`agent: open settings`), LLM Providers, {NAME}.",
            f"API key: {link.token}",
            "Zed keeps it in the system's keychain; the variable NEARLOOP_API_KEY would do as well.",
        ),
        then=(f"In Zed's agent panel, choose {NAME} {link.model}.",),
    )


ZED = Client("zed", "Zed", "hand", _plan)
