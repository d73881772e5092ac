"""Many requests of every protocol over servers that fail at random, and what became of each: counted against their own logs."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import httpx
from msgspec import Struct, field

from daemon.client import Client
from daemon.protocols.registry import PROTOCOLS
from daemon.wire import Record
from tests.fakes.client_dialects import CLIENTS, Heard
from tests.fakes.client_outcomes import outcome
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.strict_provider import ANSWERS, FAMILIES, answering, faults_of, server_of, wants_stream
from tests.fakes.talk import Answer as Said
from tests.fakes.talk import Talk, User
from tests.fakes.upstream import Answer, Received, Upstream, serving
from tests.fakes.upstream_dialects import DIALECTS

KEY: Final = "sk-canary-0815-campaign"
CANARY: Final = "Schroedinger"
AT_ONCE: Final = 16
QUICK: Final = (
    "429-after", "429-long", "402", "500", "502", "504", "cut-head", "cut-body", "cut-frame", "ends-early", "slow",
    "garbage", "garbage-inside", "duplicates", "redirect", "empty",
)  # fmt: skip
LONG: Final = ("429", "503", "529")
"""Which are waited for, so that few of them do."""
_NUMBER: Final = re.compile(rb"question (\d+)\.")
ROW: Final = """
[providers.to-{family}]
wire = "{family}"
base_url = "{url}"
models = ["big"]
key = "env:CAMPAIGN_KEY"
place = "lan"
"""


class Log(Struct, frozen=True):
    """What a server says it took for one request that it answered whole."""

    prompt_tokens: int
    completion_tokens: int


class Failing(Upstream):
    """One family's server. log: by the request's number. faults: how often it did what."""

    def __init__(self, family: str, seed: int) -> None:
        super().__init__()
        self.family = family
        self.log: dict[int, list[Log]] = {}
        self.faults: Counter[str] = Counter()
        self.refused: list[bytes] = []
        self._random = random.Random(f"{seed} {family}")

    def choose(self, request: Received) -> Answer:
        self.requests.clear()  # ten thousand of them
        if (refusal := faults_of(request, self.family, KEY)) is not None:
            self.refused.append(request.body)
            return refusal
        fault = self._fault()
        self.faults[fault] += 1
        (found,) = _NUMBER.findall(request.body)
        number = int(found)
        log = Log(1000 + self._random.randrange(9000), 1 + self._random.randrange(900))
        said = Said(f"answer {number}", "", (), "stop", log.prompt_tokens, log.completion_tokens)
        dialect, stream = DIALECTS[self.family], wants_stream(request, self.family)
        body = dialect.streamed(said, (), lambda text: [text[:4], text[4:]]) if stream else dialect.whole(said, ())
        if fault in ANSWERS:
            self.log.setdefault(number, []).append(log)
        media = server_of(self.family).media if stream else "application/json"
        return answering(fault, body, media, f"{CANARY} {KEY}", number)

    def _fault(self) -> str:
        drawn = self._random.random()
        if drawn < 0.55:
            return "none"
        return self._random.choice(LONG if drawn < 0.555 else QUICK)


class Tally(Struct):
    """What became of all. wrong: what should not have been, in words. told, logged: tokens of those that were answered, by
    the daemon's ledger and by the servers.
    """

    answers: int = 0
    errors: int = 0
    told: list[int] = field(default_factory=lambda: [0, 0])
    logged: list[int] = field(default_factory=lambda: [0, 0])
    wrong: list[str] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    asked: int = 0


async def campaign(home: Path, count: int, seed: int) -> Tally:
    """Ask so often, through a daemon of its own."""
    tally = Tally()
    async with AsyncExitStack() as stack:
        servers = {name: await stack.enter_async_context(serving(Failing(name, seed))) for name in FAMILIES}
        rows = "".join(ROW.format(family=name, url=_url(server)) for name, server in servers.items())
        daemon = await asyncio.to_thread(RunningDaemon, home, SCRIPTED.format(options="") + rows, {"CAMPAIGN_KEY": KEY})
        try:
            await asyncio.to_thread(daemon.wait_ready)
            with daemon.client() as control:
                token = (await asyncio.to_thread(control.add_client, "tests", None)).token
                headers = {"authorization": f"Bearer {token}"}
                async with httpx.AsyncClient(
                    base_url=daemon.url, headers=headers, trust_env=False, timeout=90
                ) as client:
                    await _ask_all(client, control, servers, count, seed, tally)
        finally:
            await asyncio.to_thread(daemon.stop)
    for server in servers.values():
        tally.faults += server.faults
        tally.wrong += [f"refused: {body[:300]!r}" for body in server.refused]
    tally.wrong += [f"{path}: {word}" for path, word in _leaks(home)]
    return tally


def _url(server: Failing) -> str:
    return f"{server.scheme}://127.0.0.1:{server.port}{server_of(server.family).version}"


async def _ask_all(
    client: httpx.AsyncClient, control: Client, servers: dict[str, Failing], count: int, seed: int, tally: Tally
) -> None:
    chance, numbers = random.Random(seed), iter(range(count))

    async def one_after_another() -> None:
        for number in numbers:
            family, protocol = chance.choice(list(FAMILIES)), chance.choice(list(PROTOCOLS))
            await _ask(client, control, servers[family], protocol, chance.random() < 0.5, number, tally)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(AT_ONCE, count)):
            group.create_task(one_after_another())


async def _ask(
    client: httpx.AsyncClient, control: Client, server: Failing, protocol: str, stream: bool, number: int, tally: Tally
) -> None:
    dialect = CLIENTS[protocol]
    talk = dialect.asks(Talk((User(f"{CANARY} has question {number}."),)))
    body = {**dialect.body(talk, stream), "model": f"to-{server.family}/big"}
    what = f"{number}: {protocol} over {server.family}, {'streamed' if stream else 'whole'}"
    tally.asked += 1
    # else it is left alone after so many faults, and the campaign finds nobody
    await asyncio.to_thread(control.renew_provider, f"to-{server.family}")
    answer = await client.post(dialect.path, json=body)
    try:
        found = outcome(protocol, answer, stream)
    except (AssertionError, KeyError, ValueError) as error:
        tally.wrong.append(f"{what}: {error!r} {answer.text[:500]}")
        return
    if KEY in answer.text or (found == "error" and CANARY in answer.text):
        tally.wrong.append(f"{what}: it tells a secret")
    record = await asyncio.to_thread(_record, control, answer.headers.get("x-nearloop-record", ""))
    if record is None:
        tally.wrong.append(f"{what}: it has no record")
        return
    ledger, logs = record.ledger, server.log.get(number, [])
    tally.told = [tally.told[0] + ledger.prompt_tokens, tally.told[1] + ledger.completion_tokens]
    tally.logged = [
        tally.logged[0] + sum(log.prompt_tokens for log in logs),
        tally.logged[1] + sum(log.completion_tokens for log in logs),
    ]
    if isinstance(found, Heard):
        tally.answers += 1
        if found.answer.text != f"answer {number}" or found.answer.reason != "stop":
            tally.wrong.append(f"{what}: {found.answer}")
        if len(logs) != 1 or found.answer.prompt_tokens != logs[0].prompt_tokens:
            tally.wrong.append(f"{what}: {found.answer}, and its server took {logs}")
        if (ledger.prompt_tokens, ledger.completion_tokens) != (logs[-1].prompt_tokens, logs[-1].completion_tokens):
            tally.wrong.append(f"{what}: its ledger has {ledger}, its server took {logs}")
    else:
        tally.errors += 1
        if logs:
            tally.wrong.append(f"{what}: an error, though its server answered whole")


def _record(control: Client, id: str) -> Record | None:
    """It is written behind the answer."""
    import time

    for _ in range(500):
        try:
            return control.record(id).record
        except Exception:
            time.sleep(0.01)
    return None


def _leaks(home: Path) -> list[tuple[Path, str]]:
    """Files of the daemon's that hold the key or the user's word."""
    found = []
    for path in home.rglob("*"):
        if path.is_file():
            told = path.read_bytes()
            found += [(path, word) for word in (KEY, CANARY) if word.encode() in told]
    return found


def report(tally: Tally, took_s: float) -> str:
    """In a few lines."""
    faults = sum(count for fault, count in tally.faults.items() if fault != "none")
    lines = [
        f"{tally.asked} requests in {took_s:.0f} s: {tally.answers} whole answers, {tally.errors} clear errors, "
        f"{len(tally.wrong)} of neither kind",
        f"{sum(tally.faults.values())} attempts, {faults} of them failed in {len(tally.faults) - 1} ways",
        f"ledger: {tally.told[0]} + {tally.told[1]} tokens; the servers' own: {tally.logged[0]} + {tally.logged[1]}",
    ]
    return "\n".join(lines + tally.wrong[:20])
