"""Which model of the settings a command means."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.errors import BadRequest
from edge_models.catalog import ModelRef


def chosen(models: tuple[ModelRef, ...], name: str | None, engine: str | None = None) -> ModelRef:
    """The one of that name, or the default one; on another engine, if one is named. Raises BadRequest, with all names."""
    found = models[0] if name is None else next((ref for ref in models if ref.name == name), None)
    if found is None:
        raise BadRequest(f"no model of that name is in use: take one of {', '.join(ref.name for ref in models)}")
    return replace(found, engine=engine) if engine else found
