"""The classification API without a daemon around it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from litestar import Litestar
from litestar.testing import TestClient

from daemon.app import _refuse
from daemon.callers import Callers, token_hash
from daemon.classify.routes import routes
from daemon.settings import Client
from daemon.signals.parts import Parts

TOKEN = "nl_" + "r" * 40


@contextmanager
def classifying(parts: Parts, deadline_s: float = 30.0) -> Iterator[TestClient[Any]]:
    """A client of it. TOKEN may read records, and nothing else."""
    callers = Callers("nl_admin", {"reader": Client(token_hash(TOKEN), ("read:records",))})
    app = Litestar(
        route_handlers=routes(parts, callers, deadline_s),
        exception_handlers={Exception: _refuse},
        openapi_config=None,
        logging_config=None,
    )
    with TestClient(app) as client:
        yield client
