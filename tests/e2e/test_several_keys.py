"""Several keys of one provider behind a real daemon: who takes over, what is written down, and a key that is rotated."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.house import CHAT, KEY, House, house_of
from tests.fakes.keyring_shelf import SHELF
from tests.fakes.upstream import HELLO, Answer, Pause, Received, Upstream, as_json

pytestmark = pytest.mark.slow

SPARE: Final = "sk-spare-" + "0f1e2d3c4b5a69788796"
ROOT: Final = Path(__file__).resolve().parents[2]
SETTINGS: Final = 'keys = ["env:SPARE_KEY"]'


class Choosy(Upstream):
    """A server that answers by the key; who is not in its book gets HELLO."""

    def __init__(self, **book: Answer) -> None:
        super().__init__()
        self.book = {"": HELLO}
        self.used: list[str] = []

    def choose(self, request: Received) -> Answer:
        key = request.headers["authorization"].removeprefix("Bearer ")
        self.used.append(key)
        return self.book.get(key, HELLO)


REFUSALS: Final = {
    "rejected": (as_json({"error": {"code": "invalid_api_key"}}, 401), "KeyRejected"),
    "empty": (as_json({"error": {"code": "insufficient_quota"}}, 429), "NoCredit"),
    "limited": (as_json({"error": {"message": "slower"}}, 429, retry_after="40"), "RateLimited"),
}


def credentials(record: Any) -> list[tuple[str, str | None]]:
    return [(each.credential, each.error) for each in record.attempts]


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_the_next_key_takes_over(tmp_path: Path, refusal: str) -> None:
    """A key that is rejected, out of credit or limited is left for the next one within the same request, without a wait; the
    record and the receipts say which was used; later requests use the other one at once.
    """
    answer, error = REFUSALS[refusal]
    async with house_of(Choosy(), tmp_path, row=SETTINGS, SPARE_KEY=SPARE) as here:
        here.served.book[KEY] = answer
        first = await here.ask("good morning")
        second = await here.ask("good evening")

        assert (first.status_code, second.status_code) == (200, 200), first.text
        assert here.served.used == [KEY, SPARE, SPARE]
        record = await here.record(first)
        assert credentials(record) == [("env:NEARLOOP_TEST_KEY", error), ("env:SPARE_KEY", None)]
        assert [each.credential for each in record.receipts] == ["env:NEARLOOP_TEST_KEY", "env:SPARE_KEY"]
        assert credentials(await here.record(second)) == [("env:SPARE_KEY", None)]
        (work,) = (await asyncio.to_thread(here.control.providers)).providers
        assert [(each.refusal, each.used_at is not None) for each in work.keys] == [(error, False), (None, True)]
        assert "last refused" in await here.nearloop("key", "list", SPARE_KEY=SPARE)


async def test_all_of_them_refused(tmp_path: Path) -> None:
    """Each is tried once; the client hears when the first one is free again."""
    async with house_of(Choosy(), tmp_path, row=SETTINGS, SPARE_KEY=SPARE) as here:
        here.served.book[KEY] = as_json({"error": {}}, 429, retry_after="40")
        here.served.book[SPARE] = as_json({"error": {"code": "invalid_api_key"}}, 401)
        answer = await here.ask("good morning")

        assert (answer.status_code, here.served.used) == (429, [KEY, SPARE])
        assert 38 <= int(answer.headers["retry-after"]) <= 40


async def test_nothing_is_repeated_after_the_first_word(tmp_path: Path) -> None:
    """A limit that is told in mid-answer ends it, and the next request has the other key."""
    begun = Answer((*HELLO.pieces[:1], b'data: {"error": {"code": "rate_limit_exceeded", "type": "requests"}}\n\n'))
    async with house_of(Choosy(), tmp_path, row=SETTINGS, SPARE_KEY=SPARE) as here:
        here.served.book[KEY] = begun
        await here.ask("good morning", stream=True)

        assert here.served.used == [KEY]


async def rotated(here: House[Choosy], shelf: Path, key: str) -> str:
    """`nearloop key rotate`, with a new key on standard input."""
    import sys

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "daemon.cli.main", "key", "rotate", "work",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        env=here.daemon.environment, cwd=ROOT,
    )  # fmt: skip
    said, _ = await process.communicate(key.encode())
    return said.decode()


async def test_a_key_is_rotated_under_a_running_daemon(tmp_path: Path) -> None:
    """The daemon takes the new key without a restart; an answer under way with the old one ends undisturbed. A key that is
    changed in the keyring by somebody else is noticed when the old one is rejected, within that request.
    """
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "my_shelf.py").write_text(SHELF)
    shelf = kept / "shelf.json"
    shelf.write_text(json.dumps({"nearloop/work": "sk-old-0123456789"}))
    environment = {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{kept}", "PYTHON_KEYRING_BACKEND": "my_shelf.Shelf", "SHELF": str(shelf),
    }  # fmt: skip

    class Rotating(Choosy):
        def choose(self, request: Received) -> Answer:
            if request.method == "GET":
                return as_json({"data": [{"id": "big"}]})
            return super().choose(request)

    async with house_of(Rotating(), tmp_path, **environment) as here:
        text = here.daemon.paths.settings.read_text().replace("env:NEARLOOP_TEST_KEY", "keyring")
        here.daemon.paths.settings.write_text(text)
        await asyncio.to_thread(here.control.renew_provider, "work")
        here.served.book["sk-old-0123456789"] = Answer((HELLO.pieces[0], Pause(3.0), *HELLO.pieces[1:]))
        asking = asyncio.create_task(here.ask("good morning", stream=True))
        async with asyncio.timeout(10):
            while not here.served.used:
                await asyncio.sleep(0.01)

        assert "accepts the new key" in await rotated(here, shelf, "sk-new-0123456789")
        after = await here.ask("good evening")
        old = await asking

        assert (after.status_code, here.served.used) == (200, ["sk-old-0123456789", "sk-new-0123456789"])
        assert "Hel" in old.text and "lo" in old.text and "[DONE]" in old.text
        assert "error" not in old.text

        here.served.book["sk-new-0123456789"] = as_json({"error": {"code": "revoked"}}, 401)
        shelf.write_text(json.dumps({"nearloop/work": "sk-newest-0123456789"}))
        noticed = await here.ask("good night")
        assert noticed.status_code == 200
        assert here.served.used[2:] == ["sk-new-0123456789", "sk-newest-0123456789"]
        assert (await here.client.post(CHAT, json={"model": "cloud", "messages": []})).status_code == 400
