"""Where clients are told to ask, without a daemon: with one, tests/e2e/test_connect.py."""

from __future__ import annotations

from pathlib import Path

from daemon.connecting.base import CONTEXT_TOKENS
from daemon.connecting.journal import Connection
from daemon.connecting.place import link
from daemon.paths import Paths


def test_the_settings_port(tmp_path: Path) -> None:
    """That of the settings, or the usual one; a window that isn't known is said to be a guess."""
    paths = Paths(tmp_path / "c", tmp_path / "d", tmp_path / "e", tmp_path / "f")

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
    paths = Paths(tmp_path / "c", tmp_path / "d", tmp_path / "e", tmp_path / "f")
    before = Connection("zed", "zed", "http://127.0.0.1:1", (), ("local",), 32_000)

    told = link(paths, (), None, before)
    assert (told.link.models, told.link.context_tokens, told.notes) == (("local",), 32_000, ())
    assert link(paths, ("auto",), 9000, before).link.context_tokens == 9000
    assert link(paths, (), None).link.models == ("auto", "local")


def test_a_daemon_that_is_gone(tmp_path: Path) -> None:
    """What a killed one left behind is not believed."""
    paths = Paths(tmp_path / "c", tmp_path / "d", tmp_path / "e", tmp_path / "f")
    paths.runtime.mkdir()
    paths.discovery.write_text('{"port": 1, "pid": 1, "version": "0", "started_at": "2026-01-01T00:00:00Z"}')
    paths.admin_token.write_text("nl_x")

    assert link(paths, ("auto",), 1000).link.root == "http://127.0.0.1:6327"
