"""Programs such as a working machine has, for screens that show them."""

from __future__ import annotations

from daemon import wire


def clients() -> wire.Clients:
    """With a token: an agent, an editor that was connected, and one that may do all."""
    return wire.Clients(
        (
            wire.ClientInfo(
                "claude-code", ("infer:local", "infer:cloud"),
                wire.PerDay(300, 500_000, 2.5), wire.Taken(12, 431_000, 1.75, 1),
            ),
            wire.ClientInfo("zed", ("infer:local", "infer:cloud"), today=wire.Taken(3, 2210, 0.0093)),
            wire.ClientInfo("my-script", ("read:records", "admin")),
        )
    )  # fmt: skip


def programs() -> tuple[wire.Connectable, ...]:
    """That can be connected; one is."""
    return (
        wire.Connectable("aider", "Aider"),
        wire.Connectable("codex", "Codex"),
        wire.Connectable("zed", "Zed", "http://127.0.0.1:6327", "zed"),
        wire.Connectable("env", "variables for a shell"),
    )


def plan(name: str = "aider") -> wire.ConnectPlan:
    """A file that is there is changed, another one made, and a step is left."""
    diff = (
        "--- /home/ada/.aider.conf.yml (now)",
        "+++ /home/ada/.aider.conf.yml (then)",
        "@@ -1,2 +1,3 @@",
        " # mine",
        "-model: sonnet",
        "+model: openai/auto",
        "+openai-api-base: http://127.0.0.1:6327/v1",
    )
    made = ("--- a", "+++ b", "@@ -0,0 +1 @@", "+OPENAI_API_KEY=nl_…")
    files = (
        wire.FileChange("/home/ada/.aider.conf.yml", False, diff),
        wire.FileChange("/home/ada/.env", True, made),
    )
    step, note = (
        "API key: (a token, shown when it is made)",
        "The model's window is not known yet: 8,192 tokens are told.",
    )
    return wire.ConnectPlan(name, "Aider", "http://127.0.0.1:6327", name, True, files, (step,), (note,), "d" * 64)


def done(name: str = "aider") -> wire.ConnectDone:
    """It was done; its token is told this once."""
    files = ("/home/ada/.aider.conf.yml", "/home/ada/.env")
    warning = "/home/ada/.env holds the token, and others on this machine may read it"
    return wire.ConnectDone(name, "Aider", files, ("API key: nl_canary-of-aider",), ("Start aider anew.",), (warning,))


def undone(name: str = "zed") -> wire.ConnectUndone:
    """One file is as it was, one is gone."""
    return wire.ConnectUndone(name, ("/home/ada/.config/zed/settings.json",), ("/home/ada/.zed",))
