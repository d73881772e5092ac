"""The vendors that need no more than a name: where they are, what their key is called, and how their servers differ.

An address is what a vendor's documentation gives to its clients, a variable the one that its own client reads its key from.
Quirks are from the source beside them, looked up in November 2026; where vendors say nothing, reports of what their servers
refuse were used. `tested` is for rows that were exercised against the real thing: no others are claimed to work.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from providers.cleared import Place
from providers.places import Address, address_of, url_of
from providers.target import Quirks


class Vendor(Struct, frozen=True):
    """A known one. base_url: None: each has its own. like: what such an address looks like. key_variable: None for servers
    that ask for no key. accepts: as in Target. hosts: further ones of theirs, whole or with what ends them (`.example.com`).
    """

    base_url: str | None
    key_variable: str | None = None
    wire: str = "openai-chat"
    accepts: tuple[str, ...] = ()
    quirks: Quirks = Quirks()
    hosts: tuple[str, ...] = ()
    like: str = ""
    tested: bool = False


# developers.openai.com/api/reference: reasoning models want `max_completion_tokens`, which others don't know; unknown fields
# of messages such as `reasoning_content`, which others need, are refused.
_OPENAI: Final = Quirks(completion_tokens=True, reads_thoughts=False)
# platform.claude.com/docs/en/api/messages: reasoning that it didn't sign is refused; the key is its own header's alone.
_ANTHROPIC: Final = Quirks(reads_thoughts=False, bearer=False, longest_answer=32_000, system_turns=True)
# ai.google.dev/gemini-api/docs/openai: fields that its OpenAI door doesn't know are refused by their name: `seed`, both
# penalties (BerriAI/litellm#7748, n4ze3m/page-assist#418), `parallel_tool_calls`, `reasoning_content`.
_GEMINI_DOOR: Final = Quirks(
    reads_thoughts=False, extras=("reasoning_effort", "google", "service_tier"), penalties=False, parallel_field=False,
    seed=None, logprobs="none",
)  # fmt: skip
# docs.mistral.ai/api: a closed schema: `stream_options` (dnakov/anon-kode#53; usage comes unasked), `reasoning_content`
# (charmbracelet/crush#1590) and all that it doesn't know are refused; the seed is `random_seed`, and `any` asks for a call.
_MISTRAL: Final = Quirks(
    reads_thoughts=False, extras=("reasoning_effort", "prompt_mode", "safe_prompt", "prediction"), stream_usage=False,
    logprobs="none", seed="random_seed", tool_choice="any",
)  # fmt: skip
# console.groq.com/docs/openai, "Currently unsupported": logprobs, top_logprobs, logit_bias, and n other than 1 are a 400.
# Reasoning is told and read as `reasoning` (console.groq.com/docs/reasoning).
_GROQ: Final = Quirks(
    completion_tokens=True, thoughts_field="reasoning", choices=False, logprobs="none",
    extras=("reasoning_effort", "reasoning_format", "include_reasoning", "service_tier", "user", "documents", "metadata"),
)  # fmt: skip
# api-docs.deepseek.com/api/create-chat-completion: response_format is text or json_object; no seed, no n.
_DEEPSEEK: Final = Quirks(choices=False, schema="object", seed=None)
# openrouter.ai/docs/use-cases/reasoning-tokens: earlier reasoning goes back as `reasoning`, or as reasoning_details.
_OPENROUTER: Final = Quirks(thoughts_field="reasoning")
# inference-docs.cerebras.ai/resources/openai: both penalties, logit_bias and service_tier are a 400; reasoning is told and
# read as `reasoning`.
_CEREBRAS: Final = Quirks(
    completion_tokens=True, thoughts_field="reasoning", penalties=False, choices=False,
    extras=("reasoning_effort", "reasoning_format", "clear_thinking", "prediction", "user"),
)  # fmt: skip
# docs.github.com/rest/models: the catalogue is a bare list at another path, and the version is told by a header. Its servers
# are Azure's, which refuse `reasoning_content`.
_GITHUB: Final = Quirks(
    reads_thoughts=False, models_path="/catalog/models", headers=(("x-github-api-version", "2022-11-28"),)
)
# platform.kimi.ai/docs/api/chat: `max_completion_tokens`; a tool's `strict` is unknown, and a call can't be forced while a
# model reasons, which all of them do.
_MOONSHOT: Final = Quirks(completion_tokens=True, strict=False, tool_choice=None, seed=None)
# docs.z.ai/api-reference/llm/chat-completion: tool_choice is `auto` alone, response_format text or json_object; there are no
# penalties, n, seed, stream_options (usage comes unasked), strict or logprobs, and no list of models.
_ZAI: Final = Quirks(
    stream_usage=False, choices=False, penalties=False, parallel_field=False, strict=False, logprobs="none", seed=None,
    schema="object", tool_choice=None, models_path="",
)  # fmt: skip
# docs.openvino.ai, chat/completions of the model server: logprobs of whole answers alone, several answers likewise.
_OVMS: Final = Quirks(logprobs="whole")

VENDORS: Final[dict[str, Vendor]] = {
    "openai": Vendor("https://api.openai.com/v1", "OPENAI_API_KEY", quirks=_OPENAI, hosts=(".openai.azure.com",)),
    "anthropic": Vendor("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", "anthropic", quirks=_ANTHROPIC),
    "gemini": Vendor("https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY", "gemini"),
    "azure": Vendor(
        None, "AZURE_OPENAI_API_KEY", "azure", quirks=_OPENAI, like="https://NAME.openai.azure.com/openai/v1"
    ),
    "google": Vendor("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", quirks=_GEMINI_DOOR),
    "openrouter": Vendor("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", accepts=("top_k",), quirks=_OPENROUTER),
    "groq": Vendor("https://api.groq.com/openai/v1", "GROQ_API_KEY", quirks=_GROQ),
    "mistral": Vendor("https://api.mistral.ai/v1", "MISTRAL_API_KEY", quirks=_MISTRAL),
    "deepseek": Vendor("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", quirks=_DEEPSEEK),
    "together": Vendor("https://api.together.xyz/v1", "TOGETHER_API_KEY", accepts=("top_k",)),
    "fireworks": Vendor("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", accepts=("top_k",)),
    "cerebras": Vendor("https://api.cerebras.ai/v1", "CEREBRAS_API_KEY", quirks=_CEREBRAS),
    "xai": Vendor("https://api.x.ai/v1", "XAI_API_KEY"),
    "github": Vendor("https://models.github.ai/inference", "GITHUB_TOKEN", quirks=_GITHUB),
    "huggingface": Vendor("https://router.huggingface.co/v1", "HF_TOKEN"),
    "nvidia": Vendor("https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY", accepts=("top_k",)),
    "moonshot": Vendor("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", quirks=_MOONSHOT, hosts=("api.moonshot.cn",)),
    "zai": Vendor("https://api.z.ai/api/paas/v4", "ZAI_API_KEY", quirks=_ZAI, hosts=("open.bigmodel.cn",)),
    "ollama": Vendor("http://127.0.0.1:11434/v1"),
    "lmstudio": Vendor("http://127.0.0.1:1234/v1", accepts=("top_k",)),
    "llama-server": Vendor("http://127.0.0.1:8080/v1", accepts=("top_k",)),
    "vllm": Vendor("http://127.0.0.1:8000/v1", accepts=("top_k",)),
    "lemonade": Vendor("http://127.0.0.1:13305/api/v1"),
    "ovms": Vendor("http://127.0.0.1:8000/v3", accepts=("top_k",), quirks=_OVMS),
    # vLLM Semantic Router's listener (its documentation); whom it asks in turn is its own recipe's matter
    "semantic-router": Vendor(None, like="http://ROUTER:8899/v1"),
    "other-nearloop": Vendor(None, like="http://OTHER-MACHINE:6327/v1", tested=True),
}


def quirks_of(base_url: str) -> Quirks:
    """By whose address it is, whatever its user calls it. On this machine, where all share a host, by all of the address;
    elsewhere too, where it is a known one.
    """
    url = url_of(base_url)
    host = url.host or ""
    here = address_of(host) is Address.LOOPBACK
    found = Quirks()
    for vendor in VENDORS.values():
        if here or vendor.base_url is None:
            if base_url.rstrip("/") == vendor.base_url:
                return vendor.quirks
            continue
        hosts = (url_of(vendor.base_url).host or "", *vendor.hosts)
        if any(host.endswith(each) if each.startswith(".") else host == each for each in hosts):
            if base_url.rstrip("/") == vendor.base_url:
                return vendor.quirks
            found = found if found != Quirks() else vendor.quirks
    return found


def place_of_vendor(vendor: Vendor) -> Place:
    """Where it runs when it is added by its name alone: servers for local models at their own port are on this machine."""
    if vendor.base_url is None and vendor.key_variable is None:
        return Place.LAN
    return Place.CLOUD if vendor.key_variable else Place.DEVICE
