"""What a `data:` address carries."""

from __future__ import annotations

import base64

import pytest

from providers.families.data_url import Data, data_of


@pytest.mark.parametrize(
    ("url", "data"),
    [
        ("data:image/png;base64,QUJD", Data("image/png", "QUJD")),
        ("data:Application/PDF;name=a.pdf;BASE64,QUJD", Data("application/pdf", "QUJD")),
        ("data:text/plain;charset=utf-8,a%20b", Data("text/plain", base64.b64encode(b"a b").decode())),
        ("data:,a", Data("application/octet-stream", base64.b64encode(b"a").decode())),
    ],
)
def test_what_it_carries(url: str, data: Data) -> None:
    """Its kind and its bytes, however they are written."""
    assert data_of(url) == data


@pytest.mark.parametrize("url", ["https://example.com/a.png", "file-123", ""])
def test_other_addresses(url: str) -> None:
    """They carry nothing."""
    assert data_of(url) is None
