"""What the folder of who asks says of the request."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.working_folders import FRESH_S, MARKER, WorkingFolder, WorkingFolders, look_at
from tests.fakes.clock import HeldClock


def test_a_tree_and_its_marker(tmp_path: Path) -> None:
    """The name is the version-controlled folder's; a marker counts in the folder and in any above it."""
    inner = tmp_path / "ledger" / "src"
    inner.mkdir(parents=True)
    assert look_at(inner) == WorkingFolder(None, False)

    (tmp_path / "ledger" / ".git").mkdir()
    assert look_at(inner) == WorkingFolder("ledger", False)
    for place in (inner, inner.parent, tmp_path):
        (place / MARKER).touch()
        assert look_at(inner).marked
        (place / MARKER).unlink()
    (inner / "below").mkdir()
    (inner / "below" / MARKER).touch()
    assert not look_at(inner).marked


def test_where_nothing_can_be_seen_it_is_marked(tmp_path: Path) -> None:
    """A folder whose name can't even be looked up keeps its requests here."""
    assert look_at(tmp_path / ("x" * 300)) == WorkingFolder(None, True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells")
async def test_it_is_that_of_the_program_at_the_other_end(tmp_path: Path, clock: HeldClock) -> None:
    """A child that connects from a marked folder is found out, and is remembered for a moment."""
    (tmp_path / MARKER).touch()
    with socket.create_server(("127.0.0.1", 0)) as server:
        own = server.getsockname()
        code = f"import socket; s = socket.create_connection({own!r}); s.recv(1)"
        child = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
        connection, peer = server.accept()
        folders = WorkingFolders(clock)
        with connection:
            assert await folders.of(own, peer) == WorkingFolder(None, True)
            (tmp_path / MARKER).unlink()
            assert await folders.of(own, peer) == WorkingFolder(None, True)
            clock.advance(FRESH_S)
            assert await folders.of(own, peer) == WorkingFolder(None, False)
        child.wait(10)
        clock.advance(FRESH_S)
        assert await folders.of(own, peer) is None
