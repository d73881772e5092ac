"""A provider that fails behind a real daemon: who is asked, who is left out, and what is told."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.house import arrived, house_of
from tests.fakes.upstream import HELLO, Answer, Pause, Received, Upstream, as_json, frames, said

pytestmark = pytest.mark.slow

LIMITED = as_json({"error": {"message": "slow down"}}, 429, retry_after="60")
BROKEN = as_json({"error": {"message": "oh"}}, 500)
EMPTY = as_json({"error": {"message": "pay", "code": "insufficient_quota", "type": "insufficient_quota"}}, 429)
LAST = Answer(
    HELLO.pieces,
    headers={
        "content-type": "text/event-stream",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "60s",
    },
)
FULL_INSIDE = Answer(frames({"error": {"type": "overloaded_error", "message": "full"}}, done=False))
FULL_LATE = Answer(frames(said("Hel"), {"error": {"type": "overloaded_error", "message": "full"}}, done=False))


class Switched(Upstream):
    """Says what it is set to, and `then` once that was said as often; has one model."""

    def __init__(self) -> None:
        super().__init__()
        self.set(HELLO)
        self.open: list[asyncio.StreamWriter] = []

    def set(self, now: Answer, times: int = 1_000_000, then: Answer = HELLO) -> None:
        self.now, self.times, self.then, self.asked = now, times, then, 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open.append(writer)
        await super().serve(reader, writer)

    def choose(self, request: Received) -> Answer:
        if request.method == "GET":
            return as_json({"data": [{"id": "big"}]})
        self.asked += 1
        return self.now if self.asked <= self.times else self.then


async def state(here: Any) -> Any:
    (work,) = (await asyncio.to_thread(here.control.providers)).providers
    return work.upstream


async def test_what_a_provider_said_holds_for_all_requests(tmp_path: Path) -> None:
    """A minute's rest is one for every request: nobody asks, this machine answers for `auto`, a client that named the model
    is told how long; why, the preview, the list and the doctor say so. A test that is answered ends it. The same by the headers
    of an answer, and for an empty account, which is asked once.
    """
    async with house_of(Switched(), tmp_path) as here:
        here.served.set(LIMITED)
        refused = await here.ask("hello")
        again = await here.ask("hello")
        local = await here.ask("hello", model="auto")

        assert (refused.status_code, again.status_code, local.status_code) == (429, 429, 200)
        assert 1 <= int(again.headers["retry-after"]) <= 60
        assert here.served.asked == 1
        record = await here.record(local)
        assert record.decision.rule == "auto-away"
        assert record.decision.away == {"work/big": "limited"}
        assert record.egress == "none"
        assert (await here.record(again)).attempts == ()
        assert (await state(here)).state == "limited"
        preview = await asyncio.to_thread(here.control.preview, "auto", "hello")
        assert preview.nearloop.away == {"work/big": "limited"}
        assert "at its limit (big), asked again in" in await here.nearloop("provider", "list")
        assert "wants no more requests" in await here.nearloop("why", record.id)

        await asyncio.to_thread(here.control.test_provider, "work")
        here.served.set(LAST)
        assert (await here.ask("hello")).status_code == 200
        assert (await here.ask("hello")).status_code == 429
        assert here.served.asked == 1

        await asyncio.to_thread(here.control.test_provider, "work")
        here.served.set(EMPTY)
        empty, local = await here.ask("hello"), await here.ask("hello", model="auto")
        still = await here.ask("hello")
        assert (empty.status_code, still.status_code, local.status_code) == (429, 429, 200)  # as OpenAI says it
        assert {each.json()["error"]["code"] for each in (empty, still)} == {"insufficient_quota"}
        assert here.served.asked == 1
        assert (await state(here)).state == "no-credit"
        codes = [each.code for each in (await asyncio.to_thread(here.control.status)).warnings]
        assert "provider-no-credit" in codes

        await here.nearloop("provider", "test", "work")
        here.served.set(HELLO)
        assert (await here.ask("hello")).status_code == 200


async def test_an_outage_and_its_end(tmp_path: Path) -> None:
    """After five failures in a row nobody asks, for a moment; then one request tries, and with its first word the provider is
    back. Overload inside a stream counts before the first word, and after it ends the answer.
    """
    async with house_of(Switched(), tmp_path) as here:
        here.served.set(FULL_INSIDE, times=1)
        answer = await here.ask("hello", stream=True)
        assert "lo" in answer.text
        assert [each.error for each in (await here.record(answer)).attempts] == ["Overloaded", None]
        here.served.set(FULL_LATE)
        cut = await here.ask("hello", stream=True)
        assert "Hel" in cut.text
        assert "overloaded" in cut.text.lower()
        assert here.served.asked == 1

        here.served.set(BROKEN)
        failed = [await here.ask("hello") for _ in range(2)]
        assert [each.status_code for each in failed] == [503, 503]
        asked = here.served.asked
        assert asked == 4  # with the one inside an answer that is five, and there is no sixth
        local = await here.ask("hello", model="auto")
        assert local.status_code == 200
        assert here.served.asked == asked
        assert (await state(here)).state in ("down", "trying")

        here.served.set(HELLO)
        async with asyncio.timeout(20):
            while (back := await here.ask("hello")).status_code != 200:
                assert here.served.asked == 0
                await asyncio.sleep(0.05)
        assert here.served.asked == 1
        assert back.json()["choices"][0]["message"]["content"] == "Hello"
        assert (await state(here)).state == "ready"


async def test_no_more_at_once_than_the_row_says(tmp_path: Path) -> None:
    """Of twelve requests two are at the provider at a time, all are answered, and the record says how long they waited."""

    go = asyncio.Event()

    class Counting(Upstream):
        """Answers once it is let, and counts who is there."""

        here = most = 0

        async def _answer(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
            self.here += 1
            self.most = max(self.most, self.here)
            try:
                await go.wait()
                return await super()._answer(answer, reader, writer)
            finally:
                self.here -= 1

    async with house_of(Counting(), tmp_path, model='big"]\nconcurrent = 2\naccepts = ["top_k') as here:
        asking = [asyncio.create_task(here.ask(f"hello {number}")) for number in range(12)]
        async with asyncio.timeout(50):
            while ((now := await state(here)).running, now.waiting) != (2, 10):
                await asyncio.sleep(0.02)
        go.set()
        answers = await asyncio.gather(*asking)

        assert [each.status_code for each in answers] == [200] * 12
        assert here.served.most == 2
        records = [await here.record(each) for each in answers]
        assert sum(each.waited_ms > 1 for each in records) >= 10


async def test_a_stopped_daemon_goes_on(tmp_path: Path) -> None:
    """After it stood still, and the provider let its connections go meanwhile, the first request is answered, in one attempt."""
    async with house_of(Switched(), tmp_path) as here:
        assert (await here.ask("hello")).status_code == 200
        here.daemon.process.send_signal(signal.SIGSTOP)
        try:
            for writer in here.served.open:
                writer.close()
                await writer.wait_closed()
        finally:
            here.daemon.process.send_signal(signal.SIGCONT)
        answer = await here.ask("hello")

        assert answer.status_code == 200
        assert [each.outcome for each in (await here.record(answer)).attempts] == ["answered"]
        assert here.served.connections == 2


async def test_who_hangs_up_in_line_is_gone(tmp_path: Path) -> None:
    """A client that goes away while it waits for its turn leaves no place taken and nothing at the provider."""
    async with house_of(
        Upstream(Answer((Pause(),))), tmp_path, model='big"]\nconcurrent = 1\naccepts = ["top_k'
    ) as here:
        first = asyncio.create_task(here.ask("hello"))
        await arrived(here, 1)
        second = asyncio.create_task(here.ask("hello"))
        async with asyncio.timeout(20):
            while (await state(here)).waiting != 1:
                await asyncio.sleep(0.02)
        second.cancel()
        async with asyncio.timeout(20):
            while (await state(here)).waiting:
                await asyncio.sleep(0.02)
        first.cancel()
        async with asyncio.timeout(20):
            while (await state(here)).running:
                await asyncio.sleep(0.02)

        assert len(here.served.requests) == 1
