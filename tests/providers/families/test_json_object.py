"""Arguments as objects."""

from __future__ import annotations

import msgspec
import pytest

from providers.families.json_object import object_of


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
