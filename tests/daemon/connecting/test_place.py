"""Where clients are told to ask, without a daemon: with one, tests/e2e/test_connect.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.connecting.base import CONTEXT_TOKENS
from daemon.connecting.journal import Connection
from daemon.connecting.place import link
from daemon.errors import BadRequest
from daemon.paths import Paths


def test_the_settings_port(tmp_path: Path) -> None:
    """That of the settings, or the usual one; a window that isn't known is said to be a guess."""
    paths = Paths(tmp_path / "c", tmp_path / "d", tmp_path / "e", tmp_path / "f", tmp_path / "g")

    usual = link(paths, ("auto", "local"), None)
    assert (usual.link.root, usual.link.context_tokens) == ("http://127.0.0.1:6327", CONTEXT_TOKENS)
    assert "--context" in usual.notes[0]

    paths.config.mkdir()
    paths.settings.write_text("version = 1\n[server]\nport = 7000\n")
    told = link(paths, ("local/x",), 4000)
    assert (told.link.v1, told.link.model, told.link.output_tokens) == ("http://127.0.0.1:7000/v1", "local/x", 1000)
    assert told.notes == ()


def test_what_was_told_before(tmp_path: Path) -> None:
    """Who connects again and says nothing new keeps models and window."""
    paths = Paths(tmp_path / "c", tmp_path / "d", tmp_path / "e", tmp_path / "f", tmp_path / "g")
    before = Connection("zed", "zed", "http://127.0.0.1:1", (), ("local",), 32_000)

    told = link(paths, (), None, before)
    assert (told.link.models, told.link.context_tokens, told.notes) == (("local",), 32_000, ())
    assert link(paths, ("auto",), 9000, before).link.context_tokens == 9000
    assert link(paths, (), None).link.models == ("auto", "local")


def test_a_daemon_that_is_gone(tmp_path: Path) -> None:
    """What a killed one left behind is not believed."""
    paths = Paths(tmp_path / "c", tmp_path / "d", tmp_path / "e", tmp_path / "f", tmp_path / "g")
    paths.runtime.mkdir()
    paths.discovery.write_text('{"port": 1, "pid": 1, "version": "0", "started_at": "2026-01-01T00:00:00Z"}')
    paths.admin_token.write_text("nl_x")

    assert link(paths, ("auto",), 1000).link.root == "http://127.0.0.1:6327"


@pytest.mark.parametrize(
    ("url", "root"),
    [
        ("http://host.docker.internal:6327", "http://host.docker.internal:6327"),
        ("http://172.17.0.1:6327/v1/", "http://172.17.0.1:6327"),
        (" https://box.lan ", "https://box.lan"),
        ("http://[fd00::5]:6327/v1", "http://[fd00::5]:6327"),
    ],
)
def test_an_address_of_the_users(tmp_path: Path, url: str, root: str) -> None:
    """It is told as it is, less what each client adds by itself, and told again without being said again."""
    paths = Paths(tmp_path / "c", tmp_path / "d", tmp_path / "e", tmp_path / "f", tmp_path / "g")
    before = Connection("zed", "zed", root)

    assert link(paths, ("auto",), 1000, url=url).link.root == root
    assert link(paths, ("auto",), 1000, before).link.root == root
    assert link(paths, ("auto",), 1000, before, "http://127.0.0.1:7000").link.root == "http://127.0.0.1:7000"


@pytest.mark.parametrize(
    "url", ["", "box.lan", "ftp://box.lan", "http://box.lan/x", "http://user@box.lan", "http://a b"]
)
def test_what_is_no_address_of_ours(tmp_path: Path, url: str) -> None:
    """A client would be led elsewhere, or nowhere."""
    paths = Paths(tmp_path / "c", tmp_path / "d", tmp_path / "e", tmp_path / "f", tmp_path / "g")

    with pytest.raises(BadRequest, match="--url"):
        link(paths, (), None, url=url)


def test_an_address_that_would_not_be_answered(tmp_path: Path) -> None:
    """What is missing is told: a forwarded port or --expose, or the name in server.hosts."""
    paths = Paths(tmp_path / "c", tmp_path / "d", tmp_path / "e", tmp_path / "f", tmp_path / "g")

    def notes(host: str, settings: str = "") -> str:
        paths.config.mkdir(exist_ok=True)
        paths.settings.write_text(f"[server]\n{settings}\n")
        return " ".join(link(paths, (), 1000, url=f"http://{host}:6327").notes)

    assert "--expose" in notes("172.17.0.1")
    assert "--expose" in notes("host.docker.internal")
    for host in ("127.0.0.1", "localhost"):
        assert notes(host) == ""
    assert notes("box.lan", 'hosts = ["box.lan"]') == ""
    exposed = 'host = "172.17.0.1"'
    assert notes("172.17.0.1", exposed) == notes("host.docker.internal", exposed) == ""
    assert "server.hosts" in notes("box.lan", exposed)
    assert notes("192.168.1.5", 'host = "0.0.0.0"') == ""
