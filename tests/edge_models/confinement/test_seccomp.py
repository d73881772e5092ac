"""The filter of system calls: what it refuses, by the kernel's own word, and that its numbers are the systems'."""

from __future__ import annotations

import platform
import re
import signal
import struct
import sys
from pathlib import Path

import pytest

from edge_models.confinement.seccomp import REFUSED, program
from tests.fakes.alone import alone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux's")
on_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="these calls are x86's")

FAMILIES = ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_PACKET")
SOCKETS = """
import socket, sys
from edge_models.confinement import seccomp
listening = socket.create_server(("127.0.0.1", 0))
assert seccomp.install()
for name in sys.argv[1:]:
    try:
        socket.socket(getattr(socket, name))
        print(name, "open")
    except PermissionError:
        print(name, "refused")
try:
    socket.create_connection(listening.getsockname())
    print("connected")
except PermissionError:
    print("connect refused")
try:
    socket.socketpair()
    print("pair")
except PermissionError:
    print("pair refused")
"""


def test_no_family_of_sockets_is_left() -> None:
    """Behind the filter a process makes no socket of any family, no pair of them, and connects to nobody."""
    done = alone(SOCKETS, *FAMILIES)

    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:-1] == [
        *(f"{name} refused" for name in FAMILIES),
        "connect refused",
        "pair refused",
    ]


def test_without_the_filter_they_are_there() -> None:
    """The same script connects where the filter is left out, so it is the filter that refuses."""
    done = alone(SOCKETS.replace("assert seccomp.install()", ""), "AF_INET", "AF_INET6", "AF_UNIX")

    assert done.stdout.split("\n")[:-1] == ["AF_INET open", "AF_INET6 open", "AF_UNIX open", "connected", "pair"]


THREADS = """
import socket, threading
from edge_models.confinement import seccomp
go, told = threading.Event(), []
def try_it():
    go.wait()
    try:
        socket.socket()
        told.append("open")
    except PermissionError:
        told.append("refused")
early = threading.Thread(target=try_it)
early.start()
assert seccomp.install()
go.set()
early.join()
late = threading.Thread(target=try_it)
late.start()
late.join()
print(*told)
"""


def test_every_thread_is_behind_it() -> None:
    """Threads that were there before, and those that come later, are held like the one that put it up."""
    assert alone(THREADS).stdout.split() == ["refused", "refused"]


CHILD = """
import subprocess, sys
from edge_models.confinement import seccomp
assert seccomp.install()
sys.exit(subprocess.run([sys.executable, "-c", "import socket; socket.socket()"], stderr=subprocess.DEVNULL).returncode)
"""


def test_children_are_behind_it() -> None:
    """A program that the process starts can't make a socket either."""
    assert alone(CHILD).returncode == 1


NUMBERS = """
import ctypes, errno, sys
from edge_models.confinement import seccomp
assert seccomp.install()
libc = ctypes.CDLL(None, use_errno=True)
for number in map(int, sys.argv[1:]):
    result = libc.syscall(ctypes.c_long(number), 0, 0, 0, 0, 0, 0)
    print("refused" if (result, ctypes.get_errno()) == (-1, errno.EPERM) else result)
"""


def test_every_listed_call_is_refused() -> None:
    """Each number of the table meets EPERM, io_uring's and those that reach into other processes among them."""
    numbers = REFUSED[platform.machine()].values()

    assert alone(NUMBERS, *map(str, numbers)).stdout.split() == ["refused"] * len(numbers)


@on_x86
def test_x32_numbers_are_refused() -> None:
    """The other numbering of the same machine is no way round: `socket`, and even `getpid`, by x32's numbers."""
    assert alone(NUMBERS, str(0x40000000 + 41), str(0x40000000 + 39)).stdout.split() == ["refused", "refused"]


INT80 = """
import ctypes, mmap, sys
from edge_models.confinement import seccomp
if sys.argv[1] == "held":
    assert seccomp.install()
memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
memory.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20 (getpid of i386); int 0x80; ret
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))())
"""


@on_x86
def test_calls_of_another_instruction_set_end_the_process() -> None:
    """32-bit calls, whose numbers mean other things, are no way round: the kernel ends who tries."""
    if alone(INT80, "free").returncode != 0:
        pytest.skip("this kernel has no 32-bit calls")

    assert alone(INT80, "held").returncode == -signal.SIGSYS


@pytest.mark.parametrize("machine", REFUSED)
@pytest.mark.parametrize("called", ["a refused one", "another one", "another instruction set"])
def test_the_program_decides_by_hand(machine: str, called: str) -> None:
    """Run step by step, the filter of each instruction set allows, refuses and kills what it should."""
    own = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}[machine]
    for name, number in REFUSED[machine].items():
        match called:
            case "a refused one":
                assert run(program(machine), own, number) == 0x0005_0001, name
            case "another one":
                assert run(program(machine), own, number + 2000) == 0x7FFF_0000
            case _:
                assert run(program(machine), 0x40000003, number) == 0x8000_0000


def run(steps: list[tuple[int, int, int, int]], architecture: int, number: int) -> int:
    """A machine for the four instructions that the filter is made of."""
    data, at, value = struct.pack("=II", number, architecture), 0, 0
    while True:
        code, yes, no, operand = steps[at]
        at += 1
        match code:
            case 0x20:
                value = struct.unpack_from("=I", data, operand)[0]
            case 0x15:
                at += yes if value == operand else no
            case 0x35:
                at += yes if value >= operand else no
            case _:
                assert code == 0x06
                return operand


HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


@pytest.mark.parametrize("machine", REFUSED)
def test_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    """The table agrees with the kernel's own headers, where they are installed."""
    if not HEADERS[machine].exists():
        pytest.skip("no kernel headers here")
    told = dict(re.findall(r"#define __NR3?_?(?:3264_)?(\w+)\s+(\d+)", HEADERS[machine].read_text()))

    for name, number in REFUSED[machine].items():
        if name in told:
            assert int(told[name]) == number, name
    assert "socket" in told
