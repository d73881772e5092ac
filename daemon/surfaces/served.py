"""What the handlers of client protocols need of the daemon."""

from __future__ import annotations

from typing import Final

from daemon.callers import Callers
from daemon.clock import Clock
from daemon.pipeline import Pipeline
from daemon.surfaces.turns import Turns
from daemon.working_folders import WorkingFolders

FIRST_S: Final = 5.0
BEAT_S: Final = 15.0


class Served:
    """The daemon, as clients are answered from it.

    first_s: how long the first delta is awaited before the status line goes out. beat_s: how long a stream may be silent
    before a heartbeat.
    """

    def __init__(
        self, pipeline: Pipeline, callers: Callers, clock: Clock, first_s: float = FIRST_S, beat_s: float = BEAT_S
    ) -> None:
        self.pipeline = pipeline
        self.callers = callers
        self.clock = clock
        self.first_s = first_s
        self.beat_s = beat_s
        self.folders = WorkingFolders(clock)
        self.turns = Turns(clock, pipeline.words)
        pipeline.forgets.append(self.turns.forget_older)
