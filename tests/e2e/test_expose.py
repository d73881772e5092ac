"""Listening beyond loopback: what has to be said for it, and what another machine then gets."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from daemon.cli.main import cli
from daemon.paths import Paths
from tests.fakes.elsewhere import Elsewhere, elsewhere, needs_one
from tests.fakes.running import SCRIPTED, RunningDaemon, running, wait_until

pytestmark = pytest.mark.slow

NEARLOOP = [sys.executable, "-m", "daemon.cli.main"]
NOWHERE = "203.0.113.7"
"""An address that no machine has (RFC 5737)."""
CHAT = "/v1/chat/completions"
BODY = json.dumps({"model": "local", "messages": [{"role": "user", "content": "hello you"}]})


@pytest.fixture
def scripted(where: Paths) -> Paths:
    where.config.mkdir(parents=True)
    where.settings.write_text(SCRIPTED.format(options=""))
    return where


def refused(*words: str, status: int, by: tuple[str, ...] = ("-m", "daemon")) -> str:
    """What a start says that doesn't come to pass: one line, and no traceback."""
    command = [sys.executable, *by, "--port", "0", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stdout + done.stderr
    (told,) = done.stderr.splitlines()
    return told


# ---- what has to be said --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [(), ("up",), ("up", "-d")])
def test_an_address_without_the_flag_is_refused(scripted: Paths, way: tuple[str, ...]) -> None:
    """As a service, in the foreground and detached, with the flag's name."""
    by = ("-m", "daemon.cli.main", *way) if way else ("-m", "daemon")

    assert "reach 0.0.0.0: add --expose" in refused("--host", "0.0.0.0", status=2, by=by)


def test_the_settings_alone_are_not_enough(scripted: Paths) -> None:
    """A settings file that was copied from elsewhere opens nothing; a loopback address said at the start overrides it."""
    scripted.settings.write_text(scripted.settings.read_text() + f'[server]\nhost = "{NOWHERE}"\n')

    assert "server.host" in refused(status=2)
    assert NOWHERE in refused("--expose", status=1)


def test_the_flag_alone_is_not_enough(scripted: Paths) -> None:
    """And says what is missing."""
    assert "--host" in refused("--expose", status=2)


def test_what_is_no_address_is_refused(scripted: Paths) -> None:
    """A name is none, since names may lead elsewhere tomorrow."""
    assert "192.168.1.5" in refused("--host", "laptop.local", "--expose", status=2)


def test_an_address_that_is_not_there(scripted: Paths) -> None:
    """Those that are there are told."""
    told = refused("--host", NOWHERE, "--expose", status=1)

    assert f"no address {NOWHERE}" in told
    assert "127.0.0.1 (" in told


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere 127.0.0.2 has to be made first")
def test_a_port_that_is_taken_at_one_of_them(scripted: Paths) -> None:
    """The address is told, and not ourselves as the owner; nothing is left listening."""
    with socket.create_server(("127.0.0.2", 0)) as other:
        port = other.getsockname()[1]
        words = ["--host", "127.0.0.2", "--port", str(port)]
        done = subprocess.run([*NEARLOOP, "up", *words], capture_output=True, text=True, timeout=60)

    assert done.returncode == 1
    assert f"port {port} of 127.0.0.2 is taken by" in done.stderr
    assert f"process {os.getpid()}" in done.stderr
    with socket.create_server(("127.0.0.1", port)):
        pass


@pytest.mark.skipif(not socket.has_ipv6, reason="needs IPv6")
def test_another_loopback_address_needs_no_flag(home: Path) -> None:
    """IPv6's is answered as IPv4's: without a token, and nobody is warned."""
    with running(home, arguments=("--host", "::1")) as daemon, daemon.client() as control:
        answer = httpx.get(f"http://[::1]:{control.discovery.port}/health", trust_env=False)

        assert answer.json() == {"status": "ok"}
        assert control.discovery.exposed == control.status().exposed == ()
        assert "exposed" not in [each.code for each in control.status().warnings]


# ---- what another machine gets --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def far() -> Iterator[Elsewhere]:
    with elsewhere() as far:
        yield far


@pytest.fixture(scope="module")
def daemon(far: Elsewhere, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ("--host", far.here, "--host", far.here6, "--expose")
    extra = f"[server]\nollama_port = {port}\n"
    with running(tmp_path_factory.mktemp("home"), extra=extra, arguments=words) as daemon:
        yield daemon


def ports(daemon: RunningDaemon) -> tuple[int, int]:
    with daemon.client() as control:
        assert control.discovery.ollama_port
        return control.discovery.port, control.discovery.ollama_port


def token_of(daemon: RunningDaemon, name: str, *scopes: str) -> str:
    with daemon.client() as control:
        return control.add_client(name, scopes or None).token


@needs_one
def test_without_a_token_there_is_nothing(daemon: RunningDaemon, far: Elsewhere) -> None:
    """On either port, by IPv4 and IPv6, whatever is asked for; this machine's own programs need none as before."""
    for port in ports(daemon):
        for root in (f"http://{far.here}:{port}", f"http://[{far.here6}]:{port}"):
            for path in ("/health", "/", "/v1/models", "/api/tags", "/nearloop/v1/status", "/nothing"):
                status, body = far.curl(root + path)
                assert (status, "client add" in body) == (401, True), path
    with daemon.http() as http:
        assert http.get("/health").status_code == 200
        assert http.post(CHAT, content=BODY, headers={"content-type": "application/json"}).status_code == 200


@needs_one
def test_with_a_token_there_are_answers(daemon: RunningDaemon, far: Elsewhere) -> None:
    """In OpenAI's and Ollama's words, under the names that containers use, and the record names the program."""
    token = token_of(daemon, "container")
    port, second = ports(daemon)
    send = ("-H", "content-type: application/json", "-d", BODY)
    docker = ("--resolve", f"host.docker.internal:{port}:{far.here}")

    for root in (f"http://{far.here}:{port}", f"http://[{far.here6}]:{port}", f"http://{far.here}:{second}"):
        assert "hello you" in far.curl(root + CHAT, *send, token=token)[1]
    status, body = far.curl(f"http://host.docker.internal:{port}{CHAT}", *send, *docker, token=token)
    assert (status, "hello you" in body) == (200, True)
    assert far.curl(f"http://{far.here}:{second}/api/tags", token=token)[0] == 200
    with daemon.client() as control:
        assert {record.client for record in control.records(None, 4).records} == {"container"}


@needs_one
def test_what_changes_this_machine_is_refused(daemon: RunningDaemon, far: Elsewhere) -> None:
    """By the admin token and by a client's with its scope; on this machine both do as before."""
    owner = token_of(daemon, "owner", "admin")
    root = f"http://{far.here}:{ports(daemon)[0]}"

    for token in (daemon.admin_token, owner):
        assert far.curl(f"{root}/nearloop/v1/settings", token=token)[0] == 403
        assert far.curl(f"{root}/nearloop/v1/stop", "-X", "POST", token=token)[0] == 403
        with daemon.http(headers={"authorization": f"Bearer {token}"}) as http:
            assert http.get("/nearloop/v1/settings").status_code == 200


@needs_one
def test_rebinding_and_pages(daemon: RunningDaemon, far: Elsewhere) -> None:
    """A name that we don't have and a page that isn't listed get nothing, though they hold a token."""
    token = token_of(daemon, "page")
    url = f"http://{far.here}:{ports(daemon)[0]}/v1/models"

    assert far.curl(url, "-H", "Host: evil.example", token=token)[0] == 403
    assert far.curl(url, "-H", "Origin: http://evil.example", token=token)[0] == 403
    assert far.curl(url, token=token)[0] == 200


@needs_one
def test_guessing_has_to_wait(far: Elsewhere, tmp_path: Path) -> None:
    """After ten wrong tokens; who was let in before goes on."""
    with running(tmp_path / "home", arguments=("--host", "0.0.0.0", "--expose")) as daemon, daemon.client() as control:
        url = f"http://{far.here}:{control.discovery.port}/v1/models"
        before, new = token_of(daemon, "before"), token_of(daemon, "new")

        assert far.curl(url, token=before)[0] == 200
        assert [far.curl(url, token=f"nl_guess{number}")[0] for number in range(11)] == [401] * 10 + [429]
        assert (far.curl(url, token=new)[0], far.curl(url, token=before)[0]) == (429, 200)
        assert f"http://{far.here}:{control.discovery.port}" in control.status().exposed  # one of 0.0.0.0
        with daemon.http() as http:
            assert http.get("/v1/models").status_code == 200


CROWD = """
import socket, sys
address, port, many = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
crowd = [socket.create_connection((address, port), 10) for _ in range(many)]
ended = 0
for each in crowd:
    each.settimeout(30)
    try:
        each.sendall(b"GET /v1/models HTTP/1.1\\r\\n")
        while each.recv(100):
            pass
    except ConnectionError:
        pass
    ended += 1
print(ended)
"""


@needs_one
def test_strangers_who_say_nothing_are_sent_away(daemon: RunningDaemon, far: Elsewhere) -> None:
    """400 connections whose headers don't end are all closed again, and this machine is answered meanwhile."""
    port = ports(daemon)[0]
    crowd = subprocess.Popen(
        ["ip", "netns", "exec", far.name, sys.executable, "-c", CROWD, far.here, str(port), "400"],
        stdout=subprocess.PIPE,
        text=True,
    )
    with daemon.http() as http:
        while crowd.poll() is None:
            assert http.get("/health").status_code == 200
    assert crowd.communicate()[0].strip() == "400"
    assert far.curl(f"http://{far.here}:{port}/v1/models", token=token_of(daemon, "late"))[0] == 200


@needs_one
def test_the_user_is_told(daemon: RunningDaemon, far: Elsewhere, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the log, by status, by doctor, and by the command that makes tokens."""
    url = f"http://{far.here}:{ports(daemon)[0]}"
    monkeypatch.setenv("NEARLOOP_HOME", str(daemon.home))

    def said(*words: str) -> str:
        return CliRunner().invoke(cli, list(words)).output

    assert url in daemon.log.read_text()
    with daemon.client() as control:
        warning = next(each for each in control.status().warnings if each.code == "exposed")
        assert (warning.severity, url in warning.text) == ("warning", True)
        assert control.url.startswith("http://127.0.0.1:")
    assert url in said("status")
    assert url in said("doctor")
    told = said("client", "add", "told")
    assert url in told
    assert told.split()[-1].startswith("nl_")


@needs_one
def test_the_commands_of_the_documentation(
    daemon: RunningDaemon, far: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`connect env --url` gives variables with which a program there is answered, by the official client's own reading."""
    url = f"http://{far.here}:{ports(daemon)[0]}"
    monkeypatch.setenv("NEARLOOP_HOME", str(daemon.home))
    lines = CliRunner().invoke(cli, ["connect", "env", "--url", f"{url}/v1", "--shell", "sh"]).output
    script = "import openai; print(openai.OpenAI().models.list().data[0].id)"

    told = far.run("bash", "-c", f"{lines}\n{sys.executable} -c '{script}'", environment={"NO_PROXY": "*"})

    assert told.strip() == "auto"


@needs_one
def test_up_says_where_others_find_it(scripted: Paths, far: Elsewhere) -> None:
    """In the foreground and detached, and `down` finds the daemon on loopback."""
    words = ["up", "-d", "--port", "0", "--host", far.here, "--expose"]
    done = subprocess.run([*NEARLOOP, *words], capture_output=True, text=True, timeout=60)
    try:
        assert f"http://{far.here}:" in done.stdout, done.stderr
    finally:
        subprocess.run([*NEARLOOP, "down"], check=True, capture_output=True, timeout=60)
    wait_until(lambda: not scripted.discovery.exists(), why="the end")
