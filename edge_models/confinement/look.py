"""What holds a worker on this machine, found out by starting one: it has no model, and ends at once."""

from __future__ import annotations

import subprocess
import threading
from contextlib import suppress
from typing import Final

from edge_models.catalog import ModelRef
from edge_models.ipc import HEADER_BYTES, MAX_FRAME_BYTES, Hello, Load, body_length, decode_event, frame

_LOOK_S: Final = 20.0
_CAP_BYTES: Final = 4 << 30


def look(command: list[str]) -> tuple[str, ...] | None:
    """In the words of `process.py`. command: what starts a worker. None if it does not start."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return None
    limit = threading.Timer(_LOOK_S, process.kill)
    limit.start()
    try:
        assert process.stdin
        assert process.stdout
        process.stdin.write(frame(Load(ModelRef("none", "scripted"), "", _CAP_BYTES)))
        process.stdin.flush()
        event = decode_event(process.stdout.read(min(body_length(process.stdout.read(HEADER_BYTES)), MAX_FRAME_BYTES)))
        return event.confinement if isinstance(event, Hello) else None
    except (OSError, ValueError):
        return None
    finally:
        limit.cancel()
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()
