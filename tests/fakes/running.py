"""A real daemon in its own process, for tests that speak HTTP to it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from daemon.client import Client, NotRunning
from daemon.paths import Paths, paths

START_S: Final = 60.0

SCRIPTED: Final = """
version = 1
[models.play]
path = "{options}"
engine = "scripted"
"""


def wait_until(condition: Callable[[], bool], timeout_s: float = START_S, why: str = "it") -> None:
    """Poll until the condition holds, or fail."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"{why} did not happen within {timeout_s} s"
        time.sleep(0.01)


def free_port() -> int:
    """One that nobody listens on now: a developer's own daemon has the usual one."""
    with socket.create_server(("127.0.0.1", 0)) as there:
        return int(there.getsockname()[1])


class RunningDaemon:
    """`nearloopd` under a home of its own, on a free port."""

    def __init__(
        self,
        home: Path,
        settings: str,
        environment: dict[str, str] | None = None,
        under: list[str] | None = None,
        arguments: tuple[str, ...] = (),
        module: str = "daemon",
    ) -> None:
        """under: a command such as strace that the daemon is started by. module: what is run."""
        self.home = home
        self._traced = bool(under)
        (home / "config").mkdir(parents=True, exist_ok=True)
        (home / "config" / "settings.toml").write_text(settings, encoding="utf-8")
        ours = {name: value for name, value in os.environ.items() if name != "HF_HUB_OFFLINE"}  # set by OpenVINO's gate
        env = self.environment = {**ours, "NEARLOOP_HOME": str(home), **(environment or {})}
        self.log = home / "stderr.log"
        with self.log.open("wb") as log:
            command = [*(under or ()), sys.executable, "-m", module, "--port", "0", *arguments]
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)
        try:
            wait_until(self._answers, why="the start of the daemon")
        except BaseException:
            # else it outlives the test, and a later one is blamed for it
            self.process.kill()
            self.process.wait()
            raise

    def _answers(self) -> bool:
        assert self.process.poll() is None, f"the daemon ended: {self.log.read_text(errors='replace')}"
        try:
            with Client(self.paths) as client:
                return self._traced or client.status().pid == self.process.pid
        except NotRunning:
            return False

    @property
    def paths(self) -> Paths:
        """Its files."""
        before = os.environ.get("NEARLOOP_HOME")
        os.environ["NEARLOOP_HOME"] = str(self.home)
        try:
            return paths()
        finally:
            if before is None:
                del os.environ["NEARLOOP_HOME"]
            else:
                os.environ["NEARLOOP_HOME"] = before

    def client(self) -> Client:
        """The control client, with the admin token."""
        return Client(self.paths)

    @property
    def url(self) -> str:
        """Where it listens."""
        with self.client() as client:
            return client.url

    @property
    def admin_token(self) -> str:
        """The token of this run."""
        return self.paths.admin_token.read_text()

    def http(self, **options: object) -> httpx.Client:
        """A plain HTTP client without a token."""
        return httpx.Client(base_url=self.url, timeout=60, trust_env=False, **options)  # type: ignore[arg-type]

    def renew(self, provider: str = "work") -> None:
        """Have it forget how a provider failed: for tests that share a daemon."""
        with self.client() as client:
            client.renew_provider(provider)

    def worker_pid(self) -> int | None:
        """The default model's process, None while there is none."""
        with self.client() as client:
            return client.models().models[0].worker_pid

    def wait_ready(self, timeout_s: float = START_S) -> None:
        """Until the default model is loaded."""
        with self.client() as client:
            wait_until(lambda: client.models().models[0].state in ("ready", "failed"), timeout_s, "loading the model")
            assert client.models().models[0].state == "ready", client.models().models[0].error

    def stop(self) -> int:
        """SIGTERM, and the exit status."""
        with self.client() as client:
            os.kill(client.discovery.pid, signal.SIGTERM)
        return self.process.wait(timeout=20)


@contextmanager
def running(home: Path, options: str = "", extra: str = "", arguments: tuple[str, ...] = ()) -> Iterator[RunningDaemon]:
    """A daemon whose default model is the scripted engine. options: see `edge_models.engines.scripted.load`."""
    daemon = RunningDaemon(home, SCRIPTED.format(options=options) + extra, arguments=arguments)
    try:
        daemon.wait_ready()
        yield daemon
    finally:
        if daemon.process.poll() is None:
            daemon.stop()
