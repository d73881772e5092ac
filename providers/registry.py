"""Who can answer over HTTP: the protocols that we speak, and the vendors that need no more than a name.

A vendor's address is what its documentation gives to its clients, its variable the one that its own client reads its key
from (looked up in November 2026).
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from providers.cleared import Place, Provider
from providers.contract import KeySource
from providers.families.base import Family
from providers.families.openai_chat import OpenAIChat
from providers.http import Http
from providers.http_provider import HttpProvider, UsedUp
from providers.places import url_of
from providers.target import Quirks, Target

FAMILIES: Final[dict[str, Family]] = {
    "openai-chat": OpenAIChat(),
}
"""The wire protocols, by their names in settings.toml."""


def provider_of(wire: str, http: Http, target: Target, key: KeySource, used_up: UsedUp | None = None) -> Provider:
    """Whoever speaks a protocol of the table. used_up: as HttpProvider has it."""
    return HttpProvider(FAMILIES[wire], http, target, key, used_up)


class Vendor(Struct, frozen=True):
    """A known one. key_variable: None for servers on this machine, which ask for no key. accepts: as in Target. hosts:
    further ones of theirs, whole or with what ends them (`.example.com`).
    """

    base_url: str
    key_variable: str | None = None
    wire: str = "openai-chat"
    accepts: tuple[str, ...] = ()
    quirks: Quirks = Quirks()
    hosts: tuple[str, ...] = ()


_OPENAI: Final = Quirks(completion_tokens=True, reads_thoughts=False)
"""Which want `max_completion_tokens`, which others don't know, and refuse `reasoning_content`, which others need."""

VENDORS: Final[dict[str, Vendor]] = {
    "openai": Vendor("https://api.openai.com/v1", "OPENAI_API_KEY", quirks=_OPENAI, hosts=(".openai.azure.com",)),
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


def target_of(
    name: str, base_url: str, place: Place, reasoning: str | None = None, accepts: tuple[str, ...] = ()
) -> Target:
    """Whom a row of the settings names, with what is known of that address. Raises ValueError if it is none."""
    return Target(name, base_url, place, reasoning, accepts, quirks_of(base_url))


def quirks_of(base_url: str) -> Quirks:
    """By whose address it is, whatever its user calls it."""
    host = url_of(base_url).host or ""
    for vendor in VENDORS.values():
        hosts = (url_of(vendor.base_url).host or "", *vendor.hosts)
        if any(host.endswith(each) if each.startswith(".") else host == each for each in hosts):
            return vendor.quirks
    return Quirks()
