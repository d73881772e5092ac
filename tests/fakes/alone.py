"""Python run in a process of its own, for what can't be undone in ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]


def alone(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script to its end."""
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=60
    )
