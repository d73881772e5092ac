"""The way out: connections that carry nothing before it is written down.

Theory of operation. A receipt has to be there before the first byte, and has to name who vouches for the other end, which is
known once the connection stands. So it is written between the two, where the connector hands a connection out: there the
TLS handshake is over, and neither address nor headers nor body of the request have been sent. That holds for connections
that are used again as well, and for a request that aiohttp repeats on a new one since the kept one was dead. Who asks for a
connection without a witness gets none. What comes before that can't wait for it: the look-up of the host's name, the
handshake with its name in it, and what a proxy is told to connect to.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final
from weakref import WeakKeyDictionary

import aiohttp
from msgspec.structs import replace

from providers.certificates import Tls, tls_of
from providers.cleared import Crossing, Ended, Returned, Witness
from providers.contract import NotWitnessed

_SILENT: Final = Returned(None, 0, False)


class Passage:
    """One exchange: what leaves, who writes it down, and how it ended."""

    def __init__(self, witness: Witness, crossing: Crossing) -> None:
        self._witness = witness
        self._crossing = crossing
        self._ended: Ended | None = None

    async def leave(self, tls: Tls | None) -> None:
        """Have it written down. Raises NotWitnessed."""
        self.end(_SILENT)  # of an earlier try on a connection that was dead
        self._ended = await self._witness(replace(self._crossing, tls=tls))

    def sent(self) -> None:
        """An answer began: the bytes are not needed any more."""
        self._crossing = replace(self._crossing, body=b"")

    def end(self, returned: Returned = _SILENT) -> None:
        """Tell how it ended; the first word counts."""
        ended, self._ended = self._ended, None
        if ended is not None:
            ended(returned)


_passage: Final[ContextVar[Passage | None]] = ContextVar("passage", default=None)


@contextmanager
def passing(passage: Passage) -> Iterator[None]:
    """Connections that are asked for meanwhile, in this task, are for this exchange."""
    token = _passage.set(passage)
    try:
        yield
    finally:
        _passage.reset(token)


class WitnessedConnector(aiohttp.TCPConnector):
    """Hands a connection out once what goes over it is written down."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._seen: WeakKeyDictionary[Any, Tls] = WeakKeyDictionary()

    async def connect(self, req: Any, traces: Any, timeout: Any) -> Any:  # noqa: ASYNC109  # its base's word
        passage = _passage.get()
        if passage is None:
            raise NotWitnessed("this was to leave without a receipt: nothing was sent")
        connection = await super().connect(req, traces, timeout)
        try:
            await passage.leave(self._tls(connection.transport))
        except BaseException:
            connection.close()
            raise
        return connection

    def _tls(self, transport: Any) -> Tls | None:
        """Read once for each connection: 30 µs that every further request on it saves."""
        secured = transport.get_extra_info("ssl_object") if transport is not None else None
        if secured is None:
            return None
        if (known := self._seen.get(secured)) is None:
            known = self._seen[secured] = tls_of(secured)
        return known
