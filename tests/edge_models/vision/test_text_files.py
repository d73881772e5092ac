"""Words of files that are text."""

from __future__ import annotations

import base64

import pytest

from edge_models.vision.limits import Unseeable
from edge_models.vision.text_files import MOST_BYTES, text_of

WORDS = "Grüße\r\naus Köln €"


@pytest.mark.parametrize("name", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_encodings(name: str) -> None:
    """As editors write them."""
    assert text_of(WORDS.encode(name), True) == WORDS.replace("\r\n", "\n")


def test_a_mark_says_that_it_is_text() -> None:
    """Whatever else its kind is taken for."""
    assert text_of(WORDS.encode("utf-16"), False).startswith("Grüße")


@pytest.mark.parametrize(
    ("data", "text", "code"),
    [
        (b"words", False, "unknown-format"),
        (b"words\x00more", True, "unknown-format"),
        (b"words\x81more", True, "broken"),
        ("\ufeffa".encode("utf-16-le") + b"\x00\xd8a", True, "broken"),
        (b"a " * MOST_BYTES, True, "too-large"),
        (b"Content: " + base64.encodebytes(bytes(range(256)) * 10), True, "holds-files"),
        (b'{"image/png": "' + base64.b64encode(bytes(range(256)) * 10), True, "holds-files"),
    ],
)
def test_unseeable(data: bytes, text: bool, code: str) -> None:
    """What isn't text wholly, or holds another file, is not seen as its other part."""
    with pytest.raises(Unseeable) as caught:
        text_of(data, text)
    assert caught.value.code == code
