"""What dashboard and command line steer by the control API, through a real daemon."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest

from daemon.client import Client, Rejected
from daemon.wire import Event, Fetch
from tests.fakes.keyring_shelf import SHELF
from tests.fakes.running import SCRIPTED, RunningDaemon, wait_until
from tests.fakes.upstream import Upstream, as_json, on_a_thread

ROOT: Final = Path(__file__).resolve().parents[2]
KEY: Final = "sk-canary-0815"
SETTINGS: Final = """
[providers.work]
base_url = "{url}"
models = ["big", "gone"]
[providers.other]
base_url = "{url}"
key = "env:OTHER_KEY"
"""
ADMINS: Final = (
    ("GET", "inventory"),
    ("POST", "inventory/fetches"),
    ("DELETE", "inventory/fetches?model=x"),
    ("POST", "models/play/keep"),
    ("GET", "providers"),
    ("POST", "providers/work/test"),
    ("PUT", "providers/work/key"),
    ("DELETE", "providers/work/key"),
    ("GET", "clients/programs"),
    ("GET", "doctor"),
    ("GET", "log"),
)
"""Routes for the admin alone."""


@pytest.fixture(scope="module")
def server() -> Iterator[Upstream]:
    """A provider's server with two models."""
    with on_a_thread(as_json({"data": [{"id": "big"}, {"id": "small"}]})) as served:
        yield served


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, server: Upstream) -> Iterator[RunningDaemon]:
    home = tmp_path_factory.mktemp("home")
    (home / "my_shelf.py").write_text(SHELF)
    environment = {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{home}",
        "PYTHON_KEYRING_BACKEND": "my_shelf.Shelf",
        "SHELF": str(home / "shelf.json"),
        "OTHER_KEY": KEY,
    }
    daemon = RunningDaemon(home, SCRIPTED.format(options="") + SETTINGS.format(url=server.url), environment)
    try:
        daemon.wait_ready()
        yield daemon
    finally:
        daemon.stop()


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


# ---- providers and their keys ---------------------------------------------------------------------------------------


def test_a_key_goes_in_and_never_comes_out(daemon: RunningDaemon, client: Client, server: Upstream) -> None:
    """Without it the test says what is missing; with it the provider is asked with it, at once; removed, it is forgotten at
    once. No answer, log or record of ours holds it.
    """
    assert "no key in the keyring" in (client.providers().providers[0].trouble or "")
    with pytest.raises(Rejected, match="no key in the keyring"):
        client.test_provider("work")

    assert client.set_key("work", KEY).trouble is None
    asked = client.test_provider("work")
    assert (asked.models, asked.missing) == (("big", "small"), ("gone",))
    assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"

    with daemon.http(headers={"authorization": f"Bearer {daemon.admin_token}"}) as http:
        for path in ("providers", "settings", "status", "log", "records", "receipts"):
            assert KEY not in http.get(f"/nearloop/v1/{path}").text
    assert client.remove_key("work").trouble is not None
    with pytest.raises(Rejected, match="no key in the keyring"):
        client.test_provider("work")
    with pytest.raises(Rejected, match="has no such key of work"):
        client.remove_key("work")
    assert KEY not in daemon.log.read_text()
    assert not [file for file in daemon.home.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]


def test_what_is_no_key_is_refused_without_being_told(daemon: RunningDaemon, client: Client) -> None:
    """Blanks, other shapes, other sources and unknown providers; nothing of what was sent comes back."""
    bodies = (json.dumps({"key": f"{KEY} {KEY}"}), json.dumps({"key": [KEY]}), json.dumps({"keys": KEY}), KEY)
    headers = {"authorization": f"Bearer {daemon.admin_token}", "content-type": "application/json"}
    with daemon.http(headers=headers) as http:
        for body in bodies:
            refused: httpx.Response = http.put("/nearloop/v1/providers/work/key", content=body)
            assert refused.status_code == 400, refused.text
            assert KEY not in refused.text
    for name, why in (("other", "env:OTHER_KEY"), ("nobody", "no provider nobody")):
        with pytest.raises(Rejected, match=why):
            client.set_key(name, KEY)
    assert KEY not in daemon.log.read_text()


def test_local_only_asks_nobody(client: Client, server: Upstream) -> None:
    """A test is a question that leaves, too."""
    before = len(server.requests)
    client.set_local_only(True)
    try:
        with pytest.raises(Rejected, match="local-only"):
            client.test_provider("other")
    finally:
        client.set_local_only(False)
    assert len(server.requests) == before
    assert client.test_provider("other").provider == "other"


# ---- programs, doctor, log ------------------------------------------------------------------------------------------


def test_programs_that_can_be_connected(client: Client) -> None:
    """All that `nearloop connect` knows; none is connected here."""
    found = client.programs()

    assert {"zed", "claude-code", "env"} <= {each.name for each in found}
    assert not any(each.token for each in found)


def test_the_doctor(client: Client) -> None:
    """The same checks as the command's, of the daemon's own machine."""
    found = client.doctor()

    assert {"python", "settings", "port"} <= {each.check for each in found}
    assert any("the daemon runs as process" in each.text for each in found)


def test_the_log(client: Client) -> None:
    """What the daemon's parts tell is there, and an event says that there is more; the terminal has warnings alone."""
    since = client.events(None, 0).next
    client.load_model("play", 20)
    client.unload_model("play")
    wait_until(lambda: any("unloaded play" in line.text for line in client.log(50).lines), why="the line")

    assert any(event.kind == "log" for event in client.events(since, 0).events)
    [line, *_] = [line for line in client.log(50).lines if "unloaded play" in line.text]
    assert (line.level, line.logger) == ("info", "nearloop.pool")
    assert client.log(1).dropped == client.log(50).lines[-1].number - 1


def test_the_terminal_has_warnings_alone(daemon: RunningDaemon) -> None:
    """What the ring keeps besides goes to no file."""
    assert "unloaded play" not in daemon.log.read_text()
