"""A command in a network that leads nowhere: within a new network namespace, loopback is brought up, and it is run.

    unshare --net --map-root-user python tests/agents/alone.py COMMAND…

Loopback gets an address of TEST-NET-1 (RFC 5737) besides, since a machine without any has no network at all for Nearloop,
and then no cloud is asked. Nothing answers there.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import sys
from typing import Final

SET_ADDRESS: Final = 0x8916
SET_FLAGS: Final = 0x8914
"""SIOCSIFADDR and SIOCSIFFLAGS of <linux/sockios.h>."""
UP: Final = 1
TEST_NET: Final = "192.0.2.1"


def main() -> None:
    """Never returns."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sH14x", b"lo", UP))
        address = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(TEST_NET))
        fcntl.ioctl(any_socket, SET_ADDRESS, struct.pack("16s16s", b"lo:1", address))
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
