"""A daemon in a network of its own: how soon it notices that nothing leads out, and that something does again."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.fakes.alone import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not shutil.which("unshare") or not shutil.which("ip") or os.geteuid() != 0,
        reason="needs the right to make a network namespace",
    ),
]


def test_out_of_reach_and_back() -> None:
    """Without a default route, and without its interface, a cloud is out of reach within 300 ms and back within 5 s; what
    is asked meanwhile is answered here, and the first request after it by the cloud.
    """
    command = ["unshare", "--net", sys.executable, "-m", "tests.bench.bench_network", "4"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, cwd=ROOT)

    assert done.returncode == 0, done.stderr
    longest = {
        name: int(ms) for name, ms in re.findall(r"^(.*): median \d+ ms, max (\d+) ms", done.stdout, re.MULTILINE)
    }
    assert longest["out of reach"] < 300
    assert longest["ready again"] < 5_000
