"""What macOS holds a process by; run where macOS is."""

from __future__ import annotations

import sys

import pytest

from tests.fakes.alone import alone

pytestmark = pytest.mark.skipif(sys.platform != "darwin", reason="macOS only")

SCRIPT = """
import socket
from edge_models.confinement import macos
listening = socket.create_server(("127.0.0.1", 0))
print(*macos.confine())
try:
    socket.create_connection(listening.getsockname())
    print("connected")
except PermissionError:
    print("refused")
"""


def test_the_sandbox_refuses_the_network() -> None:
    """Behind the sandbox not even this machine's own address can be reached."""
    assert alone(SCRIPT).stdout.split() == ["no-core-dump", "no-sockets", "refused"]
