"""The worker that looks at pictures and documents, which are hostile input to native code: see `confined_worker.py`.

It reads no file of the user's: bytes come in by its pipe and what was seen goes out by it. A picture that takes too long
ends the process; its owner starts another one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, Final

from edge_models import openvino_gate
from edge_models.confined_worker import bounded, capped, run, too_much
from edge_models.engines.base import EngineError
from edge_models.ipc import PROTOCOL, Failed, Hello
from edge_models.vision.ipc import Command, Event, Look, Looked, Open, Opened, Paint, Unseen, decode_command, frame
from edge_models.vision.limits import TOO_LARGE, Unseeable

if TYPE_CHECKING:
    from edge_models.vision.eyes import Eyes

REMEDY: Final = "send a smaller picture, or fewer pages"


def serve(
    receive: Callable[[], Command],
    send: Callable[[Event], None],
    nowhere: BinaryIO,
    confinement: tuple[str, ...],
) -> None:
    """Open the eyes and answer until the process ends. confinement: what holds it. Raises EngineError if they can't be."""
    first = receive()
    assert isinstance(first, Open), "the first command has to be Open"
    cap_bytes = first.memory_cap_bytes
    confinement += capped(send, cap_bytes, REMEDY)
    try:
        with bounded(first.timeout_s, nowhere):
            send(Hello(PROTOCOL, "eyes", openvino_gate.versions(), os.getpid(), confinement))
            eyes = opened_eyes(first)
    except (EngineError, MemoryError) as error:
        raise too_much(error, cap_bytes, REMEDY) from error
    send(Opened(eyes.able))
    while True:
        ask = receive()
        assert isinstance(ask, Look | Paint), "a worker opens its eyes once in its life"
        try:
            with bounded(ask.timeout_s, nowhere):
                answer = eyes.paint(ask) if isinstance(ask, Paint) else Looked(ask.id, eyes.look(ask.data, ask.wants))
                send(answer)
        except Unseeable as error:
            send(Unseen(ask.id, error.code))
        except (EngineError, MemoryError) as error:
            broken = too_much(error, cap_bytes, REMEDY)
            send(Failed(ask.id, type(broken).__name__, str(broken)))
        except ValueError:  # of `frame`
            send(Unseen(ask.id, TOO_LARGE))


def opened_eyes(first: Open) -> Eyes:
    """What looks, with everything that is installed. Raises NotInstalled, Unavailable."""
    from edge_models.vision.eyes import Eyes
    from edge_models.vision.kinds import KindReader, folder

    return Eyes(first.limits, first.threads, KindReader(folder()))


def main() -> None:
    """Run a worker on this process's standard input and output."""
    run(serve, decode_command, frame)


if __name__ == "__main__":
    main()
