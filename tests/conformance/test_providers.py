"""What every provider of the table must do, against a real server on loopback."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Final

import pytest
from msgspec import Struct
from msgspec.structs import replace

from providers.cleared import Cleared, Place, Provider
from providers.contract import (
    File,
    Finish,
    Image,
    KeyRejected,
    Message,
    NotCleared,
    Overloaded,
    ProviderError,
    RateLimited,
    Sampling,
    Sight,
    Text,
    TextDelta,
    Thought,
    Tool,
    ToolCall,
    ToolResult,
    Unreachable,
    fold,
)
from providers.http import Http
from providers.registry import FAMILIES, provider_of
from providers.target import Target
from providers.texts import rewritten
from tests.fakes import anthropic_events
from tests.fakes.cleared import ASKED, Crossings, HeldKey, cleared
from tests.fakes.responses_events import COMPLETED, events, new_text
from tests.fakes.upstream import HELLO, Answer, Cut, Pause, Upstream, as_json, frames, said, upstream

CANARY: Final = "the cat's name is Schroedinger 4711"
KEY: Final = "sk-canary-0815"


class Sample(Struct, frozen=True):
    """How a protocol's server answers. hello: says "Hello". begun: says "Hel" and then nothing. failed: an error inside.
    documents: whether it takes any. stops: whether it knows stop strings.
    """

    hello: Answer
    begun: Answer
    cut: Answer
    failed: Answer
    documents: bool = True
    stops: bool = True


CHAT: Final = Sample(
    HELLO,
    Answer((*frames(said("Hel"), done=False), Pause())),
    Answer((*frames(said("Hel"), done=False), Cut())),
    Answer(frames(said("Hel"), {"error": {"message": CANARY, "type": "server_error"}})),
)


def gemini_says(text: str, **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, "index": 0, **more}]}


def lines(*values: Any) -> tuple[bytes, ...]:
    return tuple(json.dumps(value).encode() + b"\n" for value in values)


def ollama_says(text: str, **more: Any) -> dict[str, Any]:
    return {"model": "big", "message": {"role": "assistant", "content": text}, "done": False, **more}


SAMPLES: Final = {
    "openai-chat": CHAT,
    "azure": CHAT,
    "gemini": Sample(
        Answer(frames(gemini_says("Hel"), gemini_says("lo", finishReason="STOP"), done=False)),
        Answer((*frames(gemini_says("Hel"), done=False), Pause())),
        Answer((*frames(gemini_says("Hel"), done=False), Cut())),
        Answer(
            frames(gemini_says("Hel"), {"error": {"code": 500, "message": CANARY, "status": "INTERNAL"}}, done=False)
        ),
    ),
    "ollama": Sample(
        Answer(lines(ollama_says("Hel"), ollama_says("lo"), ollama_says("", done=True, done_reason="stop"))),
        Answer((*lines(ollama_says("Hel")), Pause())),
        Answer((*lines(ollama_says("Hel")), Cut())),
        Answer(lines(ollama_says("Hel"), {"error": CANARY})),
        documents=False,
    ),
    "openai-responses": Sample(
        Answer(events(new_text("Hel"), new_text("lo"), COMPLETED)),
        Answer((*events(new_text("Hel")), Pause())),
        Answer((*events(new_text("Hel")), Cut())),
        Answer(events(new_text("Hel"), {"type": "error", "code": "server_error", "message": CANARY, "param": None})),
        stops=False,
    ),
    "anthropic": Sample(
        anthropic_events.HELLO,
        Answer((*anthropic_events.BEGUN, Pause())),
        Answer((*anthropic_events.BEGUN, Cut())),
        Answer(
            (
                *anthropic_events.BEGUN,
                anthropic_events.event("error", error={"type": "overloaded_error", "message": CANARY}),
            )
        ),
    ),
}
every = pytest.mark.parametrize("name", FAMILIES)


@pytest.fixture
async def http() -> AsyncIterator[Http]:
    made = Http("1.2.3", Crossings())
    yield made
    await made.close()


def made(name: str, http: Http, served: Upstream, place: Place = Place.CLOUD, key: str = KEY) -> Provider:
    return provider_of(name, http, Target("work", served.url, place), HeldKey(key))


def test_every_provider_has_samples() -> None:
    """A new line in the table brings its server's answers here."""
    assert SAMPLES.keys() == FAMILIES.keys()


@every
async def test_it_streams(name: str, http: Http) -> None:
    """Words come as deltas with one finish at the end, and what crossed is what the server received."""
    crossed = Crossings()
    async with upstream(SAMPLES[name].hello) as served:
        deltas = [delta async for delta in made(name, http, served).stream(cleared(), "big", crossed)]

        assert [crossing.body_bytes for crossing in crossed] == [len(served.requests[0].body)]
        assert "hello" in served.requests[0].body.decode()
    assert [delta.text for delta in deltas if isinstance(delta, TextDelta)] == ["Hel", "lo"]
    assert [isinstance(delta, Finish) for delta in deltas] == [False] * (len(deltas) - 1) + [True]


@every
async def test_what_was_seen_has_no_place(name: str, http: Http) -> None:
    """Not even if it was forgotten in a cleared request: no shape of theirs can carry what was seen in a picture."""
    sight = Sight(form=CANARY, text=CANARY, kinds={CANARY: 1.0}, things={CANARY: 1.0})
    picture = Image("data:image/png;base64,QQ==", sight=sight)
    document = File("data:application/pdf;base64,QQ==", "a.pdf", sight)
    call = ToolCall("c1", "look", "{}")
    messages = (
        Message("user", (Text("hello"), picture, *((document,) if SAMPLES[name].documents else ()))),
        Message("assistant", (call,)),
        Message("tool", (ToolResult("c1", (Text("taken"), picture)),)),
        Message("user", (Text("and?"),)),
    )
    async with upstream(SAMPLES[name].hello) as served:
        await fold(made(name, http, served).stream(cleared(replace(ASKED, messages=messages)), "big", Crossings()))

        (request,) = served.requests
        assert b"QQ==" in request.body
        assert CANARY.encode() not in request.body
        assert b"sight" not in request.body


@every
async def test_words_come_when_they_are_said(name: str, http: Http) -> None:
    """The first delta is given while the server is still silent about the rest."""
    async with upstream(SAMPLES[name].begun) as served, asyncio.timeout(5):
        async with aclosing(made(name, http, served).stream(cleared(), "big", Crossings())) as deltas:
            assert await anext(deltas) == TextDelta("Hel")


@every
async def test_closing_hangs_up(name: str, http: Http) -> None:
    """The server sees at once that nobody listens any more."""
    async with upstream(SAMPLES[name].begun) as served, asyncio.timeout(5):
        deltas = made(name, http, served).stream(cleared(), "big", Crossings())
        await anext(deltas)
        await deltas.aclose()

        await served.hung_up.wait()


@every
async def test_cancelling_hangs_up(name: str, http: Http) -> None:
    """A reader that is cancelled while the server is silent frees the server."""
    async with upstream(SAMPLES[name].begun) as served, asyncio.timeout(5):
        task = asyncio.create_task(fold(made(name, http, served).stream(cleared(), "big", Crossings())))
        while not served.requests:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        await served.hung_up.wait()


@every
async def test_nothing_is_asked_before_somebody_reads(name: str, http: Http) -> None:
    """A stream that nobody reads asks nobody."""
    async with upstream() as served:
        await made(name, http, served).stream(cleared(), "big", Crossings()).aclose()

        assert served.connections == 0


@every
@pytest.mark.parametrize("offered", [ASKED, None, "hello", object(), Cleared])
async def test_it_takes_only_what_was_cleared(name: str, http: Http, offered: Any) -> None:
    """A request that didn't pass the boundary is refused before a connection is made."""
    crossed = Crossings()
    async with upstream() as served:
        with pytest.raises(NotCleared):
            await fold(made(name, http, served).stream(offered, "big", crossed))

        assert (served.connections, crossed) == (0, [])


@every
async def test_it_goes_no_farther_than_cleared(name: str, http: Http) -> None:
    """A request for this machine does not leave for the cloud."""
    async with upstream() as served:
        with pytest.raises(NotCleared):
            await fold(made(name, http, served).stream(cleared(place=Place.DEVICE), "big", Crossings()))

        assert served.connections == 0


@every
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, KeyRejected),
        (403, KeyRejected),
        (429, RateLimited),
        (500, Unreachable),
        (503, Overloaded),
        (529, Overloaded),
    ],
)
async def test_it_translates_statuses(name: str, http: Http, status: int, kind: type[ProviderError]) -> None:
    """The statuses that every vendor means the same by are the same errors."""
    async with upstream(as_json({"error": {"message": CANARY}}, status)) as served:
        with pytest.raises(kind):
            await fold(made(name, http, served).stream(cleared(), "big", Crossings()))

        assert len(served.requests) == 1, "providers try once"


@every
async def test_it_tells_a_cut_from_an_end(name: str, http: Http) -> None:
    """An answer that breaks off is an error behind the words that came."""
    async with upstream(SAMPLES[name].cut) as served:
        deltas = made(name, http, served).stream(cleared(), "big", Crossings())
        assert await anext(deltas) == TextDelta("Hel")

        with pytest.raises(Unreachable):
            await anext(deltas)


@every
@pytest.mark.parametrize("stream", [True, False])
def test_all_that_is_written_was_looked_at(name: str, stream: bool) -> None:
    """Once each text of a request is another, none of the first ones is in what is sent: no field passes the boundary by."""
    schema = {"type": "object", "properties": {"a": {"type": "string", "description": CANARY}}}
    call = ToolCall(f"{CANARY} id", "look", json.dumps({"a": CANARY}))
    result = ToolResult(f"{CANARY} id", (Text(CANARY), Image(f"https://example.com/{CANARY}")), failed=True)
    files = (File(f"https://example.com/{CANARY}", CANARY),) if SAMPLES[name].documents else ()
    request = replace(
        ASKED,
        stream=stream,
        messages=(
            Message("system", (Text(CANARY),)),
            Message("user", (Text(CANARY), Image(f"https://example.com/{CANARY}"), *files)),
            Message("assistant", (Thought(CANARY), Text(CANARY), call)),
            Message("tool", (result,)),
            Message("system", (Text(CANARY),)),
        ),
        tools=(Tool("look", CANARY, schema),),
        schema=schema,
        sampling=Sampling(stop=(CANARY,) if SAMPLES[name].stops else ()),
        session=CANARY,
        project=CANARY,
        client=CANARY,
        echo=CANARY,
        ignored=(CANARY,),
    )
    masked = rewritten(
        request, lambda path, text: "data:application/pdf;base64,QQ==" if "example.com" in text else "MASKED"
    )
    family, target = FAMILIES[name], Target("work", "https://example.com", Place.CLOUD)

    written = family.body(masked, "big", target).decode() + family.path(masked, "big")

    assert CANARY not in written
    assert written.count("MASKED") >= 10


@every
async def test_what_is_not_told_is_admitted(name: str, http: Http) -> None:
    """How long a model is kept is in the request, or among what isn't honoured."""
    request = replace(ASKED, keep_s=4711.0)
    async with upstream(SAMPLES[name].hello) as served:
        who = made(name, http, served)
        await fold(who.stream(cleared(request), "big", Crossings()))

        assert (b"4711" in served.requests[0].body) is ("keep_s" not in who.not_honoured(request))


@every
async def test_a_model_that_runs_at_its_makers(name: str, http: Http) -> None:
    """It counts as cloud wherever its server is: what may not leave this machine isn't sent to it."""
    async with upstream(SAMPLES[name].hello) as served:
        who = made(name, http, served, Place.DEVICE)
        with pytest.raises(NotCleared):
            await fold(who.stream(cleared(place=Place.DEVICE), "gpt-oss:120b-cloud", Crossings()))
        assert served.connections == 0

        await fold(who.stream(cleared(place=Place.DEVICE), "gpt-oss:120b", Crossings()))


@every
async def test_nobody_there(name: str, http: Http) -> None:
    """A server that isn't running is unreachable, and nothing crossed."""
    crossed = Crossings()
    async with upstream() as served:
        who = made(name, http, served)

    with pytest.raises(Unreachable, match="start it"):
        await fold(who.stream(cleared(), "big", crossed))
    with pytest.raises(Unreachable):
        await who.models()
    assert crossed == []


@every
async def test_it_leaks_nothing(name: str, http: Http, caplog: pytest.LogCaptureFixture) -> None:
    """Neither the user's words nor the key stand in a log, an error, a crossing or a repr; the words go out in the body alone."""
    caplog.set_level(logging.DEBUG)
    request, crossed = replace(ASKED, messages=(Message("user", (Text(CANARY),)),)), Crossings()
    sample = SAMPLES[name]
    answers = (
        sample.hello,
        sample.failed,
        sample.cut,
        as_json({"error": {"message": f"{CANARY} {KEY}", "code": CANARY}}, 400),
    )
    told = []
    async with upstream(*answers) as served:
        who = made(name, http, served)
        for _ in answers:
            try:
                await fold(who.stream(cleared(request), "big", crossed))
            except ProviderError as error:
                told.append(f"{error!r} {error.__cause__!r} {error.__context__!r}")
        told += [repr(who), repr(vars(who)), repr(crossed), caplog.text]

        for received in served.requests:
            assert CANARY in received.body.decode()
            assert CANARY not in f"{received.path} {received.headers}"
            assert KEY not in received.body.decode() + received.path
    assert len(told) == 7
    for words in told:
        assert CANARY not in words
        assert KEY not in words


@every
async def test_it_lists_its_models(name: str, http: Http) -> None:
    """The list of models is asked for without a word of any request."""
    async with upstream(as_json({"data": [{"id": "big"}], "models": [{"name": "big"}]})) as served:
        assert await made(name, http, served).models() == ("big",)

        assert served.requests[0].body == b""
        assert KEY in str(served.requests[0].headers)


QUOTING: Final = {
    "code": f"code_{KEY}", "type": KEY, "param": KEY, "message": KEY, "status": KEY, "reason": KEY[::-1],
}  # fmt: skip


@every
@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
async def test_an_error_never_quotes_the_key(name: str, http: Http, status: int) -> None:
    """Whatever a server puts into its short codes, our key is not passed on."""
    told = as_json({"error": QUOTING, "type": "error", **QUOTING}, status)
    async with upstream(told) as served:
        with pytest.raises(ProviderError) as caught:
            await fold(made(name, http, served).stream(cleared(), "big", Crossings()))

    assert KEY[:10] not in f"{caught.value} {vars(caught.value)}"
    assert KEY[::-1][:10] not in f"{caught.value} {vars(caught.value)}"


@every
async def test_a_model_that_is_called_like_the_key_is_none(name: str, http: Http) -> None:
    """It would stand in every list of models."""
    listed = as_json(
        {"data": [{"id": KEY}, {"id": "big"}], "models": [{"name": f"models/{KEY}"}, {"name": "models/big"}]}
    )
    async with upstream(listed) as served:
        try:
            names = await made(name, http, served).models()
        except ProviderError:
            return  # its lists look otherwise

    assert KEY not in str(names)


@every
async def test_a_key_that_was_taken_is_known(name: str, http: Http) -> None:
    """Its source hears that it served, and the crossing says which it was."""
    crossed, held = Crossings(), HeldKey(KEY)
    async with upstream(SAMPLES[name].hello) as served:
        provider = provider_of(name, http, Target("work", served.url, Place.CLOUD), held)
        await fold(provider.stream(cleared(), "big", crossed))

    assert held.taken == 1
    assert [each.key for each in crossed] == ["held"]
