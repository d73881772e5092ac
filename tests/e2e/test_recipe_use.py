"""A recipe in use, changed while the daemon runs: by its file, over HTTP, and at the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from daemon.doctor import _recipe
from daemon.paths import Paths
from tests.fakes.running import RunningDaemon, running, wait_until

pytestmark = pytest.mark.slow

FIRST = 'MODEL local {}\nROUTE first { MODEL "local" }\n'
SECOND = 'MODEL local {}\nROUTE second { MODEL "local" }\n'
BROKEN = "ROUTE {"
RECIPES = "/nearloop/v1/recipes"


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[RunningDaemon]:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "mine.dsl").write_text(FIRST)
    with running(tmp_path, extra='[routing]\nrecipe = "mine.dsl"\n') as here:
        yield here


def http(daemon: RunningDaemon) -> httpx.Client:
    return httpx.Client(
        base_url=daemon.url, headers={"authorization": f"Bearer {daemon.admin_token}"}, trust_env=False, timeout=30
    )


def taken(client: httpx.Client) -> str:
    """The decision that is taken now."""
    decision: str = client.post("/api/v1/eval", json={"text": "hello"}).json()["routing_decision"]
    return decision


def nearloop(daemon: RunningDaemon, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "NEARLOOP_HOME": str(daemon.home)}
    command = [sys.executable, "-m", "daemon.cli.main", *words]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)


def test_the_file_is_watched(daemon: RunningDaemon) -> None:
    """What is written into it decides the next requests; a broken text changes nothing and is a warning."""
    file = daemon.home / "config" / "mine.dsl"
    with http(daemon) as client:
        assert taken(client) == "first"
        file.write_text(SECOND)
        wait_until(lambda: taken(client) == "second", 10, "taking in the file")
        file.write_text(BROKEN)
        wait_until(lambda: client.get(RECIPES).json()["failure"] is not None, 10, "noticing the broken file")

        assert taken(client) == "second"
        with daemon.client() as control:
            assert "recipe-broken" in {warning.code for warning in control.status().warnings}


def test_over_http(daemon: RunningDaemon) -> None:
    """Reading gives an ETag, changing needs it; versions can be compared and had back."""
    file = daemon.home / "config" / "mine.dsl"
    with http(daemon) as client:

        def put(text: str, etag: str | None) -> httpx.Response:
            headers = {} if etag is None else {"if-match": etag}
            return client.put(f"{RECIPES}/text", json={"text": text}, headers=headers)

        read = client.get(f"{RECIPES}/text")
        assert read.json() == {"text": FIRST, "form": "dsl"}
        etag = read.headers["etag"]

        assert put(SECOND, None).status_code == 428
        assert put(SECOND, '"else"').status_code == 412
        assert put(BROKEN, etag).json()["error"]["code"] == "bad_recipe"
        assert (file.read_text(), taken(client)) == (FIRST, "first")

        written = put(SECOND, etag)
        assert written.status_code == 200, written.text
        assert (file.read_text(), taken(client)) == (SECOND, "second")
        assert put(FIRST, etag).status_code == 412
        assert put(FIRST, f'"else", {etag}').status_code == 412
        assert put(SECOND, f'"else", W/{written.headers["etag"]}').status_code == 200  # a list: one of them will do
        assert put(SECOND, "*").status_code == 200  # any at all

        difference = client.get(f"{RECIPES}/diff", params={"before": 1}).json()["differences"]
        assert {each["kind"] for each in difference} == {"added", "removed"}
        back = client.post(f"{RECIPES}/rollback", json={"version": 1}, headers={"if-match": written.headers["etag"]})
        assert back.headers["etag"] == etag
        assert [version["why"] for version in back.json()["versions"]] == ["start", "api", "rollback"]
        assert (file.read_text(), taken(client)) == (FIRST, "first")


def test_another_one_over_http(daemon: RunningDaemon) -> None:
    """Those there are can be read and put to use, one of the user's own becomes a file, and a name from elsewhere is none."""
    with http(daemon) as client, daemon.client() as control:
        offered = {each.name: each for each in control.offered_recipes().recipes}
        assert (offered["mine.dsl"].built_in, offered["light"].built_in) == (False, True)
        assert offered["light"].about.startswith("Cheap")
        assert control.offered_recipe("light").text.startswith("# Cheap")
        assert control.use_recipe("light").name == "light"
        assert taken(client) != "first"

        control.add_recipe("own.dsl", SECOND)
        assert (daemon.home / "config" / "own.dsl").read_text() == SECOND
        control.use_recipe("own.dsl")
        assert taken(client) == "second"
        control.write_recipe(FIRST, control.recipes().digest or "")
        first, now = control.recipes().versions[0], control.recipe_text()
        assert (control.recipe_text(first.number).text, now.text) == (SECOND, FIRST)

        for name in ("../settings.toml", "own.dsl", "x/y.dsl", ".dsl"):
            assert client.post(f"{RECIPES}/offered", json={"name": name, "text": SECOND}).status_code == 400
        assert client.post(f"{RECIPES}/offered", json={"name": "bad.dsl", "text": BROKEN}).status_code == 400
        (daemon.home / "config" / "bad.dsl").write_text(BROKEN)
        assert client.post(f"{RECIPES}/use", json={"name": "bad.dsl"}).status_code == 400
        assert client.post(f"{RECIPES}/use", json={"name": "/etc/hosts"}).status_code == 404
        assert client.get(f"{RECIPES}/offered/text", params={"name": "../../secret.dsl"}).status_code == 404
        assert taken(client) == "first"
        assert control.use_recipe(None).name is None


def test_checking_over_http(daemon: RunningDaemon) -> None:
    """It says what is wrong, and changes nothing."""
    with http(daemon) as client:

        def checked(text: str) -> Any:
            return client.post(f"{RECIPES}/validate", json={"text": text}).json()

        assert checked(SECOND) == {"usable": True, "problems": []}
        broken = checked(BROKEN)
        assert not broken["usable"]
        assert broken["problems"][0]["line"] == 1
        assert taken(client) == "first"


@pytest.mark.parametrize("path", ["/text", "/diff?before=1", "/offered", "/offered/text?name=light"])
def test_who_may(daemon: RunningDaemon, path: str) -> None:
    """A recipe's text is the admin's; others are refused."""
    with daemon.http() as client:
        assert client.get(RECIPES + path).status_code == 403
        assert client.put(f"{RECIPES}/text", json={"text": SECOND}).status_code == 403


def test_the_commands(daemon: RunningDaemon, tmp_path: Path) -> None:
    """`use`, `versions` and `rollback` say what they did, and the daemon has done it."""
    other = tmp_path / "other.dsl"
    other.write_text(SECOND)
    with http(daemon) as client:
        said = Path(nearloop(daemon, "recipe", "use", os.path.relpath(other)).stdout.removeprefix("in use: ").strip())
        assert said.is_absolute()
        assert said.samefile(other)
        assert taken(client) == "second"
        assert nearloop(daemon, "recipe", "use", "vault").returncode == 0
        assert taken(client) == "rest"
        assert "`auto` means the recipe vault" in nearloop(daemon, "status").stdout
        assert nearloop(daemon, "recipe", "use", "unheard").returncode == 1
        assert nearloop(daemon, "recipe", "use", "none").returncode == 0
        assert client.post("/api/v1/eval", json={"text": "hello"}).json()["recipe"] == ""
        assert nearloop(daemon, "recipe", "use", str(daemon.home / "config" / "mine.dsl")).returncode == 0

        (daemon.home / "config" / "mine.dsl").write_text(SECOND)
        wait_until(lambda: taken(client) == "second", 10, "taking in the file")
        listed = nearloop(daemon, "recipe", "versions").stdout.splitlines()
        assert listed[0].endswith("mine.dsl is in use")
        first = listed[1].split()[0]
        assert "removed" in nearloop(daemon, "recipe", "versions", "--diff", first).stdout
        assert nearloop(daemon, "recipe", "rollback", first).stdout == f"version {first} is in use\n"
        assert taken(client) == "first"


def test_doctor(tmp_path: Path) -> None:
    """It looks at the recipe of the settings: good, with parts that aren't here, or not usable."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text('[routing]\nrecipe = "mine.dsl"\n')
    file = tmp_path / "config" / "mine.dsl"
    where = Paths(tmp_path / "config", tmp_path / "data", tmp_path / "cache", tmp_path / "run", tmp_path / "state")

    file.write_text(FIRST)
    (good,) = _recipe(where)
    file.write_text(FIRST.replace('"local" }', '"local" ALGORITHM hybrid {} }'))
    (partly,) = _recipe(where)
    file.write_text(BROKEN)
    (broken,) = _recipe(where)

    assert (good.severity, partly.severity, broken.severity) == ("ok", "warning", "error")
    assert "hybrid" in partly.text
    assert "line 1" in broken.remedy
