"""The clients that can be connected."""

from __future__ import annotations

from typing import Final

from daemon.connecting.base import Client
from daemon.connecting.clients.aider import AIDER
from daemon.connecting.clients.avante import AVANTE
from daemon.connecting.clients.claude_code import CLAUDE_CODE
from daemon.connecting.clients.cline import CLINE
from daemon.connecting.clients.codecompanion import CODECOMPANION
from daemon.connecting.clients.codex import CODEX
from daemon.connecting.clients.continue_dev import CONTINUE
from daemon.connecting.clients.jetbrains import JETBRAINS
from daemon.connecting.clients.llm import LLM
from daemon.connecting.clients.opencode import OPENCODE
from daemon.connecting.clients.roo import ROO
from daemon.connecting.clients.vscode import VSCODE
from daemon.connecting.clients.zed import ZED

CLIENTS: Final[dict[str, Client]] = {
    client.name: client
    for client in (
        AIDER,
        AVANTE,
        CLAUDE_CODE,
        CLINE,
        CODECOMPANION,
        CODEX,
        CONTINUE,
        JETBRAINS,
        LLM,
        OPENCODE,
        ROO,
        VSCODE,
        ZED,
    )
}
