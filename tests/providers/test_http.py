"""The client that calls out: the last check, what crosses, connections, proxies, TLS, and what breaks."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import shutil
from collections.abc import AsyncIterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from providers import http as client
from providers.certificates import Tls
from providers.cleared import Cleared, Crossing, Ended, Place, Returned
from providers.contract import BadAnswer, NotCleared, NotWitnessed, ProviderError, Unreachable
from providers.http import Http, Timeouts
from providers.leaving import WitnessedConnector
from providers.target import Target
from tests.fakes.cleared import ASKED, Crossings, cleared
from tests.fakes.upstream import Answer, Cut, Pause, Upstream, as_json, certificate, packed, upstream

BODY = b'{"messages": "\xc3\xa4"}'
QUICK = Timeouts(connect_s=2, first_byte_s=0.3, between_s=0.3)
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl command to make a CA")


@pytest.fixture
async def http() -> AsyncIterator[Http]:
    made = Http("1.2.3", Crossings())
    yield made
    await made.close()


@pytest.fixture
async def quick() -> AsyncIterator[Http]:
    made = Http("1.2.3", Crossings(), QUICK, limit_bytes=10_000)
    yield made
    await made.close()


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def at(served: Upstream, place: Place = Place.CLOUD) -> Target:
    return Target("work", served.url, place)


async def post(http: Http, target: Target, allowed: Any = None, crossed: Any = None, body: bytes = BODY) -> bytes:
    """Post and read the whole answer."""
    allowed = cleared() if allowed is None else allowed
    headers = {"content-type": "application/json"}
    told = Crossings() if crossed is None else crossed
    with closing(await http.post(allowed, target, "chat/completions", body, headers, told)) as reply:
        return await reply.read()


# ---- the last check -------------------------------------------------------------------------------------------------


class Pretender:
    """Looks like a cleared request."""

    request, place, masks, clearance_id = ASKED, Place.CLOUD, {}, "x"

    def permits(self, place: Place) -> bool:
        return True


@pytest.mark.parametrize("offered", [ASKED, Pretender(), "cleared", object(), Cleared])
async def test_only_what_was_cleared_leaves(http: Http, offered: Any) -> None:
    """Anything that isn't a Cleared is refused, and not even a connection is made."""
    crossed = Crossings()
    async with upstream() as served:
        with pytest.raises(NotCleared, match="nothing was sent"):
            await post(http, at(served), offered, crossed)

        assert (served.connections, bytes(served.bytes), crossed) == (0, b"", [])


@pytest.mark.parametrize(
    ("allowed", "place"), [(Place.DEVICE, Place.LAN), (Place.DEVICE, Place.CLOUD), (Place.LAN, Place.CLOUD)]
)
async def test_nothing_goes_farther_than_it_was_cleared_for(http: Http, allowed: Place, place: Place) -> None:
    """A request cleared for a nearer place does not leave for a farther one, and the error says which."""
    crossed = Crossings()
    async with upstream() as served:
        with pytest.raises(NotCleared, match=f"no farther than {allowed.value}.*{place.value}"):
            await post(http, at(served, place), cleared(place=allowed), crossed)

        assert (served.connections, crossed) == (0, [])


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://api.example.com/v1", Place.DEVICE),
        ("http://192.168.0.1/v1", Place.DEVICE),
        ("https://api.example.com/v1", Place.LAN),
        ("http://127.1/v1", Place.DEVICE),
    ],
)
async def test_a_far_address_never_passes_for_a_near_place(http: Http, url: str, place: Place) -> None:
    """Whoever built the target: an address that is farther than its place is refused."""
    with pytest.raises(NotCleared, match="its address is farther"):
        await post(http, Target("work", url, place), cleared(place=Place.CLOUD))


async def test_what_crosses_is_told_by_its_exact_bytes(http: Http) -> None:
    """The hash and length are those of the body that the server received, and the host is where it went."""
    crossed = Crossings()
    async with upstream() as served:
        await post(http, at(served, Place.LAN), cleared(place=Place.LAN), crossed)

        body = served.requests[0].body
    assert body == BODY
    digest = hashlib.sha256(body).hexdigest()
    assert crossed == [Crossing("127.0.0.1", Place.LAN, len(BODY), digest, "work", "/v1/chat/completions", body=body)]
    assert [(each.status, each.whole) for each in crossed.returned] == [(200, True)]


async def test_the_bytes_are_let_go_once_an_answer_begins(http: Http) -> None:
    """A stream may last for minutes, and nobody needs them again."""
    async with upstream() as served:
        crossed = Crossings()
        reply = await http.post(cleared(), at(served), "chat/completions", BODY, {}, crossed)
        with closing(reply):
            assert crossed[0].body == BODY
            assert reply._passage._crossing.body == b""


async def test_a_large_body_crosses_whole(http: Http) -> None:
    """Megabytes go out as they are, hashed off the loop."""
    crossed, large = Crossings(), b"x" * 3_000_001
    async with upstream() as served:
        await post(http, at(served), crossed=crossed, body=large)

        assert served.requests[0].body == large
    assert crossed[0].sha256 == hashlib.sha256(large).hexdigest()


async def test_what_does_not_leave_is_not_told(http: Http) -> None:
    """No connection, no crossing."""
    crossed = Crossings()
    async with upstream() as served:
        gone = at(served)

    with pytest.raises(Unreachable, match=r"nothing answers at 127\.0\.0\.1:\d+: start it"):
        await post(http, gone, crossed=crossed)

    assert crossed == []


async def test_what_can_not_be_written_down_does_not_leave(http: Http) -> None:
    """If noting the crossing fails, not one byte goes, of headers neither; the next request is none the worse."""

    async def broken(crossing: Crossing) -> Ended:
        raise NotWitnessed("disk full")

    async with upstream() as served:
        with pytest.raises(NotWitnessed):
            await post(http, at(served), crossed=broken)
        blind = Http("1", broken)
        with pytest.raises(NotWitnessed):
            await blind.get(at(served), "models", {"authorization": "Bearer sk-1"})
        await blind.close()
        assert served.bytes == b""

        assert await post(http, at(served))


async def test_nothing_leaves_before_it_is_written_down(http: Http) -> None:
    """While the receipt is on its way to the disk, on a fresh connection and on a kept one, no byte is sent."""
    async with upstream() as served:
        await post(http, at(served))
        for parts in (1, 2):  # a kept connection, then a second one beside it
            before, written = len(served.bytes), asyncio.Event()
            begun = asyncio.Event()

            async def slow(crossing: Crossing, begun: asyncio.Event = begun, done: asyncio.Event = written) -> Ended:
                begun.set()
                await done.wait()
                return lambda _: None

            asked = [asyncio.create_task(post(http, at(served), crossed=slow)) for _ in range(parts)]
            await begun.wait()
            await asyncio.sleep(0.05)
            assert len(served.bytes) == before
            written.set()
            await asyncio.gather(*asked)
            assert len(served.bytes) > before


async def test_who_is_cancelled_while_it_is_written_down_sends_nothing(http: Http) -> None:
    """A client that hangs up in that moment has sent nothing."""
    begun = asyncio.Event()

    async def never(crossing: Crossing) -> Ended:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with upstream() as served:
        task = asyncio.create_task(post(http, at(served), crossed=never))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await post(http, at(served))

        assert len(served.requests) == 1


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer((b"data: 1\n\n", b"data: 2\n\n")), Returned(200, 18, True)),
        (Answer((b"data: 1\n\n", Cut())), Returned(200, 9, False)),
        (Answer((Cut(),), raw=True), Returned(None, 0, False)),
        (Answer((b"x",), 500, {}), Returned(500, 1, True)),
        (Answer((), 302, {"location": "http://127.0.0.1:1"}), Returned(302, 0, False)),
    ],
)
async def test_how_a_crossing_ended_is_told(http: Http, answer: Answer, told: Returned) -> None:
    """Once, whatever came: an answer, half of one, none, a refusal, a redirect."""
    crossed = Crossings()
    async with upstream(answer) as served:
        with suppress(ProviderError):
            await post(http, at(served), crossed=crossed)

    assert crossed.returned == [told]


async def test_a_question_without_a_request_is_written_down_too() -> None:
    """A list of models is asked for by a GET, which the client's own witness sees; each that is repeated as well."""
    crossed = Crossings()
    http = Http("1", crossed)
    async with upstream(as_json({}), Answer((Cut(),), raw=True), as_json({})) as served:
        for _ in range(2):
            with closing(await http.get(at(served), "models", {})) as reply:
                await reply.read()
        await http.close()

        assert len(served.requests) == len(crossed) == len(crossed.returned) == 3  # the second was sent twice
    assert {(each.purpose, each.path, each.body_bytes) for each in crossed} == {("models", "/v1/models", 0)}
    assert [each.status for each in crossed.returned] == [200, None, 200]


async def test_a_connection_without_a_witness_is_none() -> None:
    """Whoever uses the connector by itself is refused before it looks for an address."""
    async with upstream() as served, aiohttp.ClientSession(connector=WitnessedConnector()) as session:
        with pytest.raises(NotWitnessed):
            await session.get(served.url)

        assert served.connections == 0


# ---- what is sent along ---------------------------------------------------------------------------------------------


async def test_headers_say_who_asks_and_nothing_more(http: Http) -> None:
    """The user agent is ours; there are no cookies, no referrer, no telemetry."""
    answer = as_json({}, **{"set-cookie": "track=1; Path=/"})
    async with upstream(answer) as served:
        await post(http, at(served))
        await post(http, at(served))

        for received in served.requests:
            assert set(received.headers) == {
                "host", "user-agent", "accept", "accept-encoding", "content-type", "content-length"
            }  # fmt: skip
            assert received.headers["user-agent"] == "nearloop/1.2.3"
            assert received.path == "/v1/chat/completions"


async def test_connections_are_kept(http: Http) -> None:
    """Answers read to their end share one connection; the GET of a list does too."""
    async with upstream() as served:
        for _ in range(3):
            await post(http, at(served))
        with closing(await http.get(at(served), "models", {"x-a": "b"})) as reply:
            await reply.read()

        assert served.connections == 1
        assert [request.method for request in served.requests] == ["POST"] * 3 + ["GET"]
        assert (served.requests[3].path, served.requests[3].headers["x-a"]) == ("/v1/models", "b")


async def test_leaving_early_hangs_up(http: Http) -> None:
    """Who closes a reply in mid-answer closes the connection at once."""
    async with upstream(Answer((b"data: 1\n\n", Pause()))) as served, asyncio.timeout(5):
        with closing(await http.post(cleared(), at(served), "x", BODY, {}, Crossings())) as reply:
            assert await reply.chunk() == b"data: 1\n\n"

        await served.hung_up.wait()


async def test_cancelling_hangs_up(http: Http) -> None:
    """A caller that is cancelled while the server is silent frees the server."""
    async with upstream(Answer((b"data: 1\n\n", Pause()))) as served, asyncio.timeout(5):
        task = asyncio.create_task(post(http, at(served)))
        while not served.requests:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        await served.hung_up.wait()


# ---- what comes back ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_not_followed(http: Http, status: int) -> None:
    """A redirect is an error with the remedy, and the other address is never asked."""
    async with upstream() as other:
        async with upstream(Answer((), status, {"location": other.url})) as served:
            with pytest.raises(BadAnswer, match="put the final address into base_url"):
                await post(http, at(served))

        assert other.connections == 0


async def test_a_packed_answer_is_unpacked(http: Http) -> None:
    """gzip is understood."""
    async with upstream(packed(Answer((b"data: 1\n\n",)))) as served:
        assert await post(http, at(served)) == b"data: 1\n\n"


async def test_an_answer_is_bounded(quick: Http) -> None:
    """More than the limit is refused, also if it was small while packed."""
    bomb = Answer((gzip.compress(b"x" * 5_000_000),), headers={"content-encoding": "gzip"})
    async with upstream(Answer((b"x" * 6_000, b"x" * 6_000)), bomb) as served:
        for _ in range(2):
            with pytest.raises(BadAnswer, match="more than 10000 bytes"):
                await post(quick, at(served))


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (Answer((Cut(),), raw=True), Unreachable, "closed the connection without an answer"),
        (Answer((b"data: 1\n\n", Cut())), Unreachable, "went away in mid-answer"),
        (Answer((b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhalf",), raw=True), Unreachable, "went away"),
        (Answer((b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",), raw=True), ProviderError, "work"),
        (Answer((b"HTTP/1.1 20",), raw=True), ProviderError, "work"),
        (Answer((b"SSH-2.0-OpenSSH\r\n\r\n",), raw=True), BadAnswer, "isn't HTTP"),
        (Answer((b"HTTP/1.1 200 OK\r\n" + b"x: " + b"y" * 100_000 + b"\r\n\r\n",), raw=True), BadAnswer, "isn't HTTP"),
        (Answer((b"nonsense",), headers={"content-encoding": "gzip"}), ProviderError, "work"),
        (Answer((Pause(),), raw=True), Unreachable, r"didn't begin to answer"),
        (Answer((b"data: 1\n\n", Pause())), Unreachable, r"said nothing for 0\.3 s in mid-answer"),
    ],
)
async def test_what_breaks_is_told(answer: Answer, error: type[ProviderError], words: str) -> None:
    """Cuts, stalls and nonsense, wherever they come, are errors of ours that name the provider."""
    http = Http("1", Crossings(), Timeouts(connect_s=0.3, first_byte_s=0.3, between_s=0.3))
    async with upstream(answer) as served:
        with pytest.raises(error, match=words) as caught:
            await post(http, at(served))
    await http.close()

    assert str(caught.value).startswith("work")


@pytest.mark.parametrize("url", ["nowhere", "http://user:sk-secret@127.0.0.1/v1", "ftp://127.0.0.1"])
async def test_an_address_that_is_none(http: Http, url: str) -> None:
    """What is wrong with base_url is told, without what was in it."""
    with pytest.raises(Unreachable, match="work: base_url") as caught:
        await post(http, Target("work", url, Place.CLOUD))

    assert "sk-secret" not in str(caught.value)


# ---- names, proxies, TLS --------------------------------------------------------------------------------------------


async def test_localhost_is_this_machine_whatever_the_resolver_says(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name localhost is never looked up."""
    asked: list[str] = []
    original = asyncio.get_running_loop().getaddrinfo

    async def lookup(host: str, *args: Any, **options: Any) -> Any:
        asked.append(host)
        return await original(host, *args, **options)

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lookup)
    async with upstream() as served:
        target = Target("work", f"http://localhost:{served.port}/v1", Place.DEVICE)
        await post(http, target, cleared(place=Place.DEVICE))

        assert served.requests[0].headers["host"] == f"localhost:{served.port}"
    assert set(asked) <= {"127.0.0.1", "::1"}


@pytest.mark.parametrize(("place", "reaches"), [(Place.LAN, False), (Place.CLOUD, True)])
async def test_a_name_in_the_local_network_has_to_lead_into_it(
    http: Http, monkeypatch: pytest.MonkeyPatch, place: Place, reaches: bool
) -> None:
    """A name that passes for the local network and resolves to a public address is not connected to."""
    asked: list[str] = []

    async def lookup(host: str, port: int, *args: Any, **options: Any) -> Any:
        asked.append(host)
        return [(2, 1, 6, "", ("203.0.113.9", port))]

    async def connect(*args: Any, **options: Any) -> Any:
        raise ConnectionRefusedError

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lookup)
    monkeypatch.setattr("aiohappyeyeballs.start_connection", connect)
    monkeypatch.setattr("aiohttp.connector.aiohappyeyeballs.start_connection", connect)

    with pytest.raises(Unreachable, match="nothing answers at" if reaches else "leads nowhere that it may"):
        await post(http, Target("work", "http://box.local:9/v1", place))

    assert asked == ["box.local"]


async def test_a_name_that_is_not_there(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that can't be looked up says so."""

    async def lookup(*args: Any, **options: Any) -> Any:
        raise OSError("no such name")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lookup)

    with pytest.raises(Unreachable, match=r"the name api\.example\.com leads nowhere"):
        await post(http, Target("work", "https://api.example.com/v1", Place.CLOUD))


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "all_proxy"])
async def test_the_proxy_is_used_beyond_this_machine(
    http: Http, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """A cloud address goes through the proxy of the environment, with the proxy's own credentials."""
    async with upstream() as proxy:
        monkeypatch.setenv(variable, f"http://me:pw@127.0.0.1:{proxy.port}")

        await post(http, Target("work", "http://api.example.com/v1", Place.CLOUD))

        assert proxy.requests[0].path == "http://api.example.com/v1/chat/completions"
        assert proxy.requests[0].headers["proxy-authorization"].startswith("Basic ")


async def test_no_proxy_for_loopback(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loopback address never goes to a proxy, whatever the environment says and whatever its place is."""
    async with upstream() as proxy, upstream() as served:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")

        await post(http, at(served, Place.CLOUD))
        await post(http, at(served, Place.DEVICE))

        assert (proxy.connections, len(served.requests)) == (0, 2)


async def test_no_proxy_is_honoured(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host in NO_PROXY is connected to directly."""
    async with upstream() as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "example.com")
        monkeypatch.setattr(
            asyncio.get_running_loop(), "getaddrinfo", lambda *a, **k: (_ for _ in ()).throw(OSError("none"))
        )

        with pytest.raises(Unreachable):
            await post(http, Target("work", "http://api.example.com/v1", Place.CLOUD))

        assert proxy.connections == 0


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "socks4a://127.0.0.1:9"])
async def test_a_proxy_that_can_not_be_used_is_not_passed_by(
    http: Http, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    """Who set a proxy of another kind is told, and nothing goes around it."""
    monkeypatch.setenv("https_proxy", proxy)

    with pytest.raises(Unreachable, match=r"HTTPS_PROXY names a SOCKS proxy"):
        await post(http, Target("work", "https://api.example.com/v1", Place.CLOUD))


@needs_openssl
async def test_a_proxy_over_tls(http: Http, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An https:// proxy is asked over TLS, which is verified; its name and password go nowhere in clear."""
    context, ca = certificate(tmp_path)
    async with upstream(tls=context) as proxy:
        monkeypatch.setenv("http_proxy", f"https://me:pw@127.0.0.1:{proxy.port}")
        with pytest.raises(Unreachable):
            await post(http, Target("work", "http://api.example.com/v1", Place.CLOUD))
        assert not proxy.requests
        monkeypatch.setenv("SSL_CERT_FILE", str(ca))
        trusting = Http("1.2.3", Crossings())
        try:
            await post(trusting, Target("work", "http://api.example.com/v1", Place.CLOUD))
        finally:
            await trusting.close()

        assert proxy.requests[0].path == "http://api.example.com/v1/chat/completions"
        assert proxy.requests[0].headers["proxy-authorization"] == "Basic bWU6cHc="


async def test_a_proxy_that_refuses(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy that says no is named as the one to look at."""
    async with upstream(Answer((b"HTTP/1.1 407 Nope\r\ncontent-length: 0\r\n\r\n",), raw=True)) as proxy:
        monkeypatch.setenv("https_proxy", f"http://me:pw@127.0.0.1:{proxy.port}")

        with pytest.raises(Unreachable, match=r"the proxy didn't connect us .*HTTP 407.*HTTPS_PROXY"):
            await post(http, Target("work", "https://api.example.com/v1", Place.CLOUD))

        assert (proxy.requests[0].method, proxy.requests[0].path) == ("CONNECT", "api.example.com:443")
        assert proxy.requests[0].headers["proxy-authorization"] == "Basic bWU6cHc="
        assert "authorization" not in proxy.requests[0].headers


async def test_netrc_is_not_read(http: Http, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A password that netrc has for the host is not sent."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password pw\n")
    monkeypatch.setenv("NETRC", str(netrc))
    async with upstream() as served:
        await post(http, at(served))

        assert "authorization" not in served.requests[0].headers


@needs_openssl
async def test_an_unknown_certificate_is_refused(http: Http, tmp_path: Path) -> None:
    """TLS is verified: a certificate that nobody trusts ends the call before the request goes, with the remedy."""
    context, _ = certificate(tmp_path)
    crossed = Crossings()
    async with upstream(tls=context) as served:
        with pytest.raises(Unreachable, match=r"isn't trusted.*SSL_CERT_FILE"):
            await post(http, at(served), crossed=crossed)

        assert (bytes(served.bytes), crossed) == (b"", [])


@needs_openssl
@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
async def test_a_company_s_ca_is_trusted(
    http: Http, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str
) -> None:
    """A CA file named by the environment makes its servers trusted, and only for the names in their certificates."""
    context, ca = certificate(tmp_path)
    monkeypatch.setenv(variable, str(ca))
    async with upstream(tls=context) as served:
        assert await post(http, at(served))
        with pytest.raises(Unreachable, match="isn't trusted"):
            await post(http, Target("work", f"https://localhost:{served.port}/v1", Place.CLOUD))


@needs_openssl
async def test_who_vouches_for_the_other_end_is_told(
    http: Http, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The crossing names who signed the server's certificate, on a kept connection too; a CA of one's own is private."""
    context, ca = certificate(tmp_path, "/O=Wächter GmbH/CN=Inspection CA")
    monkeypatch.setenv("SSL_CERT_FILE", str(ca))
    crossed = Crossings()
    async with upstream(tls=context) as served:
        await post(http, at(served), crossed=crossed)
        await post(http, at(served), crossed=crossed)

    assert [each.tls for each in crossed] == [Tls("TLSv1.3", "Wächter GmbH", "Inspection CA", "private")] * 2


async def test_a_proxy_on_the_way_is_told(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    """The crossing names the proxy's host, and never its password."""
    crossed = Crossings()
    async with upstream() as proxy:
        monkeypatch.setenv("http_proxy", f"http://me:pw@127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "")
        await post(http, Target("work", "http://api.example/v1", Place.CLOUD), crossed=crossed)

    assert [(each.host, each.via) for each in crossed] == [("api.example", "127.0.0.1")]


async def test_a_ca_file_that_is_not_there_is_named(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong path in the environment is told as such."""
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    async with upstream() as served:
        with pytest.raises(Unreachable, match="can't be read: check SSL_CERT_FILE"):
            await post(http, Target("work", f"https://127.0.0.1:{served.port}/v1", Place.CLOUD))


async def test_tls_to_a_plain_server(http: Http) -> None:
    """https:// to a server without TLS says what to look at."""

    def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Unreachable, match="speaks no TLS that is safe: check base_url"):
            await post(http, Target("work", f"https://127.0.0.1:{port}/v1", Place.CLOUD))


def test_trust_is_what_the_system_trusts() -> None:
    """The context verifies names and certificates, and accepts nothing older than TLS 1.2."""
    context = client.tls_context()

    assert context.check_hostname
    assert context.verify_mode.name == "CERT_REQUIRED"
    assert context.minimum_version.name == "TLSv1_2"
