"""The files of the demonstration that come with Nearloop."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).parents[1]


def shipped() -> Path:
    """Their folder: in the package, or in the sources it was installed from."""
    inside = _PACKAGE / "assets" / "demo"
    return inside if inside.is_dir() else _PACKAGE.parent / "assets" / "demo"
