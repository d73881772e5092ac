"""What Linux holds a process by: its network, its parent, its memory, its core dumps."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.fakes.alone import ROOT, alone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

NETWORK = """
import errno, socket
from edge_models.confinement import linux
listening = socket.create_server(("127.0.0.1", 0))
if not linux.own_network():
    print("not here")
else:
    try:
        socket.create_connection(listening.getsockname(), timeout=5)
        print("connected")
    except OSError as error:
        print(error.errno == errno.ENETUNREACH)
"""


def test_a_network_of_its_own_leads_nowhere() -> None:
    """Where a process may have one, not even this machine's own address can be reached from it."""
    told = alone(NETWORK).stdout.strip()
    if told == "not here":
        pytest.skip("this system lets nobody have one")

    assert told == "True"


SECOND = """
from edge_models.confinement import linux, seccomp
seccomp.install = lambda: False
print(*linux.confine())
"""


def test_without_a_filter_the_network_is_its_own() -> None:
    """On a kernel without seccomp the second choice is taken, and what holds is said as it is."""
    held = alone(SECOND).stdout.split()

    assert "no-sockets" not in held
    assert "own-network" in held or alone(NETWORK).stdout.strip() == "not here"


NOTHING = """
from edge_models.confinement import landlock, linux, seccomp
seccomp.install = linux.own_network = lambda: False
landlock.install = lambda: 0
print(*linux.confine())
"""


def test_where_nothing_holds_nothing_is_claimed() -> None:
    """A system that offers nothing gets no word for it."""
    assert alone(NOTHING).stdout.split() == ["no-core-dump"]


CHILD = """
import ctypes, os
from edge_models.confinement import linux
linux.die_with_parent()
print(os.getpid(), flush=True)
ctypes.PyDLL(None).sleep(600)  # native code that keeps the interpreter to itself, as an engine's step does
"""
PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdout=subprocess.PIPE, text=True)
print(child.stdout.readline(), flush=True)
child.wait()
"""


def is_running(pid: int) -> bool:
    """Whether the process is there, and not only its entry that nobody has read yet."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_it_dies_with_its_parent_in_the_middle_of_native_code() -> None:
    """kill -9 of the parent ends it at once, though no line of Python can run in it, and nobody closed a pipe of its."""
    parent = subprocess.Popen([sys.executable, "-c", PARENT, CHILD], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert parent.stdout
    pid = int(parent.stdout.readline())
    assert is_running(pid)

    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()

    deadline = time.monotonic() + 10
    while is_running(pid):
        assert time.monotonic() < deadline
        time.sleep(0.005)


ORPHAN = """
import ctypes, os
from edge_models.confinement import linux
asked = iter([os.getpid(), 1])  # the parent before, and after: it has ended in between
os.getppid = lambda: next(asked)
linux.die_with_parent()
print("lived on")
"""


def test_a_parent_that_died_meanwhile_is_noticed() -> None:
    """If the parent ends before the kernel was asked to watch it, the process ends itself."""
    done = alone(ORPHAN)

    assert (done.returncode, done.stdout) == (0, "")


MEMORY = """
import mmap, sys
from edge_models.confinement import linux
with open(sys.argv[1], "wb") as file:
    file.truncate(300 << 20)
assert linux.cap_memory(200 << 20)
with open(sys.argv[1], "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
    print(sum(view[at] for at in range(0, len(view), 4096)))
try:
    bytearray(250 << 20)
    print("had it")
except MemoryError:
    print("refused")
"""


def test_memory_over_the_cap_is_refused_and_mapped_files_are_not(tmp_path: object) -> None:
    """A model file larger than the cap can be mapped and read; memory of its own over the cap is refused."""
    assert alone(MEMORY, f"{tmp_path}/weights").stdout.split() == ["0", "refused"]


DUMP = """
import resource
from edge_models.confinement import linux
linux.confine()
print(resource.getrlimit(resource.RLIMIT_CORE))
"""


def test_a_crash_leaves_no_dump() -> None:
    """What was in memory, which may be the user's words, is written nowhere when the process crashes."""
    assert alone(DUMP).stdout.strip() in ("(1, 1)", "(0, 0)")  # see edge_models/confinement/dumps.py
