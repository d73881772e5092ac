"""Who can answer over HTTP: the protocols that we speak, and whom a row of the settings names."""

from __future__ import annotations

from typing import Final, Literal

from providers.cleared import Place, Provider
from providers.contract import KeySource
from providers.families.anthropic import AnthropicMessages
from providers.families.azure import Azure
from providers.families.base import Family
from providers.families.gemini import Gemini
from providers.families.ollama import Ollama
from providers.families.openai_chat import OpenAIChat
from providers.families.openai_responses import OpenAIResponses
from providers.http import Http
from providers.http_provider import HttpProvider, UsedUp
from providers.target import Target
from providers.vendors import quirks_of

FAMILIES: Final[dict[str, Family]] = {
    "openai-chat": OpenAIChat(),
    "openai-responses": OpenAIResponses(),
    "azure": Azure(),
    "gemini": Gemini(),
    "ollama": Ollama(),
    "anthropic": AnthropicMessages(),
}
"""The wire protocols, by their names in settings.toml."""


def provider_of(wire: str, http: Http, target: Target, key: KeySource, used_up: UsedUp | None = None) -> Provider:
    """Whoever speaks a protocol of the table. used_up: as HttpProvider has it."""
    return HttpProvider(FAMILIES[wire], http, target, key, used_up)


def target_of(
    name: str,
    base_url: str,
    place: Place,
    reasoning: str | None = None,
    accepts: tuple[str, ...] = (),
    api_version: str | None = None,
    cache: Literal["auto", "client"] = "auto",
) -> Target:
    """Whom a row of the settings names, with what is known of that address. Raises ValueError if it is none."""
    return Target(name, base_url, place, reasoning, accepts, quirks_of(base_url), api_version, cache)
