"""Codex: a provider in `config.toml` that reads our token file, and a profile of its own that uses it."""

from __future__ import annotations

from daemon.connecting.base import NAME, Change, Client, Link, Machine, Plan


def _plan(machine: Machine, link: Link) -> Plan:
    folder = machine.told("CODEX_HOME") or machine.home / ".codex"
    command, *arguments = machine.printing(link.token_file)
    provider = {
        "name": NAME,
        "base_url": link.v1,
        "wire_api": "responses",
        "supports_websockets": False,
        "auth": {"command": command, "args": arguments, "refresh_interval_ms": 0},
    }
    profile = {
        "model": link.model,
        "model_provider": "nearloop",
        "model_context_window": link.context_tokens,
        "web_search": "disabled",
    }
    return Plan(
        (
            Change(folder / "config.toml", "toml", {"model_providers": {"nearloop": provider}}),
            Change(folder / "nearloop.config.toml", "toml", profile),
        ),
        then=("`codex --profile nearloop` asks Nearloop; without it, Codex is as it was.",),
    )


CODEX = Client("codex", "Codex", "file", _plan)
