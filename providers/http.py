"""The one client that calls out: connections, time limits, TLS, proxies, and the last check before a request leaves.

The last check is `_check`: who posts shows the `Cleared` that the body was made from, and a place that is farther than it
permits, or nearer than the address can be, ends the call before a socket is looked for. What is sent is hashed here, from
the very bytes that go to the socket, and written down before they go (leaving.py). GET carries no words of a request and
needs no clearance; it is written down all the same.

Names are looked up according to the place: `localhost` is 127.0.0.1 and ::1 whatever the resolver says, and a name in the
local network has to lead into it. Proxies of the environment are used for everything but loopback; netrc and cookies never.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import ssl
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import aiohttp
from aiohttp.abc import AbstractStreamWriter
from aiohttp.resolver import ThreadedResolver
from msgspec import Struct
from msgspec.structs import replace
from yarl import URL

from providers.certificates import public_keys
from providers.cleared import Cleared, Crossing, Place, Returned, Witness
from providers.contract import BadAnswer, NotCleared, ProviderError, Unreachable
from providers.leaving import Passage, WitnessedConnector, passing
from providers.places import Address, address_of, may_be, url_of
from providers.proxies import ProxyUnusable, proxy_for
from providers.refusals import intercepted, refusal
from providers.target import Target

CONNECT_S: Final = 10.0
FIRST_BYTE_S: Final = 300.0
BETWEEN_S: Final = 120.0
LIMIT_BYTES: Final = 64 * 1024 * 1024
"""Of one answer, after unpacking. A million tokens with log-probabilities are about 100 bytes each."""
ERROR_LIMIT_BYTES: Final = 64 * 1024
ERROR_BODY_S: Final = 5.0
KEEP_ALIVE_S: Final = 30.0
DRAIN_S: Final = 0.1
"""How long the end of an answer that was understood is waited for, so that its connection can be used again."""

_HASH_IN_THREAD_BYTES: Final = 1024 * 1024
_STEP_BYTES: Final = 256 * 1024
_CA_VARIABLES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
_CA_FILES: Final = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem")
"""Where distributions keep theirs, for a Python whose own path leads nowhere."""

_NOTHING: Final = hashlib.sha256(b"").hexdigest()


class Timeouts(Struct, frozen=True):
    """How long to wait. first_byte_s: from the connection to the status line. between_s: between pieces of the answer."""

    connect_s: float = CONNECT_S
    first_byte_s: float = FIRST_BYTE_S
    between_s: float = BETWEEN_S


# ---- what goes out --------------------------------------------------------------------------------------------------


class _Body(aiohttp.payload.Payload):
    """Exact bytes, in steps."""

    _value: bytes

    def __init__(self, value: bytes) -> None:
        super().__init__(value, content_type="application/json")
        self._size = len(value)

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return self._value.decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        view = memoryview(self._value)
        for start in range(0, len(view), _STEP_BYTES):
            await writer.write(view[start : start + _STEP_BYTES])

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        await self.write(writer)


class _Resolver(ThreadedResolver):
    """Looks names up as the place allows. near: the address must be loopback (DEVICE) or in the local network (LAN)."""

    def __init__(self, near: Place) -> None:
        super().__init__()
        self._near = near

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[Any]:
        if self._near is Place.DEVICE:
            return [*await super().resolve("127.0.0.1", port, family), *await self._loopback6(port, family)]
        found = await super().resolve(host, port, family)
        if self._near is Place.LAN and any(address_of(each["host"]) is Address.PUBLIC for each in found):
            raise OSError("the name leads out of the local network")
        return list(found)

    async def _loopback6(self, port: int, family: Any) -> list[Any]:
        try:
            return list(await super().resolve("::1", port, family))
        except OSError:  # no IPv6 here
            return []


def tls_context() -> ssl.SSLContext:
    """Verification against what the system trusts, and the files that SSL_CERT_FILE and its kin name.

    macOS and Windows keep trust where OpenSSL can't look: there, truststore asks the system. Elsewhere OpenSSL reads the
    files once, here (30 ms), where truststore would for each connection. Raises OSError if a named file can't be read.
    """
    if sys.platform in ("darwin", "win32"):
        import truststore

        context: ssl.SSLContext = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    else:
        context = ssl.create_default_context()
        paths = ssl.get_default_verify_paths()
        if paths.cafile is None and not context.get_ca_certs():
            for file in _CA_FILES:
                if Path(file).is_file():
                    context.load_verify_locations(cafile=file)
                    break
    for variable in _CA_VARIABLES:
        if named := os.environ.get(variable):
            path = Path(named)
            context.load_verify_locations(**{"capath" if path.is_dir() else "cafile": named})
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    public_keys()  # read here, off the event loop, where receipts need them
    return context


# ---- what comes back ------------------------------------------------------------------------------------------------


class _Patience:
    """Ends a wait that lasts too long. It looks only when its time may be up, so that a wait costs no timer of its own."""

    def __init__(self, content: aiohttp.StreamReader, between_s: float) -> None:
        self._content = content
        self._between_s = between_s
        self._loop = asyncio.get_running_loop()
        self._waiting_since: float | None = None
        self._timer = self._loop.call_later(between_s, self._look)

    def begin(self) -> None:
        """Somebody waits from now on."""
        self._waiting_since = self._loop.time()

    def end(self) -> None:
        """Nobody waits any more."""
        self._waiting_since = None

    def stop(self) -> None:
        """Look no more."""
        self._timer.cancel()

    def _look(self) -> None:
        waited_s = self._loop.time() - self._waiting_since if self._waiting_since is not None else 0.0
        if waited_s >= self._between_s:
            self._content.set_exception(TimeoutError())
        else:
            self._timer = self._loop.call_later(self._between_s - waited_s, self._look)


class Reply:
    """An answer's head, and its body as it comes. Whoever got one closes it."""

    def __init__(
        self,
        target: Target,
        response: aiohttp.ClientResponse,
        passage: Passage,
        between_s: float,
        limit_bytes: int,
        connections: _Connections,
    ) -> None:
        self._connections: _Connections | None = connections
        self._target = target
        self._response = response
        self._passage = passage
        self._between_s = between_s
        self._limit_bytes = limit_bytes
        self._left_bytes = limit_bytes
        self._patience = _Patience(response.content, between_s)
        self.status: int = response.status
        self.headers: Mapping[str, str] = response.headers

    async def chunk(self) -> bytes:
        """The next piece of the body, unpacked, as it comes; empty at its end. Raises Unreachable, BadAnswer."""
        self._patience.begin()
        try:
            chunk = await self._response.content.readany()
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            raise _lost(self._target, error, self._between_s) from error
        finally:
            self._patience.end()
        self._left_bytes -= len(chunk)
        if self._left_bytes < 0:
            raise BadAnswer(f"{self._target.name} answered more than {self._limit_bytes} bytes: that is no answer")
        return chunk

    async def read(self) -> bytes:
        """The whole body."""
        chunks: list[bytes] = []
        while chunk := await self.chunk():
            chunks.append(chunk)
        return b"".join(chunks)

    async def drain(self) -> None:
        """Read past what follows the answer's end, if it comes at once."""
        content = self._response.content
        if content.at_eof():
            return
        with suppress(aiohttp.ClientError, OSError, TimeoutError, ValueError):
            async with asyncio.timeout(DRAIN_S):
                while await content.readany():
                    pass

    def close(self) -> None:
        """Give the connection back if the answer was read to its end, else close it."""
        self._patience.stop()
        self._passage.end(Returned(self.status, self._limit_bytes - self._left_bytes, self._response.content.at_eof()))
        self._response.close()
        if self._connections is not None:
            self._connections.busy -= 1
            self._connections = None

    @property
    def is_a_page(self) -> bool:
        """Whether somebody sent a page for people in place of a cloud's answer."""
        if self._target.place is not Place.CLOUD or address_of(self._response.url.host or "") is Address.LOOPBACK:
            return False
        return self.headers.get("content-type", "").partition(";")[0].strip().lower() == "text/html"

    async def problem(self, now: datetime | None = None) -> ProviderError:
        """What a status other than 200 means. Of the body, only numbers and short identifiers are told."""
        body = bytearray()
        with suppress(ProviderError, TimeoutError):  # the status says enough
            async with asyncio.timeout(ERROR_BODY_S):
                while len(body) < ERROR_LIMIT_BYTES and (chunk := await self.chunk()):
                    body += chunk[: ERROR_LIMIT_BYTES - len(body)]
        return refusal(self._target.name, self.status, self.headers, bytes(body), now or datetime.now(UTC))


class _Connections:
    """Those to one place. retired: nothing new is sent over them, and they end with what is under way."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.session = session
        self.busy = 0
        self.retired = False

    async def retire(self) -> None:
        """Let them go: those that nobody uses now, the others when their answers are over."""
        self.retired = True
        if not self.busy:
            await self.session.close()


class Http:
    """The client. Its connections belong to the loop of the first call; `close` ends them. One for all providers.

    witness: writes down what leaves for no request, such as a question for the list of models.
    """

    def __init__(
        self,
        version: str,
        witness: Witness,
        timeouts: Timeouts = Timeouts(),  # noqa: B008  # frozen
        limit_bytes: int = LIMIT_BYTES,
    ) -> None:
        self._witness = witness
        self._user_agent = f"nearloop/{version}"
        self._timeouts = timeouts
        self._limit_bytes = limit_bytes
        self._sessions: dict[Place, _Connections] = {}
        self._retired: list[_Connections] = []
        self._tls: ssl.SSLContext | None = None
        self._tls_lock = asyncio.Lock()

    async def post(
        self,
        cleared: Cleared,
        target: Target,
        path: str,
        body: bytes,
        headers: Mapping[str, str],
        crossed: Witness,
        key: str | None = None,
    ) -> Reply:
        """Send what was cleared. Raises NotCleared, NotWitnessed before anything leaves; Unreachable, BadAnswer.

        crossed: awaited before the first byte goes to the socket. key: the label of the one among the headers. Close the
        reply: before the answer's end that closes the connection.
        """
        url = _check(cleared, target)
        if len(body) > _HASH_IN_THREAD_BYTES:
            digest = await asyncio.to_thread(lambda: hashlib.sha256(body).hexdigest())
        else:
            digest = hashlib.sha256(body).hexdigest()
        crossing = Crossing(url.host or "", target.place, len(body), digest, target.name, body=body, key=key)
        return await self._exchange("POST", target, url, path, headers, _Body(body), crossing, crossed)

    async def get(self, target: Target, path: str, headers: Mapping[str, str], key: str | None = None) -> Reply:
        """Ask for something that depends on no request, such as the list of models. key: as `post` has it.

        Raises NotWitnessed, Unreachable, BadAnswer.
        """
        url = _address(target)
        crossing = Crossing(url.host or "", target.place, 0, _NOTHING, target.name, purpose="models", key=key)
        return await self._exchange("GET", target, url, path, headers, None, crossing, self._witness)

    async def renew(self) -> None:
        """Connect anew from now on: what is open may be dead, and names may lead elsewhere. Answers under way go on."""
        retired, self._retired = [*self._retired, *self._sessions.values()], []
        self._sessions = {}
        for connections in retired:
            await connections.retire()
        self._retired = [each for each in retired if each.busy]

    async def close(self) -> None:
        """End all connections."""
        for connections in (*self._retired, *self._sessions.values()):
            await connections.session.close()
        self._sessions.clear()
        self._retired.clear()

    async def _exchange(
        self,
        method: str,
        target: Target,
        url: URL,
        path: str,
        headers: Mapping[str, str],
        body: _Body | None,
        crossing: Crossing,
        witness: Witness,
    ) -> Reply:
        loopback = address_of(url.host or "") is Address.LOOPBACK
        connections = self._connections(Place.DEVICE if loopback else target.place)
        options: dict[str, Any] = {}
        wait_s = self._timeouts.connect_s + self._timeouts.first_byte_s
        asked = _joined(url, path)
        passage: Passage | None = None
        connections.busy += 1
        try:
            if not loopback:
                options |= proxy_for(url)
            if url.scheme == "https" or ("proxy" in options and options["proxy"].scheme == "https"):
                options["ssl"] = await self._trust()
            via = options["proxy"].host if "proxy" in options else None
            passage = Passage(witness, replace(crossing, path=asked.raw_path, via=via))
            with passing(passage):
                async with asyncio.timeout(wait_s):
                    response = await connections.session.request(
                        method, asked, data=body, headers=headers, allow_redirects=False, **options
                    )
        except BaseException as error:
            connections.busy -= 1
            if passage is not None:
                passage.end()
            if isinstance(error, aiohttp.ClientError | OSError | TimeoutError | ValueError):
                raise _unreachable(target, url, error, self._timeouts) from error
            raise
        passage.sent()
        if 300 <= response.status < 400:
            passage.end(Returned(response.status, 0, False))
            response.close()
            connections.busy -= 1
            if target.place is Place.CLOUD and _leads_elsewhere(url, response.headers.get("location", "")):
                raise intercepted(target.name)
            raise BadAnswer(
                f"{target.name} sends us on to another address (HTTP {response.status}), which is not followed: put the "
                "final address into base_url"
            )
        return Reply(target, response, passage, self._timeouts.between_s, self._limit_bytes, connections)

    def _connections(self, near: Place) -> _Connections:
        if near not in self._sessions:
            session = aiohttp.ClientSession(
                connector=WitnessedConnector(
                    resolver=_Resolver(near), limit=0, keepalive_timeout=KEEP_ALIVE_S, use_dns_cache=near is Place.CLOUD
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"user-agent": self._user_agent, "accept-encoding": "gzip, deflate"},
                timeout=aiohttp.ClientTimeout(total=None, connect=self._timeouts.connect_s),
                trust_env=False,
            )
            self._sessions[near] = _Connections(session)
        return self._sessions[near]

    async def _trust(self) -> ssl.SSLContext:
        async with self._tls_lock:
            if self._tls is None:
                self._tls = await asyncio.to_thread(tls_context)
            return self._tls


@lru_cache(maxsize=256)
def _joined(url: URL, path: str) -> URL:
    """A path with a slash in front is behind the host, others are behind all of the address."""
    base = url.origin() if path.startswith("/") else url
    return URL(f"{str(base).rstrip('/')}/{path.lstrip('/')}", encoded=True)


def _check(cleared: Cleared, target: Target) -> URL:
    """The last check. Raises NotCleared."""
    if not isinstance(cleared, Cleared):
        raise NotCleared("this request didn't pass the privacy boundary: nothing was sent")
    if not cleared.permits(target.place):
        raise NotCleared(
            f"this request may go no farther than {cleared.place.value}, and {target.name} is {target.place.value}: "
            "nothing was sent"
        )
    url = _address(target)
    if not may_be(address_of(url.host or ""), target.place):
        raise NotCleared(
            f"{target.name} passes for {target.place.value}, and its address is farther: nothing was sent; correct `place` "
            "in settings.toml"
        )
    return url


def _leads_elsewhere(url: URL, location: str) -> bool:
    """Whether a redirect of a public host leads to another one, as a network does that wants its users to sign in first."""
    if address_of(url.host or "") is not Address.PUBLIC:
        return False
    try:
        host = url.join(URL(location)).host or ""
    except ValueError:
        return True
    return host.removeprefix("www.") != (url.host or "").removeprefix("www.")


def _address(target: Target) -> URL:
    try:
        return url_of(target.base_url)
    except ValueError as error:
        raise Unreachable(f"{target.name}: {error}") from error


# ---- what went wrong ------------------------------------------------------------------------------------------------


def _unreachable(target: Target, url: URL, error: Exception, timeouts: Timeouts) -> ProviderError:
    """A failed connection in words: what happened, and what to do."""
    name, where = target.name, f"{url.host}:{url.port}"
    match error:
        case aiohttp.ClientConnectorCertificateError():
            return Unreachable(
                f"{name}: the certificate of {where} isn't trusted: if this network wants you to sign in, open a page in a "
                "browser and do so; if a company's proxy looks into TLS, name its CA file in SSL_CERT_FILE; if the server "
                "is yours, add its CA to the system's"
            )
        case aiohttp.ClientProxyConnectionError() | aiohttp.ClientHttpProxyError():
            status = f" (HTTP {error.status})" if isinstance(error, aiohttp.ClientHttpProxyError) else ""
            return Unreachable(
                f"{name}: the proxy didn't connect us to {where}{status}: check HTTPS_PROXY and NO_PROXY"
            )
        case aiohttp.ClientConnectorSSLError() | ssl.SSLError():
            return Unreachable(f"{name}: {where} speaks no TLS that is safe: check base_url, http:// or https://")
        case aiohttp.ClientConnectorDNSError():
            return Unreachable(f"{name}: the name {url.host} leads nowhere that it may: check base_url and the network")
        case aiohttp.ConnectionTimeoutError():
            return Unreachable(f"{name}: no connection to {where} within {timeouts.connect_s:g} s: check the network")
        case aiohttp.ClientConnectorError():
            remedy = "start it" if address_of(url.host or "") is Address.LOOPBACK else "check base_url and the network"
            return Unreachable(f"{name}: nothing answers at {where}: {remedy}")
        case TimeoutError():
            return Unreachable(
                f"{name} didn't begin to answer within {timeouts.first_byte_s:g} s: ask again, or another"
            )
        case aiohttp.ClientConnectionError() | aiohttp.ClientPayloadError():
            return Unreachable(f"{name} closed the connection without an answer: ask again")
        case OSError():
            return Unreachable(
                f"{name}: a file of trusted certificates can't be read: check {', '.join(_CA_VARIABLES)}"
            )
        case ProxyUnusable():
            return Unreachable(f"{name}: {error}")
        case _:
            return BadAnswer(f"{name} answered something that isn't HTTP: check base_url")


def _lost(target: Target, error: Exception, between_s: float) -> ProviderError:
    """An answer that broke off in words."""
    match error:
        case TimeoutError():
            return Unreachable(f"{target.name} said nothing for {between_s:g} s in mid-answer: ask again")
        case aiohttp.ContentTypeError() | aiohttp.http_exceptions.ContentEncodingError():
            return BadAnswer(f"{target.name} packed its answer in a way that can't be unpacked")
        case aiohttp.ClientError() | OSError():
            return Unreachable(f"{target.name} went away in mid-answer: ask again")
        case _:
            return BadAnswer(f"{target.name} answered something that isn't HTTP: check base_url")
