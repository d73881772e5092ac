"""Which models of the settings a command means."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from daemon.errors import BadRequest
from daemon.paths import at_home
from edge_models.catalog import ModelRef

if TYPE_CHECKING:
    from daemon.settings import Settings


def chosen(models: tuple[ModelRef, ...], name: str | None, engine: str | None = None) -> ModelRef:
    """The one of that name, or the default one; on another engine, if one is named. Raises BadRequest, with all names."""
    found = models[0] if name is None else next((ref for ref in models if ref.name == name), None)
    if found is None:
        raise BadRequest(f"no model of that name is in use: take one of {', '.join(ref.name for ref in models)}")
    return replace(found, engine=engine) if engine else found


def entailer_of(settings: Settings) -> Path | None:
    """The folder of the user's model for entailment; None: there is none."""
    return at_home(settings.signals.entailment) if settings.signals.entailment else None
