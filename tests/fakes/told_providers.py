"""Providers such as a working machine has, for screens that show them."""

from __future__ import annotations

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
