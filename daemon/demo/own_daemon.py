"""A daemon of the demonstration's own: in a folder of its own, on a free port, with one provider and no keyring."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Literal

from daemon.client import Client, NoAnswer, NotRunning, Rejected
from daemon.errors import NearloopError
from daemon.paths import Paths, make_private_directory, under, write_private
from daemon.wire import Model

START_S: Final = 60.0
STOP_S: Final = 20.0
POLL_S: Final = 0.05
_KEY: Final = "NEARLOOP_DEMO_KEY"
_SETTINGS: Final = """\
version = 1

[providers.recorded]         # a server of the demonstration's on this machine, which stands for a cloud
base_url = "{url}"
models = ["{model}"]
key = "env:{key}"
place = "cloud"

[policy]
privacy = "{privacy}"

[routing]
recipe = "demo.dsl"

[signals]
deadline_s = 60              # a busy machine looks as long as it takes
"""
Privacy = Literal["balanced", "open"]


def settings(url: str, model: str, privacy: Privacy) -> str:
    """What the daemon is told."""
    return _SETTINGS.format(url=url, model=model, key=_KEY, privacy=privacy)


class OwnDaemon:
    """Use it as a context manager: it runs meanwhile. home: an empty folder. Raises NearloopError if it does not start."""

    def __init__(self, home: Path, settings: str, recipe: str) -> None:
        self.paths: Paths = under(home)
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("NEARLOOP_") and not name.lower().endswith("_proxy")
        }
        self.environment = {**kept, "NEARLOOP_HOME": str(home), _KEY: "a-key-that-opens-nothing"}
        make_private_directory(home)
        for folder in (self.paths.config, self.paths.data):
            make_private_directory(folder)
        write_private(self.paths.settings, settings.encode())
        write_private(self.paths.config / "demo.dsl", recipe.encode())
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> OwnDaemon:
        program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m"]
        with self.paths.log.open("wb") as log:
            self._process = subprocess.Popen(
                [*program, "daemon", "--port", "0"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment,
                cwd=self.paths.data,
            )
        try:
            self._wait(self._process)
        except BaseException:
            self._stop(self._process)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            self._stop(self._process)

    def client(self) -> Client:
        """With the admin's token."""
        return Client(self.paths)

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if process.poll() is not None:
                said = self.paths.log.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
                raise NearloopError(
                    f"the demonstration's daemon did not start ({said.removeprefix('nearloop: ') or process.returncode}): "
                    "`nearloop doctor` looks for what is wrong"
                )
            with suppress(NotRunning, NoAnswer), self.client() as client:
                if client.status().pid == process.pid:
                    return
            time.sleep(POLL_S)
        raise NearloopError(
            f"the demonstration's daemon did not answer within {START_S:.0f} s: is this machine very busy?"
        )

    def _stop(self, process: subprocess.Popen[bytes]) -> None:
        with suppress(NotRunning, NoAnswer, Rejected), self.client() as client:
            client.stop()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def local_model(self, wait_s: float) -> Model | None:
        """The model that `local` means, once it is ready; None: there is none, it can't be loaded, or it takes longer."""
        deadline = time.monotonic() + wait_s
        with self.client() as client:
            while time.monotonic() < deadline:
                models = client.models().models
                if not models or models[0].state == "failed":
                    return None
                if models[0].state == "ready":
                    return models[0]
                time.sleep(POLL_S)
        return None
