"""The server that comes with llama-cpp-python, as somebody else's that answers: a real one, of other makers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from edge_models.catalog import CATALOG
from edge_models.store import locate
from tests.fakes.running import SCRIPTED, RunningDaemon, free_port, wait_until

pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: .ci/run builds it")
pytest.importorskip("starlette_context", reason="its server's own packages are not installed: .ci/run has them")

ROW: Final = """
[providers.server]
base_url = "http://127.0.0.1:{port}/v1"
place = "device"
key = "none"
"""
QUESTION: Final = [{"role": "user", "content": "What is 2 + 2?"}]
STORY: Final = [{"role": "user", "content": "Tell a very long story about the sea."}]
PROTOCOLS: Final = {
    "/v1/chat/completions": {"messages": QUESTION},
    "/v1/messages": {"messages": QUESTION, "max_tokens": 60},
    "/v1/responses": {"input": "What is 2 + 2?"},
    "/api/chat": {"messages": QUESTION},
}


class Server:
    """One process of it, and a daemon that knows it."""

    def __init__(self, home: Path) -> None:
        self.port = free_port()
        self.log = home / "server.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.start()
        self.daemon = RunningDaemon(home, SCRIPTED.format(options="") + ROW.format(port=self.port))
        self.daemon.wait_ready()
        with self.daemon.client() as control:
            self.token = control.add_client("test", None).token

    def start(self) -> None:
        """Until it lists its model."""
        command = [sys.executable, "-m", "llama_cpp.server", "--model", str(locate(CATALOG[0])), "--n_ctx", "2048"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*command, "--host", "127.0.0.1", "--port", str(self.port)], stdout=log, stderr=log
            )
        wait_until(self._lists, why="the start of llama-cpp-python's server")

    def _lists(self) -> bool:
        assert self.process
        assert self.process.poll() is None, self.log.read_text(errors="replace")
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/v1/models", trust_env=False).status_code == 200
        except httpx.TransportError:
            return False

    def kill(self) -> None:
        """At once."""
        assert self.process
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("home"))
    yield server
    server.daemon.stop()
    server.kill()


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with server.daemon.http(headers={"authorization": f"Bearer {server.token}"}) as client:
        yield client


def model(server: Server) -> str:
    """As the server itself calls it."""
    listed = httpx.get(f"http://127.0.0.1:{server.port}/v1/models", trust_env=False).json()
    return f"server/{listed['data'][0]['id']}"


def said(body: Any) -> str:
    """The words of an answer in any protocol."""
    if isinstance(body, list):
        return "".join(map(said, body))
    if isinstance(body, dict):
        return "".join(said(value) for key, value in body.items() if key in SPOKEN)
    return body if isinstance(body, str) else ""


SPOKEN: Final = ("choices", "message", "content", "text", "output", "delta")


@pytest.mark.parametrize("path", PROTOCOLS)
def test_it_answers_in_each_protocol(server: Server, client: httpx.Client, path: str) -> None:
    """With its own words and counts, and without anything that left this machine."""
    answer = client.post(path, json={**PROTOCOLS[path], "model": model(server), "stream": False, "temperature": 0})

    assert answer.status_code == 200, answer.text
    assert "4" in said(answer.json())
    assert answer.headers["x-nearloop-egress"] == "none"


def test_its_stream_is_its_whole_answer(server: Server, client: httpx.Client) -> None:
    """Word by word and at once it says the same, when nothing is left to chance."""
    asked = {"model": model(server), "messages": QUESTION, "temperature": 0, "max_tokens": 24}
    whole = client.post("/v1/chat/completions", json=asked).json()
    streamed = client.post("/v1/chat/completions", json={**asked, "stream": True}).text
    pieces = [json.loads(line[6:]) for line in streamed.splitlines() if line.startswith("data: {")]

    assert "".join(said(piece) for piece in pieces) == said(whole)
    assert whole["usage"]["completion_tokens"] > 0


def test_it_is_held_to_json(server: Server, client: httpx.Client) -> None:
    """What a client wants held reaches the server; of schemas this one knows no more than that it is an object."""
    asked = {"messages": QUESTION, "temperature": 0, "response_format": {"type": "json_object"}, "max_tokens": 60}

    answer = client.post("/v1/chat/completions", json={**asked, "model": model(server)})

    assert said(answer.json()).lstrip().startswith("{")


def test_killed_in_mid_answer(server: Server, client: httpx.Client) -> None:
    """The client is told in the stream; the next question is refused in words; the server is asked again once it is back."""
    asked = {"model": model(server), "messages": STORY, "stream": True, "max_tokens": 1500}
    with client.stream("POST", "/v1/chat/completions", json=asked) as answer:
        lines = answer.iter_lines()
        next(line for line in lines if '"content":"' in line)
        server.kill()
        rest = "\n".join(lines)
    gone = client.post("/v1/chat/completions", json={"model": asked["model"], "messages": QUESTION})
    server.start()

    assert "went away in mid-answer" in rest
    assert gone.status_code >= 500
    assert "nothing answers at" in gone.json()["error"]["message"]

    def answers() -> bool:
        again = client.post("/v1/chat/completions", json={"model": asked["model"], "messages": QUESTION})
        return again.status_code == 200

    wait_until(answers, why="an answer after the server came back")
