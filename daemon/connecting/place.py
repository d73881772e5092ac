"""Where Nearloop answers, for a client's settings: at the port of the daemon that runs, else at the settings' one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec import Struct

from daemon.client import Client, NotRunning, discover
from daemon.connecting.base import CONTEXT_TOKENS, Link
from daemon.connecting.journal import Connection
from daemon.errors import NearloopError
from daemon.paths import Paths
from daemon.settings import SettingsFile

MODELS: Final = ("auto", "local")


class Told(Struct, frozen=True):
    """A link without its token, and what the user should know about it."""

    link: Link
    notes: tuple[str, ...]


def link(paths: Paths, models: tuple[str, ...], context: int | None, before: Connection | None = None) -> Told:
    """models, context: what the user asks for, else what the client was told before. Raises BadSettings."""
    models = models or (before.models if before else ()) or MODELS
    settled = SettingsFile(paths.settings).settings.server.port
    port, window = _running(paths)
    notes: list[str] = []
    if port is not None and port != settled:
        notes.append(
            f"The daemon listens on port {port} now, where the settings say {settled}: "
            "if it starts elsewhere next time, connect again, or set server.port."
        )
    context = context or window or (before.context_tokens if before else None)
    if context is None:
        notes.append(
            f"The model's window is not known yet, so {CONTEXT_TOKENS:,} tokens are told: --context says another, "
            "or connect again once the model was loaded."
        )
    root = f"http://127.0.0.1:{port or settled}"
    return Told(Link(root, "", Path(), models, context or CONTEXT_TOKENS), tuple(notes))


def _running(paths: Paths) -> tuple[int | None, int | None]:
    """The port of a daemon that answers, and its default model's window if that was loaded."""
    try:
        port = discover(paths).port
        with Client(paths) as daemon:
            models = daemon.models().models
    except NotRunning:
        return None, None
    except NearloopError:  # it is there and too busy to tell
        return port, None
    return port, models[0].context_tokens if models else None
