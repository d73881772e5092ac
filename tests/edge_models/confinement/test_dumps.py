"""A crash leaves no copy of a process's memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os, resource, signal
from edge_models.confinement.dumps import keep_no_dumps
hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
assert keep_no_dumps() and keep_no_dumps()
print(resource.getrlimit(resource.RLIMIT_CORE), flush=True)
os.kill(os.getpid(), signal.SIGSEGV)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such limit")
def test_a_crash_leaves_nothing(tmp_path: Path) -> None:
    """No file, and a limit at which Linux asks no collector of dumps either."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, cwd=tmp_path)

    assert done.returncode == -11, done.stderr
    assert done.stdout.strip() in ("(1, 1)", "(0, 0)")
    assert list(tmp_path.iterdir()) == []
