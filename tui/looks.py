"""How the dashboard looked last, kept from one time to the next: in a file of its own, since settings are for the daemon."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from daemon.paths import read_private, write_private


class Looks(Struct, frozen=True):
    """theme: by its whole name, ours or another's; None: nobody chose one."""

    theme: str | None = None


def recalled(file: Path) -> Looks:
    """What was kept; a file that is missing, broken or somebody else's is as if nothing was."""
    try:
        return msgspec.json.decode(read_private(file), type=Looks)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Looks()


def keep(file: Path, looks: Looks) -> None:
    """At once or not at all. Raises OSError."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(file, msgspec.json.encode(looks))
