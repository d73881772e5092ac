"""How much memory this machine has, or as much of it as our container may take."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

import psutil
from msgspec import Struct

_NO_LIMIT: Final = 1 << 60
"""A cgroup without a limit says `max`, or a number near 2**63 (version 1)."""
_OOM_KILLS: Final = re.compile(rb"^oom_kill (\d+)", re.MULTILINE)


class Memory(Struct, frozen=True):
    """available_bytes: what programs can still have without swapping; caches that can be dropped count as available."""

    total_bytes: int
    available_bytes: int


def look() -> Memory:
    """As it is now."""
    system = psutil.virtual_memory()
    memory = Memory(system.total, system.available)
    return within(memory, Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")) if sys.platform == "linux" else memory


def within(memory: Memory, membership: Path, root: Path) -> Memory:
    """The same, held against the limits of the control groups that we are in. membership, root: Linux's own places."""
    total, available = memory.total_bytes, memory.available_bytes
    for group, names in _groups(membership, root):
        limit, used = _number(group / names[0]), _number(group / names[1])
        if limit is None or used is None or limit >= _NO_LIMIT:
            continue
        total = min(total, limit)
        available = min(available, max(0, limit - used + _droppable(group)))
    return Memory(total, available)


_V1: Final = ("memory.limit_in_bytes", "memory.usage_in_bytes")
_V2: Final = ("memory.max", "memory.current")


def _groups(membership: Path, root: Path) -> list[tuple[Path, tuple[str, str]]]:
    """Folders of our control group and all above it, each with the names of its limit and its usage."""
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        top, names = (root / "memory", _V1) if controllers else (root, _V2)
        own = top / path.lstrip("/")
        found += [(group, names) for group in (own, *own.parents) if group.is_relative_to(top)]
    return found


def _number(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
        return _NO_LIMIT if text == "max" else int(text)
    except (OSError, ValueError):
        return None


def _droppable(group: Path) -> int:
    """What of a group's usage is file pages that nobody used lately."""
    try:
        fields: dict[str, str] = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        return int(fields.get("total_inactive_file") or fields.get("inactive_file") or 0)
    except (OSError, ValueError):
        return 0


def oom_kills() -> int:
    """How many processes the kernel has ended for lack of memory since the machine started; 0 where it does not say."""
    try:
        found = _OOM_KILLS.search(Path("/proc/vmstat").read_bytes())
    except OSError:
        return 0
    return int(found[1]) if found else 0
