"""`nearloop tui` in a terminal of its own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are Unix's")
def test_it_runs_in_a_terminal_and_leaves_it(home: Path) -> None:
    """It draws, says what to run while there is no daemon, takes bytes that are no UTF-8, and `q` ends it with status 0."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    command = [sys.executable, "-m", "daemon.cli.main", "tui", "--theme", "light"]
    environment = {**os.environ, "TERM": "xterm-256color", "NEARLOOP_HOME": str(home)}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    try:
        seen = b""
        while b"nearloop up -d" not in seen:
            seen += os.read(ours, 65536)
        os.write(ours, b"\xff\x9b\xe4")
        os.write(ours, b"q")
        while process.poll() is None:
            try:
                seen += os.read(ours, 65536)
            except OSError:  # the other end is closed: it has left
                break
        assert process.wait(timeout=20) == 0
        assert b"Traceback" not in seen
    finally:
        process.kill()
        process.wait()
        os.close(ours)


@pytest.mark.skipif(sys.platform == "win32", reason="what Ctrl+C is, is Unix's")
def test_it_is_served_to_a_browser(home: Path) -> None:
    """`--web` prints an address on loopback, and Ctrl+C ends it with status 0."""
    command = [sys.executable, "-m", "daemon.cli.main", "tui", "--web"]
    environment = {**os.environ, "NEARLOOP_HOME": str(home)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
    try:
        assert process.stdout
        said = process.stdout.readline()
        assert re.search(r"http://127\.0\.0\.1:\d+/\?token=\S{32}$", said)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
    finally:
        process.kill()
        process.communicate()


def test_a_port_that_is_taken(home: Path) -> None:
    """Which it is, and what to do, is said."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "daemon.cli.main", "tui", "--web", "--port", str(port)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 1
    assert f"port {port} can't be listened on" in done.stderr


def test_other_commands_dont_load_it() -> None:
    """The page of help, and every other command, starts without the dashboard's library."""
    code = "import sys, daemon.cli.main, daemon.cli.tui; print([each for each in sys.modules if each.startswith('textual')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_without_a_terminal_it_says_so(home: Path) -> None:
    """At once, with what to do instead: nobody would see it, and no key would end it."""
    command = [sys.executable, "-m", "daemon.cli.main", "tui"]
    environment = {name: value for name, value in os.environ.items() if name != "TEXTUAL_DRIVER"}
    environment["NEARLOOP_HOME"] = str(home)
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, text=True, timeout=60, check=False
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert "needs a terminal" in done.stderr
    assert "\x1b" not in done.stderr
