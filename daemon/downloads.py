"""Files from a Hugging Face-compatible hub, taken in so that a broken transfer costs only what is missing.

A file grows as `FILE.partial`, with `FILE.partial.json` beside it that says what it is part of. The next try asks for the
rest, on the condition (If-Range) that the server still has the same bytes; if it has others, or knows no ranges, the file
begins anew. Only when its size and digest are right does it get its name, in one rename.

What the hub says is not believed: file names are checked before a path is made of them, redirects lead neither down from
TLS nor onto this machine, and HF_TOKEN goes to the hub's own origin and to nobody that the hub sends us to.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeVar
from urllib.parse import quote

import aiohttp
import msgspec
from msgspec import Struct
from yarl import URL

from daemon.clock import SystemClock
from daemon.errors import NearloopError
from daemon.network import Network
from daemon.partial_file import PartialFile, Source
from providers.http import proxy_for, tls_context
from providers.places import Address, address_of
from providers.refusals import retry_after_s

PUBLIC_HUB: Final = "https://huggingface.co"
CONNECT_S: Final = 10.0
MAX_REDIRECTS: Final = 5
LISTING_LIMIT_BYTES: Final = 8 << 20
GAIN_BYTES: Final = 1 << 20
"""A try that brought this much more than any before it does not count as a failed one."""
LONGEST_PAUSE_S: Final = 60.0
_CHUNK_BYTES: Final = 256 << 10
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_LATER: Final = (408, 425, 429, 500, 502, 503, 504)
_RANGE: Final = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_DIGEST: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

T = TypeVar("T")
Progress = Callable[[int, int | None], None]
"""Told how many bytes of a file are here, and of how many, if that is known."""


class NotFetched(NearloopError):
    """The file can't be had; asking again changes nothing, or may."""


class _BrokenOff(Exception):
    """This try failed, and the next may not. after_s: what the server asks us to wait."""

    def __init__(self, why: str, after_s: float | None = None) -> None:
        super().__init__(why)
        self.after_s = after_s


class Patience(Struct, frozen=True):
    """tries: in a row without gain. pause_s: before the second one; doubled each time. stall_s: of silence in a transfer."""

    tries: int = 5
    pause_s: float = 1.0
    stall_s: float = 60.0


class RemoteFile(Struct, frozen=True):
    """One file of a repository. sha256, size_bytes: what it has to be, where that is known beforehand."""

    repository: str
    revision: str
    name: str
    sha256: str | None = None
    size_bytes: int | None = None


class Fetched(Struct, frozen=True):
    """A file that came whole. commit: the hub's own name for what it served, if it said one."""

    size_bytes: int
    sha256: str
    commit: str | None


class _Lfs(Struct, frozen=True):
    sha256: str | None = None


class _Sibling(Struct, frozen=True):
    rfilename: str
    size: int | None = None
    lfs: _Lfs | None = None


class _Listing(Struct, frozen=True):
    """What is read of /api/models/…/revision/…; source: the hub's openapi."""

    sha: str | None = None
    siblings: tuple[_Sibling, ...] = ()


class Hub:
    """A hub, asked by one person at a time. Use it as a context manager. token: for gated repositories, or None."""

    def __init__(self, endpoint: str, token: str | None, version: str, patience: Patience = Patience()) -> None:  # noqa: B008  # frozen
        self.endpoint = _endpoint(endpoint)
        self._local = address_of(self.endpoint.host or "") is Address.LOOPBACK
        if token and self.endpoint.scheme != "https" and not self._local:
            raise NotFetched("HF_TOKEN would travel in clear to this hub: unset it, or put https:// into HF_ENDPOINT")
        self._token = token
        self._version = version
        self._patience = patience
        self._tls: ssl.SSLContext | None = None

    async def __aenter__(self) -> Hub:
        self._session = aiohttp.ClientSession(
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
                self._check(answer, repository, None)
                return await answer.content.read(LISTING_LIMIT_BYTES)

        body = await self._persist(once, lambda: 0)
        try:
            listing = msgspec.json.decode(body, type=_Listing)
        except msgspec.MsgspecError as error:
            raise NotFetched(f"{self.endpoint} lists {repository} in a way that can't be read") from error
        commit = listing.sha if listing.sha and _COMMIT.fullmatch(listing.sha) else revision
        return tuple(
            RemoteFile(repository, commit, each.rfilename, each.lfs.sha256 if each.lfs else None, each.size)
            for each in listing.siblings
        )

    async def fetch(self, file: RemoteFile, target: Path, progress: Progress) -> Fetched:
        """Have `file` at `target`, going on where an earlier try stopped.

        Raises NotFetched; what came is kept unless it is wrong. The caller makes sure that nobody else fetches the same.
        """
        with PartialFile(target) as partial:
            source = await self._persist(lambda: self._transfer(file, partial, progress), lambda: partial.size)
            digests = await asyncio.to_thread(partial.digests)
            for wanted in (file.sha256, source.digest):
                if wanted and wanted not in digests:
                    partial.discard()
                    raise NotFetched(
                        f"{file.name} came with another digest than it should have and was deleted: fetch it again; if that "
                        "changes nothing, the hub or somebody on the way offers another file"
                    )
            size_bytes = partial.size
            partial.keep()
        return Fetched(size_bytes, digests[0], source.commit)

    async def _persist(self, attempt: Callable[[], Awaitable[T]], gained: Callable[[], int]) -> T:
        """Try until it works, with growing pauses. gained: how far it is, so that progress is told from mere trying."""
        tries, best = 0, gained()
        while True:
            try:
                return await attempt()
            except _BrokenOff as error:
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
            source = _source(answer, said)
            other = answer.status == 206 and known and not (known.same_bytes(source) and _begin(answer) == start)
            if answer.status == 416 or other:
                partial.restart(None)
                raise _BrokenOff(f"{file.name} changed on the hub meanwhile")
            self._check(answer, file.repository, file)
            _agree(file, source)
            if answer.status == 200 or not start:
                partial.restart(source)
            partial.make_room(source)
            progress(partial.size, source.size_bytes)
            await self._receive(file, answer, partial, source, progress)
        return source

    async def _receive(
        self, file: RemoteFile, answer: aiohttp.ClientResponse, partial: PartialFile, source: Source, progress: Progress
    ) -> None:
        try:
            async for chunk in answer.content.iter_chunked(_CHUNK_BYTES):
                if source.size_bytes is not None and partial.size + len(chunk) > source.size_bytes:
                    partial.discard()
                    raise NotFetched(f"the hub sends more of {file.name} than it announced; what came was deleted")
                partial.append(chunk)
                progress(partial.size, source.size_bytes)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise _BrokenOff(f"the transfer of {file.name} broke off") from error
        if source.size_bytes is not None and partial.size < source.size_bytes:
            raise _BrokenOff(f"the transfer of {file.name} ended early")

    @asynccontextmanager
    async def _get(
        self, url: URL, headers: Mapping[str, str]
    ) -> AsyncIterator[tuple[aiohttp.ClientResponse, Mapping[str, str]]]:
        """The answer at the end of the redirects, and what the hub itself said in its headers."""
        said: Mapping[str, str] | None = None
        for _ in range(1 + MAX_REDIRECTS):
            answer = await self._ask(url, headers)
            try:
                said = answer.headers if said is None or "x-linked-etag" in answer.headers else said
                if answer.status not in _REDIRECTS:
                    yield answer, said
                    return
                url = self._onward(url, answer.headers.get("location", ""))
            finally:
                answer.close()
        raise NotFetched(f"{self.endpoint} sends us from address to address: check HF_ENDPOINT")

    async def _ask(self, url: URL, headers: Mapping[str, str]) -> aiohttp.ClientResponse:
        local = address_of(url.host or "") is Address.LOOPBACK
        sent = dict(headers)
        if self._token and url.origin() == self.endpoint.origin():
            sent["authorization"] = f"Bearer {self._token}"
        try:
            options: dict[str, Any] = {} if local else proxy_for(url)
            if url.scheme == "https":
                options["ssl"] = await self._trust()
            return await self._session.get(url, headers=sent, allow_redirects=False, **options)
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
            raise _BrokenOff(f"{url.host} can't be reached") from error
        except (aiohttp.ClientError, TimeoutError) as error:
            raise _BrokenOff(f"{url.host} closed the connection without an answer") from error
        except OSError as error:
            raise NotFetched("a file of trusted certificates can't be read: check SSL_CERT_FILE") from error
        except ValueError as error:
            raise NotFetched(f"{error}: check HTTPS_PROXY") from error

    def _onward(self, here: URL, location: str) -> URL:
        """Where a redirect leads. Raises NotFetched where it must not."""
        try:
            there = here.join(URL(location, encoded=True))  # signed addresses must stay as they are
            host = there.host or ""
        except ValueError:
            host = ""
        if not host or there.scheme not in ("http", "https"):
            raise NotFetched(f"{here.host} sends us to something that is no address: check HF_ENDPOINT")
        if here.scheme == "https" and there.scheme != "https":
            raise NotFetched(f"{here.host} sends us from https:// to http://, which is not followed")
        if not self._local and address_of(host) is Address.LOOPBACK:
            raise NotFetched(f"{here.host} sends us to this very machine, which is not followed")
        return there

    def _url(self, path: str) -> URL:
        return URL(f"{str(self.endpoint).rstrip('/')}/{path}", encoded=True)

    async def _trust(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = await asyncio.to_thread(tls_context)
        return self._tls

    def _check(self, answer: aiohttp.ClientResponse, repository: str, file: RemoteFile | None) -> None:
        """Raise what a status means: NotFetched for good, _BrokenOff for now."""
        status, code = answer.status, answer.headers.get("x-error-code", "")
        if status in (200, 206):
            if answer.headers.get("content-encoding", "identity") != "identity":
                raise NotFetched(f"{answer.url.host} packs what it sends, though it was asked not to")
            return
        what = f"{file.name} of {repository}" if file else repository
        own = answer.url.origin() == self.endpoint.origin()
        if status == 404 or code in ("RepoNotFound", "EntryNotFound", "RevisionNotFound"):
            raise NotFetched(
                f"there is no {what} on {self.endpoint.host}: check the name, the revision and HF_ENDPOINT"
            )
        if status in (401, 403) and own:
            if self._token:
                raise NotFetched(
                    f"{self.endpoint.host} does not let HF_TOKEN have {what}: accept its terms at "
                    f"{self.endpoint}/{repository}, and see that the token may read it"
                )
            raise NotFetched(
                f"{self.endpoint.host} gives {what} to nobody without a token: accept its terms at "
                f"{self.endpoint}/{repository}, and put a token of yours into HF_TOKEN"
            )
        if status in (*_LATER, 403):  # 403 of a store: its signed address has run out
            raise _BrokenOff(f"{answer.url.host} has no room now (HTTP {status})", _wait_s(answer))
        raise NotFetched(f"{answer.url.host} answered HTTP {status}: check HF_ENDPOINT")


def _endpoint(text: str) -> URL:
    try:
        url = URL(text.rstrip("/"))
        sound = url.scheme in ("http", "https") and url.host and url.port and url.user is None and not url.query_string
    except ValueError:
        sound = False
    if not sound:
        raise NotFetched("HF_ENDPOINT is no address such as https://huggingface.co: correct it, or unset it")
    return url


def _wait_s(answer: aiohttp.ClientResponse) -> float | None:
    return retry_after_s(answer.headers, datetime.now(UTC))


def _begin(answer: aiohttp.ClientResponse) -> int:
    """Where the bytes of this answer stand in the file."""
    found = _RANGE.fullmatch(answer.headers.get("content-range", ""))
    return int(found[1]) if found else 0


def _source(answer: aiohttp.ClientResponse, said: Mapping[str, str]) -> Source:
    """What is known of the file, by the hub's headers and the store's."""
    commit, size = said.get("x-repo-commit", ""), said.get("x-linked-size", "")
    own = said.get("etag", "") if commit else ""  # of a file that the hub keeps itself; elsewhere an ETag is no digest
    linked = said.get("x-linked-etag", own).removeprefix("W/").strip('"')
    whole = _RANGE.fullmatch(answer.headers.get("content-range", ""))
    length = int(whole[3]) if whole else answer.content_length
    return Source(
        etag=answer.headers.get("etag", ""),
        size_bytes=length if length is not None else int(size) if size.isdecimal() else None,
        digest=linked if _DIGEST.fullmatch(linked) else None,
        commit=commit if _COMMIT.fullmatch(commit) else None,
    )


def _agree(file: RemoteFile, source: Source) -> None:
    """Don't take gigabytes in of what will be refused. Raises NotFetched."""
    other_size = None not in (file.size_bytes, source.size_bytes) and file.size_bytes != source.size_bytes
    other_digest = file.sha256 and source.digest and len(source.digest) == 64 and source.digest != file.sha256
    if other_size or other_digest:
        raise NotFetched(f"the hub offers another {file.name} than the catalogue names: nothing was taken in")
