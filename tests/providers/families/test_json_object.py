"""Arguments as objects."""

from __future__ import annotations

import msgspec
import pytest

from providers.families.json_object import object_of, text_of


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ('{"a": 1.0,  "b": 12345678901234567890123}', '{"a": 1.0,  "b": 12345678901234567890123}'),
        ("", "{}"),
        (" \n", "{}"),
        ('{"a": ', '{"arguments":"{\\"a\\": "}'),
        ("[1]", '{"arguments":"[1]"}'),
        ("é", '{"arguments":"é"}'),
    ],
)
def test_an_object_stays_as_it_was_written(arguments: str, written: str) -> None:
    """To the byte; what is none stands in one."""
    assert msgspec.json.encode(object_of(arguments)).decode() == written


@pytest.mark.parametrize(
    ("told", "text"),
    [(b'{"a":  1.0}', '{"a":  1.0}'), (b"null", "{}"), (b'"{\\"a\\":1}"', '{"a":1}'), (b"{}", "{}")],
)
def test_an_object_becomes_its_text(told: bytes, text: str) -> None:
    """To the byte; none and a text likewise."""
    assert text_of(msgspec.Raw(told)) == text


@pytest.mark.parametrize("told", [b'{"a": "\xc3"}', b'"\\ud83d"'])
def test_what_is_no_json_after_all(told: bytes) -> None:
    """Bytes that are no text, and half a character."""
    with pytest.raises((UnicodeDecodeError, msgspec.DecodeError)):
        text_of(msgspec.Raw(told))
