"""What a terminal sends: read as UTF-8, whatever it is."""

from __future__ import annotations

import sys
from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Callable
from functools import partial


def take_any_bytes() -> None:
    """Have bytes that are no UTF-8 read as replacement characters: by themselves they end Textual's program, and a paste or
    a terminal with another encoding has some.
    """
    if sys.platform != "win32":
        from textual.drivers import linux_driver

        linux_driver.getincrementaldecoder = _forgiving  # type: ignore[attr-defined, assignment]


def _forgiving(encoding: str) -> Callable[[], IncrementalDecoder]:
    return partial(getincrementaldecoder(encoding), "replace")
