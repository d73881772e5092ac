"""Writes the texts of `nearloop bench leak` from where they are written by hand: `python tests/bench/write_leak_rows.py`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.leakage.rows import written
from tests.fakes.leak_rows import rows

FILE: Final = Path(__file__).resolve().parents[2] / "assets" / "bench" / "leak.jsonl"


def lines() -> str:
    """The whole file."""
    return "".join(json.dumps(written(row), ensure_ascii=False) + "\n" for row in rows())


if __name__ == "__main__":
    FILE.write_text(lines(), encoding="utf-8")
