"""Providers such as a working machine has, for screens that show them."""

from __future__ import annotations

from msgspec.structs import replace

from daemon import wire


def providers() -> wire.Providers:
    """One in each place; one without its key, one that the daemon doesn't know yet."""
    return wire.Providers(
        (
            wire.ProviderInfo(
                "work", "https://api.example.invalid/v1", "openai-chat", "cloud", ("big-model", "mid-model"), "keyring"
            ),
            wire.ProviderInfo("ollama", "http://127.0.0.1:11434/v1", "openai-chat", "device", ("qwen3:8b",), "none"),
            wire.ProviderInfo(
                "lab", "http://10.0.0.7:8000/v1", "openai-chat", "lan", (), "file:~/lab.key", None,
                "its key lies readable in a file, for each program that you run and each backup", True,
            ),
            wire.ProviderInfo(
                "mistral", "https://api.mistral.example/v1", "openai-chat", "cloud", ("small",), "keyring",
                "mistral has no key in the keyring: `nearloop key set mistral` stores it",
            ),
            wire.ProviderInfo("new", "https://new.example/v1", "openai-chat", "cloud", ("fresh",), "env:NEW", None, None, False),
        )
    )  # fmt: skip


def tested() -> wire.Tested:
    """One that answered."""
    return wire.Tested("work", 212.0, ("big-model", "small-model"), ("mid-model",))


def vendors() -> tuple[wire.KnownVendor, ...]:
    """Of which one is a provider already, and one runs on this machine."""
    return (
        wire.KnownVendor("openai", "https://api.openai.com/v1", True),
        wire.KnownVendor("mistral", "https://api.mistral.ai/v1", True),
        wire.KnownVendor("lmstudio", "http://127.0.0.1:1234/v1", False),
    )


def added(name: str = "openai", key: str = "keyring") -> wire.AddedProvider:
    """A new one; its key is not there yet, if it needs one."""
    missing = f"{name} has no key in the keyring" if key == "keyring" else None
    url = "https://api.openai.com/v1"
    info = wire.ProviderInfo(name, url, "openai-chat", "cloud", (), key, missing, None, False)
    return wire.AddedProvider(info, (f"{name}: {url}, which counts as somebody else's",), ())


def removed() -> wire.Providers:
    """The first one was taken out of the settings while the daemon runs."""
    first, *others = providers().providers
    return wire.Providers((*others, replace(first, removed=True)))
