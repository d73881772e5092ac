"""Where Nearloop answers, for a client's settings: at the port of the daemon that runs, else at the settings' one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from msgspec import Struct

from daemon.addresses import CONTAINER_NAMES, LOOPBACK, is_address, is_loopback
from daemon.addresses import url as own_url
from daemon.client import Client, NotRunning, discover
from daemon.connecting.base import CONTEXT_TOKENS, Link
from daemon.connecting.journal import Connection
from daemon.errors import BadRequest, NearloopError
from daemon.paths import Paths
from daemon.settings import Server, SettingsFile

_URL: Final = re.compile(r"(https?://[A-Za-z0-9._-]+(?::\d{1,5})?|https?://\[[0-9A-Fa-f:]+\](?::\d{1,5})?)(?:/v1)?/?")
MODELS: Final = ("auto", "local")


class Told(Struct, frozen=True):
    """A link without its token, and what the user should know about it."""

    link: Link
    notes: tuple[str, ...]


def link(
    paths: Paths,
    models: tuple[str, ...],
    context: int | None,
    before: Connection | None = None,
    url: str | None = None,
) -> Told:
    """models, context, url: what the user asks for, else what the client was told before, where that was this machine by
    another name. Raises BadSettings, BadRequest.
    """
    models = models or (before.models if before else ()) or MODELS
    server = SettingsFile(paths.settings).settings.server
    settled = server.port
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
    if url is None and before and not is_loopback(root_host(before.url)):
        url = before.url
    root = root_of(url) if url is not None else own_url(LOOPBACK, port or settled)
    if url is not None and (note := _unheard(paths, root_host(root), server)):
        notes.append(note)
    return Told(Link(root, "", Path(), models, context or CONTEXT_TOKENS), tuple(notes))


def root_of(url: str) -> str:
    """The address that a client is to be told, without what it adds by itself. Raises BadRequest."""
    found = _URL.fullmatch(url.strip())
    if not found:
        raise BadRequest("--url is where the client finds Nearloop, such as http://host.docker.internal:6327", "url")
    return found[1]


def root_host(root: str) -> str:
    """The name or address in a URL, as the guard knows it."""
    host = re.sub(r":\d*$", "", root.partition("://")[2]).lower()
    return LOOPBACK if host == "localhost" else host.removeprefix("[").removesuffix("]")


def _unheard(paths: Paths, host: str, server: Server) -> str | None:
    """What is missing for a daemon to be asked under that name, as far as it can be told."""
    if is_loopback(host) or host in server.hosts:
        return None
    try:
        exposed = discover(paths).exposed
    except NotRunning:
        exposed = server.addresses
    if not exposed:
        desktop = "Docker Desktop leads there by itself; elsewhere " if host in CONTAINER_NAMES else ""
        return (
            f"Nearloop listens on loopback alone. For {host} to lead to it, {desktop}forward the port, or start it with "
            "--host and --expose: docs/clients.md has both."
        )
    if host in (*CONTAINER_NAMES, *exposed) or (is_address(host) and {"0.0.0.0", "::"} & {*exposed}):
        return None
    return f"Nearloop does not know itself by the name {host}: add it to server.hosts in settings.toml."


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
