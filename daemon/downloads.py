"""Files from a Hugging Face-compatible hub, taken in so that a broken transfer costs only what is missing.

A file grows as `FILE.partial`, with `FILE.partial.json` beside it that says what it is part of. The next try asks for the
rest, on the condition (If-Range) that the server still has the same bytes; if it has others, or knows no ranges, the file
begins anew. Only when its size and digest are right does it get its name, in one rename.

HF_TOKEN goes to the hub's own origin, and to nobody that the hub sends us to. What the hub says is read by hub_answers.py.
"""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeVar
from urllib.parse import quote

import aiohttp
from msgspec import Struct
from yarl import URL

from daemon.clock import SystemClock
from daemon.hub_answers import (
    BrokenOff,
    NotFetched,
    RemoteFile,
    agree,
    begin,
    check,
    endpoint,
    is_local,
    listed,
    onward,
    source,
)
from daemon.network import Network
from daemon.partial_file import PartialFile, Source
from providers.cleared import Crossing, Returned, Witness
from providers.contract import NotWitnessed
from providers.http import tls_context
from providers.leaving import Passage, WitnessedConnector, passing
from providers.places import place_of
from providers.proxies import proxy_for

PUBLIC_HUB: Final = "https://huggingface.co"
CONNECT_S: Final = 10.0
MAX_REDIRECTS: Final = 5
LISTING_LIMIT_BYTES: Final = 8 << 20
GAIN_BYTES: Final = 1 << 20
"""A try that brought this much more than any before it does not count as a failed one."""
LONGEST_PAUSE_S: Final = 60.0
_CHUNK_BYTES: Final = 256 << 10
_REDIRECTS: Final = (301, 302, 303, 307, 308)

T = TypeVar("T")
Progress = Callable[[int, int | None], None]
"""Told how many bytes of a file are here, and of how many, if that is known."""


class Patience(Struct, frozen=True):
    """tries: in a row without gain. pause_s: before the second one; doubled each time. stall_s: of silence in a transfer."""

    tries: int = 5
    pause_s: float = 1.0
    stall_s: float = 60.0


class Fetched(Struct, frozen=True):
    """A file that came whole. commit: the hub's own name for what it served, if it said one."""

    size_bytes: int
    sha256: str
    commit: str | None


class Hub:
    """A hub, asked by one person at a time. Use it as a context manager.

    token: for gated repositories, or None. witness: writes down each question before it is asked.
    """

    def __init__(
        self,
        address: str,
        token: str | None,
        version: str,
        witness: Witness,
        patience: Patience = Patience(),  # noqa: B008  # frozen
    ) -> None:
        self.endpoint = endpoint(address)
        if token and self.endpoint.scheme != "https" and not is_local(self.endpoint):
            raise NotFetched("HF_TOKEN would travel in clear to this hub: unset it, or put https:// into HF_ENDPOINT")
        self._token = token
        self._version = version
        self._witness = witness
        self._patience = patience
        self._tls: ssl.SSLContext | None = None

    async def __aenter__(self) -> Hub:
        self._session = aiohttp.ClientSession(
            connector=WitnessedConnector(),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"user-agent": f"nearloop/{self._version}", "accept-encoding": "identity"},
            timeout=aiohttp.ClientTimeout(total=None, connect=CONNECT_S, sock_read=self._patience.stall_s),
            auto_decompress=False,
            trust_env=False,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._session.close()

    async def files(self, repository: str, revision: str) -> tuple[RemoteFile, ...]:
        """All files of a repository, bound to the commit that the hub names. Raises NotFetched."""
        asked = f"api/models/{quote(repository)}/revision/{quote(revision, safe='')}?blobs=true"

        async def once() -> bytes:
            async with self._get(self._url(asked), {}) as (answer, _):
                self._check(answer, repository, repository)
                return await _read(answer)

        return listed(self.endpoint, repository, revision, await self._persist(once, lambda: 0))

    async def fetch(self, file: RemoteFile, target: Path, progress: Progress) -> Fetched:
        """Have `file` at `target`, going on where an earlier try stopped.

        Raises NotFetched; what came is kept unless it is wrong. The caller makes sure that nobody else fetches the same.
        """
        with PartialFile(target) as partial:
            origin = await self._persist(lambda: self._transfer(file, partial, progress), lambda: partial.size)
            digests = await asyncio.to_thread(partial.digests)
            for wanted in (file.sha256, origin.digest):
                if wanted and wanted not in digests:
                    partial.discard()
                    raise NotFetched(
                        f"{file.name} came with another digest than it should have and was deleted: fetch it again; if that "
                        "changes nothing, the hub or somebody on the way offers another file"
                    )
            size_bytes = partial.size
            partial.keep()
        return Fetched(size_bytes, digests[0], origin.commit)

    async def _persist(self, attempt: Callable[[], Awaitable[T]], gained: Callable[[], int]) -> T:
        """Try until it works, with growing pauses. gained: how far it is, so that progress is told from mere trying."""
        tries, best = 0, gained()
        while True:
            try:
                return await attempt()
            except BrokenOff as error:
                tries = 1 if gained() >= best + GAIN_BYTES else tries + 1
                best = max(best, gained())
                asked = error.after_s or 0.0
                if tries >= self._patience.tries or asked > LONGEST_PAUSE_S:
                    wait = f" (it asks to wait {asked:.0f} s)" if asked else ""
                    kept = "; what came is kept, and the same command goes on from there" if gained() else ""
                    raise NotFetched(f"{error}{wait}: try again later, or check the network{kept}") from error
                await asyncio.sleep(max(asked, self._patience.pause_s * 2 ** (tries - 1)))

    async def _transfer(self, file: RemoteFile, partial: PartialFile, progress: Progress) -> Source:
        """One try. Returns where the file comes from, once all of it is here."""
        known = partial.source
        if known and known.size_bytes == partial.size and known.size_bytes:
            return known  # all of it came, and the last step was not reached
        start, headers = partial.size if known else 0, {}
        if known and start:
            headers = {"range": f"bytes={start}-", "if-range": known.etag}
        path = f"{quote(file.repository)}/resolve/{quote(file.revision, safe='')}/{quote(file.name)}"
        async with self._get(self._url(path), headers) as (answer, said):
            origin = source(answer.headers, said)
            other = answer.status == 206 and known and not (known.same_bytes(origin) and begin(answer.headers) == start)
            if answer.status == 416 or other:
                partial.restart(None)
                raise BrokenOff(f"{file.name} changed on the hub meanwhile")
            self._check(answer, file.repository, f"{file.name} of {file.repository}")
            agree(file, origin)
            if answer.status == 200 or not start:
                partial.restart(origin)
            partial.make_room(origin)
            progress(partial.size, origin.size_bytes)
            await self._receive(file, answer, partial, origin, progress)
        return origin

    async def _receive(
        self, file: RemoteFile, answer: aiohttp.ClientResponse, partial: PartialFile, origin: Source, progress: Progress
    ) -> None:
        try:
            async for chunk in answer.content.iter_chunked(_CHUNK_BYTES):
                if origin.size_bytes is not None and partial.size + len(chunk) > origin.size_bytes:
                    partial.discard()
                    raise NotFetched(f"the hub sends more of {file.name} than it announced; what came was deleted")
                partial.append(chunk)
                progress(partial.size, origin.size_bytes)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise BrokenOff(f"the transfer of {file.name} broke off") from error
        if origin.size_bytes is not None and partial.size < origin.size_bytes:
            raise BrokenOff(f"the transfer of {file.name} ended early")

    @asynccontextmanager
    async def _get(
        self, url: URL, headers: Mapping[str, str]
    ) -> AsyncIterator[tuple[aiohttp.ClientResponse, Mapping[str, str]]]:
        """The answer at the end of the redirects, and what the hub itself said in its headers."""
        said: Mapping[str, str] = {}
        for _ in range(1 + MAX_REDIRECTS):
            answer, passage = await self._ask(url, headers)
            try:
                if url.origin() == self.endpoint.origin():
                    said = answer.headers if "x-linked-etag" not in said else said
                if answer.status not in _REDIRECTS:
                    yield answer, said
                    return
                url = onward(self.endpoint, url, answer.headers.get("location", ""))
            finally:
                passage.end(Returned(answer.status, answer.content.total_bytes, answer.content.at_eof()))
                answer.close()
        raise NotFetched(f"{self.endpoint} sends us from address to address: check HF_ENDPOINT")

    async def _ask(self, url: URL, headers: Mapping[str, str]) -> tuple[aiohttp.ClientResponse, Passage]:
        local = is_local(url)
        sent = dict(headers)
        if self._token and url.origin() == self.endpoint.origin():
            sent["authorization"] = f"Bearer {self._token}"
        try:
            options: dict[str, Any] = {} if local else proxy_for(url)
            if url.scheme == "https":
                options["ssl"] = await self._trust()
            passage = Passage(self._witness, _crossing(url, options["proxy"].host if "proxy" in options else None))
            try:
                with passing(passage):
                    return await self._session.get(url, headers=sent, allow_redirects=False, **options), passage
            except BaseException:
                passage.end()
                raise
        except NotWitnessed as error:
            raise NotFetched(str(error)) from error
        except (aiohttp.ClientConnectorCertificateError, ssl.SSLError) as error:
            raise NotFetched(
                f"the certificate of {url.host} isn't trusted: if a company's proxy looks into TLS, name its CA file in "
                "SSL_CERT_FILE"
            ) from error
        except (aiohttp.ClientProxyConnectionError, aiohttp.ClientHttpProxyError) as error:
            raise NotFetched(f"the proxy didn't connect us to {url.host}: check HTTPS_PROXY and NO_PROXY") from error
        except aiohttp.ClientConnectorError as error:
            if not local and not Network(SystemClock()).online():
                raise NotFetched(
                    "this machine is on no network: connect it, and start the same command again"
                ) from error
            raise BrokenOff(f"{url.host} can't be reached") from error
        except (aiohttp.ClientError, TimeoutError) as error:
            raise BrokenOff(f"{url.host} closed the connection without an answer") from error
        except OSError as error:
            raise NotFetched("a file of trusted certificates can't be read: check SSL_CERT_FILE") from error
        except ValueError as error:
            raise NotFetched(f"{error}: check HTTPS_PROXY") from error

    def _url(self, path: str) -> URL:
        return URL(f"{str(self.endpoint).rstrip('/')}/{path}", encoded=True)

    async def _trust(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = await asyncio.to_thread(tls_context)
        return self._tls

    def _check(self, answer: aiohttp.ClientResponse, repository: str, what: str) -> None:
        check(self.endpoint, answer.url, answer.status, answer.headers, what, repository, self._token is not None)


def _crossing(url: URL, via: str | None) -> Crossing:
    """What is asked: no words, so the address is all there is to it."""
    nothing = hashlib.sha256(b"").hexdigest()
    place = place_of(str(url.origin()), None)
    return Crossing(url.host or "", place, 0, nothing, "hub", url.raw_path, purpose="download", via=via)


async def _read(answer: aiohttp.ClientResponse) -> bytes:
    """A whole body that is no file."""
    body = bytearray()
    try:
        async for chunk in answer.content.iter_chunked(_CHUNK_BYTES):
            body += chunk
            if len(body) > LISTING_LIMIT_BYTES:
                raise NotFetched(f"{answer.url.host} lists more than can be meant: name the file that you want")
    except (aiohttp.ClientError, TimeoutError) as error:
        raise BrokenOff("the list of files broke off") from error
    return bytes(body)
