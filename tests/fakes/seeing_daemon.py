"""A daemon that sees in pictures what a test says: `python -m tests.fakes.seeing_daemon`, for `nearloopd`.

The variable NEARLOOP_TEST_SIGHTS names a file: JSON from a picture's SHA-256 to what is seen in it. What isn't in it nobody
could look at.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from daemon.__main__ import main
from daemon.pictures.service import Looked, Pictures
from daemon.signals.shown import content
from edge_models.vision.limits import BROKEN
from providers.contract import File, Image, Request, Sight
from providers.texts import carried, with_carried

VARIABLE: Final = "NEARLOOP_TEST_SIGHTS"


def write(path: Path, sights: Mapping[bytes, Sight]) -> dict[str, str]:
    """The environment in which these pictures are seen so."""
    table = {sha256(data).hexdigest(): sight for data, sight in sights.items()}
    path.write_bytes(msgspec.json.encode(table))
    return {VARIABLE: str(path)}


def _see() -> None:
    """In place of the eyes' process."""
    table = msgspec.json.decode(Path(os.environ[VARIABLE]).read_bytes(), type=dict[str, Sight])

    async def look(self: Pictures, request: Request) -> Looked:
        seen: dict[str, Image | File] = {}
        unseen: dict[str, str] = {}
        for path, part in carried(request):
            data = content(part)
            if data is not None and (sight := table.get(sha256(data).hexdigest())) is not None:
                seen[path] = msgspec.structs.replace(part, sight=sight)
            else:
                unseen[path] = BROKEN
        return Looked(with_carried(request, seen), unseen, dict.fromkeys((*seen, *unseen), 1.0))

    Pictures.look = look  # type: ignore[method-assign]


if __name__ == "__main__":
    _see()
    main()
