"""Models such as a working machine has, for screens that show them."""

from __future__ import annotations

from typing import Any, Final

from daemon import wire

SMALL: Final = "SmolLM2-135M-Instruct"
WHY: Final = "fastest of 2 devices for short prompts and for long ones, as measured on 2026-01-01: 41 tokens per second"


def ready(**more: Any) -> wire.Model:
    """One that is loaded."""
    given: dict[str, Any] = {
        "name": f"local/{SMALL}", "engine": "openvino-raw", "state": "ready", "demonstration": True, "context_tokens": 8192,
        "device": "CPU", "device_why": WHY, "versions": {"openvino": "2026.2.0"}, "worker_pid": 4711, "running": 1,
        "waiting": 2, "confinement": ("no sockets", "no other process", "ends with the daemon"),
        "memory_cap_bytes": 900_000_000, "estimate_bytes": 410_000_000, "keep_s": 3600.0,
    }  # fmt: skip
    return wire.Model(**(given | more))


def models() -> tuple[wire.Model, ...]:
    """One in each state that matters."""
    return (
        ready(),
        wire.Model("local/coder-7b", "llama-cpp", "loading", False, 0.4, keep_s=600.0, estimate_bytes=5_100_000_000),
        wire.Model("local/notes", "openvino-genai", "cold", False, keep_s=None),
        wire.Model(
            "local/broken", "llama-cpp", "failed", False, error="its file is damaged: fetch it again", restarts=3, keep_s=600.0
        ),
    )  # fmt: skip


def holding(name: str, source: Any = "hub", **more: Any) -> wire.Holding:
    """One of the inventory."""
    given: dict[str, Any] = {
        "name": name, "source": source, "in_use": False, "default": False, "kind": "chat", "engine": "llama-cpp",
        "runnable": True, "size_bytes": 386_000_000, "licence": "Apache-2.0", "path": None,
    }  # fmt: skip
    return wire.Holding(**(given | more))


def inventory(*fetches: wire.Fetch) -> wire.Inventory:
    """All there are."""
    return wire.Inventory(
        (
            holding(SMALL, "package", in_use=True, default=True, size_bytes=145_000_000, engine="openvino-raw"),
            holding(
                "coder-7b", "download", in_use=True, size_bytes=4_680_000_000, path="/home/me/models/coder-7b.gguf"
            ),
            holding("notes", "import", in_use=True, size_bytes=None, licence=None, path="/home/me/notes-model"),
            holding("broken", "import", in_use=True),
            holding("qwen3-0.6b", size_bytes=640_000_000, confirmed=False),
            holding("entail-small", kind="entailment", begun=True, licence="MIT"),
            holding("seer-4b", kind="vision", runnable=False, size_bytes=3_300_000_000),
        ),
        fetches,
    )


def devices() -> wire.Devices:
    """A laptop's."""
    return wire.Devices(
        "2026.2.0",
        (
            wire.Device("CPU", "cpu", "A processor", None, 16_000_000_000, ("FP32",)),
            wire.Device("GPU", "igpu", "A small GPU", "24.1", 8_000_000_000, ("FP16",)),
        ),
        (wire.AbsentDevice("NPU", "there is none"),),
        None,
        (wire.DeviceChoice(f"local/{SMALL}", "auto", "CPU", WHY, ()),),
        None,
        wire.Power(False, 81.0, "balanced", 52.0, False, 6_200_000_000, 16_400_000_000, 0.0, 0.3),
    )
