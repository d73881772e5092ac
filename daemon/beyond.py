"""Requests from beyond this machine: whom they are let in for, and how often a token may be guessed.

On loopback a token is a convenience, since everybody there is the user already. Beyond it the token is all that there is, so
each request has to hold one that was made for a program. Neither the admin token nor one with the scope admin is taken: who
changes this machine is at it. Guessing 256 bits is hopeless anyway; that an address has to wait after ten wrong tokens keeps
it from being a load, and programs that were let in from that address before are not made to wait with it.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from ipaddress import ip_address, ip_network
from typing import Final

from daemon.callers import Callers, bearer
from daemon.errors import Refused, TooManyTries, Unauthorised

TRIES: Final = 10
"""Wrong tokens from one address within WINDOW_S before it has to wait."""
WINDOW_S: Final = 60.0
MOST_PEERS: Final = 4096
"""Addresses that are remembered; the longest unseen is forgotten first."""


class _Peer:
    """One address. wrong: when it sent tokens that are none. known: programs that were let in from there."""

    def __init__(self) -> None:
        self.wrong: deque[float] = deque(maxlen=TRIES)
        self.known: set[str] = set()


class Beyond:
    """Everybody out there."""

    def __init__(self, callers: Callers, monotonic: Callable[[], float]) -> None:
        self._callers = callers
        self._monotonic = monotonic
        self._peers: OrderedDict[str, _Peer] = OrderedDict()

    def admit(self, address: str, headers: Mapping[str, str]) -> None:
        """Let a request in, by its token. Raises Unauthorised, Refused, TooManyTries."""
        peer = self._peer(address)
        wait_s = self._wait_s(peer)
        try:
            caller = self._callers.identify(bearer(headers))
        except Unauthorised:
            if wait_s:
                raise TooManyTries(wait_s) from None
            peer.wrong.append(self._monotonic())
            raise
        if caller.name is None:
            raise Unauthorised(
                "from beyond its own machine Nearloop answers programs with a token alone: `nearloop client add NAME` there "
                "makes one, to be sent as Authorization: Bearer nl_… or x-api-key"
            )
        if wait_s and caller.name not in peer.known:
            raise TooManyTries(wait_s)
        if caller.may("admin"):
            raise Refused("a token with the scope admin is taken on its own machine alone: use one without that scope")
        peer.known.add(caller.name)

    def _peer(self, address: str) -> _Peer:
        """By its address, or its network's where one machine can have 2^64 of them."""
        if ":" in address:
            address = str(ip_network((ip_address(address.partition("%")[0]), 64), strict=False))
        peer = self._peers.setdefault(address, _Peer())
        self._peers.move_to_end(address)
        if len(self._peers) > MOST_PEERS:
            self._peers.popitem(last=False)
        return peer

    def _wait_s(self, peer: _Peer) -> float:
        """How long no further try is looked at; 0 if one may be made."""
        if len(peer.wrong) < TRIES:
            return 0.0
        return max(0.0, WINDOW_S - (self._monotonic() - peer.wrong[0]))
