"""What is known of the daemon, from its events."""

from __future__ import annotations

from typing import Any

import msgspec

from daemon import wire
from tests.fakes.told_records import START, a_day, escalated, receipt, record
from tui.picture import Picture


def event(seq: int, kind: str, data: Any, id: str | None = None) -> wire.Event:
    """As it comes over the wire."""
    told = wire.Event(seq, START, kind, data, id)
    return msgspec.json.decode(msgspec.json.encode(told), type=wire.Event)


STATUS = wire.Status("0.1.0", 1, 6327, START, 1.0, (wire.Model("local/m", "scripted", "ready", True),), (), 0, 0, 0)


def test_a_request_runs_until_its_record_comes() -> None:
    """It is running, then ended, and never both."""
    picture = Picture()
    ended = escalated(2)
    picture.take([event(1, "request", {"protocol": "openai-chat", "client": "zed"}, ended.id)])
    assert [each.client for each in picture.running.values()] == ["zed"]

    picture.take([event(2, "record", ended, ended.id)])
    assert not picture.running
    assert list(picture.records.values()) == [ended]


def test_what_leaves_is_known_while_it_runs() -> None:
    """A receipt adds its bytes once, though it is told of again with its outcome."""
    picture = Picture()
    gone = receipt("aa", 1, {"email": 1})
    picture.take(
        [
            event(1, "request", {"protocol": "openai-chat", "client": None}, "aa"),
            event(2, "receipt", msgspec.structs.replace(gone, outcome=None), "aa"),
            event(3, "receipt", gone, "aa"),
        ]
    )

    assert picture.running["aa"].left_bytes == gone.body_bytes
    assert picture.running["aa"].to == "work"


def test_old_records_are_let_go() -> None:
    """No more are held than there is room for, the newest."""
    picture = Picture(capacity=3)
    picture.take(event(each, "record", record(each)) for each in range(1, 6))

    assert [each.id[:2] for each in picture.records.values()] == ["03", "04", "05"]


def test_a_backlog_joins_what_is_known() -> None:
    """Records that came as events and are listed too are there once, in the order in which they ended."""
    day = a_day()
    picture = Picture()
    picture.take([event(1, "record", day[5])])
    picture.add(reversed(day))

    ended = [each.at.timestamp() + each.took_ms / 1000 for each in picture.records.values()]
    assert len(picture.records) == len(day)
    assert ended == sorted(ended)


def test_what_was_deleted_goes() -> None:
    """Records of before then; and at a new start those that the daemon has not any more, as far as it told of that time."""
    day = a_day()
    picture = Picture()
    picture.add(day)
    picture.take([event(1, "purged", wire.Forgotten(day[4].at))])
    assert set(picture.records) == {each.id for each in day[4:]}

    picture.replace(tuple(reversed(day[8:])), whole=False)
    assert set(picture.records) == {each.id for each in day[4:]}
    picture.replace((day[11], day[9]), whole=False)
    assert set(picture.records) == {each.id for each in (*day[4:9], day[9], day[11])}
    picture.replace((day[11],), whole=True)
    assert set(picture.records) == {day[11].id}
    picture.replace((), whole=True)
    assert not picture.records


def test_the_state_starts_anew() -> None:
    """After a restart nothing runs, and models and switch are as they are told."""
    picture = Picture()
    picture.take([event(1, "request", {"protocol": "x", "client": None}, "aa")])
    picture.take([event(1, "state", msgspec.structs.replace(STATUS, local_only=True))])

    assert not picture.running
    assert picture.local_only
    assert list(picture.models) == ["local/m"]


def test_questions_are_counted() -> None:
    """What waits is one more when it is asked and one less when it is answered, by whomever."""
    picture = Picture()
    asked = wire.ApprovalNews("q1", "request", "waiting", START, "work", {"email": 1})
    picture.take([event(1, "state", msgspec.structs.replace(STATUS, waiting=1)), event(2, "approval", asked)])
    assert picture.waiting_count == 2

    picture.take([event(3, "approval", msgspec.structs.replace(asked, state="denied"))])
    assert picture.waiting_count == 1
    assert not picture.waiting


def test_news_of_a_later_daemon_are_kept() -> None:
    """A kind that isn't known is there for a screen that knows it."""
    picture = Picture()

    assert picture.take([event(1, "budget", {"left": 3})]) == {"budget"}
    assert picture.news["budget"].data == {"left": 3}
