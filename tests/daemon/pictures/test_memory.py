"""What was seen of late."""

from __future__ import annotations

from datetime import timedelta

from daemon.pictures.memory import KEPT_S, Memory
from providers.contract import Sight
from tests.fakes.clock import HeldClock

SIGHT = Sight(form="png", text="words")


def test_held_for_an_hour() -> None:
    """It is found until an hour has gone by, by either clock, and is not kept longer by being asked for."""
    for wait in (HeldClock.advance, HeldClock.sleep):
        clock = HeldClock()
        memory = Memory(clock)
        key = memory.key("data:image/png;base64,AAAA")
        memory.hold(key, SIGHT)
        wait(clock, KEPT_S - 1)
        assert memory.find(key) is SIGHT
        wait(clock, 2)
        assert memory.find(key) is None
        assert memory.size_bytes == 0


def test_keys() -> None:
    """Another picture has another key, and another process too."""
    one, other = Memory(HeldClock()), Memory(HeldClock())
    assert one.key("a") == one.key("a") != one.key("b")
    assert one.key("a") != other.key("a")
    assert one.key("\ud800") != one.key("?")


def test_room() -> None:
    """What was not asked for longest goes first; what is too large alone is not held."""
    memory = Memory(HeldClock(), kept_bytes=5100)
    for name in (b"a", b"b", b"c", b"d"):
        memory.hold(name, "broken")
    memory.find(b"a")
    memory.hold(b"e", "broken")
    memory.hold(b"f", "broken")
    assert [memory.find(name) for name in (b"a", b"b", b"c", b"f")] == ["broken", None, "broken", "broken"]
    memory.hold(b"g", Sight(form="png", text="x" * 5000))
    assert memory.find(b"g") is None
    assert memory.size_bytes <= 5100


def test_forgotten() -> None:
    """When the user deletes records of the last hour, or all, so is what was seen."""
    clock = HeldClock()
    memory = Memory(clock)
    memory.hold(b"a", SIGHT)
    clock.advance(60)
    memory.hold(b"b", SIGHT)
    memory.forget_older(timedelta(seconds=30))
    assert (memory.find(b"a"), memory.find(b"b")) == (None, SIGHT)
    memory.forget_older(timedelta())
    assert memory.find(b"b") is None
