"""The glass wall of a real daemon: what it shows is what arrived, and nothing of it stands anywhere else."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest

from daemon.wall_wire import GlassWall
from tests.fakes.house import KEY, House, house, house_of
from tests.fakes.relay import Relay
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.upstream import HELLO, Answer, Cut, Received, Upstream, as_json, frames, said

pytestmark = pytest.mark.slow

EMAIL = "ada.byron@analytical-engines.net"
WORDS = f"Write to {EMAIL} that the quokka sleeps."
CANARY = b"quokka"
BUSY = as_json({"error": {"message": "later"}}, 429, retry_after="0")


async def wall(here: House[Any], answer: httpx.Response) -> GlassWall:
    return await asyncio.to_thread(here.control.wall, answer.headers["x-nearloop-record"])


class Echo(Upstream):
    """Says back what it was told."""

    def choose(self, request: Received) -> Answer:
        words = request.json["messages"][-1]["content"]
        return Answer(frames(said(words[: len(words) // 2]), said(words[len(words) // 2 :]), said("", "stop")))


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


async def test_what_is_shown_is_what_arrived(tmp_path: Path) -> None:
    """Byte by byte, with the receipt's digest; an answer that was restored has what the alias stood for."""
    async with house_of(Echo(), tmp_path) as here:
        answer = await here.ask(WORDS)
        shown = await wall(here, answer)

        (left,) = shown.left
        assert left.body == here.served.requests[0].body
        receipt = await asyncio.to_thread(here.control.receipt, left.receipt)
        assert digest(left.body) == receipt.sha256 == left.sha256
        (masked,) = left.masked
        assert (masked.value, masked.text) == (EMAIL, 0)
        assert shown.texts[0].text == WORDS
        assert WORDS[masked.start : masked.end] == EMAIL
        assert masked.alias.encode() in left.body
        assert EMAIL.encode() not in left.body
        assert answer.json()["choices"][0]["message"]["content"] == WORDS


async def test_every_crossing_of_a_request_is_shown(tmp_path: Path) -> None:
    """A repetition has bytes, receipt and attempt of its own; what stays has words, and an empty side."""
    async with house(tmp_path, BUSY, HELLO) as here:
        shown = await wall(here, await here.ask(WORDS))

        assert [left.body for left in shown.left] == [each.body for each in here.served.requests]
        assert [left.attempt for left in shown.left] == [0, 1]
        assert len({left.receipt for left in shown.left}) == 2

        stayed = await wall(here, await here.ask(WORDS, model="local"))
        assert (stayed.held, stayed.left, stayed.texts[0].text) == ("yes", (), WORDS)


async def test_another_daemon_as_the_cloud(tmp_path: Path) -> None:
    """What went over the wire to it is what is shown, and what it read of that are the words that are shown."""
    settings = SCRIPTED.format(options="") + "[records]\ncontent = true\n"
    cloud = await asyncio.to_thread(RunningDaemon, tmp_path / "cloud", settings)
    try:
        await asyncio.to_thread(cloud.wait_ready)
        with cloud.client() as control, Relay(control.discovery.port) as relay:
            extra = (
                f'[providers.far]\nbase_url = "http://127.0.0.1:{relay.port}/v1"\nmodels = ["local/play"]\n'
                'place = "cloud"\nkey = "env:NEARLOOP_TEST_KEY"\n'
            )
            async with house(tmp_path, HELLO, extra=extra) as here:
                answer = await here.ask(WORDS, model="far/local/play")
                assert answer.status_code == 200, answer.text
                (left,) = (await wall(here, answer)).left

            _, _, came = bytes(relay.sent).partition(b"\r\n\r\n")
            assert left.body == came
            assert left.body is not None
            newest = (await asyncio.to_thread(control.records, None, 1)).records[0]
            kept = (await asyncio.to_thread(control.record, newest.id)).content
            assert kept is not None
            read = kept.request[-1]["parts"][0]["text"]
            assert read == json.loads(left.body)["messages"][-1]["content"]
            assert left.masked[0].alias in read
    finally:
        cloud.stop()


def everything(home: Path) -> bytes:
    """All files of a daemon: records, receipts, logs."""
    return b"\0".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


async def test_the_words_stand_nowhere_else(tmp_path: Path) -> None:
    """Not in records, receipts, logs, events or what a crash prints, with answers and with failures."""
    broken = Answer((Cut(),), raw=True)
    async with house(tmp_path, HELLO, broken, broken, broken, Answer((b"{",), 200)) as here:
        for _ in range(3):
            answer = await here.ask(WORDS)
            assert CANARY in json.dumps(_built(await wall(here, answer))).encode()
        events = await asyncio.to_thread(here.control.events, 0, 0.0)
        log = await asyncio.to_thread(here.control.log, 500)
        assert CANARY not in repr((events, log)).encode()
        os.kill(here.daemon.process.pid, signal.SIGABRT)
        await asyncio.to_thread(here.daemon.process.wait)

        assert here.daemon.log.exists()
        found = everything(here.daemon.home)
        assert answer.headers["x-nearloop-record"].encode() in found
        assert CANARY not in found
        assert EMAIL.encode() not in found
        assert KEY.encode() not in found


def _built(shown: GlassWall) -> Any:
    return [each.text for each in shown.texts]


async def test_off_holds_nothing(tmp_path: Path) -> None:
    """The setting ends it; all else is as it was."""
    async with house(tmp_path, HELLO, extra="[records]\nglass_wall = false\n") as here:
        answer = await here.ask(WORDS)
        shown = await wall(here, answer)

        assert (shown.held, shown.texts, shown.left) == ("off", (), ())
        assert len((await here.record(answer)).receipts) == 1


async def test_deleting_records_deletes_it(tmp_path: Path) -> None:
    """With `records purge`; and a client's token never sees it."""
    async with house(tmp_path, HELLO) as here:
        answer = await here.ask(WORDS)
        path = f"/nearloop/v1/records/{answer.headers['x-nearloop-record']}/wall"
        assert (await here.client.get(path)).status_code == 403
        token = (await asyncio.to_thread(here.control.add_client, "helper", ("admin",))).token
        assert (await here.client.get(path, headers={"authorization": f"Bearer {token}"})).status_code == 403

        since = (await asyncio.to_thread(here.control.events, None, 0)).next
        await asyncio.to_thread(here.control.purge, "0s")
        told = await asyncio.to_thread(here.control.events, since, 5)
        assert [event.kind for event in told.events] == ["purged"]
        anew = await asyncio.to_thread(here.control.events, 0, 0)
        assert {event.kind for event in anew.events if event.record} == set()
        assert (await wall(here, answer)).held == "gone"
