"""Digests and steps of protocols, told from keys."""

from __future__ import annotations

import pytest

from daemon.signals.digests import is_digest, is_step
from daemon.signals.secret import Secrets

HEX = "9f8b3c2d7e1a4f605b6d7c8e9f0a1b2c3d4e5f60"


@pytest.mark.parametrize(
    "before",
    [
        "git checkout ",
        "sha1 of the token is ",
        "checksum mismatch for secret.bin: ",
        "cherry-picked from ",
        "test vector: key ",
    ],
)
def test_a_line_tells_of_a_digest(before: str) -> None:
    """By a word before it in the same line, if it is as long as one."""
    line = before + HEX
    assert is_digest(line, len(before), len(line))
    assert not is_digest(line, len(before), len(line) - 1)
    assert Secrets().find(line) == ()


@pytest.mark.parametrize("before", ["our api key is ", "token: ", "digest\ntoken: ", "i got the api key "])
def test_a_key_as_long_as_a_digest_is_none(before: str) -> None:
    """Where its own line doesn't tell of one."""
    line = before + HEX
    assert not is_digest(line, len(before), len(line))
    assert [line[hit.start : hit.end] for hit in Secrets().find(line)] == [HEX]


@pytest.mark.parametrize("name", ["nextToken", "csrf_token", "page_token", "X-Idempotency-Token", "Sec-WebSocket-Key"])
def test_what_a_client_hands_back_opens_nothing(name: str) -> None:
    """Tokens of pages, forms and repeated requests."""
    lower = name.lower()
    assert is_step(lower, max(lower.rfind("token"), lower.rfind("key")))
    assert Secrets().find(f"{name}: Xq7Zt2MvB9xKc4LwYp8RnD3s") == ()


@pytest.mark.parametrize("name", ["access_token", "api_key", "authToken", "refresh_token"])
def test_what_opens_something_is_no_step(name: str) -> None:
    """Tokens of access."""
    lower = name.lower()
    assert not is_step(lower, max(lower.rfind("token"), lower.rfind("key")))
    assert Secrets().find(f"{name}: Xq7Zt2MvB9xKc4LwYp8RnD3s") != ()


@pytest.mark.parametrize(
    "text",
    [
        "/static/js/main.8898ed446bab3ff7536e.chunk.js loaded the api key form",
        "pod/token-server-ae82e70e93-x7k2p is running",
        '{"_id": "41c0ee2b9dc1981474035400", "token": null}',
        "authorization, 'x-amz-content-sha256'",
        "POSTGRES_PASSWORD: postgres",
        "RegEnumKey = win32api.RegEnumKey",
        '"text", "password", "label", "prefix"',
        "password = 'test123'",
    ],
)
def test_files_names_and_defaults_open_nothing(text: str) -> None:
    """A file's name with a digest, a pod's, a neighbour in JSON, a header's name, a password that is its service's name."""
    assert Secrets().find(text) == ()
