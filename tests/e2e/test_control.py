"""What dashboard and command line steer by the control API, through a real daemon."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from daemon.client import Client, Rejected
from daemon.wire import Event, Fetch
from tests.fakes.running import RunningDaemon, running, wait_until

ADMINS = (
    ("GET", "inventory"),
    ("POST", "inventory/fetches"),
    ("DELETE", "inventory/fetches?model=x"),
    ("POST", "models/play/keep"),
)
"""Routes for the admin alone."""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    with running(tmp_path_factory.mktemp("home")) as daemon:
        yield daemon


@pytest.fixture
def client(daemon: RunningDaemon) -> Iterator[Client]:
    with daemon.client() as client:
        yield client


@pytest.mark.parametrize(("method", "path"), ADMINS, ids=lambda each: each)
def test_they_are_the_admins(daemon: RunningDaemon, client: Client, method: str, path: str) -> None:
    """A token that may read records may not do this, and nobody may without a token."""
    if not client.clients().clients:
        client.add_client("reader", ("read:records",))
    client.revoke_client("reader")
    reader = client.add_client("reader", ("read:records",)).token
    with daemon.http() as http:
        for headers in ({}, {"authorization": f"Bearer {reader}"}):
            assert http.request(method, f"/nearloop/v1/{path}", headers=headers).status_code == 403


def test_a_model_is_kept(client: Client) -> None:
    """Until it is let go again; an unknown one is refused."""
    assert client.keep_model("play", True).keep_s is None
    assert client.models().models[0].keep_s is None
    assert client.keep_model("play", False).keep_s == 3600.0
    with pytest.raises(Rejected, match="no local model"):
        client.keep_model("nobody", True)


def test_the_inventory(client: Client) -> None:
    """What `nearloop models list` shows, by the command itself."""
    found = client.inventory().models

    assert (found[0].name, found[0].in_use, found[0].default) == ("play", True, True)
    assert any(each.source == "hub" for each in found)


def test_a_fetch_that_fails_says_why(client: Client) -> None:
    """In the command's words, as an event, and in the inventory afterwards."""
    since = client.events(None, 0).next
    assert client.begin_fetch("nobody-has-this", None).state == "running"
    told: list[Event] = []

    def ended() -> bool:
        nonlocal since
        news = client.events(since, 5)
        since = news.next
        told.extend(each for each in news.events if each.kind == "fetch")
        return bool(told) and told[-1].data["state"] == "failed"

    wait_until(ended, why="the end of the fetch")
    assert "no model is called nobody-has-this" in told[-1].data["told"]
    assert client.inventory().fetches == (Fetch("nobody-has-this", "failed", told[-1].data["told"]),)
    with pytest.raises(Rejected, match="not being fetched"):
        client.stop_fetch("nobody-has-this")
