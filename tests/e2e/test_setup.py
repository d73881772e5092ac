"""The first run: `nearloop setup`, scripted and asked, on a machine with things on it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon.callers import token_hash
from daemon.cli.setup import setup
from daemon.settings import Settings, parse
from providers import local_servers
from providers.vendors import Vendor

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model_cache: Path) -> Path:
    """An empty user, whose embedded model was made ready before."""
    monkeypatch.setenv("NEARLOOP_HOME", str(tmp_path / "nearloop"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for name in ("OLLAMA_MODELS", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "nearloop" / "cache").mkdir(parents=True)
    (tmp_path / "nearloop" / "cache" / "models").symlink_to(model_cache)
    return tmp_path


def settings(home: Path) -> Settings:
    path = home / "nearloop" / "config" / "settings.toml"
    return parse(path.read_text()) if path.exists() else Settings()


class _Listing(BaseHTTPRequestHandler):
    """Says which models it has."""

    def do_GET(self) -> None:  # the library's name
        body = json.dumps({"data": [{"id": "nomic-embed-text"}, {"id": "qwen3:4b"}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server that answers as Ollama does, and nobody else at the usual ports."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Listing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    table = {"ollama": Vendor(url)}
    monkeypatch.setattr(local_servers.local_servers, "__defaults__", (table,))
    yield url
    server.shutdown()
    server.server_close()


def test_it_measures_and_names_the_best_fit(home: Path) -> None:
    """In a process of its own: speed by the real model, a fit by it, and nothing written that was not asked for."""
    done = subprocess.run(
        [sys.executable, "-m", "daemon.cli.main", "setup", "--yes"], capture_output=True, text=True, timeout=100
    )

    assert done.returncode == 0, done.stderr
    assert "smollm2-135m-instruct on CPU: reads" in done.stdout
    assert "best fit: " in done.stdout or "none fits this machine" in done.stdout
    assert settings(home) == Settings()


def test_scripted(home: Path, ollama: str) -> None:
    """Options say it all: a preset, a server, tokens; and saying it twice changes nothing more."""
    arguments = ["--yes", "--no-measuring", "--privacy", "strict", "--server", "ollama", "--client", "zed"]

    first = CliRunner().invoke(setup, arguments)
    assert first.exit_code == 0, first.output
    made = settings(home)
    assert made.policy.privacy == "strict"
    assert made.providers["ollama"].models == ("qwen3:4b",)
    assert (made.providers["ollama"].base_url, made.providers["ollama"].place) == (ollama, "device")
    token = next(word for word in first.output.split() if word.startswith("nl_"))
    assert made.clients["zed"].token_hash == token_hash(token)

    second = CliRunner().invoke(setup, arguments)
    assert second.exit_code == 0, second.output
    assert "zed has a token" in second.output
    assert settings(home) == made


def test_asked(home: Path, ollama: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal each step is a question with a sensible answer ready."""
    monkeypatch.setattr("daemon.cli.setup._is_terminal", lambda: True)

    done = CliRunner().invoke(setup, ["--no-measuring"], input="\nopen\nzed cline\n")

    assert done.exit_code == 0, done.output
    made = settings(home)
    assert list(made.providers) == ["ollama"]
    assert made.policy.privacy == "open"
    assert list(made.clients) == ["zed", "cline"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--server", "lmstudio"], "none of that name answers here; there are: ollama"),
        (["--client", "Not A Name"], "a name is 1 to 40"),
        (["--model", "nonsense"], "no model is called nonsense"),
    ],
)
def test_wrong_options(home: Path, ollama: str, arguments: list[str], said: str) -> None:
    """A name that nobody has is refused with those there are."""
    done = CliRunner().invoke(setup, ["--yes", "--no-measuring", *arguments])

    assert done.exit_code != 0
    assert said in str(done.exception)


def test_what_other_programs_have_is_told(home: Path, ollama: str) -> None:
    """A model in LM Studio's folder is named, with the command that uses it."""
    folder = home / ".lmstudio" / "models" / "maker" / "repository"
    folder.mkdir(parents=True)
    (folder / "qwen-small.gguf").write_bytes(b"GGUF" + b"\0" * 100)

    done = CliRunner().invoke(setup, ["--yes", "--no-measuring"])

    assert "here already: lm-studio/qwen-small" in done.output
    assert "nearloop models import" in done.output
