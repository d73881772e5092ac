"""Earlier versions of the recipe files in use: what a broken file falls back to, and what can be had back.

Each version is a file of its own named by its text's digest; a list beside them says in which order they were used. They
hold what the user wrote into recipes, so they are this user's alone.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from daemon.clock import Clock
from daemon.errors import NotFound
from daemon.paths import make_private_directory, read_private, write_private
from daemon.recipes.files import Form
from daemon.routing.sources import Source

KEPT: Final = 50
Why = Literal["start", "file", "api", "rollback", "settings"]


class Version(Struct, frozen=True, kw_only=True):
    """name: as the settings have it. digest: of the text. why: how it came into use."""

    number: int
    at: datetime
    name: str
    digest: str
    form: Form
    why: Why


_decode: Final = msgspec.json.Decoder(tuple[Version, ...]).decode


class Shelf:
    """In one folder, which is made with the first version."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._versions = self._read()

    def _read(self) -> tuple[Version, ...]:
        """A list that can't be read is as none: it is ours, and only history."""
        try:
            return _decode(read_private(self._folder / "versions.json"))
        except (OSError, msgspec.MsgspecError):
            return ()

    def of(self, name: str) -> tuple[Version, ...]:
        """Of one recipe, the newest last."""
        return tuple(version for version in self._versions if version.name == name)

    def keep(self, source: Source, why: Why) -> Version:
        """The version that is used from now on; not a new one if it is the same as before. Raises OSError, Refused."""
        last = next(reversed(self.of(source.name)), None)
        if last is not None and last.digest == source.digest:
            return last
        number = max((version.number for version in self._versions), default=0) + 1
        version = Version(
            number=number, at=self._clock.now(), name=source.name, digest=source.digest, form=source.form, why=why
        )
        make_private_directory(self._folder)
        write_private(self._file(version), source.text.encode("utf-8", "surrogatepass"))
        kept = (*self._versions, version)[-KEPT:]
        write_private(self._folder / "versions.json", msgspec.json.encode(kept))
        for gone in {self._file(each) for each in self._versions} - {self._file(each) for each in kept}:
            gone.unlink(missing_ok=True)
        self._versions = kept
        return version

    def text(self, number: int, name: str) -> str:
        """Of a version of a recipe. Raises NotFound."""
        for version in self.of(name):
            if version.number == number:
                try:
                    return read_private(self._file(version)).decode("utf-8", "surrogatepass")
                except (OSError, UnicodeDecodeError) as error:
                    raise NotFound(f"version {number} of {name} can't be read any more") from error
        raise NotFound(f"there is no version {number} of {name}: `nearloop recipe versions` lists them")

    def last(self, name: str) -> str | None:
        """The text that was used last; None if there is none."""
        for version in reversed(self.of(name)):
            try:
                return self.text(version.number, name)
            except NotFound:
                continue
        return None

    def _file(self, version: Version) -> Path:
        return self._folder / f"{version.digest}.{version.form}"
