"""Passwords that a sentence, a statement or a call gives."""

from __future__ import annotations

import pytest

from daemon.signals.overlaps import Vocabulary
from daemon.signals.phrases import phrases
from tests.fakes.growth import grows_with_length_alone


def found(text: str) -> list[str]:
    hits = sorted({(hit.start, hit.end) for hit in phrases(text, text.lower(), Vocabulary(text.lower()))})
    return [text[start:end] for start, end in hits]


@pytest.mark.parametrize(
    "text",
    [
        "the password for the wiki is {}",
        "my password {} does not work",
        "passwd {}",
        "I changed the password to {}.",
        "Das Passwort lautet {}",
        "la contraseña es {}",
        "le mot de passe est {}",
        "CREATE USER mara IDENTIFIED BY '{}'",
        "CREATE ROLE mara WITH PASSWORD '{}'",
        "requirepass {}",
        "requests.get(url, auth=('mara', '{}'))",
        "HTTPBasicAuth('mara', '{}')",
        "smtp.login('mara', '{}')",
        "log in with mara / {}",
        "credentials are mara/{}",
        "- name: DB_PASSWORD\n  value: {}",
    ],
)
@pytest.mark.parametrize("value", ["hunter2", "Tr0ub4dor&3"])
def test_a_password_is_found(text: str, value: str) -> None:
    """Whichever way it is said."""
    assert found(text.format(value)) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "the password is required and must have 8 characters",
        "password sha256 hash, passwords in utf8, password reset2()",
        "the password for the user is stored in config/app.yml",
        "login: see https://nordhof.io/login",
        "credentials are read from ~/.aws/credentials",
        "- name: DB_PASSWORD\n  value: ${DB_PASSWORD}",
        "- name: SECRET_NAME\n  value: hunter2",
        "auth=('user', 'your_password')",
        "the password is <password>",
    ],
)
def test_a_sentence_about_passwords_is_left_alone(text: str) -> None:
    """Words, algorithms, paths and placeholders are none."""
    assert found(text) == []


@pytest.mark.parametrize("unit", ["password ", "login a/", "password for ", "name: ", "auth=(", "identified by "])
def test_time_grows_with_length_alone(unit: str) -> None:
    """No text makes a pattern go back and forth."""
    assert grows_with_length_alone(found, unit)
