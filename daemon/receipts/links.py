"""The links of the chain of receipts: what a line of its files says.

Theory of operation. A link is one line of JSON. It holds its number and, as `before`, the SHA-256 of the line before it, of
its exact bytes without the line's end. So nothing has to be written in some canonical form to be checked, and
`sed -n 5p FILE | tr -d '\\n' | sha256sum` checks a line by hand. Whoever changes, removes or inserts a line has to write all
later ones anew, and then the last one's digest, the head, is another.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from daemon.wire import CrossingOutcome, PricedBy, Receipt

START: Final = "0" * 64
"""What the very first link has before it."""


class Link(Struct, frozen=True, kw_only=True, tag_field="kind"):
    """Any link. at: when it was written, by this machine's clock."""

    at: Annotated[datetime, Meta(tz=True)]
    number: int = 0
    before: str = START


class Crossed(Link, frozen=True, kw_only=True, tag="crossing"):
    """Something is about to leave; it does so only once this is on the disk. receipt: with no outcome yet."""

    receipt: Receipt


class Ended(Link, frozen=True, kw_only=True, tag="outcome", omit_defaults=True):
    """How crossing number `of` ended."""

    of: int
    outcome: CrossingOutcome
    status: int | None = None
    answer_bytes: int | None = None
    cost_usd: float | None = None
    priced_by: PricedBy | None = None
    prices_as_of: str | None = None


class Started(Link, frozen=True, kw_only=True, tag="started"):
    """A daemon began."""

    version: str
    pid: int


class Stopped(Link, frozen=True, kw_only=True, tag="stopped"):
    """The daemon that link `of` started ended in order."""

    of: int


class Pruned(Link, frozen=True, kw_only=True, tag="pruned"):
    """The user had all up to link number `through` deleted. head: that link's digest, which is before the next one."""

    through: int
    head: str


class Mended(Link, frozen=True, kw_only=True, tag="mended"):
    """The chain's end was torn, by a power cut or a full disk: these last bytes were no whole link, and were cut off."""

    size_bytes: int
    sha256: str


class Later(Link, frozen=True, kw_only=True):
    """A link of a kind that a newer version writes."""


AnyLink = Crossed | Ended | Started | Stopped | Pruned | Mended

_decode: Final = msgspec.json.Decoder(AnyLink).decode
_decode_any: Final = msgspec.json.Decoder(dict[str, object]).decode
_encode: Final = msgspec.json.Encoder().encode


def line_of(link: Link) -> bytes:
    """A link as its line, without the line's end."""
    return _encode(link)


def link_of(line: bytes) -> Link:
    """The link that a line says. Raises ValueError if it is none."""
    try:
        return _decode(line)
    except msgspec.DecodeError:
        pass
    try:
        fields = _decode_any(line)
        kind, own = fields.get("kind"), {name: fields.get(name) for name in ("at", "number", "before")}
        if not isinstance(kind, str) or kind in _KINDS:
            raise ValueError("a link of the chain has not the fields of its kind")
        return msgspec.convert({"kind": "Later", **own}, Later)
    except msgspec.DecodeError as error:
        raise ValueError("this is no link of the chain") from error


_KINDS: Final = ("crossing", "outcome", "started", "stopped", "pruned", "mended")


def digest_of(line: bytes) -> str:
    """What the next link holds of a line."""
    return hashlib.sha256(line).hexdigest()
