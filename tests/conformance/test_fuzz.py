"""What no client protocol may do, whatever it is sent; `tests/bench/fuzz.py` asks the same a million times."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from daemon.protocols.registry import PROTOCOLS
from providers.cleared import Place
from tests.fakes.fuzz_cases import Case, case, private, vocabulary
from tests.fakes.fuzz_house import ANSWER_S, Fault, House, fuzz, house
from tests.fakes.fuzz_seeds import BODIES
from tests.fakes.running import RunningDaemon, running

UNSERVED: Final = (
    ("/api/delete", 0, 403), ("/api/delete", 1, 403), ("/api/copy", 0, 501), ("/api/create", 0, 501), ("/api/push", 0, 501),
    ("/api/blobs/{digest}", 0, 501), ("/api/v1/nli", 0, 501),
)  # fmt: skip
"""What needs the scope `admin`, is not here at all, or asks a model that is not here."""
FEW: Final = 3_000
MANY: Final = 50_000


@pytest.fixture
async def asked(home: Path) -> AsyncIterator[House]:
    async with house(home) as made:
        yield made


def shown(faults: list[Fault]) -> str:
    return "\n".join(f"seed {each.seed} {each.adapter}: {each.why} | {each.shown}" for each in faults[:10])


async def test_every_address_that_takes_a_body_is_fuzzed(asked: House) -> None:
    """A line that is added to the registries of protocols and surfaces is fuzzed once one right request is written down."""
    taking = {path for path, method in asked.addresses() if method in ("POST", "DELETE")}

    assert {codec.PATH for codec in PROTOCOLS.values()} <= BODIES.keys()
    assert {path for path in taking if not path.startswith(("/nearloop/", "/v1/responses/{"))} <= BODIES.keys()


async def test_right_requests_are_answered(asked: House) -> None:
    """What the fuzzer starts from is understood: else it would look behind no door."""
    refused = {}
    for adapter, bodies in BODIES.items():
        for number, body in enumerate(bodies):
            answer = await asked.asked(adapter, body)
            if answer.status >= 400:
                refused[f"{adapter} {number}"] = (answer.status, answer.body)

    for adapter, number, status in UNSERVED:
        assert refused.pop(f"{adapter} {number}")[0] == status
    assert not refused


def test_a_seed_is_one_request() -> None:
    """The same number makes the same request, so that whatever is found can be asked again."""
    assert [case(seed) for seed in range(200)] == [case(seed) for seed in range(200)]
    assert {"tool_use", "num_predict", "input_image"} <= set(vocabulary())


@pytest.mark.parametrize(
    "count", [FEW, pytest.param(MANY, marks=[pytest.mark.slow, pytest.mark.timeout(900)])], ids=["few", "many"]
)
async def test_a_wrong_request_is_refused_clearly(asked: House, count: int) -> None:
    """Whatever is sent: nothing escapes, a client's mistake is below 500, in its protocol's shape, and its words are in
    no error and no log.
    """
    faults = await fuzz(asked, map(case, range(count)))

    assert not faults, shown(faults)
    answered = Counter(status // 100 for seen in asked.statuses.values() for status in seen.elements())
    assert answered[2] > count // 10
    assert answered[4] > count // 4


@pytest.mark.parametrize(
    "count", [300, pytest.param(5_000, marks=[pytest.mark.slow, pytest.mark.timeout(900)])], ids=["few", "many"]
)
async def test_an_address_leaves_in_no_form_of_request(home: Path, count: int) -> None:
    """Whatever the request looks like that it stands in: an e-mail address doesn't reach a provider beyond this machine."""
    async with house(home, Place.CLOUD) as asked:
        faults = await fuzz(asked, map(private, map(case, range(count))))

        assert not faults, shown(faults)
        assert asked.crossings > count // 50


# ---- the same through a socket --------------------------------------------------------------------------------------

AT_ONCE: Final = 16
PATIENCE_S: Final = 1.0
_STATUS: Final = re.compile(rb"HTTP/1\.1 (\d{3}) ")


def as_http(made: Case, draw: random.Random) -> bytes:
    """The request as bytes of HTTP/1.1, at times with a length or with chunks that are not true."""
    path = re.sub(rb"[\x00-\x20\x7f-\xff]", lambda found: b"%%%02x" % found[0][0], made.path.encode("utf-8", "replace"))
    query = b"?" + made.query if made.query else b""
    given = [*made.headers, (b"connection", b"close")]
    headers = b"".join(name + b": " + value + b"\r\n" for name, value in given if name != b"content-length")
    framing, body = b"content-length: %d\r\n" % len(made.body), made.body
    match draw.randrange(12):
        case 0:
            framing = b"content-length: %d\r\n" % draw.choice((0, 1, len(body) + 5, 10**12))
        case 1:
            framing, body = b"transfer-encoding: chunked\r\n", b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
        case 2:
            framing, body = b"transfer-encoding: chunked\r\n", b"zz\r\n" + body
        case 3:
            framing += framing
        case 4:
            framing = b""
    raw = made.method.encode() + b" " + path + query + b" HTTP/1.1\r\n" + headers + framing + b"\r\n" + body
    if draw.random() < 0.15:
        at = draw.randrange(len(raw))
        raw = raw[:at] + draw.randbytes(draw.randrange(3)) + raw[at + draw.randrange(3) :]
    return raw


async def said_by(port: int, raw: bytes) -> bytes:
    """What comes back. Who is still waited for by the daemon, since a length was not true, hangs up after a while."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    said = b""
    with suppress(ConnectionError):
        writer.write(raw)
        await writer.drain()
        try:
            async with asyncio.timeout(PATIENCE_S):
                said = await reader.read()
        except TimeoutError:
            writer.write_eof()
            async with asyncio.timeout(ANSWER_S):
                said = await reader.read()
    writer.close()
    return said


@pytest.mark.parametrize(
    "count", [400, pytest.param(5_000, marks=[pytest.mark.slow, pytest.mark.timeout(900)])], ids=["few", "many"]
)
async def test_wrong_bytes_on_a_socket(tmp_path: Path, count: int) -> None:
    """A real daemon answers whatever comes over a connection with a status below 500 or not at all, and goes on."""
    wrong: list[tuple[int, bytes]] = []
    answered = Counter[bool]()
    with running(tmp_path / "home") as daemon:
        port = int(daemon.url.rpartition(":")[2])
        seeds = iter(range(count))

        async def some() -> None:
            for seed in seeds:
                made, draw = case(seed), random.Random(f"socket {seed}")
                raw = as_http(made, draw)
                answer = await said_by(port, raw)
                statuses = [int(found) for found in _STATUS.findall(answer)]
                answered[bool(statuses)] += 1
                honest = b'"not_implemented"' in answer or b'"signal_model_missing"' in answer
                if (any(status >= 500 for status in statuses) and not honest) or b"internal_error" in answer:
                    wrong.append((seed, answer[:300]))

        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(some())
        assert not wrong, wrong[:5]
        assert answered[True] > count * 0.8, answered
        assert alive(daemon)
        log = daemon.log.read_text(errors="replace")
        assert "Traceback" not in log
        assert not re.search(r"w0rds[0-9a-f]+q", log)


def alive(daemon: RunningDaemon) -> bool:
    """Whether it still answers a right request."""
    with daemon.http() as http:
        body = {"model": "local", "messages": [{"role": "user", "content": "still here"}]}
        told = json.loads(http.post("/v1/chat/completions", json=body).content)
    return bool(told["choices"][0]["message"]["content"] == "still here")
