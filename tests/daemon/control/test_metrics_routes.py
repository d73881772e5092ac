"""Metrics over HTTP."""

from __future__ import annotations

import pytest

from daemon.callers import Callers, token_hash
from daemon.control.metrics_routes import metrics_routes
from daemon.settings import Client
from tests.fakes.control import ADMIN, CALLERS, READER, controlling
from tests.fakes.counted import metrics
from tests.fakes.told_records import a_day

PROMETHEUS = (
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,"
    "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
)
TEXT, NEWER = "text/plain; version=0.0.4; charset=utf-8", "application/openmetrics-text; version=1.0.0; charset=utf-8"


@pytest.mark.parametrize(
    ("accept", "type"),
    [
        (PROMETHEUS, NEWER),
        ("application/openmetrics-text", NEWER),
        ("text/plain;version=0.0.4", TEXT),
        ("text/plain;version=0.0.4;q=0.9,application/openmetrics-text;q=0.1", TEXT),
        ("*/*", TEXT),
        ("", TEXT),
        ("application/json", TEXT),
        ("application/openmetrics-text;version=nonsense\u00e9", NEWER),
    ],
)
def test_the_format_is_the_client_s_choice(accept: str, type: str) -> None:
    """Nothing of what it says comes back; who understands neither gets text, as with Prometheus's own programs."""
    with controlling(metrics_routes(metrics(*a_day()), CALLERS)) as api:
        told = api.get("/metrics", headers={"accept": accept.encode("latin-1")})

        assert (told.status_code, told.headers["content-type"]) == (200, type)
        assert told.headers["cache-control"] == "no-store"
        assert "llm_model_requests_total" in told.text
        head = api.head("/metrics", headers={"accept": accept.encode("latin-1")})
        assert (head.status_code, head.content, head.headers["content-type"]) == (200, b"", type)


def test_who_may_read_them() -> None:
    """Who may read records: the admin, and tokens with that scope."""
    asking = "nl_" + "i" * 40
    clients = {
        "reader": Client(token_hash(READER), ("read:records",)),
        "asking": Client(token_hash(asking), ("infer:cloud",)),
    }
    with controlling(metrics_routes(metrics(*a_day()), Callers(ADMIN, clients))) as api:
        for token, status in (
            (ADMIN, 200),
            (READER, 200),
            (asking, 403),
            ("", 403),
            ("sk-dummy", 403),
            ("nl_wrong", 401),
        ):
            api.headers["authorization"] = f"Bearer {token}"
            told = api.get("/metrics")
            assert told.status_code == status, token
            assert ("nearloop_requests_total" in told.text) == (status == 200)
