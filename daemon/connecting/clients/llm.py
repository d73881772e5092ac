"""llm, the command-line tool: models in `extra-openai-models.yaml`, the token among its `keys.json`."""

from __future__ import annotations

from daemon.connecting.base import Change, Client, Link, Machine, Plan


def _plan(machine: Machine, link: Link) -> Plan:
    folder = machine.told("LLM_USER_PATH") or machine.support / "io.datasette.llm"
    models = [
        {
            "model_id": f"nearloop/{model}",
            "model_name": model,
            "api_base": link.v1,
            "api_key_name": "nearloop",
            "supports_tools": True,
            "supports_schema": True,
        }
        for model in link.models
    ]
    return Plan(
        (
            Change(folder / "extra-openai-models.yaml", "yaml", models),
            Change(folder / "keys.json", "json", {"nearloop": link.token}),
        ),
        then=(f"`llm -m nearloop/{link.model} 'Say hello.'`, or `llm models default nearloop/{link.model}` for good.",),
    )


LLM = Client("llm", "llm", "config", _plan)
