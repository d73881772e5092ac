"""Some routes of the control API without a daemon around them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from litestar import Litestar
from litestar.testing import TestClient
from litestar.types import ControllerRouterHandler

from daemon.app import _refuse
from daemon.callers import Callers, token_hash
from daemon.settings import Client

ADMIN: Final = "nl_admin"
READER: Final = "nl_" + "r" * 40
CALLERS: Final = Callers(ADMIN, {"reader": Client(token_hash(READER), ("read:records",))})


@contextmanager
def controlling(routes: list[ControllerRouterHandler]) -> Iterator[TestClient[Any]]:
    """A client of them, with the admin's token; READER's may read records, and nothing else."""
    app = Litestar(
        route_handlers=routes, exception_handlers={Exception: _refuse}, openapi_config=None, logging_config=None
    )
    with TestClient(app) as client:
        client.headers["authorization"] = f"Bearer {ADMIN}"
        yield client
