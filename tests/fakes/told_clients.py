"""Programs such as a working machine has, for screens that show them."""

from __future__ import annotations

from daemon import wire


def clients() -> wire.Clients:
    """With a token: an agent, an editor that was connected, and one that may do all."""
    return wire.Clients(
        (
            wire.ClientInfo("claude-code", ("infer:local", "infer:cloud")),
            wire.ClientInfo("zed", ("infer:local", "infer:cloud")),
            wire.ClientInfo("my-script", ("read:records", "admin")),
        )
    )


def programs() -> tuple[wire.Connectable, ...]:
    """That can be connected; one is."""
    return (
        wire.Connectable("aider", "Aider"),
        wire.Connectable("codex", "Codex"),
        wire.Connectable("zed", "Zed", "http://127.0.0.1:6327", "zed"),
        wire.Connectable("env", "variables for a shell"),
    )
