"""Which of a provider's keys is used, and which one when that is refused."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import keyring
import pytest

from daemon import secrets, stored_keys
from daemon.stored_keys import StoredKeys
from providers.contract import Key, KeyRejected, NoCredit, Overloaded, RateLimited, Unreachable
from tests.daemon.test_secrets import OfTheSystem
from tests.fakes.clock import HeldClock

FIRST, SECOND, THIRD = "sk-first-0815", "sk-second-0815", "sk-third-0815"


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch, clock: HeldClock) -> StoredKeys:
    """Three of them."""
    for name, value in (("K1", FIRST), ("K2", SECOND), ("K3", THIRD)):
        monkeypatch.setenv(name, value)
    return StoredKeys("work", ("env:K1", "env:K2", "env:K3"), "cloud", clock)


async def key(stored: StoredKeys) -> Key:
    found = await stored.read()
    assert found is not None
    return found


async def now(stored: StoredKeys) -> str:
    return (await key(stored)).reveal()


async def test_it_is_read_once(monkeypatch: pytest.MonkeyPatch, stored: StoredKeys) -> None:
    """A key is read at the first call, kept, and read anew when it may have changed; its label says where it is kept."""
    assert (await now(stored), (await key(stored)).label) == (FIRST, "env:K1")
    monkeypatch.setenv("K1", "other-key")
    assert await now(stored) == FIRST
    stored.forget()
    assert await now(stored) == "other-key"


async def test_one_that_is_missing() -> None:
    """Without its key a provider can't be asked, and the error has the remedy."""
    with pytest.raises(KeyRejected, match="NOT_THERE"):
        await StoredKeys("work", ("env:NOT_THERE",), "cloud").read()


async def test_one_that_is_missing_is_passed_over(monkeypatch: pytest.MonkeyPatch, stored: StoredKeys) -> None:
    """The next one that is there is used, and the first one again once it is there."""
    monkeypatch.delenv("K1")
    assert await now(stored) == SECOND
    monkeypatch.setenv("K1", FIRST)
    stored.forget()
    assert await now(stored) == FIRST


@pytest.mark.parametrize("problem", [KeyRejected("no"), NoCredit("empty")])
async def test_the_next_one_takes_over(problem: KeyRejected, stored: StoredKeys, clock: HeldClock) -> None:
    """Of three, each is tried once; then all are out, and what is raised is the last word. After a while the first is
    preferred again.
    """
    for expected, another in ((FIRST, True), (SECOND, True), (THIRD, False)):
        used = await key(stored)
        assert used.reveal() == expected
        told = await stored.refused(used, type(problem)(str(problem)))
        assert (type(told), told.another_key) == (type(problem), another)
    clock.advance(stored_keys.REJECTED_S + 1)
    assert await now(stored) == FIRST


async def test_each_key_has_its_own_retry_after(stored: StoredKeys, clock: HeldClock) -> None:
    """One that is limited comes back when its time is over, and when all are limited the first time counts."""
    for wait_s, another in ((30.0, True), (5.0, True), (60.0, False)):
        told = await stored.refused(await key(stored), RateLimited("slower", wait_s))
        assert told.another_key is another
    assert isinstance(told, RateLimited)
    assert told.retry_after_s == pytest.approx(5.0)
    clock.advance(6)
    assert await now(stored) == SECOND
    clock.advance(30)
    assert await now(stored) == FIRST


async def test_one_limited_and_the_others_rejected(stored: StoredKeys) -> None:
    """What is raised says when it is worth while to ask again."""
    await stored.refused(await key(stored), RateLimited("slower", 7.0))
    await stored.refused(await key(stored), KeyRejected("no"))
    told = await stored.refused(await key(stored), KeyRejected("no"))

    assert isinstance(told, RateLimited)
    assert told.retry_after_s == pytest.approx(7.0)
    assert not told.another_key


@pytest.mark.parametrize("problem", [Unreachable("gone"), Overloaded("full", 1.0)])
async def test_what_is_no_keys_fault(problem: Any, stored: StoredKeys) -> None:
    """It changes nothing: another key would not help."""
    told = await stored.refused(await key(stored), problem)

    assert (told, told.another_key) == (problem, False)
    assert await now(stored) == FIRST


async def test_one_alone_is_asked_again(monkeypatch: pytest.MonkeyPatch, clock: HeldClock) -> None:
    """With no other key, a refused one is used whenever somebody asks."""
    monkeypatch.setenv("K1", FIRST)
    one = StoredKeys("work", ("env:K1",), "cloud", clock)
    for problem in (KeyRejected("no"), RateLimited("slower", 9.0)):
        told = await one.refused(await key(one), problem)
        assert (told, told.another_key) == (problem, False)
        assert await now(one) == FIRST


async def test_one_that_was_changed_meanwhile(monkeypatch: pytest.MonkeyPatch, clock: HeldClock) -> None:
    """A key that the user replaced is noticed when the old one is rejected, and the next call has the new one at once."""
    monkeypatch.setenv("K1", FIRST)
    one = StoredKeys("work", ("env:K1",), "cloud", clock)
    old = await key(one)
    monkeypatch.setenv("K1", "sk-rotated")

    told = await one.refused(old, KeyRejected("revoked"))

    assert told.another_key
    assert await now(one) == "sk-rotated"
    late = await one.refused(old, KeyRejected("revoked"))  # an older call that ends now
    assert late.another_key
    assert await now(one) == "sk-rotated"


async def test_a_spare_that_is_missing_is_no_other_key(monkeypatch: pytest.MonkeyPatch, stored: StoredKeys) -> None:
    """It is looked for before anybody is told to ask again."""
    monkeypatch.delenv("K2")
    monkeypatch.delenv("K3")

    assert not (await stored.refused(await key(stored), KeyRejected("no"))).another_key


async def test_new_settings(stored: StoredKeys) -> None:
    """Keys that stay keep what is known of them, and the order is the new one."""
    await stored.refused(await key(stored), KeyRejected("no"))
    stored.take(("env:K1", "env:K3"))

    assert stored.sources == ("env:K1", "env:K3")
    assert await now(stored) == THIRD


async def test_what_is_shown(monkeypatch: pytest.MonkeyPatch, stored: StoredKeys) -> None:
    """Where each is, whether it is there, when it was taken and refused, and no key."""
    monkeypatch.delenv("K3")
    first = await key(stored)
    stored.served(first)
    await stored.refused(first, RateLimited("slower", 30.0))

    told = await stored.info()

    assert [each.source for each in told] == ["env:K1", "env:K2", "env:K3"]
    assert told[0].used_at is not None and told[0].refused_at is not None
    assert (told[0].refusal, told[0].out_s) == ("RateLimited", 30.0)
    assert (told[1].trouble, told[1].used_at, told[1].out_s) == (None, None, None)
    assert "K3" in (told[2].trouble or "")
    assert "0815" not in repr(told) + repr(vars(stored)) + repr([vars(each) for each in stored._all])


class Locked(OfTheSystem):
    """One that waits until it is let go, and then fails; how often it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.release = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.asked += 1
        self.release.wait(30)
        return None


Locked.__module__ = "keyring.backends.SecretService"


async def test_a_keyring_that_hangs_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten requests that come together wait for it together, and its other keys are not asked for then; a key that is
    elsewhere is found all the same.
    """
    locked = Locked()
    monkeypatch.setattr(keyring, "get_keyring", lambda: locked)
    monkeypatch.delenv(secrets.BACKEND_VARIABLE, raising=False)
    monkeypatch.setattr(secrets, "TIMEOUT_S", 0.2)
    monkeypatch.setenv("K1", FIRST)
    stored = StoredKeys("work", ("keyring", "keyring:second", "env:K1"), "cloud")

    async with asyncio.timeout(5):
        found = await asyncio.gather(*(stored.read() for _ in range(10)))

    assert {each.reveal() for each in found if each is not None} == {FIRST}
    assert locked.asked == 1
    told = await stored.info()
    assert [each.trouble is None for each in told] == [False, False, True]
    assert locked.asked == 2
    locked.release.set()


async def test_a_keyring_that_is_locked_later_takes_nothing_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who looks at the keys meanwhile is told so, and requests go on with the key that is known."""
    shelf = OfTheSystem()
    shelf.kept["nearloop", "work"] = FIRST
    monkeypatch.setattr(keyring, "get_keyring", lambda: shelf)
    monkeypatch.delenv(secrets.BACKEND_VARIABLE, raising=False)
    stored = StoredKeys("work", ("keyring",), "cloud")
    assert await now(stored) == FIRST
    monkeypatch.setattr(secrets, "TIMEOUT_S", 0.1)
    locked = Locked()
    monkeypatch.setattr(keyring, "get_keyring", lambda: locked)

    assert (await stored.info())[0].trouble is not None
    assert await now(stored) == FIRST
    locked.release.set()


async def test_the_loop_does_not_wait_for_a_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a keyring takes its time, the loop goes on."""
    locked = Locked()
    monkeypatch.setattr(keyring, "get_keyring", lambda: locked)
    monkeypatch.delenv(secrets.BACKEND_VARIABLE, raising=False)
    reading = asyncio.create_task(StoredKeys("work", ("keyring",), "cloud").read())
    async with asyncio.timeout(5):
        while not locked.asked:
            await asyncio.sleep(0.01)

    assert not reading.done()
    locked.release.set()
    with pytest.raises(KeyRejected, match="no key in the keyring"):
        await reading


async def test_no_key_at_all(clock: HeldClock) -> None:
    """A server on this machine that needs none is asked without."""
    stored = StoredKeys("local", ("none",), "device", clock)

    assert await stored.read() is None
    stored.served(None)
    assert (await stored.info())[0].used_at is not None
