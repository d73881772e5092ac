"""A worker's own standard output."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

from edge_models.private_output import write_all


def test_all_is_written() -> None:
    """A pipe that takes less than it is given gets the rest in further writes."""
    read, write = os.pipe()
    data = os.urandom(1_000_000)  # more than a pipe holds
    with os.fdopen(write, "wb", buffering=0) as sink, os.fdopen(read, "rb") as source:
        writer = threading.Thread(target=lambda: (write_all(sink, data), sink.close()))
        writer.start()
        assert source.read() == data
        writer.join()


def test_prints_go_elsewhere() -> None:
    """What is printed, by Python or by native code, goes to standard error; the private copy is the protocol's."""
    code = (
        "import os; from edge_models.private_output import own_standard_output;"
        "sink = own_standard_output(); print('python', flush=True); os.write(1, b'native'); sink.write(b'protocol')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=True)
    assert done.stdout == b"protocol"
    assert done.stderr.split() == [b"python", b"native"]
