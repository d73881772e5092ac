"""What the one provider does beside sending: limits in answers' headers, networks that answer for others."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from providers.cleared import Place
from providers.contract import BadAnswer, Delta, Finish, Intercepted, TextDelta, Usage
from providers.http import Http
from providers.http_provider import UsedUp
from providers.registry import provider_of
from providers.target import Target
from tests.fakes.cleared import Crossings, HeldKey, cleared
from tests.fakes.upstream import HELLO, Answer, Upstream, as_json, upstream

SHOWN = [TextDelta("Hel"), TextDelta("lo"), Finish("stop", Usage(7, 2))]


@pytest.fixture
async def http() -> AsyncIterator[Http]:
    made = Http("1.2.3", Crossings())
    yield made
    await made.close()


async def ask(
    http: Http, served: Upstream, key: HeldKey | None = None, url: str | None = None, used_up: UsedUp | None = None
) -> list[Delta]:
    who = provider_of("openai-chat", http, Target("work", url or served.url, Place.CLOUD), key or HeldKey(), used_up)
    return [delta async for delta in who.stream(cleared(), "big", Crossings())]


async def test_a_used_up_limit_is_told(http: Http) -> None:
    """With the model that was asked; an answer without such headers tells nothing."""
    told: list[tuple[str, float]] = []
    last = Answer(
        HELLO.pieces,
        headers={"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "40s"},
    )
    async with upstream(last, HELLO) as served:
        for _ in range(2):
            assert await ask(http, served, used_up=lambda model, seconds: told.append((model, seconds))) == SHOWN

    assert told == [("big", 40.0)]


@pytest.mark.parametrize(
    "answer",
    [
        Answer((b"<html>Sign in</html>",), headers={"content-type": "text/html; charset=utf-8"}),
        Answer((), 302, {"location": "http://portal.hotel.example/login"}),
        Answer((), 511),
    ],
    ids=["a page", "sent elsewhere", "by its status"],
)
async def test_a_network_that_answers_for_others(http: Http, monkeypatch: pytest.MonkeyPatch, answer: Answer) -> None:
    """A sign-in page in the place of a cloud is told as such, and not asked again."""
    async with upstream(answer) as served:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{served.port}")  # so that a public name leads there
        monkeypatch.setenv("no_proxy", "")
        with pytest.raises(Intercepted, match="if this network wants you to sign in") as told:
            await ask(http, served, url="http://api.example.com/v1")

    assert told.value.again is False


async def test_a_redirect_of_its_own_is_one(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the same host, it is an address to correct."""
    async with upstream(Answer((), 301, {"location": "https://api.example.com/v2"})) as served:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{served.port}")
        monkeypatch.setenv("no_proxy", "")
        with pytest.raises(BadAnswer, match="put the final address into base_url"):
            await ask(http, served, url="http://api.example.com/v1")


@pytest.mark.parametrize(("said", "again"), [("false", False), ("true", True), ("perhaps", None)])
async def test_whether_asking_again_is_of_use(http: Http, said: str, again: bool | None) -> None:
    """By the provider's own word."""
    async with upstream(as_json({"error": {}}, 429, x_should_retry=said)) as served:
        with pytest.raises(Exception, match="wants fewer requests") as told:
            await ask(http, served)

    assert getattr(told.value, "again", "") is again


async def test_connections_are_made_anew(http: Http) -> None:
    """After `renew` nothing is sent over what was open; an answer under way comes to its end."""
    async with upstream(HELLO) as served:
        who = provider_of("openai-chat", http, Target("work", served.url, Place.CLOUD), HeldKey())
        await ask(http, served)
        await ask(http, served)
        assert served.connections == 1
        under_way = who.stream(cleared(), "big", Crossings())
        began = [await anext(under_way)]
        await http.renew()
        assert await ask(http, served) == SHOWN
        assert served.connections == 2
        assert began + [delta async for delta in under_way] == SHOWN
        await http.renew()
        await ask(http, served)
        assert served.connections == 3
