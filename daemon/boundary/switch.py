"""The one switch that keeps everything here: as long as its file stands, nothing crosses, whatever else is set.

The file itself is the state. It is looked for at each request and once more at each crossing, so that the command works
with and without a daemon, holds over restarts, and takes effect on what is on its way.
"""

from __future__ import annotations

from pathlib import Path

from daemon.errors import Refused, StoreError
from daemon.paths import make_private_directory

REMEDY = "`nearloop local-only off` lets things leave again"


class Switch:
    """Whether nothing may leave. path: the file's."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def on(self) -> bool:
        """Whether it is on; it is, too, if that can't be seen."""
        try:
            self._path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True
        return True

    def turn(self, on: bool) -> None:
        """Raises StoreError if its file can't be made or removed."""
        try:
            if on:
                make_private_directory(self._path.parent)
                self._path.touch(mode=0o600)
            else:
                self._path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{self._path} can't be {'made' if on else 'removed'}: {error.strerror}") from error

    def require_off(self, what: str) -> None:
        """For what goes out by a command. what: it, as the subject of a sentence. Raises Refused."""
        if self.on:
            raise Refused(f"{what} would leave this machine, which is local-only: {REMEDY}")
