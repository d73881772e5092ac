"""Every path that Nearloop uses, in one place."""

from __future__ import annotations

import os
import stat
import sys
import warnings
from pathlib import Path
from typing import Final

import platformdirs
from msgspec import Struct

from daemon.errors import Refused

_APP: Final = "nearloop"


class Paths(Struct, frozen=True):
    """Five folders, and the files in them."""

    config: Path
    data: Path
    cache: Path
    runtime: Path
    state: Path

    @property
    def settings(self) -> Path:
        """The user's settings."""
        return self.config / "settings.toml"

    @property
    def records(self) -> Path:
        """The SQLite file of execution records."""
        return self.data / "records.db"

    @property
    def receipts(self) -> Path:
        """The chain of receipts of what left."""
        return self.data / "receipts"

    @property
    def flows(self) -> Path:
        """Work that waits for a client's tool, where words may be kept."""
        return self.data / "flows"

    @property
    def approvals(self) -> Path:
        """What the user let pass for good, as keyed hashes."""
        return self.data / "approvals.json"

    @property
    def local_only(self) -> Path:
        """Stands there as long as nothing may leave."""
        return self.data / "local-only"

    @property
    def confidence(self) -> Path:
        """What was measured of models here, and how their answers turned out."""
        return self.data / "confidence"

    @property
    def models(self) -> Path:
        """Model files as engines want them, made from their sources on this machine; safe to delete."""
        return self.cache / "models"

    @property
    def model_files(self) -> Path:
        """Model files that were fetched from a hub."""
        return self.data / "models"

    @property
    def recipes(self) -> Path:
        """Versions of the recipe files that were in use."""
        return self.data / "recipes"

    @property
    def probes(self) -> Path:
        """How fast models run on this machine's devices; safe to delete."""
        return self.cache / "probes"

    @property
    def speeds(self) -> Path:
        """How fast local models read and wrote in their own answers; safe to delete."""
        return self.cache / "speeds"

    @property
    def client_tokens(self) -> Path:
        """Tokens of clients that read theirs from a file."""
        return self.config / "tokens"

    @property
    def connections(self) -> Path:
        """What `nearloop connect` wrote into other programs' files, so that it can be undone."""
        return self.data / "connections"

    @property
    def discovery(self) -> Path:
        """Where a running daemon says its port, process id and version."""
        return self.runtime / "daemon.json"

    @property
    def admin_token(self) -> Path:
        """The token of this run, for the command line, dashboard and tray of the same user."""
        return self.runtime / "admin.token"

    @property
    def lock(self) -> Path:
        """Held by the one running daemon. With the data, not in the runtime folder, which a logout may delete."""
        return self.data / "daemon.lock"

    @property
    def tray_lock(self) -> Path:
        """Held by the one icon in the panel."""
        return self.data / "tray.lock"

    @property
    def looks(self) -> Path:
        """How the dashboard looked last; safe to delete."""
        return self.state / "dashboard.json"

    @property
    def log(self) -> Path:
        """What a detached daemon says."""
        return self.data / "daemon.log"


def paths() -> Paths:
    """All under NEARLOOP_HOME if that is set, else where the platform wants them."""
    if home := os.environ.get("NEARLOOP_HOME"):
        try:
            root = at_home(home).absolute()
        except Refused as error:
            raise Refused(f"NEARLOOP_HOME={error}") from error
        return under(root)
    try:
        Path.home()
    except RuntimeError as error:
        raise Refused("this user has no home folder: set NEARLOOP_HOME to a folder of your own") from error
    with warnings.catch_warnings():  # no XDG_RUNTIME_DIR, as in a container: its fallback is good enough
        warnings.simplefilter("ignore")
        runtime = Path(platformdirs.user_runtime_dir(_APP, appauthor=False))
    return Paths(
        config=Path(platformdirs.user_config_dir(_APP, appauthor=False)),
        data=Path(platformdirs.user_data_dir(_APP, appauthor=False)),
        cache=Path(platformdirs.user_cache_dir(_APP, appauthor=False)),
        runtime=runtime,
        state=Path(platformdirs.user_state_dir(_APP, appauthor=False)),
    )


def under(root: Path) -> Paths:
    """All in one folder."""
    return Paths(root / "config", root / "data", root / "cache", root / "run", root / "state")


def at_home(path: str) -> Path:
    """A path that a user wrote, with `~` and `~name` for home folders. Raises Refused if there is no such user."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise Refused(f"{path}: there is no such user, or no home folder: give a whole path") from error


def make_private_directory(path: Path) -> None:
    """Make `path` for this user alone. Raises Refused if it belongs to somebody else, who could then read our tokens."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise Refused(f"{path} can't be a folder, because there is a file in its way") from error
    if sys.platform != "win32":
        info = path.stat()
        if info.st_uid != os.getuid():
            raise Refused(f"{path} belongs to another user: remove it, or set NEARLOOP_HOME to a folder of your own")
        if stat.S_IMODE(info.st_mode) != 0o700:
            path.chmod(0o700)


def read_private(path: Path) -> bytes:
    """Read a file that this user wrote. Raises OSError if it is not there, or somebody else's: it could mislead us."""
    with path.open("rb") as file:
        if sys.platform != "win32" and os.fstat(file.fileno()).st_uid != os.getuid():
            raise PermissionError(f"{path} belongs to another user")
        return file.read()


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only this user can read, at once or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
