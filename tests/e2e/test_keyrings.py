"""The desktop's own keyring (GNOME's, by Secret Service) when something is wrong with it: every command ends, in words."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from daemon.secrets import TIMEOUT_S

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("gnome-keyring-daemon") and shutil.which("dbus-run-session")),
        reason="needs gnome-keyring and dbus (apt-get install gnome-keyring dbus dbus-x11)",
    ),
]

ROOT: Final = Path(__file__).resolve().parents[2]
ASK: Final = """
import asyncio, sys, time
from daemon import secrets
from daemon.errors import NearloopError
from daemon.stored_keys import StoredKeys
from providers.contract import Key
def told(call):
    began = time.monotonic()
    try:
        said = call()
    except NearloopError as error:
        said = f"{type(error).__name__}: {error}"
    print(f"{time.monotonic() - began:.1f} {said}", flush=True)
if sys.argv[1] == "set":
    secrets.set("work", Key("sk-kept-0815"))
elif sys.argv[1] == "get":
    told(lambda: (secrets.get("work") or Key("nothing")).reveal())
else:
    told(lambda: secrets.set("work", Key("sk-new-0815")))
    both = StoredKeys("work", ("keyring", "keyring:b"), "cloud")
    told(lambda: " | ".join(each.trouble or "there" for each in asyncio.run(both.info())))
"""
STORED: Final = """
printf 'its password' | gnome-keyring-daemon --unlock --components=secrets >/dev/null
"$PYTHON" "$SCRIPT" set
bus=org.freedesktop.DBus
pid=$(dbus-send --print-reply --dest=$bus / $bus.GetConnectionUnixProcessID string:org.freedesktop.secrets |
    awk '/uint32/ {print $2}')
"""
"""A keyring with a password and a key in it; `pid`: of its daemon."""


def session(folder: Path, script: str, **environment: str) -> list[tuple[float, str]]:
    """Run a script on a session bus of its own; how long each call took, and what it said."""
    home = folder / "session"
    home.mkdir(mode=0o700)
    (folder / "ask.py").write_text(ASK)
    env = {
        "PATH": os.environ["PATH"], "HOME": str(home), "XDG_RUNTIME_DIR": str(home), "PYTHONPATH": str(ROOT),
        "PYTHON": sys.executable, "SCRIPT": str(folder / "ask.py"), **environment,
    }  # fmt: skip
    done = subprocess.run(
        ["dbus-run-session", "--", "bash", "-c", f"set -e\n{script}"],
        env=env,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0815" not in done.stderr
    found = [line.partition(" ") for line in done.stdout.splitlines()]
    return [(float(took), said) for took, _, said in found]


def test_a_locked_keyring(tmp_path: Path) -> None:
    """After a login that did not unlock it, its prompt has nobody to show itself to, and is dismissed: it is told as locked,
    and the key is there again once it is unlocked.
    """
    script = f"""{STORED}
    kill "$pid"; while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
    gnome-keyring-daemon --start --components=secrets >/dev/null
    "$PYTHON" "$SCRIPT" get
    "$PYTHON" "$SCRIPT" both
    """
    for took_s, said in session(tmp_path, script):
        assert took_s < TIMEOUT_S + 5, said
        assert "locked: unlock it" in said or "didn't answer within" in said, said
        assert "env:NAME" in said


def test_a_keyring_that_stopped(tmp_path: Path) -> None:
    """One that never answers costs 5 seconds, once for all keys that are looked at together, and works again later."""
    script = f"""{STORED}
    kill -STOP "$pid"
    "$PYTHON" "$SCRIPT" get
    "$PYTHON" "$SCRIPT" both
    kill -CONT "$pid"
    "$PYTHON" "$SCRIPT" get
    """
    *stopped, (_, after) = session(tmp_path, script)

    assert len(stopped) == 3
    for took_s, said in stopped:
        assert TIMEOUT_S - 1 < took_s < TIMEOUT_S + 5, said
        assert "didn't answer within 5 s: unlock it" in said
    assert after.endswith("0815")  # the old one, or the new one that it was asked to keep


def test_a_keyring_that_is_killed_while_it_is_asked(tmp_path: Path) -> None:
    """The question ends with an error, before its time is over or at it."""
    script = f"""{STORED}
    kill -STOP "$pid"
    (sleep 2; kill -KILL "$pid") &
    "$PYTHON" "$SCRIPT" get
    wait
    """
    ((took_s, said),) = session(tmp_path, script)

    assert took_s < TIMEOUT_S + 5
    assert said.startswith("KeyringFailed: the keyring"), said


def test_no_keyring_on_the_bus(tmp_path: Path) -> None:
    """A session without one says what to start."""
    for took_s, said in session(
        tmp_path, '"$PYTHON" "$SCRIPT" get\n"$PYTHON" "$SCRIPT" both', XDG_DATA_DIRS="/nonexistent"
    ):
        assert took_s < TIMEOUT_S + 5
        assert "there is no keyring here" in said or "is locked" in said, said


def test_a_bus_that_is_gone(tmp_path: Path) -> None:
    """As a service that systemd starts without a session may see it: the address is there, and nobody behind it."""
    script = (
        'export DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent/bus\n"$PYTHON" "$SCRIPT" get\n"$PYTHON" "$SCRIPT" both'
    )
    for took_s, said in session(tmp_path, script):
        assert took_s < TIMEOUT_S + 5
        assert "keyring" in said and "env:NAME" in said, said
