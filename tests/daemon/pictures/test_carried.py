"""The bytes that a URL carries."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.pictures.carried import bytes_of, data_url
from edge_models.vision.limits import Unseeable

MOST = 1 << 20


@given(st.binary(max_size=300))
def test_there_and_back(data: bytes) -> None:
    """What is written is read; also in the other alphabet, without padding, in lines."""
    url = data_url(data, "png")
    assert bytes_of(url, MOST) == data
    written = base64.urlsafe_b64encode(data).decode().rstrip("=")
    assert bytes_of(f"DATA:image/png;name=a;Base64,{written[:7]}\r\n {written[7:]}", MOST) == data


def test_escaped() -> None:
    """A URL may escape its characters instead, or as well."""
    assert bytes_of("data:text/plain,a%20b%2Bc", MOST) == b"a b+c"
    assert bytes_of("data:text/plain;base64,YQ%3D%3D", MOST) == b"a"
    assert bytes_of("data:,", MOST) == b""


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://example.com/a.png", "elsewhere"),
        ("file-123", "elsewhere"),
        ("", "elsewhere"),
        ("data:image/png;base64", "broken"),
        ("data:image/png;base64,a", "broken"),
        ("data:image/png;base64,aGVs!bG8=", "broken"),
        ("data:image/png;base64,aGVs=bG8=", "broken"),
        ("data:image/png;base64,\u00e4", "broken"),
        ("data:image/png;base64," + "A" * 2_000_000, "too-large"),
    ],
)
def test_no_bytes(url: str, code: str) -> None:
    """What carries none, or hides something in them, is told by a code."""
    with pytest.raises(Unseeable) as caught:
        bytes_of(url, MOST)
    assert caught.value.code == code
