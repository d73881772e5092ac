"""What may leave: the one type that a provider accepts, and that only the privacy boundary can make.

A frozen Struct would not do: `replace`, `convert` and `decode` make new ones from anybody's data. `Cleared` asks for a seal
that only `daemon.boundary` holds (a structure test reads every source for it), and can't be changed, copied, pickled or
subclassed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Literal, NoReturn, Protocol, SupportsIndex

from msgspec import Struct

from providers.certificates import Tls
from providers.contract import Deltas, Request

Purpose = Literal["request", "models", "download", "picture"]


class Place(StrEnum):
    """Where an answerer runs. device: this machine. lan: another of the user's. cloud: somebody else's."""

    DEVICE = "device"
    LAN = "lan"
    CLOUD = "cloud"


class _Seal:
    """What making a Cleared takes."""


_SEAL: Final = _Seal()


class Cleared:
    """A request that may go to one place. masks: how many values of each label were replaced in it."""

    __slots__ = ("_clearance_id", "_masks", "_place", "_request")

    _request: Request
    _place: Place
    _masks: Mapping[str, int]
    _clearance_id: str

    def __init__(
        self, seal: object, request: Request, place: Place, masks: Mapping[str, int], clearance_id: str
    ) -> None:
        if seal is not _SEAL:
            raise TypeError("only the privacy boundary clears requests: call daemon.boundary")
        object.__setattr__(self, "_request", request)
        object.__setattr__(self, "_place", place)
        object.__setattr__(self, "_masks", MappingProxyType(dict(masks)))
        object.__setattr__(self, "_clearance_id", clearance_id)

    @property
    def request(self) -> Request:
        """The request as it may leave."""
        return self._request

    @property
    def place(self) -> Place:
        """The farthest place that it may go to."""
        return self._place

    @property
    def masks(self) -> Mapping[str, int]:
        """Label to number of masked values."""
        return self._masks

    @property
    def clearance_id(self) -> str:
        """Which judgement it rests on; the record's id."""
        return self._clearance_id

    def permits(self, place: Place) -> bool:
        """Whether it may go there. Asked once more where the socket is opened."""
        order = (Place.DEVICE, Place.LAN, Place.CLOUD)
        return order.index(place) <= order.index(self._place)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a cleared request can't be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a cleared request can't be changed")

    def __init_subclass__(cls, **options: Any) -> NoReturn:
        raise TypeError("Cleared has no subclasses")

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError("a cleared request can't be copied or stored")

    def __repr__(self) -> str:
        return f"<Cleared {self._clearance_id} for {self._place}>"


class Crossing(Struct, frozen=True):
    """What leaves, as the socket is about to take it. sha256: of the body's exact bytes. place: where it goes. body: those
    bytes; empty once they are sent, and where there are none.

    provider: whom the settings, or we, call so. path: of the address, without its query. purpose: `request` carries words
    that were cleared, the others none. via: the proxy's host. tls: None if it goes in clear. key: the label of
    the provider's key that goes with it; None: it takes none.
    """

    host: str
    place: Place
    body_bytes: int
    sha256: str
    provider: str = ""
    path: str = ""
    purpose: Purpose = "request"
    via: str | None = None
    tls: Tls | None = None
    body: bytes = b""
    key: str | None = None

    def __repr__(self) -> str:
        return f"<Crossing of {self.body_bytes} bytes to {self.host}>"


class Returned(Struct, frozen=True):
    """How a crossing ended. status: HTTP's; None: no answer began. answer_bytes: of its body, unpacked, as far as it was
    read. whole: whether that was to its end.
    """

    status: int | None
    answer_bytes: int
    whole: bool


Ended = Callable[[Returned], None]
Witness = Callable[[Crossing], Awaitable[Ended]]
"""Writes down what is about to leave. Nothing is sent before it has returned, or if it raises NotWitnessed; it may be
cancelled, and then nothing is sent either. What it returns is called once, at the end of the exchange.
"""


class Provider(Protocol):
    """Somebody who answers what was cleared."""

    place: Place

    def stream(self, cleared: Cleared, model: str, crossed: Witness) -> Deltas:
        """Ask once. An async generator; closing it ends the call. Raises ProviderError.

        crossed: awaited with what leaves, before the socket is given the first byte of it.
        """
        ...

    def not_honoured(self, request: Request) -> tuple[str, ...]:
        """Fields, by neutral name, that it can't be told, and without which an answer means the same. The request's model is
        called as this provider calls it.
        """
        ...

    async def models(self) -> tuple[str, ...]:
        """The names that it has. Raises ProviderError."""
        ...

    async def close(self) -> None:
        """End its connections."""
        ...
