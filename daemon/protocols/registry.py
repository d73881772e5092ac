"""The client protocols, by name."""

from __future__ import annotations

from typing import Final

from daemon.protocols import anthropic, ollama_chat, ollama_generate, openai_chat, openai_completions, openai_responses
from daemon.protocols.base import Codec

PROTOCOLS: Final[dict[str, Codec]] = {
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "openai-completions": openai_completions,
    "openai-responses": openai_responses,
    "ollama-chat": ollama_chat,
    "ollama-generate": ollama_generate,
}
