"""The outermost layer of the server: what may reach anything at all.

It stands before routing, so that it also covers unknown paths. A web page can make a browser send requests to this
machine: DNS rebinding is stopped by the Host list, foreign pages by Origin and Sec-Fetch-Site, forms by the content type.
What comes from beyond this machine has to hold a token (`beyond.py`) before more of it is looked at. The body
is read here, up to a limit and whole, so that nothing behind it parses what is too large or too deep.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Mapping
from itertools import accumulate
from typing import Any, Final

from daemon.addresses import CONTAINER_NAMES
from daemon.beyond import Beyond
from daemon.callers import PREFIX, Callers, bearer
from daemon.errors import BadRequest, NearloopError, Refused, TooLarge, Unauthorised
from daemon.protocols.base import Problem
from daemon.protocols.dialects import dialect, status
from daemon.protocols.errors import problem

Scope = dict[str, Any]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_DEPTH: Final = 100
"""Nesting of a JSON body. The deepest recorded agent request has 14 levels; Python's own parsers give up at about 1,000."""
_OWN_HOSTS: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_WEB: Final = re.compile(r"https?://")
_STRING: Final = re.compile(rb'"[^"]*"')
_ESCAPE: Final = re.compile(rb"\\.", re.DOTALL)
_NOT_STRUCTURE: Final = bytes(byte for byte in range(256) if byte not in b'[]{}"')
_STEP: Final = [1 if byte in b"[{" else -1 if byte in b"]}" else 0 for byte in range(256)]
_PIECE: Final = 65536
_INLINE_BYTES: Final = 256 * 1024
"""Bodies up to this size are looked at on the event loop, in a few milliseconds; larger ones in a thread."""
FOREIGN_USER: Final = "nearloop.foreign_user"
"""Key in the scope's state: the connection comes from another user of this machine (daemon/server.py sets it)."""
BEYOND: Final = "nearloop.beyond"
"""Key in the scope's state: the connection does not stay on loopback (daemon/server.py sets it)."""


_UNTYPED: Final = frozenset({"", "text/plain", "application/x-www-form-urlencoded"})
"""What Ollama's users send JSON as: nothing, fetch's own word for a text, and `curl -d`'s."""
_OF_BROWSERS: Final = ("origin", "referer", "cookie", "accept-language", "upgrade-insecure-requests", "dnt")


def _is_program(headers: Mapping[str, str]) -> bool:
    """Whether no web page can have sent this.

    Browsers say by themselves where a POST comes from (Origin) and how (Sec-Fetch-*, to loopback addresses too), and no page
    can keep them from it; old ones that said neither still called themselves Mozilla, and sent the user's languages. One of
    these signs is enough to insist on the content type that no page can send without asking first.
    """
    if any(name in headers for name in _OF_BROWSERS) or any(name.startswith("sec-") for name in headers):
        return False
    return not headers.get("user-agent", "").lower().startswith(("mozilla/", "opera/"))


class UnsupportedType(NearloopError):
    """The body is not declared as JSON."""


def nests_deeper(body: bytes, limit: int) -> bool:
    """Whether brackets outside strings nest deeper than `limit`. Any bytes will do; 1 MB takes about 20 ms at worst.

    The work is cut into pieces, between which other threads get their turn.
    """
    if body.count(b"[") + body.count(b"{") <= limit:
        return False
    if b"\\" in body:
        body = _ESCAPE.sub(b"", body)
    structure = _STRING.sub(b"", body.translate(None, _NOT_STRUCTURE))
    depth = 0
    for start in range(0, len(structure), _PIECE):
        depths = list(accumulate(map(_STEP.__getitem__, structure[start : start + _PIECE]), initial=depth))
        if max(depths) > limit:
            return True
        depth = depths[-1]
    return False


def _check_body(body: bytes) -> None:
    """What no parser behind the guard has to expect. Raises BadRequest.

    Ours pass over fields that nobody reads as bytes, and these come back where an answer repeats what was asked.
    """
    try:
        body.decode()
    except UnicodeDecodeError as error:
        raise BadRequest("the body is not valid JSON in UTF-8: check what the client sends") from error
    if nests_deeper(body, MAX_DEPTH):
        raise BadRequest(f"the body nests deeper than {MAX_DEPTH} levels")


class Guard:
    """Wraps an ASGI app. hosts, origins: allowed besides our own. body_limit: bytes. monotonic: seconds."""

    def __init__(
        self,
        app: App,
        callers: Callers,
        hosts: tuple[str, ...],
        origins: tuple[str, ...],
        body_limit: int,
        monotonic: Callable[[], float],
    ) -> None:
        self._app = app
        self._callers = callers
        self._beyond = Beyond(callers, monotonic)
        self._hosts = _OWN_HOSTS | {host.lower() for host in hosts}
        self._origins = frozenset(origins)
        self._body_limit = body_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        origin = headers.get("origin")
        granted = origin if origin in self._origins else None
        asking_first = granted and scope["method"] == "OPTIONS" and "access-control-request-method" in headers
        try:
            self._check_sender(scope, headers)
            if _is_beyond(scope) and not asking_first:  # no browser sends a token along with that question
                self._beyond.admit(_host_of(scope, "client"), headers)
            self._check_page(headers)
            if granted and asking_first:
                await _preflight(granted, send)
                return
            body = await self._read(scope["path"], headers, receive)
        except _HungUp:
            return
        except UnsupportedType as error:
            await _refuse(scope, Problem(415, "unsupported_media_type", str(error)), send)
        except NearloopError as error:
            await _refuse(scope, problem(error), send)
        else:
            replay = _replay(body, receive)
            del body
            await self._app(scope, replay, _with_cors(granted, send) if granted else send)

    def _check_sender(self, scope: Scope, headers: dict[str, str]) -> None:
        if scope.get("state", {}).get(FOREIGN_USER):
            raise Refused(
                "this daemon belongs to another user of this machine: start one of your own, on another --port"
            )
        if sum(name.lower() == b"host" for name, _ in scope["headers"]) > 1:
            raise Refused("a request has one Host header")
        name = re.sub(r":\d*$", "", headers.get("host", "")).lower()
        if name not in self._hosts and not self._is_ours(name, scope, headers):
            raise Refused(
                "this Host is not served here, as a guard against DNS rebinding: use http://127.0.0.1, or add the name to "
                "server.hosts in settings.toml"
            )

    def _is_ours(self, name: str, scope: Scope, headers: dict[str, str]) -> bool:
        """Whether a Host means us from a container, or from beyond this machine.

        Docker Desktop brings its containers to our loopback under a name that a lying DNS could give to a page, too. A page
        has no token, and so it is the token that tells them apart; from beyond nobody is let in without one.
        """
        if name in CONTAINER_NAMES:
            return _is_beyond(scope) or self._has_token(headers)
        address = _host_of(scope, "server")
        return _is_beyond(scope) and bool(address) and name == (f"[{address}]" if ":" in address else address)

    def _check_page(self, headers: dict[str, str]) -> None:
        host, origin = headers.get("host", ""), headers.get("origin")
        own = {f"http://{host}", f"https://{host}"}
        if origin is not None and origin not in own and origin not in self._origins:
            # Editors' web views send schemes of their own; those are believed with a token, web origins never.
            if origin == "null" or _WEB.match(origin) or not self._has_token(headers):
                raise Refused("pages of this origin may not call Nearloop: add it to server.origins in settings.toml")
        elif origin is None and headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            raise Refused(
                "another site's page may not call Nearloop: add its origin to server.origins in settings.toml"
            )

    def _has_token(self, headers: dict[str, str]) -> bool:
        token = bearer(headers)
        try:
            return token is not None and token.startswith(PREFIX) and self._callers.identify(token).name is not None
        except Unauthorised:
            return False

    async def _read(self, path: str, headers: dict[str, str], receive: Receive) -> bytes:
        """The whole body. Raises TooLarge before reading what is declared too large, BadRequest if it nests too deep."""
        declared = headers.get("content-length", "0")
        limit = (
            f"the body may have {self._body_limit >> 20} MB: send less, or raise server.body_limit_mb in settings.toml"
        )
        if declared.isdecimal() and (len(declared) > 18 or int(declared) > self._body_limit):
            raise TooLarge(limit)
        chunks: list[bytes] = []
        size = 0
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _HungUp
            chunks.append(message.get("body", b""))
            size += len(chunks[-1])
            if size > self._body_limit:
                raise TooLarge(limit)
            more = message.get("more_body", False)
        body = b"".join(chunks)
        if body:
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            typed = kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
            if not typed and not (dialect(path).HABITS.untyped and kind in _UNTYPED and _is_program(headers)):
                raise UnsupportedType("send the body with the header Content-Type: application/json")
            if encoding := headers.get("content-encoding"):
                raise UnsupportedType(
                    f"bodies are read as they are: send it without Content-Encoding ({encoding[:20]})"
                )
            if len(body) <= _INLINE_BYTES:
                _check_body(body)
            else:
                await asyncio.to_thread(_check_body, body)
        return body


def _is_beyond(scope: Scope) -> bool:
    return bool(scope.get("state", {}).get(BEYOND))


def _host_of(scope: Scope, end: str) -> str:
    """The address of one end of the connection, empty if it isn't known."""
    return str(scope[end][0]) if scope.get(end) else ""


class _HungUp(Exception):
    """The client went away while it sent."""


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body that was read, then what really comes."""
    left: list[bytes] = [body]  # let go when it is given: an answer may take long

    async def replay() -> Message:
        if not left:
            return await receive()
        return {"type": "http.request", "body": left.pop(), "more_body": False}

    return replay


async def _refuse(scope: Scope, refused: Problem, send: Send) -> None:
    codec = dialect(scope["path"], scope["headers"])
    body = codec.refusal(refused)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refused.retry_after_s is not None:
        headers.append((b"retry-after", str(math.ceil(refused.retry_after_s)).encode()))
    if refused.status == 413 or _is_beyond(scope):
        headers.append((b"connection", b"close"))  # the rest of the body is not read, and no stranger stays connected
    await send({"type": "http.response.start", "status": status(codec, refused), "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def _preflight(origin: str, send: Send) -> None:
    headers = [
        (b"access-control-allow-origin", origin.encode()),
        (b"access-control-allow-methods", b"GET, POST, DELETE"),
        (b"access-control-allow-headers", b"authorization, content-type, x-api-key, x-nearloop-reach, x-session-id"),
        (b"access-control-max-age", b"600"),
        (b"vary", b"origin"),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def _with_cors(origin: str, send: Send) -> Send:
    """A `send` that lets the pages of one allowed origin read the answer."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            extra = [(b"access-control-allow-origin", origin.encode()), (b"vary", b"origin")]
            message["headers"] = [*message["headers"], *extra]
        await send(message)

    return sending
