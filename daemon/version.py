"""The version of this installation."""

from __future__ import annotations

from functools import cache


@cache
def version() -> str:
    """As the package's metadata says."""
    from importlib.metadata import version as of  # 20 ms that most commands don't need

    return of("nearloop")
