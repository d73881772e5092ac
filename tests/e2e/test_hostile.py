"""What clients, pages and accidents do to a daemon; it answers clearly, or refuses clearly, and goes on."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import psutil
import pytest

from tests.fakes.running import RunningDaemon, running, wait_until

pytestmark = pytest.mark.slow

CHAT = "/v1/chat/completions"


def body(text: str = "hi", **more: Any) -> dict[str, Any]:
    return {"model": "local", "messages": [{"role": "user", "content": text}], **more}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    with running(tmp_path_factory.mktemp("home")) as daemon:
        yield daemon


@pytest.fixture
def http(daemon: RunningDaemon) -> Iterator[httpx.Client]:
    with daemon.http() as http:
        yield http


def assert_alive(http: httpx.Client) -> None:
    answer = http.post(CHAT, json=body("still here"))
    assert answer.status_code == 200, answer.text
    assert answer.json()["choices"][0]["message"]["content"] == "still here"


def assert_refused(answer: httpx.Response, status: int) -> dict[str, Any]:
    """An error in OpenAI's shape."""
    assert answer.status_code == status, answer.text
    error: dict[str, Any] = answer.json()["error"]
    assert error["message"]
    assert error["code"]
    assert error["type"]
    return error


# ---- who may come in ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [CHAT, "/health", "/no/such/path", "/nearloop/v1/status"])
def test_rebinding(http: httpx.Client, path: str) -> None:
    """A Host that isn't this machine's is refused on every path, known or not."""
    assert_refused(http.get(path, headers={"host": "evil.example"}), 403)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:3000", "vscode-webview://abc"])
def test_foreign_page(http: httpx.Client, origin: str) -> None:
    """A page of another origin gets nothing, and no permission to read the refusal."""
    answer = http.post(CHAT, json=body(), headers={"origin": origin})

    assert_refused(answer, 403)
    assert "access-control-allow-origin" not in answer.headers


def test_cross_site_without_origin(http: httpx.Client) -> None:
    """A request that a browser marks as another site's is refused without an Origin too."""
    assert_refused(http.get("/v1/models", headers={"sec-fetch-site": "cross-site"}), 403)


def test_simple_request_of_a_form(http: httpx.Client) -> None:
    """A body that is not declared as JSON, as forms send it, is not parsed."""
    answer = http.post(CHAT, content=json.dumps(body()), headers={"content-type": "text/plain"})

    assert_refused(answer, 415)


def test_unknown_token(http: httpx.Client) -> None:
    """A token of ours that isn't known is refused, a dummy of an SDK is anonymous."""
    assert_refused(http.post(CHAT, json=body(), headers={"authorization": "Bearer nl_nope"}), 401)
    assert http.post(CHAT, json=body(), headers={"authorization": "Bearer sk-dummy"}).status_code == 200


def test_client_tokens(daemon: RunningDaemon, http: httpx.Client) -> None:
    """A token gives its scopes as Bearer or x-api-key, until it is revoked; the record names the client."""
    with daemon.client() as control:
        made = control.add_client("zed", ("infer:local",))
        for headers in ({"authorization": f"Bearer {made.token}"}, {"x-api-key": made.token}):
            answer = http.post(CHAT, json=body(), headers=headers)
            assert answer.status_code == 200
            assert control.record(answer.headers["x-nearloop-record"]).record.client == "zed"
            assert_refused(http.get("/nearloop/v1/records", headers=headers), 403)
        control.revoke_client("zed")

    assert_refused(http.post(CHAT, json=body(), headers={"x-api-key": made.token}), 401)


def test_control_needs_a_token(http: httpx.Client) -> None:
    """Without a token the control API shows and does nothing."""
    for method, path in (
        ("GET", "status"),
        ("GET", "records"),
        ("GET", "records/ab"),
        ("GET", "events"),
        ("GET", "models"),
        ("GET", "clients"),
        ("GET", "settings"),
        ("POST", "clients"),
        ("POST", "settings/reread"),
        ("POST", "models/play/load"),
        ("POST", "models/play/unload"),
        ("DELETE", "records"),
        ("DELETE", "clients/zed"),
        ("POST", "stop"),
    ):
        assert_refused(http.request(method, f"/nearloop/v1/{path}"), 403)


def test_no_state_change_on_get(daemon: RunningDaemon, http: httpx.Client) -> None:
    """What changes something is not reachable by GET, even for the admin."""
    headers = {"authorization": f"Bearer {daemon.admin_token}"}

    assert_refused(http.get("/nearloop/v1/stop", headers=headers), 405)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs the right to become another user")
def test_another_user(daemon: RunningDaemon) -> None:
    """A connection of another user of this machine is refused, whatever it sends."""
    with daemon.client() as control:
        port = control.discovery.port
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setuid(65534)
            with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                connection.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                while piece := connection.recv(4096):
                    os.write(write_end, piece)
        finally:
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as told:
        answer = told.read()
    os.waitpid(child, 0)

    assert answer.startswith(b"HTTP/1.1 403")
    assert b"another user" in answer


# ---- what they send -------------------------------------------------------------------------------------------------


def test_huge_body_declared(daemon: RunningDaemon, http: httpx.Client) -> None:
    """A body declared as 200 MB is refused before it is sent."""
    with daemon.client() as control, socket.create_connection(("127.0.0.1", control.discovery.port), 10) as connection:
        head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: {200 << 20}\r\n\r\n".encode())
        assert b" 413 " in connection.recv(4096).splitlines()[0]
    assert_alive(http)


def test_huge_body_in_chunks(daemon: RunningDaemon, http: httpx.Client) -> None:
    """A 200 MB body that is not declared is refused at the limit, and the daemon's memory stays small."""

    def pieces() -> Iterator[bytes]:
        for _ in range(200):
            yield b" " * (1 << 20)

    try:
        answer = http.post(CHAT, content=pieces(), headers={"content-type": "application/json"})
    except httpx.WriteError:
        pass  # the server closed the door while we were sending
    else:
        assert_refused(answer, 413)
    assert_alive(http)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("deep arrays", b'{"model": "local", "messages": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
        ("deep objects", b'{"a":' * 50_000 + b"1" + b"}" * 50_000),
        ("only openings", b"[" * 1_000_000),
        ("invalid UTF-8", b'{"model": "local", "messages": [{"role": "user", "content": "\xff\xfe"}]}'),
        ("lone surrogate", b'{"model": "local", "messages": [{"role": "user", "content": "\\ud800"}]}'),
        ("not JSON", b"hello"),
        ("empty", b""),
        ("array", b"[]"),
        ("null", b"null"),
        ("NaN", b'{"model": "local", "messages": [], "temperature": NaN}'),
        ("no messages", b'{"model": "local"}'),
        ("empty messages", b'{"model": "local", "messages": []}'),
        ("wrong type", b'{"model": 3, "messages": [{"role": "user", "content": "hi"}]}'),
        ("wrong role", b'{"model": "local", "messages": [{"role": "king", "content": "hi"}]}'),
        ("content missing", b'{"model": "local", "messages": [{"role": "user"}]}'),
        ("huge number", b'{"model": "local", "messages": [{"role": "user", "content": "hi"}], "seed": 1e400}'),
        ("negative max_tokens", b'{"model": "local", "messages": [{"role": "user", "content": "hi"}], "max_tokens": -1}'),
        ("image", b'{"model": "local", "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,x"}}]}]}'),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_bad_bodies(http: httpx.Client, name: str, content: bytes) -> None:
    """Whatever is wrong with a body, the answer is a 400 in the client's shape, and the daemon goes on."""
    answer = http.post(CHAT, content=content, headers={"content-type": "application/json"})

    assert_refused(answer, 400)
    assert_alive(http)


def test_bad_parameters_of_the_control_api(daemon: RunningDaemon, http: httpx.Client) -> None:
    """Query parameters out of range are a 400 that names them."""
    headers = {"authorization": f"Bearer {daemon.admin_token}"}
    for path, field in (
        ("records?limit=0", "limit"),
        ("records?limit=x", "limit"),
        ("events?since=-1", "since"),
        ("events?wait_s=1e9", "wait_s"),
        ("records?since=yesterday", "since"),
    ):
        error = assert_refused(http.get(f"/nearloop/v1/{path}", headers=headers), 400)
        assert field in (error["param"] or error["message"])
    assert_refused(http.get("/nearloop/v1/records/zz", headers=headers), 404)
    assert_refused(http.get("/nearloop/v1/nothing", headers=headers), 404)
    for wrong in (b"{", b'{"name": 3}', b'{"name": "x", "scopes": ["king"]}', b'{"name": "A b"}', b'{"nam": "x"}'):
        answer = http.post(
            "/nearloop/v1/clients", content=wrong, headers={**headers, "content-type": "application/json"}
        )
        assert_refused(answer, 400)


def test_a_body_under_the_limit_is_read(http: httpx.Client) -> None:
    """20 MB are less than the documented 32, and are answered: with the window's error, for that many words."""
    answer = http.post(CHAT, json=body("word " * 4_000_000))

    assert assert_refused(answer, 400)["code"] == "context_length_exceeded"


def test_a_deep_look_does_not_stop_others(daemon: RunningDaemon, http: httpx.Client) -> None:
    """While a body of 30 MB of brackets is looked at, others are answered."""
    brackets = b'{"a":[' + (b"[" * 90 + b"]" * 90 + b",") * (30_000_000 // 181) + b"1]}"
    url = f"{daemon.url}{CHAT}"
    heavy = threading.Thread(
        target=lambda: httpx.post(
            url, content=brackets, headers={"content-type": "application/json"}, timeout=60, trust_env=False
        )
    )
    slowest = 0.0
    heavy.start()
    while heavy.is_alive():
        began = time.monotonic()
        assert http.get("/health").status_code == 200
        slowest = max(slowest, time.monotonic() - began)
    assert slowest < 2.5  # it was 8 s


def test_numbers_beyond_any_machine(daemon: RunningDaemon, http: httpx.Client) -> None:
    """Numbers that no integer type holds are the client's mistake."""
    assert_refused(http.post(CHAT, json=body(max_tokens=2**64)), 400)
    headers = {"authorization": f"Bearer {daemon.admin_token}"}
    assert http.get("/nearloop/v1/records?since=999999d", headers=headers).status_code == 200
    assert http.delete("/nearloop/v1/records?older_than=999999d", headers=headers).json() == {"deleted": 0}


def test_a_compressed_body(http: httpx.Client) -> None:
    """A body with a content encoding is refused as such, not as bad JSON."""
    headers = {"content-type": "application/json", "content-encoding": "gzip"}

    assert_refused(http.post(CHAT, content=b"\x1f\x8b", headers=headers), 415)


def raw(daemon: RunningDaemon, *pieces: bytes) -> bytes:
    """Everything that comes back for some bytes, sent piece by piece."""
    with daemon.client() as control:
        port = control.discovery.port
    answer = b""
    with socket.create_connection(("127.0.0.1", port), 20) as connection:
        try:
            for data in pieces:
                connection.sendall(data)
                if data is not pieces[-1]:
                    time.sleep(0.05)  # so that the server reads them apart; nothing tells when it has
            while piece := connection.recv(65536):
                answer += piece
        except ConnectionError:
            pass
    return answer


def test_what_is_no_http_is_refused_in_our_shape(daemon: RunningDaemon) -> None:
    """Also what the parser refuses has an error object."""
    answer = raw(daemon, b"NONSENSE / HTTP/1.1\r\nHost: localhost\r\n\r\n")

    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == "bad_http"


@pytest.mark.parametrize("protocol", [b"h2c", b"websocket", b"TLS/1.0"])
def test_an_upgrade_that_is_not_known_is_passed_over(daemon: RunningDaemon, protocol: bytes) -> None:
    """The request is answered as it is, body and all, as Java's own client needs it, which asks so of every server."""
    asked = json.dumps(body("upgraded words")).encode()
    head = (
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: " + protocol
    )
    head += b"\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(asked)}\r\n\r\n".encode()

    for pieces in ((head + asked,), (head, asked), (head[:90], head[90:] + asked[:9], asked[9:])):
        answer = raw(daemon, *pieces)
        assert answer.startswith(b"HTTP/1.1 200 OK"), answer
        assert b"upgraded words" in answer


def test_strangers_leave_no_line_in_the_log(daemon: RunningDaemon) -> None:
    """Tries of WebSockets, bytes that are no HTTP, and refused requests can't fill a disk."""
    before = daemon.log.read_text()
    socket_head = b"Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    for request in (
        b"GET /v1/responses HTTP/1.1\r\nHost: localhost\r\n" + socket_head + b"\r\n",
        b"GET /nothing HTTP/1.1\r\nHost: evil.example\r\n" + socket_head + b"\r\n",
        b"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nConnection: close\r\n\r\n",
        b"NONSENSE / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
    ):
        assert raw(daemon, request).startswith(b"HTTP/1.1 4")
    assert daemon.log.read_text() == before


def test_headers_without_an_end(daemon: RunningDaemon, http: httpx.Client) -> None:
    """Headers over 256 kB are cut off."""
    answer = raw(daemon, b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: " + b"a" * 300_000)

    assert b"bad_http" in answer or answer == b""
    assert_alive(http)


def test_two_hosts(daemon: RunningDaemon) -> None:
    """A second Host header is no way round the first."""
    answer = raw(daemon, b"GET /health HTTP/1.1\r\nHost: evil.example\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 403")


def test_garbage_on_the_socket(daemon: RunningDaemon, http: httpx.Client) -> None:
    """Bytes that aren't HTTP, and headers without an end, take nothing down."""
    with daemon.client() as control:
        port = control.discovery.port
    for junk in (b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/9.9\r\n\r\n", b"\x00" * 1000, b"GET /" + b"a" * 100_000):
        with socket.create_connection(("127.0.0.1", port), 5) as connection:
            connection.sendall(junk)
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(5)
            try:
                while connection.recv(4096):
                    pass
            except ConnectionResetError:
                pass
    assert_alive(http)


# ---- who goes away --------------------------------------------------------------------------------------------------


def reset(connection: socket.socket) -> None:
    """Close with RST, as a killed client's kernel does."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_hang_up(daemon: RunningDaemon, http: httpx.Client, stream: bool) -> None:
    """A client that hangs up in mid-answer stops the generation within a token, and the record says so."""
    with daemon.client() as control:
        since = control.events(None, 0).next
        request = json.dumps(body("[[tokens=100000]] [[delay=5]]", stream=stream)).encode()
        connection = socket.create_connection(("127.0.0.1", control.discovery.port), 5)
        connection.sendall(
            f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(request)}\r\n\r\n".encode()
            + request
        )
        wait_until(lambda: control.models().models[0].running == 1, 10, "the start of the answer")
        if stream:
            seen = b""
            while b"data: " not in seen:
                seen += connection.recv(65536)
        reset(connection)

        wait_until(lambda: control.models().models[0].running == 0, 2, "the end of the answer")
        events = control.events(since, 0).events
    record = next(event.data for event in events if event.kind == "record")
    assert record["outcome"] == "cancelled"
    assert_alive(http)


def test_hang_up_in_the_queue(daemon: RunningDaemon, http: httpx.Client) -> None:
    """Clients that hang up while they wait leave the line; those behind them are served."""

    async def scene() -> list[int]:
        async with httpx.AsyncClient(base_url=daemon.url, trust_env=False, timeout=30) as client:
            busy = [asyncio.create_task(client.post(CHAT, json=body("[[tokens=60]] [[delay=50]]"))) for _ in range(8)]
            with daemon.client() as control:
                while control.models().models[0].running < 8:
                    await asyncio.sleep(0.01)
                gone = [asyncio.create_task(client.post(CHAT, json=body())) for _ in range(20)]
                while control.models().models[0].waiting < 20:
                    await asyncio.sleep(0.01)
                patient = [asyncio.create_task(client.post(CHAT, json=body())) for _ in range(5)]
                while control.models().models[0].waiting < 25:
                    await asyncio.sleep(0.01)
                for task in gone:
                    task.cancel()
                while control.models().models[0].waiting > 5:
                    await asyncio.sleep(0.01)
            return [(await task).status_code for task in (*busy, *patient)]

    assert asyncio.run(scene()) == [200] * 13
    assert_alive(http)


# ---- many at once ---------------------------------------------------------------------------------------------------


async def ask_all(daemon: RunningDaemon, texts: list[str], stream: bool = False) -> list[httpx.Response]:
    limits = httpx.Limits(max_connections=len(texts))
    async with httpx.AsyncClient(base_url=daemon.url, trust_env=False, timeout=90, limits=limits) as client:
        return await asyncio.gather(*(client.post(CHAT, json=body(text, stream=stream)) for text in texts))


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_two_hundred_at_once(daemon: RunningDaemon, stream: bool) -> None:
    """200 parallel requests on one model are all answered, each with its own answer."""
    texts = [f"request number {number}" for number in range(200)]

    answers = asyncio.run(ask_all(daemon, texts, stream))

    assert Counter(answer.status_code for answer in answers) == {200: 200}
    if not stream:
        assert [answer.json()["choices"][0]["message"]["content"] for answer in answers] == texts
    else:
        for answer, text in zip(answers, texts, strict=True):
            frames = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
            assert "".join(frame["choices"][0]["delta"].get("content", "") for frame in frames) == text


def test_beyond_the_queue(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Beyond the queue requests get a 503 with Retry-After at once; the others are all answered."""
    home = tmp_path_factory.mktemp("home")
    with running(home, "parallel=2", "[server]\nqueue = 10\n") as daemon:
        answers = asyncio.run(ask_all(daemon, ["[[tokens=20]] [[delay=10]]"] * 40))

        told = Counter(answer.status_code for answer in answers)
        assert told == {200: 12, 503: 28}
        for answer in answers:
            if answer.status_code == 503:
                assert 1 <= int(answer.headers["retry-after"]) <= 60
                assert answer.json()["error"]["code"] == "overloaded"


def test_slow_readers_keep_no_slot(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Clients that ask for much and read nothing don't keep others from being answered."""
    with running(tmp_path_factory.mktemp("home"), "parallel=2,context=200000") as daemon, daemon.client() as control:
        request = json.dumps(body("[[tokens=60000]]", stream=True)).encode()
        head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        stalled = []
        for _ in range(2):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", control.discovery.port))
            connection.sendall(f"{head}Content-Length: {len(request)}\r\n\r\n".encode() + request)
            stalled.append(connection)
        wait_until(lambda: control.status().in_flight == 2, 10, "both to start")
        with daemon.http() as http:
            assert_alive(http)
        for connection in stalled:
            reset(connection)
        wait_until(lambda: control.status().in_flight == 0, 10, "both to end")


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_stopping_tells_who_waits(tmp_path_factory: pytest.TempPathFactory, stream: bool) -> None:
    """A daemon that stops ends what still runs after a moment, with an error that says so."""
    with running(tmp_path_factory.mktemp("home"), "parallel=1") as daemon, daemon.client() as control:
        answers: list[httpx.Response] = []
        url = f"{daemon.url}{CHAT}"

        def ask() -> None:
            asked = body("[[tokens=8000]] [[delay=5]]", stream=stream)
            answers.append(httpx.post(url, json=asked, timeout=60, trust_env=False))

        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        wait_until(lambda: control.models().models[0].waiting == 1, 10, "one to run and one to wait")

        assert daemon.stop() == 0

        for thread in threads:
            thread.join(20)
        for answer in answers:
            told = answer.text.rstrip().splitlines()[-1].removeprefix("data: ")
            assert "stopping" in json.loads(told)["error"]["message"]
            assert answer.status_code in ((200, 503) if stream else (503,))
    assert "Traceback" not in daemon.log.read_text()


def test_fair_between_clients(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A client with one request does not wait behind another client's hundred."""
    with running(tmp_path_factory.mktemp("home"), "parallel=1") as daemon, daemon.client() as control:
        greedy, modest = control.add_client("greedy", None).token, control.add_client("modest", None).token

        async def scene() -> int:
            done: list[str] = []

            async def ask(client: httpx.AsyncClient, token: str, name: str) -> None:
                headers = {"authorization": f"Bearer {token}"}
                assert (await client.post(CHAT, json=body("[[tokens=5]] [[delay=4]]"), headers=headers)).is_success
                done.append(name)

            limits = httpx.Limits(max_connections=100)
            async with httpx.AsyncClient(base_url=daemon.url, trust_env=False, timeout=60, limits=limits) as client:
                async with asyncio.TaskGroup() as group:
                    for _ in range(50):
                        group.create_task(ask(client, greedy, "greedy"))
                    while control.models().models[0].waiting < 45:
                        await asyncio.sleep(0.005)
                    before = len(done)
                    group.create_task(ask(client, modest, "modest"))
            return done.index("modest") - before

        assert asyncio.run(scene()) <= 8  # one in the model, one in its turn, and those that ended while we looked


# ---- a model that dies ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kills", [8, pytest.param(50, marks=[pytest.mark.slow, pytest.mark.timeout(300)])])
def test_worker_killed_under_load(tmp_path_factory: pytest.TempPathFactory, kills: int) -> None:
    """kill -9 of the model's process, many times under load: every client gets an answer or a clear error, none hangs."""
    with running(tmp_path_factory.mktemp("home"), "load_ms=50") as daemon, daemon.client() as control:
        stop = threading.Event()
        outcomes: Counter[str] = Counter()

        async def client_loop(client: httpx.AsyncClient, stream: bool) -> None:
            while not stop.is_set():
                answer = await client.post(CHAT, json=body("[[tokens=30]] [[delay=2]]", stream=stream))
                if stream and answer.status_code == 200:
                    last = answer.text.rstrip().splitlines()[-1]
                    assert last == "data: [DONE]" or json.loads(last[6:])["error"]["code"] == "model_lost", last
                    outcomes["whole" if last == "data: [DONE]" else "cut"] += 1
                elif answer.status_code == 200:
                    outcomes["whole"] += 1
                else:
                    assert answer.status_code == 503, answer.text
                    assert int(answer.headers["retry-after"]) >= 1
                    outcomes["refused"] += 1
                    await asyncio.sleep(0.02)

        async def clients() -> None:
            async with httpx.AsyncClient(base_url=daemon.url, trust_env=False, timeout=30) as client:
                async with asyncio.TaskGroup() as group:
                    for number in range(12):
                        group.create_task(client_loop(client, stream=number % 2 == 0))

        load = threading.Thread(target=lambda: asyncio.run(clients()))
        load.start()
        try:
            draw = random.Random(kills)
            own = psutil.Process(daemon.process.pid)
            dead: set[int] = set()

            def living() -> list[int]:
                return [child.pid for child in own.children() if child.pid not in dead]

            for number in range(kills):
                if number % 4 != 3:  # every fourth one dies before it has answered, most of these while they load
                    served = outcomes["whole"]
                    wait_until(lambda before=served: outcomes["whole"] > before, 30, "an answer")  # type: ignore[misc]
                wait_until(lambda: len(living()) == 1, 30, "a process")
                time.sleep(draw.random() * 0.05)
                dead.update(pids := living())
                os.kill(pids[0], signal.SIGKILL)
        finally:
            stop.set()
            load.join(60)
        assert not load.is_alive()
        assert outcomes["whole"] >= kills
        assert outcomes["cut"] + outcomes["refused"] >= kills // 2
        assert control.models().models[0].restarts == kills
        wait_until(lambda: control.models().models[0].state == "ready", 30, "the last restart")
        with daemon.http() as http:
            assert_alive(http)
    assert "Traceback" not in daemon.log.read_text()


def test_no_words_in_logs_and_records(daemon: RunningDaemon, http: httpx.Client) -> None:
    """A canary in questions good and bad stands in no log, record, event or file of the daemon."""
    canary = "zanzibar-canary-7319"
    http.post(CHAT, json=body(canary))
    http.post(CHAT, json=body(canary, stream=True))
    http.post(CHAT, json={"model": canary, "messages": [{"role": canary}]})
    http.post(CHAT, json=body(f"{canary} [[prompt=99999]]"))
    http.post(CHAT, json=body(f"{canary} [[fail=1]]"))
    http.post(CHAT, json={"model": canary, "messages": [{"role": "user", "content": canary}]})
    http.post(CHAT, json=body(canary, **{canary: canary}, stop=[canary], tools=[{"type": canary}]))
    assert http.post(CHAT, json=body("hello", **{canary: canary})).headers["x-nearloop-ignored"] == "other"
    for path in ("/v1/responses", "/v1/responses/input_tokens", "/v1/completions", "/v1/embeddings"):
        for asked in (
            {"input": canary, "prompt": canary, "instructions": canary, "metadata": {canary: canary}, "user": canary},
            {"input": canary, "prompt": canary, "stream": True, canary: canary},
            {"input": [{"type": canary}], "prompt": [[canary]], "tools": [{"type": canary}]},
            {
                "input": [{"type": "item_reference", "id": canary}],
                "previous_response_id": canary,
                "tool_choice": canary,
            },
            {"model": canary, "input": canary, "prompt": canary},
        ):
            http.post(path, json={"model": "local", **asked})
    for method in ("GET", "DELETE"):
        http.request(method, f"/v1/responses/{canary}")
    user = {"messages": [{"role": "user", "content": canary}]}
    for path in ("/v1/messages", "/v1/messages?beta=true", "/v1/messages/count_tokens"):
        for asked in (
            {**user, "system": canary, "metadata": {"user_id": canary}, canary: canary},
            {**user, "stream": True, "stop_sequences": [canary]},
            {"messages": [{"role": canary, "content": canary}]},
            {
                "messages": [
                    {"role": "user", "content": [{"type": canary}, {"type": "image", "source": {"type": canary}}]}
                ]
            },
            {"messages": [{"role": "assistant", "content": canary}]},
            {**user, "tools": [{"type": canary, "name": canary}]},
            {**user, "tools": [{"name": "x", "input_schema": {}}], "tool_choice": {"type": "tool", "name": canary}},
            {**user, "thinking": {"type": canary}, "output_config": {"effort": canary}},
            {**user, "model": canary},
        ):
            answer = http.post(path, json={"model": "local", "max_tokens": 9, **asked})
            assert answer.status_code < 500
            assert answer.status_code == 200 or canary not in answer.text
    http.get(f"/v1/models/{canary}?after_id={canary}", headers={"anthropic-version": canary, "anthropic-beta": canary})
    for path in ("chat", "generate", "show", "embed", "embeddings", "pull", "copy"):
        for asked in (
            {**user, "prompt": canary, "input": canary, "system": canary, canary: canary},
            {**user, "prompt": canary, "options": {canary: canary, "stop": canary, "num_ctx": canary}, "stream": False},
            {**user, "prompt": canary, "options": {"seed": canary}},
            {**user, "prompt": canary, "format": canary},
            {**user, "prompt": canary, "think": canary},
            {**user, "prompt": canary, "keep_alive": canary},
            {**user, "prompt": canary, "images": [canary], "suffix": canary, "template": canary},
            {"messages": [{"role": canary, "content": canary}], "dimensions": canary},
            {"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": canary, "arguments": canary}}]}]},
            {"messages": [{"role": "user", "content": canary, "images": [canary]}], "tools": [{"type": canary}]},
            {"model": canary},
            {"name": canary, "model": None},
        ):
            answer = http.post(f"/api/{path}", json={"model": "local", **asked})
            assert answer.status_code < 500 or answer.status_code == 501
            assert answer.status_code == 200 or canary not in answer.text
            assert canary not in answer.headers.get("x-nearloop-ignored", "")
    http.request("DELETE", "/api/delete", json={"model": canary})
    http.get(f"/api/v0/models/{canary}")
    with daemon.client() as control:
        assert canary not in json.dumps([event.data for event in control.events(0, 0).events])
        control.records(None, 100)
    files = [path for path in daemon.home.rglob("*") if path.is_file()]
    assert daemon.paths.records in files
    for path in files:
        assert canary.encode() not in path.read_bytes(), path


def test_headers_that_end_with_a_large_body_behind_them(daemon: RunningDaemon, http: httpx.Client) -> None:
    """Headers in two pieces, the second of which brings a large body along, are not too long."""
    request = json.dumps(body("word " * 200_000)).encode()
    head = (
        f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n".encode()
    )

    head += b"X-Long: " + b"a" * 200_000 + b"\r\n"
    answer = raw(daemon, head, f"Content-Length: {len(request)}\r\n\r\n".encode() + request)

    assert b"context_length_exceeded" in answer
    assert_alive(http)
