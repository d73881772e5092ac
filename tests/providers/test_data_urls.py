"""Pictures within their own address."""

from __future__ import annotations

import pytest

from providers.data_urls import Held, held, written


@pytest.mark.parametrize("data", [b"", b"\x89PNG\xff", bytes(range(256))])
def test_there_and_back(data: bytes) -> None:
    """What is written is read."""
    assert held(written("image/png", data)) == Held("image/png", data)


def test_forms_of_writing() -> None:
    """Capitals, parameters, escapes, and bytes that are escaped one by one."""
    assert held("DATA:Image/PNG;charset=x;BASE64,aGk=") == Held("image/png", b"hi")
    assert held("data:image/png;base64,aGk%3D") == Held("image/png", b"hi")
    assert held("data:text/plain,a%20b") == Held("text/plain", b"a b")
    assert held("data:,x") == Held("", b"x")


@pytest.mark.parametrize(
    "url", ["https://a.example/x.png", "data:image/png;base64", "data:image/png;base64,a", "file:///x"]
)
def test_what_is_none(url: str) -> None:
    """Another address, or a broken one."""
    assert held(url) is None
