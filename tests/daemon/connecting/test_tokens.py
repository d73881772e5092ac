"""Tokens for programs, without a daemon: with one, tests/e2e/test_connect.py."""

from __future__ import annotations

from pathlib import Path

from daemon.callers import token_hash
from daemon.connecting.tokens import found_in, free_name, known, make_token, revoke_token
from daemon.paths import Paths


def test_made_found_and_taken_back(tmp_path: Path) -> None:
    """It stands hashed in the settings, is known again in a file, and is gone afterwards, however often that is asked."""
    paths = Paths(tmp_path / "c", tmp_path / "d", tmp_path / "e", tmp_path / "f", tmp_path / "g")

    token = make_token(paths, "zed")
    client = known(paths, "zed")

    assert client is not None
    assert client.token_hash == token_hash(token)
    assert free_name(paths, "zed") == "zed-2"
    assert free_name(paths, "aider") == "aider"
    other = make_token(paths, "zed-2")
    assert found_in([None, b"{}", f'"{other}", "{token}"'.encode()], client) == token
    assert found_in([f"x{token}x".encode()], client) is None

    revoke_token(paths, "zed")
    revoke_token(paths, "zed")
    assert known(paths, "zed") is None
