"""Who can answer over HTTP: the protocols that we speak, and the vendors that need no more than a name.

A vendor's address is what its documentation gives to OpenAI clients, its variable the one that its own client reads its key
from (looked up in November 2026).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from providers.cleared import Provider
from providers.contract import KeySource
from providers.http import Http, Target
from providers.openai_compatible import OpenAICompatible

PROVIDERS: Final[dict[str, Callable[[Http, Target, KeySource], Provider]]] = {
    "openai-chat": OpenAICompatible,
}
"""What speaks a wire protocol, by its name in settings.toml."""


class Vendor(Struct, frozen=True):
    """A known one. key_variable: None for servers on this machine, which ask for no key. accepts: as in Target."""

    base_url: str
    key_variable: str | None = None
    wire: str = "openai-chat"
    accepts: tuple[str, ...] = ()


VENDORS: Final[dict[str, Vendor]] = {
    "openai": Vendor("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "openrouter": Vendor("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", accepts=("top_k",)),
    "groq": Vendor("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "mistral": Vendor("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "deepseek": Vendor("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "together": Vendor("https://api.together.xyz/v1", "TOGETHER_API_KEY", accepts=("top_k",)),
    "fireworks": Vendor("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", accepts=("top_k",)),
    "cerebras": Vendor("https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
    "xai": Vendor("https://api.x.ai/v1", "XAI_API_KEY"),
    "ollama": Vendor("http://127.0.0.1:11434/v1"),
    "lmstudio": Vendor("http://127.0.0.1:1234/v1", accepts=("top_k",)),
    "llama-server": Vendor("http://127.0.0.1:8080/v1", accepts=("top_k",)),
    "vllm": Vendor("http://127.0.0.1:8000/v1", accepts=("top_k",)),
    "lemonade": Vendor("http://127.0.0.1:13305/api/v1"),
}
