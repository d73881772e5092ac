"""OpenCode: a provider in its global `opencode.json`, which refers to our token file."""

from __future__ import annotations

from daemon.connecting.base import NAME, Change, Client, Link, Machine, Plan, first_there


def _plan(machine: Machine, link: Link) -> Plan:
    folder = machine.config / "opencode"
    told = machine.told("OPENCODE_CONFIG")
    file = told or first_there(folder / "opencode.jsonc", folder / "opencode.json", folder / "config.json")
    if told is None and not file.exists():
        file = folder / "opencode.json"
    limit = {"context": link.context_tokens, "output": link.output_tokens}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": NAME,
        "options": {"baseURL": link.v1, "apiKey": f"{{file:{link.token_file.as_posix()}}}"},
        "models": {model: {"name": f"{NAME} {model}", "limit": limit} for model in link.models},
    }
    wanted = {"provider": {"nearloop": provider}}
    if not file.exists():
        wanted = {"$schema": "https://opencode.ai/config.json", **wanted}  # type: ignore[dict-item]
    return Plan(
        (Change(file, "json", wanted),),
        then=(f"`opencode -m nearloop/{link.model}`, or /models in it.",),
    )


OPENCODE = Client("opencode", "OpenCode", "file", _plan)
