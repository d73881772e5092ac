"""No key is anywhere but where the user keeps it and in the header that carries it: a real daemon, searched."""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import httpx
import psutil
import pytest

from providers.registry import FAMILIES
from tests.conformance.test_providers import SAMPLES
from tests.fakes.keyring_shelf import SHELF
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.upstream import USAGE, Answer, Cut, Received, Upstream, as_json, frames, said, serving_on_a_thread

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]

ROOT: Final = Path(__file__).resolve().parents[2]
KEYS: Final = {
    "env": "sk-env-9f8e7d6c5b4a39281706/+aa",
    "keyring": "sk-ring-1a2b3c4d5e6f70819203/+bb",
    "keyring:spare": "sk-spare-0f1e2d3c4b5a69788796/+cc",
    "file": "sk-file-5a6b7c8d9e0f1a2b3c4d/+dd",
    "credential": "sk-cred-c0ffee15bad5eed51234/+ee",
}
VARIABLE: Final = "WORK_LOGIN"
"""A name by which nobody would guess that a key is in it."""
GETS: Final = (
    "status", "devices", "records", "events", "settings", "privacy", "providers", "providers/vendors", "receipts",
    "receipts/chain", "clients", "models", "recipe", "approvals", "log?limit=500", "policy", "dictionary", "doctor",
)  # fmt: skip


def forms(key: str) -> Iterator[str]:
    """How a key could stand somewhere: whole, its halves and ends, backwards, and in what is usual to write it in."""
    half = len(key) // 2
    yield from (key, key[:half], key[half:], key[-12:], key[::-1], key[::-1][:half], key[::-1][half:])
    yield quote(key, safe="")
    yield json.dumps(key)[1:-1].replace("/", "\\/")
    for before in ("", "x", "x:", "api:", "key:", "user:"):
        whole = base64.b64encode(f"{before}{key}".encode()).decode()
        yield whole[8:-4]
        yield whole[8:-4].translate(str.maketrans("+/", "-_"))


NEEDLES: Final = {form.encode(): name for name, key in KEYS.items() for form in forms(key)}


def told(text: bytes) -> set[str]:
    """Which keys a text tells."""
    return {name for needle, name in NEEDLES.items() if needle in text}


class Echoing(Upstream):
    """A server that says again whatever it was sent, wherever there is room for it."""

    mode = "ok"
    family = ""

    def choose(self, request: Received) -> Answer:
        key = next((key for key in KEYS.values() if key in str(request.headers)), "")
        echo: dict[str, Any] = {
            "message": f"{request.path} {request.headers} {key}", "code": key, "type": key[::-1], "param": key, "status": key,
            "details": [request.headers],
        }  # fmt: skip
        told = {"error": echo, "type": "error", "message": key, "detail": key}
        headers = {"x_echo": key, "set_cookie": f"key={key}", "x_request_id": key}
        match self.mode:
            case "ok":
                return SAMPLES[self.family].hello
            case "garbage":
                return Answer(
                    (f"<p>{request.headers}</p>".encode(),), 200, {"content-type": "text/html", "x-echo": key}
                )
            case "raw":
                return Answer((f"HTTP/9 {key}\r\n{key}: {key}\r\n".encode(),), raw=True)
            case "echo":
                pieces = (key[:3], key[3:9], key[9:], " and so on")
                return Answer(frames(*map(said, pieces), said("", "stop"), USAGE))
            case "cut":
                return Answer((f"data: {key}".encode(), Cut()))
            case "frame":
                return Answer((b"event: error\ndata: " + json.dumps(told).encode() + b"\n\n",))
            case "json":
                return as_json(told)
            case "models":
                return as_json(
                    {"data": [{"id": key}, {"id": "big"}], "models": [{"name": key}, {"name": f"models/{key}"}]}
                )
            case status:
                return as_json(
                    told, int(status), location=f"https://elsewhere.invalid/?{key}", retry_after="0", **headers
                )


MODES: Final = (
    "ok", "400", "401", "402", "403", "404", "429", "500", "503", "529", "302", "307", "garbage", "raw", "cut", "frame",
    "json",
)  # fmt: skip


def settings(url: str, folder: Path) -> str:
    """Each family with a key of each source, and addresses where something else is wrong."""
    sources = {
        "env": f"env:{VARIABLE}",
        "keyring": "keyring",
        "file": f"file:{folder / 'key'}",
        "credential": "credential:work",
    }
    bases = {
        "cloud": url.removesuffix("/v1"),
        "tls": url.replace("http://", "https://"),
        "gone": "http://127.0.0.1:9/v1",
    }
    bases["proxied"] = "http://api.example.invalid/v1"
    rows = [
        (f"{family}-{name}", bases["cloud"] + "/v1", family, source)
        for family in FAMILIES
        for name, source in sources.items()
    ]
    rows += [(name, bases[name], "openai-chat", sources["env"]) for name in ("tls", "gone", "proxied")]
    text = SCRIPTED.format(options="") + "[signals]\ndeadline_s = 60.0  # a busy machine looks as long as it takes\n"
    for name, base_url, family, source in rows:
        spare = '\nkeys = ["keyring:spare"]' if source == "keyring" else ""
        text += f'[providers.{name}]\nbase_url = "{base_url}"\nwire = "{family}"\nmodels = ["big"]\nkey = "{source}"{spare}\n'
    return text


@pytest.fixture
def served() -> Iterator[Echoing]:
    with serving_on_a_thread(Echoing()) as made:
        yield made


def test_no_key_is_anywhere(tmp_path: Path, served: Echoing) -> None:
    """Keys of every source, with every family, through answers and all kinds of failures of a server that says them again:
    they are in no answer, log, record, receipt, event or metric, in no file of ours, no command line, no environment of
    a process that we start, and in nothing that a command prints; no process would leave a core dump.
    """
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "my_shelf.py").write_text(SHELF)
    (kept / "work").write_text(KEYS["credential"])
    (kept / "key").write_text(KEYS["file"])
    (kept / "key").chmod(0o600)
    ring = {f"nearloop/{family}-keyring": KEYS["keyring"] for family in FAMILIES}
    ring |= {f"nearloop/{family}-keyring/spare": KEYS["keyring:spare"] for family in FAMILIES}
    (kept / "shelf.json").write_text(json.dumps(ring))
    environment = {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{kept}", "PYTHON_KEYRING_BACKEND": "my_shelf.Shelf",
        "SHELF": str(kept / "shelf.json"), "CREDENTIALS_DIRECTORY": str(kept), VARIABLE: KEYS["env"],
        "HTTP_PROXY": served.url.removesuffix("/v1"), "http_proxy": served.url.removesuffix("/v1"), "NO_PROXY": "127.0.0.1",
    }  # fmt: skip
    daemon = RunningDaemon(tmp_path / "home", settings(served.url, kept), environment)
    heard: dict[str, bytes] = {}
    try:
        with daemon.http(headers={"authorization": f"Bearer {daemon.admin_token}"}) as http:
            ask_everybody(http, served, heard)
            look_around(http, daemon, heard)
        for command in (("key", "list"), ("key", "list", "--json"), ("provider", "list"), ("receipts",)):
            heard[" ".join(command)] = say(daemon, command)
        served.mode = "401"
        for name in ("openai-chat-keyring", "openai-chat-file"):
            for command in (("key", "test", name), ("provider", "test", name)):
                heard[" ".join(command)] = say(daemon, command)
        look_at_processes(daemon)
    finally:
        daemon.stop()

    sent = bytes(served.bytes)
    assert len(served.requests) >= len(MODES) * len(FAMILIES)
    for name, key in KEYS.items():
        assert key.encode() in sent, f"{name} was never used: this test looks for nothing"
    assert {where: found for where, text in heard.items() if (found := told(text))} == {}
    for path in daemon.home.rglob("*"):
        if path.is_file():
            assert told(path.read_bytes()) == set(), path


def ask_everybody(http: httpx.Client, served: Echoing, heard: dict[str, bytes]) -> None:
    """Each family in each mode, the sources in turn, streamed and whole; then the addresses where nobody answers right."""
    sources = ("env", "keyring", "file", "credential")
    for family in FAMILIES:
        served.family = family
        for number, mode in enumerate(MODES):
            served.mode = mode
            name = f"{family}-{sources[number % len(sources)]}"
            ask(http, name, mode, heard, stream=bool(number % 2))
        served.mode = "models"
        for source in sources:
            answer = http.post(f"/nearloop/v1/providers/{family}-{source}/test")
            heard[f"models of {family}-{source}"] = head_and_body(answer)
    served.mode = "echo"
    for stream in (True, False):
        ask(http, "openai-chat-env", "ok", heard, stream, f"echo {stream}")
        assert b"***** and so on" in heard[f"echo {stream}"] or stream
    served.mode = "400"
    for name in ("tls", "gone", "proxied"):
        ask(http, name, "400", heard, stream=False)
    served.mode = "407"
    ask(http, "proxied", "407", heard, stream=False)


def ask(
    http: httpx.Client, name: str, mode: str, heard: dict[str, bytes], stream: bool, called: str | None = None
) -> None:
    body = {"model": f"{name}/big", "stream": stream, "messages": [{"role": "user", "content": "good morning"}]}
    answer = http.post("/v1/chat/completions", json=body)
    assert answer.status_code == 200 or mode != "ok", (name, answer.text)
    heard[called or f"{name} {mode}"] = head_and_body(answer)


def head_and_body(answer: httpx.Response) -> bytes:
    return str(answer.headers.multi_items()).encode() + answer.content


def look_around(http: httpx.Client, daemon: RunningDaemon, heard: dict[str, bytes]) -> None:
    """All that the control API tells; of each record its own page and what the wall holds."""
    for path in GETS:
        heard[path] = head_and_body(http.get(f"/nearloop/v1/{path}"))
    heard["metrics"] = head_and_body(http.get("/metrics"))
    for record in http.get("/nearloop/v1/records?limit=1000").json()["records"]:
        for page in ("", "/wall"):
            heard[f"record {record['id']}{page}"] = head_and_body(
                http.get(f"/nearloop/v1/records/{record['id']}{page}")
            )


def say(daemon: RunningDaemon, command: tuple[str, ...]) -> bytes:
    """What a command prints, however it ends."""
    import subprocess

    done = subprocess.run(
        [sys.executable, "-m", "daemon.cli.main", *command],
        capture_output=True,
        timeout=120,
        env=daemon.environment,
        cwd=ROOT,
    )
    assert b"Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


def look_at_processes(daemon: RunningDaemon) -> None:
    """The environment of the daemon itself is the user's; what it started has none of it."""
    own = psutil.Process(daemon.process.pid)
    children = own.children(recursive=True)
    assert children, "a daemon with a model has a process for it"
    for process in (own, *children):
        there = Path("/proc") / str(process.pid)
        assert told((there / "cmdline").read_bytes()) == set()
        if process is not own:
            assert told((there / "environ").read_bytes()) == set(), process.cmdline()
        limits = (there / "limits").read_text()
        (line,) = (line for line in limits.splitlines() if line.startswith("Max core file size"))
        assert line.split()[4] in ("0", "1"), process.cmdline()  # 1: where a program takes dumps, 0 is no limit
