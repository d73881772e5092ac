"""Pictures that a request only names, fetched from hosts that the user listed, and from nobody else.

Theory of operation. A URL in a request may come from a stranger's page or tool, and who has this machine ask for it learns
something, or reaches into the local network. So a host has to be listed by the user. It is asked by https alone, straight
and not by a proxy, since only then it is known whom we ask; its name is looked up once, every address of it has to be
public, and the connection goes to those very addresses. What it sends on to is not followed. No cookie, no key and no
header of the client go along, and what leaves has its receipt first, as everything has (leaving.py).
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
from collections.abc import Callable, Collection
from typing import Any, Final

import aiohttp
from aiohttp.resolver import ThreadedResolver
from yarl import URL

from providers.cleared import Crossing, Place, Returned, Witness
from providers.contract import BadAnswer, NotCleared, Unreachable
from providers.http import tls_context
from providers.leaving import Passage, WitnessedConnector, passing

TIMEOUT_S: Final = 8.0
_AT_ONCE: Final = 4
_TRANSLATED: Final = tuple(map(ipaddress.IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")))
"""IPv6 addresses that lead to an IPv4 one (RFC 6052, 8215, 3056, 4380)."""
_NOTHING: Final = hashlib.sha256(b"").hexdigest()


def is_public(address: str) -> bool:
    """Whether a number is one that anybody on the internet has."""
    try:
        number = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(number, ipaddress.IPv6Address) and (
        number.ipv4_mapped or any(number in block for block in _TRANSLATED)
    ):
        return False
    return number.is_global and not number.is_multicast and not number.is_reserved


class _PublicResolver(ThreadedResolver):
    """may_reach: of an address."""

    def __init__(self, may_reach: Callable[[str], bool]) -> None:
        super().__init__()
        self._may_reach = may_reach

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[Any]:
        found = list(await super().resolve(host, port, family))
        if not found or not all(self._may_reach(str(each["host"])) for each in found):
            raise OSError("the name leads into the local network")
        return found


class PictureHosts:
    """Those whom the user listed."""

    def __init__(
        self,
        hosts: Collection[str],
        version: str,
        witness: Witness,
        limit_bytes: int,
        timeout_s: float = TIMEOUT_S,
        may_reach: Callable[[str], bool] = is_public,
    ) -> None:
        """hosts: names, with a port where it isn't 443. witness: writes down what leaves."""
        self._hosts = frozenset(host.lower() for host in hosts)
        self._user_agent = f"nearloop/{version}"
        self._witness = witness
        self._limit_bytes = limit_bytes
        self._timeout_s = timeout_s
        self._may_reach = may_reach
        self._session: aiohttp.ClientSession | None = None
        self._tls: Any = None
        self._turns = asyncio.Semaphore(_AT_ONCE)

    def lists(self, url: str) -> bool:
        """Whether it is an address on a listed host."""
        return self._address(url) is not None

    async def fetch(self, url: str) -> bytes:
        """What stands there. Raises NotCleared if it may not be asked for; NotWitnessed, Unreachable, BadAnswer."""
        address = self._address(url)
        if address is None:
            raise NotCleared("a picture's host is not among `pictures.fetch_from`: nothing was sent")
        async with self._turns:
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await self._fetched(address)
            except TimeoutError as error:
                raise Unreachable("a picture's host took too long") from error

    async def close(self) -> None:
        """End the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _address(self, url: str) -> URL | None:
        try:
            if " " in url or not url.isprintable():
                return None
            address = URL(url)
            host, port = address.host, address.port
        except ValueError:
            return None
        if address.scheme != "https" or not host or address.user is not None or address.password is not None:
            return None
        named = host.lower() if port == 443 else f"{host.lower()}:{port}"
        if named not in self._hosts or (_is_number(host) and not self._may_reach(host)):
            return None
        return address.with_fragment(None)

    async def _fetched(self, address: URL) -> bytes:
        if self._tls is None:
            self._tls = await asyncio.to_thread(tls_context)
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=WitnessedConnector(
                    resolver=_PublicResolver(self._may_reach), use_dns_cache=False, force_close=True
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"user-agent": self._user_agent, "accept": "image/*", "accept-encoding": "identity"},
                trust_env=False,
                auto_decompress=False,
            )
        crossing = Crossing(address.host or "", Place.CLOUD, 0, _NOTHING, "pictures", purpose="picture")
        passage = Passage(self._witness, crossing)
        read = 0
        status: int | None = None
        whole = False
        try:
            with passing(passage):
                response = await self._session.get(address, allow_redirects=False, ssl=self._tls)
            async with response:
                status = response.status
                if status != 200:
                    raise BadAnswer(f"a picture's host answered with HTTP {status}")
                pieces = []
                async for piece in response.content.iter_any():
                    read += len(piece)
                    if read > self._limit_bytes:
                        raise BadAnswer("a picture is larger than is looked at")
                    pieces.append(piece)
                whole = True
                return b"".join(pieces)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise Unreachable("a picture's host can't be reached, or may not be") from error
        finally:
            passage.end(Returned(status, read, whole))


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True
