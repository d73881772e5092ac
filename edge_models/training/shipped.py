"""Where the models that Nearloop ships are, as far as training reads them."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def shipped(name: str) -> Path | None:
    """A folder of `assets/models`, in an installation or beside the sources; None: it is in neither."""
    places = (parent / "assets" / "models" / name for parent in (_PACKAGE, _PACKAGE.parent))
    return next((place for place in places if place.is_dir()), None)
