"""Walks over folders in search of logs: no symbolic link to a folder is followed, and no walk is without an end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

MAX_FOLDERS: Final = 20_000
"""Of one walk. Claude Code and Codex keep some hundred folders; a home folder may hold millions of files."""
_SKIPPED: Final = frozenset(
    {"node_modules", ".git", "__pycache__", ".venv", "venv", "site-packages", "target", "Library", "AppData", ".cache"}
)


def files_below(
    folder: Path, wanted: Callable[[str], bool], *, depth: int | None = None, hidden: bool = True
) -> Iterator[Path]:
    """Files whose names are wanted, folder by folder, in order. depth: how many folders down; hidden: also in folders
    whose names begin with a dot. What can't be listed is left out.
    """
    base = len(folder.parts)
    for seen, (place, folders, names) in enumerate(os.walk(folder, followlinks=False)):
        path = Path(place)
        is_deep = depth is not None and len(path.parts) - base >= depth
        kept = [] if is_deep or seen >= MAX_FOLDERS else folders
        folders[:] = sorted(name for name in kept if name not in _SKIPPED and (hidden or not name.startswith(".")))
        yield from (path / name for name in sorted(names) if wanted(name))
