"""Signed reasoning and calls, on their way to a client and back: their maker has to get the very bytes that it signed.

Theory of operation. A provider signs what it wrote, with aliases in it; the client is shown the values, and sends those
back. Masking them anew gives the same aliases as long as nothing else is found, and nobody can promise that. A signature
comes behind the words, which a streaming client has by then, so it can't be told beforehand either. So what was signed is
remembered under its signature: in memory, as it came, which holds the provider's words and aliases and no values. What
comes back with a known signature and unchanged goes out as it was signed, whatever is found in it by now: who gets it
wrote it. What comes back otherwise (changed, forgotten, of another provider, client or session) is words like any other:
masked, and without its signature. No signature leaves that didn't come from where it goes.

A signature on a tool call is something else: no client's protocol has a place for it, and it is not of the call's words. It
is remembered under the call's id, which clients give back, as the call's note.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from datetime import timedelta
from hashlib import blake2b
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from daemon.clock import Clock, Moment
from providers.contract import Message, Part, Request, Thought, ToolCall

KEPT_CHARS: Final = 16 << 20
"""Of all that is remembered; the oldest goes first. What takes more than a quarter alone is not remembered."""
KEPT_S: Final = 24 * 3600.0
"""Longer than a conversation rests over night."""
_OF_AN_ENTRY: Final = 200
"""What it takes beside its words, in characters."""


class Signed(Struct, frozen=True):
    """What was signed. text: as its maker wrote it. shown: as the client was told it. note: as a Thought has it."""

    signature: str
    text: str
    shown: str
    redacted: bool
    note: str | None


class SignedCall(Struct, frozen=True):
    """What came with a signature beside it. note: as a ToolCall has it."""

    id: str
    name: str
    note: str


Keep: TypeAlias = Callable[[Signed | SignedCall], None]


class _Kept(Struct, frozen=True):
    """One of them. shown: a digest, since it holds the user's values. at: when it came."""

    text: str
    shown: bytes
    redacted: bool
    note: str | None
    at: Moment

    @property
    def size_chars(self) -> int:
        return len(self.text) + len(self.note or "") + _OF_AN_ENTRY


class SignedThoughts:
    """What providers signed while this process lives. kept_chars: see KEPT_CHARS."""

    def __init__(self, clock: Clock, kept_chars: int = KEPT_CHARS) -> None:
        self._clock = clock
        self._most = kept_chars
        self._kept: OrderedDict[bytes, _Kept] = OrderedDict()
        self.size_chars = 0

    def keep(self, request: Request, provider: str, signed: Signed | SignedCall) -> None:
        """Remember what a provider answered to a request."""
        if isinstance(signed, SignedCall):
            key = _key(request, provider, signed.id, signed.name)
            kept = _Kept("", b"", False, signed.note, Moment(self._clock))
        else:
            key = _key(request, provider, signed.signature)
            kept = _Kept(signed.text, _digest(signed.shown), signed.redacted, signed.note, Moment(self._clock))
        self._drop(key)
        if kept.size_chars > self._most // 4:
            return
        self._kept[key] = kept
        self.size_chars += kept.size_chars
        while self._kept and self.size_chars > self._most:
            self._drop(next(iter(self._kept)))
        self.forget_older(timedelta(seconds=KEPT_S))

    def given_back(self, asked: Request, masked: Request, provider: str) -> Request:
        """A masked request with each thought as this provider signed it, or without a signature. asked: as it was before."""
        if not any(_may_be_signed(part) for message in asked.messages for part in message.parts):
            return masked
        self.forget_older(timedelta(seconds=KEPT_S))
        messages = tuple(
            Message(
                new.role, tuple(self._part(asked, provider, *pair) for pair in zip(old.parts, new.parts, strict=True))
            )
            for old, new in zip(asked.messages, masked.messages, strict=True)
        )
        return replace(masked, messages=messages)

    def forget_older(self, span: timedelta) -> None:
        """What is older than so long."""
        while self._kept and (key := next(iter(self._kept))) and self._kept[key].at.age_s >= span.total_seconds():
            self._drop(key)

    def _part(self, asked: Request, provider: str, old: Part, new: Part) -> Part:
        if isinstance(old, ToolCall) and isinstance(new, ToolCall):
            beside = self._kept.get(_key(asked, provider, old.id, old.name))
            return new if beside is None else replace(new, note=beside.note)
        if not isinstance(old, Thought) or not isinstance(new, Thought) or old.signature is None:
            return new
        kept = self._kept.get(_key(asked, provider, old.signature))
        # a client that asked for thoughts without their words sends them back without
        if kept is None or (old.text and _digest(old.text) != kept.shown):
            return Thought(new.text, None, old.redacted)
        return Thought(kept.text, old.signature, kept.redacted, kept.note)

    def _drop(self, key: bytes) -> None:
        if (kept := self._kept.pop(key, None)) is not None:
            self.size_chars -= kept.size_chars


def signatures(request: Request) -> int:
    """How many thoughts have one."""
    return sum(_is_signed(part) for message in request.messages for part in message.parts)


def _is_signed(part: Part) -> bool:
    return isinstance(part, Thought) and part.signature is not None


def _may_be_signed(part: Part) -> bool:
    return isinstance(part, ToolCall) or _is_signed(part)


def _digest(text: str) -> bytes:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()


def _key(request: Request, provider: str, *signed: str) -> bytes:
    """Of one signature among all, or of a call by its id and name. Who it was given to counts: nobody gets at another one's
    words by it.
    """
    hashed = blake2b(digest_size=32)
    for name in (request.client or "", request.session or "", provider, *signed):
        encoded = name.encode(errors="surrogatepass")
        hashed.update(len(encoded).to_bytes(8) + encoded)
    return hashed.digest()
