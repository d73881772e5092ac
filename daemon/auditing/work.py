"""The audit itself: finds logs, reads each once, and says how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from daemon.auditing.base import Format, Where
from daemon.auditing.log import Log
from daemon.auditing.places import files_below
from daemon.auditing.tally import Tally

Progress = Callable[[Log], None]
"""Called often while a log is read; `done_bytes` of `size_bytes` is how far."""
_SUFFIXES: Final = (".jsonl", ".json", ".log", ".md", ".history")


def audit(tally: Tally, formats: Iterable[Format], where: Where, named: tuple[Path, ...], progress: Progress) -> None:
    """Read all logs of these formats: at their usual places, or the named files and folders alone."""
    seen: set[tuple[int, int]] = set()
    if named:
        chosen = tuple(formats)
        for path in named:
            _read(tally, _recognised(path, chosen, tally), seen, progress)
        return
    for format in formats:
        projects = tuple(Path(project) for project in tally.projects())
        found = format.find(replace(where, projects=projects))
        _read(tally, ((format, path) for path in found), seen, progress)


def _recognised(path: Path, formats: tuple[Format, ...], tally: Tally) -> Iterator[tuple[Format, Path]]:
    files = files_below(path, lambda name: name.endswith(_SUFFIXES)) if path.is_dir() else iter((path,))
    for file in files:
        try:
            with Log(file) as log:
                head = log.head()
        except OSError:
            tally.unopened += 1
            continue
        yield from ((format, file) for format in formats if format.knows(file, head))


def _read(tally: Tally, files: Iterable[tuple[Format, Path]], seen: set[tuple[int, int]], progress: Progress) -> None:
    for format, path in files:
        try:
            log = Log(path)
        except OSError:
            tally.unopened += 1
            continue
        with log:
            is_old = tally.since is not None and log.modified < tally.since
            if log.key in seen or is_old:
                continue
            seen.add(log.key)
            tally.take(format, log).run(progress)
