"""What icon and notifications make of the daemon's events."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import msgspec
import pytest

from daemon import wire
from tests.fakes.told_records import START, draft, receipt, record
from tui.tray.standing import LINGER, Standing
from tui.tray.states import State

LATER = START + LINGER + timedelta(seconds=1)
STATUS = wire.Status("0.1.0", 1, 6327, START, 1.0, (), (), 0, 0, 0)


def event(kind: str, data: Any, id: str | None = None) -> wire.Event:
    """As it comes over the wire."""
    return wire.Event(1, START, kind, msgspec.to_builtins(data), id)


def asked(id: str) -> wire.Event:
    return event("request", {"protocol": "openai-chat", "client": None}, id)


def leaving(number: int, **changed: Any) -> wire.Event:
    """A receipt before anything left."""
    before = msgspec.structs.replace(receipt("r1", number, {"email": 2}), outcome=None, status=None)
    return event("receipt", msgspec.structs.replace(before, **changed), "r1")


def left(number: int, **changed: Any) -> wire.Event:
    return event("receipt", msgspec.structs.replace(receipt("r1", number, {}), **changed), "r1")


def waits(id: str, state: str = "waiting", kind: str = "request") -> wire.Event:
    news = {"id": id, "kind": kind, "state": state, "until": START, "provider": "work", "classes": {"email": 2}}
    return event("approval", msgspec.convert(news, wire.ApprovalNews, strict=False))


@pytest.fixture
def standing() -> Standing:
    """With a daemon that just began."""
    made = Standing(lambda: date(2026, 1, 2))
    made.take([event("state", STATUS)])
    return made


def test_without_a_daemon_it_has_stopped() -> None:
    """Before anything was heard, and after it is lost."""
    made = Standing()
    assert made.state(START) is State.STOPPED
    made.take([event("state", STATUS), asked("r1"), leaving(1)])
    made.lost("gone")
    assert made.state(START) is State.STOPPED
    assert "not running" in made.title(START)


def test_it_works_while_a_request_runs(standing: Standing) -> None:
    """From the request's event to its record's."""
    assert standing.state(START) is State.IDLE
    standing.take([asked("r1"), asked("r2")])
    assert (standing.state(START), standing.title(START)) == (State.WORKING, "Nearloop: 2 requests, on this machine")
    standing.take([event("record", record(1, draft(), id="r1")), event("record", record(2, draft(), id="r2"))])
    assert standing.state(START) is State.IDLE


def test_the_cloud_shows_until_its_answer_is_there(standing: Standing) -> None:
    """And so long after it began that an eye can see it."""
    standing.take([asked("r1"), leaving(7)])
    assert standing.state(LATER) is State.CLOUD
    standing.take([left(7)])
    assert standing.state(START) is State.CLOUD
    assert standing.changes_at(START) == START + LINGER
    assert standing.state(LATER) is State.WORKING
    assert standing.changes_at(LATER) is None


def test_a_record_ends_what_its_receipts_began(standing: Standing) -> None:
    """Also where the receipt's end was missed."""
    standing.take([asked("r1"), leaving(7), event("record", record(1, draft(), id="r1"))])

    assert standing.state(LATER) is State.IDLE


@pytest.mark.parametrize(
    "changed", [{"place": "lan"}, {"place": "device"}, {"purpose": "download"}, {"purpose": "models"}]
)
def test_what_is_no_request_to_the_cloud(standing: Standing, changed: dict[str, Any]) -> None:
    """A server in the house, and a model that is fetched, raise nothing."""
    assert standing.take([leaving(7, **changed)]) == []
    assert standing.state(START) is State.IDLE


def test_what_leaves_comes_before_all_that_is_known(standing: Standing) -> None:
    """Cloud, then attention, then local-only, then work."""
    standing.take([asked("r1"), event("privacy", wire.Privacy(True, "balanced"))])
    assert standing.state(START) is State.LOCAL_ONLY
    assert standing.title(START).endswith("working")
    standing.take([waits("a1")])
    assert (standing.state(START), standing.title(START)) == (State.ATTENTION, "Nearloop: 1 waiting for your word")
    standing.take([leaving(7)])
    assert standing.state(START) is State.CLOUD


def test_alarms_ask_for_attention(standing: Standing) -> None:
    """A warning that is an error, and a model that can't be loaded; mere warnings don't."""
    mild = wire.Warning("m", "warning", "mild", "")
    standing.take([event("state", msgspec.structs.replace(STATUS, warnings=(mild,)))])
    assert standing.state(START) is State.IDLE
    grave = wire.Warning("g", "error", "records can't be written", "")
    standing.take([event("state", msgspec.structs.replace(STATUS, warnings=(mild, grave)))])
    assert standing.title(START) == "Nearloop: records can't be written"
    standing.take([event("state", STATUS), event("model", wire.Model("local/a\x1b[2J", "e", "failed", False))])
    assert standing.state(START) is State.ATTENTION
    assert "\x1b" not in standing.title(START)


def test_the_first_call_of_the_cloud_is_told_once(standing: Standing) -> None:
    """With its receipt's number; later ones aren't told, whoever they go to."""
    (told,) = standing.take([leaving(41)])
    assert "receipt 41" in told.title
    assert "nearloop receipts show 41" in told.text
    assert "2 values masked" in told.text
    assert standing.take([left(41), leaving(42), left(42), event("state", STATUS), leaving(43)]) == []


def test_what_did_not_leave_was_not_the_first(standing: Standing) -> None:
    """The receipt is written before: if nothing was sent then, the next one is told."""
    standing.take([leaving(41), left(41, outcome="unsent")])

    assert len(standing.take([leaving(42)])) == 1


def test_approvals_are_told_and_counted(standing: Standing) -> None:
    """Each once; several at a time in one notification; those answered meanwhile not at all."""
    (one,) = standing.take([waits("a1")])
    assert one.text == "It holds 2 × email, and would go to “work”."
    assert standing.take([waits("a1")]) == []
    (many,) = standing.take([waits("a2"), waits("a3"), waits("a4"), waits("a4", "gone")])
    assert many.title == "2 wait for your word"
    assert standing.waiting_count == 3
    standing.take([waits("a1", "allowed"), waits("a2", "denied"), waits("a3", "not-answered")])
    assert standing.waiting_count == 0
    (call,) = standing.take([waits("a5", kind="call")])
    assert call.text == "It would carry 2 × email."


def test_those_that_waited_before_are_counted() -> None:
    """The state has their number, and their answers come by ids that were never heard."""
    made = Standing()
    made.take([event("state", msgspec.structs.replace(STATUS, waiting=2))])
    assert made.waiting_count == 2
    made.take([waits("a1", "allowed"), waits("a2", "allowed"), waits("a3", "allowed")])
    assert made.waiting_count == 0


def test_a_spent_budget_is_told_once_a_day(standing: Standing) -> None:
    """By the limit's key."""
    spent = record(1, draft(), ledger=wire.Ledger(spent=("max_cost_usd",)))
    (told,) = standing.take([event("record", spent)])
    assert "max_cost_usd" in told.text
    assert standing.take([event("record", msgspec.structs.replace(spent, id="other"))]) == []


def test_what_may_be_spent_is_told(standing: Standing) -> None:
    """In the daemon's words, of which none is obeyed; most of it, and all of it, by the warning's code."""
    near = wire.Warning("spending-near", "warning", "$0.90 of the $1.00 at a\x1b[2J are spent", "`nearloop limit …`")
    (told,) = standing.take([event("spending", near)])
    assert told.title == "Most of what may be spent is spent"
    assert told.text == "$0.90 of the $1.00 at a\\x1b[2J are spent"
    (told,) = standing.take([event("spending", msgspec.structs.replace(near, code="spending-reached"))])
    assert told.title == "What may be spent is spent"
    assert standing.state(START) is State.IDLE


@pytest.mark.parametrize(
    ("limit", "title"),
    [
        ("all_day_usd", "What may be spent in clouds is spent"),
        ("provider_month_usd", "What may be spent in clouds is spent"),
        ("day_tokens", "A program has taken what it may a day"),
    ],
)
def test_whose_limit_kept_something_is_told(standing: Standing, limit: str, title: str) -> None:
    """A limit of [spending] says that this machine answers, a client's own that it was refused."""
    over = record(1, draft(), ledger=wire.Ledger(spent=(limit,)))

    assert [each.title for each in standing.take([event("record", over)])] == [title]


def test_names_of_others_steer_nothing(standing: Standing) -> None:
    """A provider's name is shown, never obeyed."""
    (told,) = standing.take([leaving(41, provider="a\x1b]0;x\x07")])
    assert "\x1b" not in told.text
