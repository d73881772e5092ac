"""How far `nearloop bench leak` says it is; what it prints is in e2e/test_bench.py."""

from __future__ import annotations

import sys

import pytest

from daemon.cli import bench


class Terminal:
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written where nobody looks; on a terminal the line is taken back at the end."""
    said: list[str] = []
    monkeypatch.setattr(bench, "steer", lambda text, err: said.append(text))
    monkeypatch.setattr(bench, "_STEP_S", 0.0)
    bench._progress(2)(1)
    assert said == []

    monkeypatch.setattr(sys, "stderr", Terminal())
    progress = bench._progress(2)
    progress(1)
    progress(2)
    assert said == ["\r\x1b[K1 of 2 texts", "\r\x1b[K"]
