"""Bodies as values."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta, Struct

from daemon.errors import BadRequest
from daemon.protocols.reading import read_as


class Inner(Struct, frozen=True):
    number: Annotated[int, Meta(ge=1)]
    word: str | None = None


class Outer(Struct, frozen=True):
    inner: tuple[Inner, ...]


decode = msgspec.json.Decoder(Outer).decode


def test_a_body_is_read() -> None:
    """A body that fits is its value."""
    assert read_as(decode, b'{"inner": [{"number": 2}]}') == Outer((Inner(2),))


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        (b'{"inner": [{"number": 0}]}', "inner[0].number"),
        (b'{"inner": [{}]}', "inner[0].number"),
        (b"{}", "inner"),
        (b"[]", None),
        (b"{", None),
        (b"\xff", None),
        (b"[" * 100_000, None),
    ],
)
def test_what_does_not_fit_is_told_by_its_field(body: bytes, parameter: str | None) -> None:
    """A fault is a BadRequest with the place in it."""
    with pytest.raises(BadRequest) as caught:
        read_as(decode, body)

    assert caught.value.parameter == parameter
    assert str(caught.value)


@pytest.mark.parametrize(
    "fault", ["Invalid value 'the user's own words'", "Object contains unknown field `the user's own words`"]
)
def test_a_fault_quotes_nothing(fault: str) -> None:
    """A message never holds what the client wrote, be it a value or a name."""

    def decode_tagged(body: bytes) -> Any:
        raise msgspec.ValidationError(f"{fault} - at `$.inner[...].word`")

    with pytest.raises(BadRequest, match=r"^inner") as caught:
        read_as(decode_tagged, b"{}")

    assert "own words" not in str(caught.value)
