"""Logs in folders of a test, read into a report."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from daemon.auditing.base import Event, Where
from daemon.auditing.finds import Finder
from daemon.auditing.log import Log
from daemon.auditing.registry import FORMATS
from daemon.auditing.report import Report
from daemon.auditing.staying import Device
from daemon.auditing.tally import Tally
from daemon.auditing.work import audit
from daemon.connecting.base import Machine

DEVICE = Device(context_tokens=8192, reading=1000.0, writing=50.0, patience_s=20.0)


def written(home: Path, files: dict[str, bytes]) -> Path:
    """These files below a home folder, which is given back."""
    for name, content in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return home


def events(path: Path, format: str) -> list[Event]:
    """All that a reader tells of a file."""
    with Log(path) as log:
        return list(FORMATS[format].read(log))


def report(
    home: Path,
    *named: Path,
    formats: tuple[str, ...] = tuple(FORMATS),
    folder: Path | None = None,
    environment: dict[str, str] | None = None,
    since: datetime | None = None,
    device: Device = DEVICE,
    **more: Any,
) -> Report:
    """What an audit of a home folder comes to, by rules alone."""
    finder = Finder()
    tally = Tally(finder, device, since=since, **more)
    where = Where(Machine("linux", home, environment or {}), folder or home)
    audit(tally, [FORMATS[name] for name in formats], where, named, lambda log: None)
    finder.close()
    return tally.report(complete=True, deep=False)
