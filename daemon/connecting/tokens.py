"""Tokens for programs, through a daemon that runs, else in the settings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from daemon.callers import new_token, token_hash
from daemon.client import Client as Daemon
from daemon.client import NotRunning, Rejected
from daemon.errors import NotFound
from daemon.paths import Paths
from daemon.settings import Client, SettingsFile

_TOKEN: Final = re.compile(rb"nl_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])")


def make_token(paths: Paths, name: str) -> str:
    """A new token. Raises BadRequest or Rejected if there is one of this name."""
    try:
        with Daemon(paths) as daemon:
            return daemon.add_client(name, None).token
    except NotRunning:
        token = new_token()
        SettingsFile(paths.settings).add_client(name, Client(token_hash(token)))
        return token


def revoke_token(paths: Paths, name: str) -> None:
    """Take a token back; it may be gone already."""
    try:
        with Daemon(paths) as daemon:
            daemon.revoke_client(name)
    except NotRunning:
        try:
            SettingsFile(paths.settings).remove_client(name)
        except NotFound:
            return
    except Rejected as error:
        if error.status != 404:
            raise


def known(paths: Paths, name: str) -> Client | None:
    """Who has a token of this name."""
    return SettingsFile(paths.settings).settings.clients.get(name)


def free_name(paths: Paths, name: str) -> str:
    """A name that nobody has, as near as can be: a token of this name may be in use somewhere."""
    taken = SettingsFile(paths.settings).settings.clients
    return next(each for each in (name, *(f"{name}-{number}" for number in range(2, 1000))) if each not in taken)


def found_in(contents: Iterable[bytes | None], client: Client) -> str | None:
    """A client's own token, if one of these files holds it."""
    for content in contents:
        for match in _TOKEN.findall(content or b""):
            token: str = match.decode()
            if token_hash(token) == client.token_hash:
                return token
    return None
