"""What waits for the user's word."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from daemon.boundary import holds as module
from daemon.boundary.approvals import Approvals
from daemon.boundary.holds import SHOWN, Hold, Holds, Outcome, Question, State, held
from daemon.errors import BadRequest, NotFound
from daemon.signals.base import Span
from tests.fakes.clock import HeldClock

SPAN = Span("messages[0].parts[0]", 0, 5, "PERSON")
VALUES = {SPAN: "Ada Byron"}


class Bench:
    def __init__(self, folder: Path, wait_s: float = 60.0) -> None:
        self.approvals = Approvals(folder / "approvals.json")
        self.told: list[State] = []
        self.clock = HeldClock()
        self.holds = Holds(self.approvals, self.clock, wait_s, self._tell)
        self.hashes = self.approvals.hashes(VALUES)
        self._news = asyncio.Event()

    def _tell(self, hold: Hold, state: State) -> None:
        self.told.append(state)
        self._news.set()

    def ask(self, record: str = "ab" * 8, client: str | None = "zed", **more: object) -> asyncio.Task[Outcome]:
        question = Question(
            kind="request",
            record=record,
            to="provider:work",
            finds=(held("PERSON", SPAN.path, [("Ada Byron", "Fadzuk Hegzin")]),),
            hashes=frozenset(self.hashes.values()),
            client=client,
            **more,  # type: ignore[arg-type]
        )
        return asyncio.create_task(self.holds.ask(question))

    async def until(self, waiting: int) -> None:
        async with asyncio.timeout(5):
            while len(self.holds.waiting) != waiting:
                self._news.clear()
                await self._news.wait()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize(("answer", "outcome"), [("allow", "allowed"), ("mask", "masked"), ("deny", "denied")])
async def test_an_answer_ends_the_waiting(bench: Bench, answer: module.Answer, outcome: Outcome) -> None:
    """Whoever waits is told, and so is who watches; nothing is kept of it."""
    asked = bench.ask(may_mask=True)
    await bench.until(1)

    await bench.holds.answer("abab", answer)

    assert await asked == outcome
    assert bench.holds.waiting == ()
    assert bench.told == ["waiting", outcome]
    assert bench.approvals.allowed("zed", bench.hashes, None, "provider:work") == frozenset()


async def test_the_time_is_over(tmp_path: Path) -> None:
    """Without an answer it comes to an end by itself."""
    bench = Bench(tmp_path, wait_s=0.01)

    assert await bench.ask() == "not-answered"
    assert bench.told == ["waiting", "not-answered"]


async def test_who_goes_away_takes_the_question_along(bench: Bench) -> None:
    """A client that hangs up leaves nothing to be answered."""
    asked = bench.ask()
    await bench.until(1)

    asked.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asked
    assert bench.holds.waiting == ()
    assert bench.told == ["waiting", "gone"]
    with pytest.raises(NotFound):
        await bench.holds.answer("abab", "allow")


async def test_only_so_many_wait(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes when the room is full is not let, and there is room again when one has gone."""
    monkeypatch.setattr(module, "MOST", 2)
    waiting = [bench.ask(f"{n:016x}", session=f"s{n}") for n in range(1, 3)]
    await bench.until(2)

    assert await bench.ask("f" * 16) == "crowded"
    await bench.holds.answer(f"{1:016x}", "deny")
    assert await waiting[0] == "denied"
    last = bench.ask("f" * 16)
    await bench.until(2)
    bench.holds.close()
    assert [await waiting[1], await last] == ["not-answered", "not-answered"]


async def test_a_stop_asks_nobody_any_more(bench: Bench) -> None:
    """What waits goes on at once, and what comes later doesn't wait."""
    asked = bench.ask()
    await bench.until(1)

    bench.holds.close()

    assert await asked == "not-answered"
    assert await bench.ask() == "not-answered"


async def test_for_longer(bench: Bench, tmp_path: Path) -> None:
    """A yes may hold for the client's session while the daemon runs, or for good; for that provider and that client."""
    asked = bench.ask(session="s1")
    await bench.until(1)
    await bench.holds.answer("abab", "allow", "session")
    assert await asked == "allowed"

    def passes(client: str | None, session: str | None, to: str, approvals: Approvals = bench.approvals) -> bool:
        return bool(approvals.allowed(client, bench.hashes, session, to))

    assert passes("zed", "s1", "provider:work")
    assert not passes("zed", "s2", "provider:work")
    assert not passes("zed", "s1", "provider:cheap")
    assert not passes("other", "s1", "provider:work")
    assert not passes("zed", "s1", "provider:work", Approvals(tmp_path / "approvals.json"))

    asked = bench.ask()
    await bench.until(1)
    await bench.holds.answer("abab", "allow", "project")
    assert await asked == "allowed"
    again = Approvals(tmp_path / "approvals.json")
    assert passes("zed", None, "provider:work", again)
    assert not passes("zed", None, "provider:cheap", again)
    assert b"Ada" not in (tmp_path / "approvals.json").read_bytes()


async def test_answers_that_nobody_can_give(bench: Bench) -> None:
    """What can't be masked, kept for a session or for good is told, and waits on."""
    asked = bench.ask(client=None)
    await bench.until(1)

    for answer, scope, what in (
        ("mask", "once", "can't be masked"),
        ("deny", "session", "longer than once"),
        ("allow", "session", "no session"),
        ("allow", "project", "token"),
    ):
        with pytest.raises(BadRequest, match=what):
            await bench.holds.answer("abab", answer, scope)  # type: ignore[arg-type]
    assert len(bench.holds.waiting) == 1
    await bench.holds.answer("abab", "deny")
    assert await asked == "denied"


async def test_a_no_stands_for_a_while(bench: Bench) -> None:
    """Who asks again for the same is told so at once, another session or addressee is a question; a yes is for once."""
    for answer, outcome in (("allow", "allowed"), ("deny", "denied")):
        asked = bench.ask(session="s1")
        await bench.until(1)
        await bench.holds.answer("abab", answer)  # type: ignore[arg-type]
        assert await asked == outcome

    assert await bench.ask("cd" * 8, session="s1") == "denied"
    other = bench.ask("cd" * 8, session="s2")
    await bench.until(1)
    bench.clock.advance(60.0)
    again = bench.ask("ef" * 8, session="s1")
    await bench.until(2)
    bench.holds.close()
    assert {await other, await again} == {"not-answered"}


async def test_which_one_is_meant(bench: Bench) -> None:
    """Its own id, its record's, or a beginning of either that is no other's."""
    waiting = [bench.ask("aa" * 8), bench.ask("ab" * 8)]
    await bench.until(2)
    first = bench.holds.waiting[0]

    assert bench.holds.find(first.id) is first
    assert bench.holds.find("aa") is first
    for prefix in ("", "a", "zz"):
        with pytest.raises(NotFound):
            bench.holds.find(prefix)
    bench.holds.close()
    await asyncio.gather(*waiting)


def test_not_all_is_shown() -> None:
    """Of many values some, and of a long one its beginning."""
    find = held("PERSON", "p", [(f"{n}" * 300, None) for n in range(SHOWN + 7)])

    assert (find.count, len(find.words), find.masked) == (SHOWN + 7, SHOWN, ())
    assert find.words[1] == "1" * 200 + "… (300 characters)"
