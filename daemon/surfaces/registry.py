"""What client protocols have besides the address that a codec answers at: model lists, counts, stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from litestar.types import ControllerRouterHandler

from daemon.surfaces import (
    anthropic_count,
    front_door,
    lm_studio,
    ollama_embed,
    ollama_files,
    ollama_models,
    openai_embeddings,
    openai_models,
    openai_responses,
)
from daemon.surfaces.served import Served

SURFACES: Final[tuple[Callable[[Served], list[ControllerRouterHandler]], ...]] = (
    anthropic_count.routes,
    openai_models.routes,
    openai_embeddings.routes,
    openai_responses.routes,
    ollama_models.routes,
    ollama_embed.routes,
    ollama_files.routes,
    lm_studio.routes,
    front_door.routes,
)
