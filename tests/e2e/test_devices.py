"""Devices, end to end: the list, the probe, and a pin to what is not here, through a real daemon."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import openai
import pytest

from edge_models import openvino_gate
from edge_models.devices import read_table
from tests.fakes.running import RunningDaemon, running

pytestmark = pytest.mark.slow

NEARLOOP = [sys.executable, "-m", "daemon.cli.main"]
PINNED = """
[models.pinned]
path = "/models/pinned.gguf"
device = "{device}"
"""


@pytest.fixture(scope="module")
def absent() -> str:
    """A device that this machine does not have."""
    there = {device.id for device in read_table(openvino_gate.core(), "").devices}
    return next(device for device in ("NPU", "GPU", "GPU.9") if device not in there)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, absent: str) -> Iterator[RunningDaemon]:
    with running(tmp_path_factory.mktemp("home"), extra=PINNED.format(device=absent)) as daemon:
        yield daemon


@pytest.fixture(autouse=True)
def same_home(daemon: RunningDaemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEARLOOP_HOME", str(daemon.home))


def nearloop(*args: str, check: int = 0) -> str:
    """Run the command to its end and return what it said."""
    done = subprocess.run([*NEARLOOP, *args], capture_output=True, text=True, timeout=60)
    assert done.returncode == check, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_pin_to_a_missing_device_is_an_error_for_the_client(daemon: RunningDaemon, absent: str) -> None:
    """An OpenAI client is told in its own protocol what is missing, what is here and what to do; nothing else answers."""
    with openai.OpenAI(base_url=f"{daemon.url}/v1", api_key="none", max_retries=0, timeout=60) as client:
        for stream in (False, True):
            with pytest.raises(openai.APIStatusError) as caught:
                client.chat.completions.create(
                    model="local/pinned", stream=stream, messages=[{"role": "user", "content": "canary"}]
                )
            told = caught.value.body
            assert isinstance(told, dict)
            assert (caught.value.status_code, told["code"]) == (503, "no_model_ready")
            assert all(word in told["message"] for word in (absent, "CPU (", 'device = "auto"'))
            assert "canary" not in told["message"]


def test_the_list(daemon: RunningDaemon, absent: str) -> None:
    """`devices` shows what is here, and where each model runs and why; `--json` is the control API's answer."""
    told = nearloop("devices")

    assert "CPU: " in told
    assert f"local/pinned runs on {absent} (set): the settings pin it there" in told
    assert "GB memory available" in told
    shown = json.loads(nearloop("devices", "--json"))
    with daemon.client() as client:
        assert [device["id"] for device in shown["devices"]] == [device.id for device in client.devices().devices]
        [first, *_] = client.models().models
        assert first.device == "CPU"
        assert first.device_why


def test_a_probe(daemon: RunningDaemon) -> None:
    """`--probe` measures each device in turn, says so, and shows the numbers; they are kept under the cache folder."""
    told = nearloop("devices", "--probe")

    assert "measuring play on CPU …" in told
    assert "tokens a second" in told
    assert list(daemon.paths.probes.glob("*-CPU.json"))
    probes = json.loads(nearloop("devices", "--probe", "play", "--json"))["choices"][0]["probes"]
    assert "CPU" in [probe["device"] for probe in probes]
    assert all(probe["error"] is None for probe in probes)


def test_what_fails_its_probe_says_why(daemon: RunningDaemon) -> None:
    """A model whose file is not there is measured nowhere, and each device shows the reason."""
    assert "can't be read" in nearloop("devices", "--probe", "pinned")


def test_wrong_usage(daemon: RunningDaemon) -> None:
    """A model that is not there and a name without --probe are told; a client without the scope may not measure."""
    assert "there are: play" in nearloop("devices", "--probe", "nobody", check=1)
    assert "--probe MODEL" in nearloop("devices", "play", check=2)
    with daemon.http() as http:
        assert http.post("/nearloop/v1/devices/probe", json={}).status_code == 403
        assert http.get("/nearloop/v1/devices").status_code == 403
        token = {"authorization": f"Bearer {daemon.admin_token}"}
        assert http.post("/nearloop/v1/devices/probe", json={"modle": "x"}, headers=token).status_code == 400
