"""Nothing is sent anywhere: every connection that daemon and workers try is watched, and stays on this machine.

Two instruments, for what one can't see the other can. An audit hook, put into every Python process of ours through
`sitecustomize`, writes down each address that Python code connects, sends or resolves to. strace, where it is installed
(CI installs it), sees native code too. Each has a positive control: a bare `import openvino`, which does report, is caught.
CI is unset in all of it, because OpenVINO's reporting is off while that is set.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from edge_models.runtimes.registry import RUNTIMES
from tests.conftest import is_loopback
from tests.fakes.encoders import tiny_classifier
from tests.fakes.running import RunningDaemon

pytestmark = pytest.mark.slow

HOOK: Final = """
import os, sys
def _watch(event, args):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = args[-1]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        address = (args[0], 0)
    else:
        return
    descriptor = os.open(os.environ["NEARLOOP_TEST_WATCH"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, (repr(address) + "\\n").encode())
    os.close(descriptor)
sys.addaudithook(_watch)
"""
BARE: Final = "import openvino, time; time.sleep(1.5)"  # the report is sent by a child of that process, on its own time


class AuditWatch:
    """Sees what Python code of any of our processes connects to."""

    def __init__(self, folder: Path) -> None:
        (folder / "sitecustomize.py").write_text(HOOK)
        self._seen = folder / "seen"
        self.command: list[str] = []
        self.environment = {"PYTHONPATH": str(folder), "NEARLOOP_TEST_WATCH": str(self._seen)}

    def strays(self) -> list[str]:
        """Addresses off this machine."""
        lines = self._seen.read_text().splitlines() if self._seen.exists() else []
        addresses = [eval(line, {}) for line in lines]  # written by our own hook
        return [repr(address) for address in addresses if not is_loopback(address)]


class TraceWatch:
    """Sees what any code connects to, by tracing system calls."""

    def __init__(self, folder: Path) -> None:
        self._seen = folder / "trace"
        self.command = ["strace", "-f", "-qq", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o", str(self._seen)]
        self.environment: dict[str, str] = {}

    def strays(self) -> list[str]:
        """Addresses off this machine."""
        found = re.findall(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"', self._seen.read_text())
        return [four or six for four, six in found if not is_loopback((four or six, 0))]


WATCHES: Final = [
    AuditWatch,
    pytest.param(TraceWatch, marks=pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")),
]


@pytest.fixture
def without_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)


@pytest.mark.parametrize("kind", WATCHES)
def test_the_watch_sees_a_report(tmp_path: Path, without_ci: None, kind: type[AuditWatch | TraceWatch]) -> None:
    """The instrument works: a bare import of OpenVINO tries to reach its analytics host, and is caught."""
    watch = kind(tmp_path)
    environment = {**os.environ, **watch.environment, "HOME": str(tmp_path)}
    (tmp_path / "intel").mkdir()  # where its client id would be kept

    subprocess.run([*watch.command, sys.executable, "-c", BARE], env=environment, timeout=60, check=True)

    assert watch.strays()


@pytest.mark.parametrize("kind", WATCHES)
def test_nothing_is_sent(tmp_path: Path, home: Path, without_ci: None, kind: type[AuditWatch | TraceWatch]) -> None:
    """From the first start over preparing the model to answers, devices and the stop, no packet is tried off this machine."""
    watch = kind(tmp_path)
    daemon = RunningDaemon(home, "", {**watch.environment, "HOME": str(tmp_path)}, watch.command)
    try:
        daemon.wait_ready(90)
        with daemon.http() as http:
            for stream in (False, True):
                question = [{"role": "user", "content": "What is 2 + 2?"}]
                body = {"model": "local", "stream": stream, "max_tokens": 8, "messages": question}
                assert http.post("/v1/chat/completions", json=body).status_code == 200
        with daemon.client() as control:
            assert control.devices().devices  # which a process of its own asks OpenVINO for
    finally:
        daemon.stop()

    assert watch.strays() == []
    assert not (tmp_path / "intel").exists()


ENCODER: Final = """
import sys
from edge_models.classifiers.base import EncoderRef
from edge_models.encoder_process import EncoderProcess
process = EncoderProcess(EncoderRef(sys.argv[1], "text-classification", sys.argv[2]))
process.predict(("bob",))
process.close()
"""


@pytest.mark.parametrize("kind", WATCHES)
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_an_encoder_sends_nothing(
    tmp_path: Path, without_ci: None, kind: type[AuditWatch | TraceWatch], runtime: str
) -> None:
    """Opening an encoder in its worker, and asking it, tries no packet off this machine, on any runtime."""
    watch = kind(tmp_path)
    environment = {**os.environ, **watch.environment, "HOME": str(tmp_path)}
    folder = tiny_classifier(tmp_path / "model")

    command = [*watch.command, sys.executable, "-c", ENCODER, str(folder), runtime]
    subprocess.run(command, env=environment, timeout=60, check=True)

    assert watch.strays() == []
    assert not (tmp_path / "intel").exists()
