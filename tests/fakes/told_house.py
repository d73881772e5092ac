"""What a played daemon answers when it has a house full of things: for screens beyond the requests."""

from __future__ import annotations

import msgspec

from daemon import wire
from tests.fakes import told_clients, told_faults, told_models, told_providers
from tests.fakes.played_daemon import PlayedDaemon


def fill(daemon: PlayedDaemon) -> None:
    """Give it all of them."""
    daemon.status = msgspec.structs.replace(daemon.status, models=told_models.models())
    daemon.answers |= {
        "GET inventory": told_models.inventory(),
        "GET devices": told_models.devices(),
        "GET clients": told_clients.clients(),
        "POST clients": lambda body: wire.NewToken(body["name"], "nl_example", tuple(body["scopes"])),
        "GET clients/programs": told_clients.programs(),
        "GET clients/programs/aider": told_clients.plan(),
        "GET providers/vendors": told_providers.vendors(),
        "GET doctor": told_faults.findings(),
        "GET log": told_faults.log(),
        "GET providers": told_providers.providers(),
        "POST providers/work/test": told_providers.tested(),
    }
