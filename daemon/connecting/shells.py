"""The variables that programs read who know no Nearloop, in the words of a shell."""

from __future__ import annotations

import shlex
from typing import Final

ANTHROPIC: Final = "ANTHROPIC_AUTH_TOKEN"


def variables(root: str, token: str) -> dict[str, str]:
    """Of OpenAI's SDKs (the older ones read API_BASE) and Anthropic's."""
    return {
        "OPENAI_BASE_URL": f"{root}/v1",
        "OPENAI_API_BASE": f"{root}/v1",
        "OPENAI_API_KEY": token,
        "ANTHROPIC_BASE_URL": root,
        ANTHROPIC: token,
    }


def usual_shell(system: str) -> str:
    """The one to take if none is asked for."""
    return "powershell" if system == "win32" else "sh"


def assignments(values: dict[str, str], shell: str) -> list[str]:
    """Lines for the shell to read."""
    match shell:
        case "fish":
            return [f"set -gx {name} {shlex.quote(value)}" for name, value in values.items()]
        case "powershell":
            return [f"$env:{name} = '{value}'" for name, value in values.items()]
        case "cmd":
            return [f"set {name}={value}" for name, value in values.items()]
        case _:
            return [f"export {name}={shlex.quote(value)}" for name, value in values.items()]
