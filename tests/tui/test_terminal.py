"""What a terminal may send."""

from __future__ import annotations

import sys
from codecs import getincrementaldecoder

import pytest

from tui.terminal import take_any_bytes


@pytest.mark.skipif(sys.platform == "win32", reason="there Textual reads keys, not bytes")
def test_bytes_that_are_no_text_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in the middle of a character; what follows is read as it is."""
    from textual.drivers import linux_driver

    monkeypatch.setattr(linux_driver, "getincrementaldecoder", getincrementaldecoder)
    take_any_bytes()
    decoder = vars(linux_driver)["getincrementaldecoder"]("utf-8")()

    assert decoder.decode(b"a\xffb\xc3") + decoder.decode(b"\xa4\xe4c", final=True) == "a\ufffdb\u00e4\ufffdc"
