"""Findings and lines of a log such as a working machine has, for screens that show them."""

from __future__ import annotations

from datetime import timedelta

from daemon import wire
from tests.fakes.told_records import START


def findings() -> tuple[wire.Diagnosis, ...]:
    """Some of each severity, in the order of the checks."""
    return (
        wire.Diagnosis("python", "ok", "Python 3.12.4 on linux, Nearloop 0.1.0"),
        wire.Diagnosis("settings", "ok", "settings: /home/me/.config/nearloop/settings.toml"),
        wire.Diagnosis(
            "disk", "warning", "0.3 GB free for models at /home/me/.cache/nearloop",
            "free 0.5 GB, or set NEARLOOP_HOME to a folder on a larger disk",
        ),
        wire.Diagnosis(
            "models", "error", "local/broken: its file is damaged",
            "`nearloop models remove --force broken` and fetch it again",
        ),
        wire.Diagnosis("devices", "ok", "CPU: a processor; GPU: a small GPU"),
        wire.Diagnosis("port", "ok", "the daemon runs as process 4711 at http://127.0.0.1:6327"),
        wire.Diagnosis(
            "servers", "info", "ollama answers at http://127.0.0.1:11434/v1 with 3 models, and is not used",
            "`nearloop provider add ollama --model qwen3:8b` has it join `auto`",
        ),
    )  # fmt: skip


def log() -> wire.Log:
    """Of some minutes."""
    said = (
        ("info", "nearloop.pool", "unloaded coder-7b: idle"),
        ("warning", "nearloop.pool", "worker of broken ended, restart 1"),
        ("warning", "nearloop.pool", "worker of broken ended, restart 2"),
        ("error", "nearloop", "ValueError in /opt/nearloop/daemon/calls.py:210"),
        ("error", "asyncio", "a task failed\nOSError in /opt/nearloop/daemon/server.py:44"),
        ("info", "nearloop.pool", "unloaded notes: asked"),
    )
    lines = (
        wire.LogLine(number, START + timedelta(seconds=20 * number), level, logger, text)
        for number, (level, logger, text) in enumerate(said, 13)
    )
    return wire.Log(tuple(lines), 12, "/home/me/.local/share/nearloop/daemon.log")
