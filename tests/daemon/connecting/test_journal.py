"""What was written, kept for the way back."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.connecting.diffs import Hunk
from daemon.connecting.journal import Connection, Run, Write, forget, load, save
from daemon.errors import Refused
from daemon.paths import Paths


def test_it_is_kept_and_forgotten(tmp_path: Path) -> None:
    """For this user alone; what isn't there is None."""
    paths = Paths(tmp_path / "c", tmp_path / "d", tmp_path / "e", tmp_path / "f", tmp_path / "g")
    write = Write("/x", None, "ab", None, ("/y",), (Hunk(0, 0, ("line\n",)),))
    kept = Connection("zed", "zed-2", "http://127.0.0.1:1", (Run(datetime.now(UTC), (write,)),))

    assert load(paths, "zed") is None
    save(paths, kept)
    assert load(paths, "zed") == kept
    assert stat.S_IMODE((paths.connections / "zed.json").stat().st_mode) == 0o600
    forget(paths, "zed")
    assert load(paths, "zed") is None


def test_a_broken_one_is_told(tmp_path: Path) -> None:
    """With the way out."""
    paths = Paths(tmp_path / "c", tmp_path / "d", tmp_path / "e", tmp_path / "f", tmp_path / "g")
    paths.connections.mkdir(parents=True)
    (paths.connections / "zed.json").write_text("{")

    with pytest.raises(Refused, match="backups"):
        load(paths, "zed")
