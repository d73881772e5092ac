"""Who may come in from a browser: whoever was given the address, once, and nobody else's pages.

The address that is printed holds a word that opens once. Who brings it gets a cookie and is sent on to a folder with a name
that nobody can guess, in which everything is. The cookie is for that folder alone: browsers don't tell ports apart, and
would else give it to any other server on 127.0.0.1. So an address in a history or a list of processes opens nothing.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

COOKIE: Final = "nearloop"
CLOSED: Final = "this address opens nothing (any more): start `nearloop tui --web` anew, and open what it prints"
HEADERS: Final = {
    # textual.js writes styles into elements. A font that came from elsewhere would tell where we are used.
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
        "img-src 'self' data:; connect-src 'self' {websocket}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Door:
    """Stands in front of every page. host: `127.0.0.1:PORT`, once it is known."""

    def __init__(self) -> None:
        self.host = ""
        self.place = f"/{secrets.token_urlsafe(12)}"
        """The folder in which everything is."""
        self._once: str | None = secrets.token_urlsafe(24)
        self._key = secrets.token_urlsafe(24)

    @property
    def address(self) -> str:
        """What the user opens."""
        return f"http://{self.host}/?token={self._once}"

    async def enter(self, request: web.Request) -> web.StreamResponse:
        """Take the word that opens once."""
        given = request.query.get("token", "")
        if self._once is None or not hmac.compare_digest(given.encode(), self._once.encode()):
            raise web.HTTPForbidden(text=CLOSED)
        self._once = None
        answer = web.HTTPSeeOther(f"{self.place}/")
        answer.set_cookie(COOKIE, self._key, path=f"{self.place}/", httponly=True, samesite="Strict")
        raise answer

    def check(self, request: web.Request) -> None:
        """Raises HTTPForbidden for a foreign name of this machine, for others' pages, and for who has no cookie."""
        own = f"http://{self.host}"
        if request.headers.getall("host", []) != [self.host]:
            raise web.HTTPForbidden(text=f"open {own}, by this very name")
        if any(origin != own for origin in request.headers.getall("origin", [])):
            raise web.HTTPForbidden(text="pages of others can't use the dashboard")
        if request.path == "/":
            return
        if not hmac.compare_digest(request.cookies.get(COOKIE, "").encode(), self._key.encode()):
            raise web.HTTPForbidden(text=CLOSED)

    @web.middleware
    async def guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Before every page, and over every answer."""
        try:
            self.check(request)
            answer = await handler(request)
        except web.HTTPException as refusal:
            self.dress(refusal)
            raise
        if not answer.prepared:
            self.dress(answer)
        return answer

    def dress(self, answer: web.StreamResponse) -> None:
        """Say to the browser what the page may do."""
        for name, value in HEADERS.items():
            answer.headers[name] = value.format(websocket=f"ws://{self.host}")
