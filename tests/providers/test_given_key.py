"""A key that is not stored anywhere."""

from __future__ import annotations

from providers.contract import Key, KeyRejected
from providers.given_key import GivenKey


async def test_it_stays_what_it_is() -> None:
    """Refused or not, forgotten or not; nobody is told of another one."""
    key, refused = Key("sk-given"), KeyRejected("no")
    given = GivenKey(key)
    given.served(key)
    given.forget()

    assert await given.refused(key, refused) is refused
    assert not refused.another_key
    assert await given.read() is key
    assert await GivenKey().read() is None
