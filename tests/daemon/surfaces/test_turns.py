"""Answers that clients come back to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from msgspec.structs import replace

from daemon.errors import NotFound
from daemon.protocols import openai_responses as codec
from daemon.protocols.base import Envelope
from daemon.records import Store
from daemon.surfaces.openai_responses import items_of, page
from daemon.surfaces.turns import KEPT_S, Turns
from providers.contract import Choice, Finish, Message, Response, Text, TextDelta, Usage
from tests.daemon.test_records import record
from tests.fakes.clock import HeldClock

ENVELOPE: Final = Envelope("00000000000000aa", "editor", None, None, "any", 1_700_000_000)
ID: Final = "resp_00000000000000aa"


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock()


@pytest.fixture
async def store(tmp_path: Path, clock: HeldClock) -> AsyncIterator[Store]:
    store = Store(tmp_path / "records.db", clock)
    yield store
    await asyncio.to_thread(store.close)


async def say(turns: Turns, words: str, number: int = 0xAA, envelope: Envelope = ENVELOPE, **fields: Any) -> str:
    """One request and its answer, which is the words in capitals."""
    body = json.dumps({"model": "local", "input": words, **fields}).encode()
    envelope = await turns.recalled(body, replace(envelope, id=f"{number:016x}"))
    request = codec.read(body, envelope)
    writer = turns.keeping(codec.writer(request, envelope), request, envelope)
    writer.whole(Response((Choice((Text(words.upper()),), "stop"),), Usage(1, 1)), "local/play")
    return f"resp_{number:016x}"


async def test_an_answer_is_found_by_its_name(clock: HeldClock) -> None:
    """It is the object that the client had."""
    turns = Turns(clock, None)
    id = await say(turns, "hi")

    kept = await turns.find(id, "editor")
    told = json.loads(kept.response)

    assert (told["id"], told["status"], told["output"][0]["content"][0]["text"]) == (id, "completed", "HI")


async def test_a_conversation_goes_on(clock: HeldClock) -> None:
    """A request that names an earlier answer is read with all that was said, but without its instructions."""
    turns = Turns(clock, None)
    first = await say(turns, "one", 1, instructions="be brief")
    second = await say(turns, "two", 2, previous_response_id=first)
    body = json.dumps({"model": "local", "input": "three", "previous_response_id": second}).encode()

    request = codec.read(body, await turns.recalled(body, ENVELOPE))

    said = [(message.role, message.parts) for message in request.messages]
    assert said == [
        ("user", (Text("one"),)),
        ("assistant", (Text("ONE"),)),
        ("user", (Text("two"),)),
        ("assistant", (Text("TWO"),)),
        ("user", (Text("three"),)),
    ]


async def test_items_may_be_named_one_by_one(clock: HeldClock) -> None:
    """Clients that keep an answer's items by name may send the names; a pin goes along, and others' items are not there."""
    turns = Turns(clock, None)
    first = await say(turns, "one", 1, replace(ENVELOPE, reach="device"))
    (item,) = json.loads((await turns.find(first, "editor")).response)["output"]
    items = [{"type": "item_reference", "id": item["id"]}, {"role": "user", "content": "two"}]
    body = json.dumps({"model": "local", "input": items}).encode()

    envelope = await turns.recalled(body, ENVELOPE)

    assert envelope.reach == "device"
    assert [message.parts for message in codec.read(body, envelope).messages] == [(Text("ONE"),), (Text("two"),)]
    assert (await turns.recalled(body, replace(ENVELOPE, client=None))).named == {}
    for id in ("msg_1", "msg_0000000000000001_7", "msg_0000000000000009_0", ""):
        other = json.dumps({"input": [{"type": "item_reference", "id": id}]}).encode()
        assert (await turns.recalled(other, ENVELOPE)).named == {}


async def test_a_streamed_answer_is_kept_before_its_end_is_sent(clock: HeldClock) -> None:
    """Who reads the last event may go on at once; what broke off is not kept."""
    turns = Turns(clock, None)
    request = codec.read(b'{"model": "local", "input": "hi", "stream": true}', ENVELOPE)
    writer = turns.keeping(codec.writer(request, ENVELOPE), request, ENVELOPE)
    writer.feed(TextDelta("so"), "m")
    writer.feed(Finish("stop", Usage(1, 1)), "m")
    with pytest.raises(NotFound):
        await turns.find(ID, "editor")

    last = writer.end()

    assert json.loads(last.split(b"data: ")[1])["response"] == json.loads((await turns.find(ID, "editor")).response)


async def test_store_false_keeps_nothing(clock: HeldClock, store: Store) -> None:
    """Whatever the user lets be kept."""
    for turns in (Turns(clock, None), Turns(clock, store)):
        id = await say(turns, "hi", store=False)
        with pytest.raises(NotFound):
            await turns.find(id, "editor")
        assert turns.size_bytes == 0


async def test_only_who_asked_may_come_back(clock: HeldClock) -> None:
    """Another client's answer is not there, to read, to go on from or to delete."""
    turns = Turns(clock, None)
    id = await say(turns, "hi")
    for client in (None, "other"):
        with pytest.raises(NotFound):
            await turns.find(id, client)
        with pytest.raises(NotFound):
            await turns.forget(id, client)
        with pytest.raises(NotFound):
            await say(turns, "go on", 2, replace(ENVELOPE, client=client), previous_response_id=id)
    assert await turns.find(id, "editor")


async def test_what_stayed_here_stays_here(clock: HeldClock) -> None:
    """A conversation that was pinned to this machine, or belongs to a project, does so when it goes on without saying so."""
    turns = Turns(clock, None)
    first = await say(turns, "one", 1, replace(ENVELOPE, reach="device", project="clinic"))
    second = await say(turns, "two", 2, previous_response_id=first)
    body = json.dumps({"input": "three", "previous_response_id": second}).encode()

    envelope = await turns.recalled(body, ENVELOPE)
    assert (envelope.reach, envelope.project) == ("device", "clinic")
    assert (await turns.recalled(body, replace(ENVELOPE, project="tests"))).project == "tests"


async def test_words_in_memory_have_their_time(clock: HeldClock) -> None:
    """An answer is held for a while after it was last used."""
    turns = Turns(clock, None, kept_s=10)
    id = await say(turns, "hi")
    clock.advance(6)
    await turns.find(id, "editor")
    clock.advance(6)
    await turns.find(id, "editor")
    clock.advance(11)
    with pytest.raises(NotFound):
        await turns.find(id, "editor")
    assert turns.size_bytes == 0


async def test_words_in_memory_have_their_room(clock: HeldClock) -> None:
    """The longest unused go first, and what is larger than all room is not held."""
    turns = Turns(clock, None, kept_bytes=10_000)
    for number in range(20):
        await say(turns, "w" * 100, number)
    assert turns.size_bytes <= 10_000
    with pytest.raises(NotFound):
        await turns.find("resp_0000000000000000", "editor")
    assert await turns.find(f"resp_{19:016x}", "editor")

    await say(turns, "w" * 20_000, 99)
    assert turns.size_bytes == 0


async def test_deleting_records_deletes_them_too(clock: HeldClock) -> None:
    """What the user deletes by age is not left in memory."""
    turns = Turns(clock, None)
    old = await say(turns, "old", 1)
    clock.advance(60)
    new = await say(turns, "new", 2)
    await turns.find(old, "editor")

    turns.forget_older(timedelta(seconds=30))

    assert await turns.find(new, "editor")
    with pytest.raises(NotFound):
        await turns.find(old, "editor")
    turns.forget_older(timedelta(0))
    assert turns.size_bytes == 0


async def test_forgotten_is_gone(clock: HeldClock, store: Store, tmp_path: Path) -> None:
    """A deleted answer is nowhere, nor its words; what built on it can't go on."""
    for turns, number in ((Turns(clock, None), 1), (Turns(clock, store), 2)):
        if number == 2:
            store.write(record(f"{number:016x}", clock.now()))
        id = await say(turns, "Xanthippe", number)
        await turns.forget(id, "editor")
        with pytest.raises(NotFound):
            await turns.find(id, "editor")
        with pytest.raises(NotFound):
            await turns.forget(id, "editor")


async def test_where_words_are_kept_answers_stand_beside_their_records(
    clock: HeldClock, store: Store, tmp_path: Path
) -> None:
    """They outlive the daemon, nothing of them is in memory, and they go with their records."""
    store.write(record("00000000000000aa", clock.now()))
    turns = Turns(clock, store)
    id = await say(turns, "hi")

    assert turns.size_bytes == 0
    assert (
        json.loads((await Turns(clock, store).find(id, "editor")).response)["output"][0]["content"][0]["text"] == "HI"
    )
    clock.advance(10_000)
    await store.purge(timedelta(0))
    with pytest.raises(NotFound):
        await turns.find(id, "editor")


async def test_without_a_record_there_is_no_answer(clock: HeldClock, store: Store) -> None:
    """An answer whose record is gone is not written, and stops nothing else."""
    turns = Turns(clock, store)
    id = await say(turns, "hi", 7)
    with pytest.raises(NotFound):
        await turns.find(id, "editor")
    store.write(record("0000000000000008", clock.now()))
    assert await store.count() == 1
    assert store.failure is None


def words(items: list[dict[str, Any]]) -> list[str]:
    """What each says, as a client reads it."""
    return [item["content"][0]["text"] for item in json.loads(msgspec.json.encode(items))]


async def test_input_is_listed(clock: HeldClock) -> None:
    """All that was read for an answer, what came before it included, each item with a name; in pages."""
    turns = Turns(clock, None)
    first = await say(turns, "one", 1)
    second = await say(turns, "two", 2, previous_response_id=first)
    items = items_of(await turns.conversation(second, "editor"))

    assert words(items) == ["one", "ONE", "two"]
    assert len({item["id"] for item in items}) == 3
    newest = page(items, {"limit": "2"})
    assert words(newest.data) == ["two", "ONE"]
    assert (newest.has_more, newest.first_id, newest.last_id) == (True, items[2]["id"], items[1]["id"])
    rest = page(items, {"limit": "2", "after": newest.last_id})
    assert ([item["id"] for item in rest.data], rest.has_more) == ([items[0]["id"]], False)
    assert page(items, {"order": "asc"}).data == items
    assert page([], {}).first_id is None


async def test_an_item_is_listed_with_what_nobody_reads(clock: HeldClock) -> None:
    """Fields that mean nothing here come back as they came, numbers included that are larger than any of ours."""
    turns = Turns(clock, None)
    item = b'{"role": "user", "content": "look", "id": 7, "status": null, "more": [1e999, 1%b]}' % (b"0" * 400)
    body = b'{"model": "local", "input": [%b]}' % item
    request = codec.read(body, ENVELOPE)
    turns.keeping(codec.writer(request, ENVELOPE), request, ENVELOPE).whole(
        Response((Choice((Text("SO"),), "stop"),), Usage(1, 1)), "m"
    )

    (listed,) = items_of(await turns.conversation(ID, "editor"))

    written = msgspec.json.encode(listed)
    assert b'"more":[1e999, 1%b]' % (b"0" * 400) in written
    assert words([listed]) == ["look"]
    assert json.loads(written)["id"].startswith("msg_")


async def test_an_answer_reads_back_as_it_was(clock: HeldClock) -> None:
    """What was said as a list of items goes on as the same turns."""
    turns = Turns(clock, None)
    items = [
        {"role": "user", "content": "look"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
    ]
    body = json.dumps({"model": "local", "input": items}).encode()
    request = codec.read(body, ENVELOPE)
    turns.keeping(codec.writer(request, ENVELOPE), request, ENVELOPE).whole(
        Response((Choice((Text("SO"),), "stop"),), Usage(1, 1)), "m"
    )
    again = json.dumps({"model": "local", "input": "more", "previous_response_id": ID}).encode()

    messages = codec.read(again, await turns.recalled(again, ENVELOPE)).messages

    assert messages[:2] == (request.messages[0], Message("assistant", (*request.messages[1].parts, Text("SO"))))


async def test_a_machine_that_slept_has_forgotten(clock: HeldClock) -> None:
    """Its monotonic clock stood still meanwhile."""
    turns = Turns(clock, None)
    id = await say(turns, "hi")
    clock.sleep(KEPT_S)

    with pytest.raises(NotFound):
        await turns.find(id, "editor")


async def test_it_is_forgotten_while_nobody_asks(clock: HeldClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words don't stay in the memory of a daemon that has nothing to do."""
    monkeypatch.setattr("daemon.surfaces.turns.LOOK_S", 0.001)
    turns = Turns(clock, None)
    await say(turns, "hi")
    task = asyncio.create_task(turns.watch())
    try:
        await asyncio.sleep(0.01)
        assert turns.size_bytes > 0
        clock.advance(KEPT_S)
        async with asyncio.timeout(20):
            while turns.size_bytes:
                await asyncio.sleep(0.001)
    finally:
        task.cancel()
