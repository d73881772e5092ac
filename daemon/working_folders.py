"""Where the programs at the other end of connections work, where the system can tell: it says which project asks."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from pathlib import Path
from typing import Final

from msgspec import Struct

from daemon.clock import Clock
from daemon.peers import folder_of, process_of_peer

MARKER: Final = ".nearloop-local-only"
"""A file of this name, in a folder or above it, keeps what is asked from there on this machine."""
FRESH_S: Final = 2.0
"""Who holds a connection costs milliseconds to find out, so it is remembered for a moment."""
_REMEMBERED: Final = 512
Address = tuple[str, int]


class WorkingFolder(Struct, frozen=True):
    """tree: the name of the version-controlled folder, if it is in one. marked: whether it is to stay local-only."""

    tree: str | None
    marked: bool


class WorkingFolders:
    """Finds them out."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: OrderedDict[tuple[Address, Address], tuple[float, WorkingFolder | None]] = OrderedDict()

    async def of(self, own: Address, peer: Address) -> WorkingFolder | None:
        """Of the program that holds the socket at `peer`, which is connected to `own`; None if the system doesn't tell."""
        now = self._clock.monotonic()
        known = self._known.get((own, peer))
        if known is not None and now - known[0] < FRESH_S:
            return known[1]
        found = await asyncio.to_thread(_look, own, peer)
        self._known[own, peer] = now, found
        self._known.move_to_end((own, peer))
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found


def _look(own: Address, peer: Address) -> WorkingFolder | None:
    process = process_of_peer(own, peer)
    folder = folder_of(process) if process is not None else None
    return look_at(folder) if folder is not None else None


def look_at(folder: Path) -> WorkingFolder:
    """What a folder says of what is asked from it. Where something can't be looked at, it is taken to be marked."""
    above = (folder, *folder.parents)
    tree = next((each.name for each in above if _is_there(each / ".git", otherwise=False)), None)
    return WorkingFolder(tree, any(_is_there(each / MARKER, otherwise=True) for each in above))


def _is_there(path: Path, otherwise: bool) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return otherwise
    return True
