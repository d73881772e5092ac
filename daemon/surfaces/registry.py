"""What client protocols have besides the address that a codec answers at: model lists, counts, stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from litestar.types import ControllerRouterHandler

from daemon.surfaces import anthropic_count, openai_embeddings, openai_models, openai_responses
from daemon.surfaces.served import Served

SURFACES: Final[tuple[Callable[[Served], list[ControllerRouterHandler]], ...]] = (
    anthropic_count.routes,
    openai_models.routes,
    openai_embeddings.routes,
    openai_responses.routes,
)
