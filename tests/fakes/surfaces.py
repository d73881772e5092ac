"""Routes of client protocols without a daemon around them, for those that need few of its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from litestar import Litestar
from litestar.testing import TestClient
from litestar.types import ControllerRouterHandler

from daemon.app import _refuse
from daemon.callers import Callers, token_hash
from daemon.settings import Client
from daemon.signals.parts import Parts
from daemon.surfaces.served import Served
from tests.fakes.clock import HeldClock

TOKEN = "nl_" + "r" * 40


@contextmanager
def surfacing(
    routes: Callable[[Served], list[ControllerRouterHandler]], parts: Parts, names: dict[str, str] | None = None
) -> Iterator[TestClient[Any]]:
    """A client of them. names: what models of clients stand for. TOKEN may read records, and nothing else."""
    known = names or {}
    book = SimpleNamespace(stands_for=lambda model, client: known.get(model, model))
    pipeline: Any = SimpleNamespace(
        words=None, forgets=[], rooms=SimpleNamespace(book=book, observer=SimpleNamespace(parts=parts))
    )
    callers = Callers("nl_admin", {"reader": Client(token_hash(TOKEN), ("read:records",))})
    app = Litestar(
        route_handlers=routes(Served(pipeline, callers, HeldClock())),
        exception_handlers={Exception: _refuse},
        openapi_config=None,
        logging_config=None,
    )
    with TestClient(app) as client:
        yield client
