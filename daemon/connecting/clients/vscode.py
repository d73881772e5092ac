"""VS Code's chat with models of one's own: `chatLanguageModels.json` among the user's files."""

from __future__ import annotations

from daemon.connecting.base import NAME, Change, Client, Link, Machine, Plan


def _plan(machine: Machine, link: Link) -> Plan:
    models = [
        {
            "id": model,
            "name": f"{NAME} {model}",
            "url": f"{link.v1}/chat/completions",
            "toolCalling": True,
            "vision": False,
            "maxInputTokens": link.context_tokens - link.output_tokens,
            "maxOutputTokens": link.output_tokens,
        }
        for model in link.models
    ]
    group = {
        "name": NAME,
        "vendor": "customendpoint",
        "apiKey": link.token,
        "apiType": "chat-completions",
        "models": models,
    }
    return Plan(
        (Change(machine.support / "Code/User/chatLanguageModels.json", "json", [group]),),
        then=(
            "It takes VS Code 1.122 or later. In the chat, choose the model; if it isn't there yet, reload the window.",
            "The token stands in that file: it is yours alone if this command made it, else as readable as it was.",
        ),
    )


VSCODE = Client("vscode", "VS Code (Copilot chat)", "config", _plan)
