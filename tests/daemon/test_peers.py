"""Which user is at the other end of a loopback connection."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from daemon.peers import folder_of, process_of_peer, user_of_peer

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells")

NOBODY = 65534
CONNECT = """
import encodings.idna, os, socket, sys  # all of it now: the new user may not be able to read this Python
os.setgroups([]); os.setgid({uid}); os.setuid({uid})
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))):
    sys.stdin.read()
"""


@pytest.fixture(params=["127.0.0.1", "::1"])
def listener(request: pytest.FixtureRequest) -> Iterator[socket.socket]:
    try:
        listener = socket.create_server(
            (request.param, 0), family=socket.AF_INET6 if ":" in request.param else socket.AF_INET
        )
    except OSError:
        pytest.skip("this machine has no such address")
    with listener:
        yield listener


def address(sock: socket.socket) -> tuple[str, int]:
    host, port = sock.getsockname()[:2]
    return host, port


def test_our_own_connection_is_ours(listener: socket.socket) -> None:
    """A connection that this process made belongs to this process's user, in IPv4 and IPv6."""
    with ExitStack() as open:
        client = open.enter_context(closing(socket.create_connection(address(listener))))
        open.enter_context(closing(listener.accept()[0]))

        assert user_of_peer(address(listener), address(client)) == os.getuid()


def test_a_connection_that_is_not_there_is_nobodys() -> None:
    """Where no socket has these addresses, no user is made up."""
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as unbound:
        unbound.bind(("127.0.0.1", 0))

        assert user_of_peer(address(listener), address(unbound)) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_connection_of_another_user_is_theirs() -> None:
    """A process that runs as another user is found out, while our own connection beside it is still ours."""
    with socket.create_server(("127.0.0.1", 0)) as listener, ExitStack() as open:
        command = [sys.executable, "-c", CONNECT.format(uid=NOBODY), str(address(listener)[1])]
        child = open.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE))
        assert child.stdin
        open.callback(child.stdin.close)
        listener.settimeout(20)
        theirs = open.enter_context(closing(listener.accept()[0]))
        ours = open.enter_context(closing(socket.create_connection(address(listener))))

        assert user_of_peer(address(listener), theirs.getpeername()) == NOBODY
        assert user_of_peer(address(listener), address(ours)) == os.getuid()


def test_the_process_at_the_other_end_and_its_folder(tmp_path: Path) -> None:
    """A child that connects is found, with the folder that it works in."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        own = server.getsockname()
        code = f"import socket; s = socket.create_connection({own!r}); s.recv(1)"
        child = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
        connection, peer = server.accept()
        with connection:
            found = process_of_peer(own, peer)

            assert found == child.pid
            assert folder_of(child.pid) == tmp_path
        child.wait(10)
    assert folder_of(child.pid) is None
