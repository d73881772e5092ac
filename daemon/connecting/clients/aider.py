"""Aider: `.aider.conf.yml` in the home folder, which makes Nearloop what it asks, and the window in its list of models."""

from __future__ import annotations

from daemon.connecting.base import Change, Client, Link, Machine, Plan


def _plan(machine: Machine, link: Link) -> Plan:
    about = {
        "max_tokens": link.output_tokens,
        "max_input_tokens": link.context_tokens,
        "max_output_tokens": link.output_tokens,
        "input_cost_per_token": 0,
        "output_cost_per_token": 0,
        "litellm_provider": "openai",
        "mode": "chat",
    }
    config = {"openai-api-base": link.v1, "openai-api-key": link.token, "model": f"openai/{link.model}"}
    metadata = {f"openai/{model}": about for model in link.models}
    return Plan(
        (
            Change(machine.home / ".aider.conf.yml", "yaml", config),
            Change(machine.home / ".aider.model.metadata.json", "json", metadata),
        ),
        then=(
            "Aider now asks Nearloop everywhere, but where a repository's own .aider.conf.yml or .env says otherwise.",
            "Costs are counted as none there: what the cloud costs is in Nearloop's records.",
        ),
    )


AIDER = Client("aider", "Aider", "config", _plan)
