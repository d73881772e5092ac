"""Values that a machine made up, near a word that says what they open."""

from __future__ import annotations

import random
import string

import pytest

from daemon.signals.generated import generated, lone_aws_secrets, looks_generated
from daemon.signals.overlaps import Vocabulary
from tests.fakes.growth import grows_with_length_alone

KEY = "Xq7Zt2MvB9xKc4LwYp8RnD3s"
HEX = "9f8b3c2d7e1a4f60" * 2
ALPHABETS = {
    "hex": "0123456789abcdef",
    "base36": string.ascii_lowercase + string.digits,
    "base62": string.ascii_letters + string.digits,
    "base64": string.ascii_letters + string.digits + "+/",
}


def found(text: str) -> list[str]:
    return [text[hit.start : hit.end] for hit in generated(text, text.lower(), Vocabulary(text.lower()), frozenset())]


@pytest.mark.parametrize(
    "text",
    [
        f"our API key {KEY} stopped working",
        f"use the key {KEY} to log in",
        f"{KEY} is our access token",
        f"Der API-Schlüssel lautet {KEY}",
        f"clé API : {KEY}",
        f"Secret Access Key\n{KEY}",
        f"const KEY = '{KEY}'",
        f"- name: API_TOKEN\n  value: {KEY}",
        f"credentials({KEY}, region)",
        f"Cookie: sid={KEY}",
    ],
)
def test_a_value_near_its_word_is_found(text: str) -> None:
    """In prose, in other languages, in the line below, in code."""
    assert found(text) == [KEY]


@pytest.mark.parametrize(
    "text",
    [
        f"commit {KEY} changed the token",
        f"sha256 of the key file: {HEX}",
        f"cache key: {HEX}",
        f"key = '{HEX}'",
        f'"integrity": "sha512-{KEY}", "token": 1',
        "the api key 550e8400-e29b-41d4-a716-446655440000",
        "the token getUserByAccountIdAndName2 and the secret_manager_client_v2_async",
        f"https://nordhof.io/{KEY} tells of tokens",
        "your api key xxxxxxxxxxxxxxxxxxxxxxxx1",
        KEY,
    ],
)
def test_what_opens_nothing_is_left_alone(text: str) -> None:
    """Digests, commits, ids, names in code, parts of addresses, placeholders, and values without a word."""
    assert found(text) == []


@pytest.mark.parametrize("alphabet", sorted(ALPHABETS))
def test_random_runs_look_generated(alphabet: str) -> None:
    """Of a thousand random runs of 24 characters, at least 97 in 100; 90 of small letters and digits, which are nearest to words."""
    seeded = random.Random(alphabet)
    runs = ["".join(seeded.choices(ALPHABETS[alphabet], k=24)) for _ in range(1000)]

    assert sum(map(looks_generated, runs)) >= (900 if alphabet == "base36" else 970)


def test_a_lone_aws_secret_is_found() -> None:
    """Forty characters of base64 in a text that speaks of such keys, also behind its name; a hash of forty is none."""
    secret = "vQspaKUEUvxj6eZxrNWcuz07esXpZwRqHFQgesZ+"
    for text in (f"I rotated the aws one: {secret}", f"AWS_X={secret} now"):
        assert [text[hit.start : hit.end] for hit in lone_aws_secrets(text, Vocabulary(text.lower()))] == [secret]
    for text in (f"a blob {secret}", "aws da39a3ee5e6b4b0d3255bfef95601890afd80709"):
        assert not list(lone_aws_secrets(text, Vocabulary(text.lower())))


@pytest.mark.parametrize("unit", ["key ", "token=", "secret a1B2", "key_", "passw"])
def test_time_grows_with_length_alone(unit: str) -> None:
    """No text makes a pattern go back and forth."""
    assert grows_with_length_alone(found, unit)
