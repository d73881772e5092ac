"""What a hub says, in our words: addresses, redirects, headers, statuses, listings. No I/O.

What the hub says is not believed: redirects lead neither down from TLS nor onto this machine, and a digest counts only if
the hub's own origin names it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import msgspec
from msgspec import Struct
from yarl import URL

from daemon.errors import NearloopError
from daemon.partial_file import Source
from providers.places import Address, address_of
from providers.retry_after import retry_after_s

_LATER: Final = (408, 425, 429, 500, 502, 503, 504)
_SIZE: Final = re.compile(r"[0-9]{1,15}")
_RANGE: Final = re.compile(r"bytes ([0-9]{1,15})-([0-9]{1,15})/([0-9]{1,15})")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_DIGEST: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class NotFetched(NearloopError):
    """The file can't be had; asking again changes nothing, or may."""


class BrokenOff(Exception):
    """This try failed, and the next may not. after_s: what the server asks us to wait."""

    def __init__(self, why: str, after_s: float | None = None) -> None:
        super().__init__(why)
        self.after_s = after_s


class RemoteFile(Struct, frozen=True):
    """One file of a repository. sha256, size_bytes: what it has to be, where that is known beforehand."""

    repository: str
    revision: str
    name: str
    sha256: str | None = None
    size_bytes: int | None = None


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


def endpoint(text: str) -> URL:
    """The hub's address. Raises NotFetched if that is none."""
    try:
        url = URL(text.rstrip("/"))
        sound = url.scheme in ("http", "https") and url.host and url.port and url.user is None and not url.query_string
    except ValueError:
        sound = False
    if not sound:
        raise NotFetched("HF_ENDPOINT is no address such as https://huggingface.co: correct it, or unset it")
    return url


def is_local(url: URL) -> bool:
    """Whether it is on this machine."""
    return address_of(url.host or "") is Address.LOOPBACK


def onward(hub: URL, here: URL, location: str) -> URL:
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
    if not is_local(hub) and is_local(there):
        raise NotFetched(f"{here.host} sends us to this very machine, which is not followed")
    return there


def begin(headers: Mapping[str, str]) -> int:
    """Where the bytes of an answer stand in the file."""
    found = _RANGE.fullmatch(headers.get("content-range", ""))
    return int(found[1]) if found else 0


def source(headers: Mapping[str, str], said: Mapping[str, str]) -> Source:
    """What is known of a file. headers: of who sends it. said: what the hub itself told on the way there."""
    commit, linked_size, length = (
        said.get("x-repo-commit", ""), said.get("x-linked-size", ""), headers.get("content-length", "")
    )  # fmt: skip
    own = said.get("etag", "") if commit else ""  # of a file that the hub keeps itself; elsewhere an ETag is no digest
    digest = said.get("x-linked-etag", own).removeprefix("W/").strip('"')
    whole = _RANGE.fullmatch(headers.get("content-range", ""))
    size = whole[3] if whole else length or linked_size
    return Source(
        etag=headers.get("etag", ""),
        size_bytes=int(size) if _SIZE.fullmatch(size) else None,
        digest=digest if _DIGEST.fullmatch(digest) else None,
        commit=commit if _COMMIT.fullmatch(commit) else None,
    )


def agree(file: RemoteFile, source: Source) -> None:
    """Don't take gigabytes in of what will be refused. Raises NotFetched."""
    other_size = None not in (file.size_bytes, source.size_bytes) and file.size_bytes != source.size_bytes
    other_digest = file.sha256 and source.digest and len(source.digest) == 64 and source.digest != file.sha256
    if other_size or other_digest:
        raise NotFetched(
            f"the hub offers another {file.name} than was expected, by its size or digest: nothing was taken in"
        )


def check(hub: URL, url: URL, status: int, headers: Mapping[str, str], what: str, repository: str, token: bool) -> None:
    """Raise what a status means: NotFetched for good, BrokenOff for now.

    url: who answered. what: the file or repository that was asked for, in words. token: whether one was sent.
    """
    if status in (200, 206):
        if headers.get("content-encoding", "identity") != "identity":
            raise NotFetched(f"{url.host} packs what it sends, though it was asked not to")
        return
    if status == 404 or headers.get("x-error-code") in ("RepoNotFound", "EntryNotFound", "RevisionNotFound"):
        raise NotFetched(f"there is no {what} on {hub.host}: check the name, the revision and HF_ENDPOINT")
    if status in (401, 403) and url.origin() == hub.origin():
        terms = f"accept its terms at {hub}/{repository}"
        if token:
            raise NotFetched(
                f"{hub.host} does not let HF_TOKEN have {what}: {terms}, and see that the token may read it"
            )
        raise NotFetched(
            f"{hub.host} gives {what} to nobody without a token: {terms}, and put one of yours into HF_TOKEN"
        )
    if status in (*_LATER, 403):  # 403 of a store: its signed address has run out
        raise BrokenOff(f"{url.host} has no room now (HTTP {status})", retry_after_s(headers, datetime.now(UTC)))
    raise NotFetched(f"{url.host} answered HTTP {status}: check HF_ENDPOINT")


def listed(hub: URL, repository: str, revision: str, body: bytes) -> tuple[RemoteFile, ...]:
    """The files that a repository's description names, at the commit that it names. Raises NotFetched."""
    try:
        listing = msgspec.json.decode(body, type=_Listing)
    except msgspec.MsgspecError as error:
        raise NotFetched(f"{hub.host} lists {repository} in a way that can't be read") from error
    commit = listing.sha if listing.sha and _COMMIT.fullmatch(listing.sha) else revision
    return tuple(
        RemoteFile(repository, commit, each.rfilename, each.lfs.sha256 if each.lfs else None, each.size)
        for each in listing.siblings
    )
