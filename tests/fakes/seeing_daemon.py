"""A daemon that sees in pictures what a test says: `python -m tests.fakes.seeing_daemon`, for `nearloopd`.

The variable NEARLOOP_TEST_SIGHTS names a file: JSON from a picture's SHA-256 to what is seen in it. What isn't in it nobody
could look at.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec

from daemon import pipeline
from daemon.__main__ import main
from daemon.signals.shown import content
from providers.contract import File, Image, Request, Sight
from providers.texts import carried, with_carried

VARIABLE: Final = "NEARLOOP_TEST_SIGHTS"


def write(path: Path, sights: dict[bytes, Sight]) -> dict[str, str]:
    """The environment in which these pictures are seen so."""
    table = {sha256(data).hexdigest(): sight for data, sight in sights.items()}
    path.write_bytes(msgspec.json.encode(table))
    return {VARIABLE: str(path)}


def _looked_at(request: Request, table: dict[str, Sight]) -> Request:
    def seen(part: Image | File) -> Image | File:
        data = content(part)
        sight = table.get(sha256(data).hexdigest()) if data is not None else None
        return part if sight is None else msgspec.structs.replace(part, sight=sight)

    return with_carried(request, {path: seen(part) for path, part in carried(request)})


def _see() -> None:
    """Before anything else of a visit."""
    table = msgspec.json.decode(Path(os.environ[VARIABLE]).read_bytes(), type=dict[str, Sight])
    begin = pipeline.Visit.__init__

    def begun(self: pipeline.Visit, house: Any, request: Request, *more: Any, **named: Any) -> None:
        begin(self, house, _looked_at(request, table), *more, **named)

    pipeline.Visit.__init__ = begun  # type: ignore[method-assign]


if __name__ == "__main__":
    _see()
    main()
