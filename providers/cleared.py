"""What may leave: the one type that a provider accepts, and that only the privacy boundary can make.

A frozen Struct would not do: `replace`, `convert` and `decode` make new ones from anybody's data. `Cleared` asks for a seal
that only `daemon.boundary` holds (a structure test reads every source for it), and can't be changed, copied, pickled or
subclassed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, NoReturn, Protocol, SupportsIndex

from msgspec import Struct

from providers.contract import Deltas, Request


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
    """What left, as the socket saw it. sha256: of the body's exact bytes. place: where it went."""

    host: str
    place: Place
    body_bytes: int
    sha256: str


class Provider(Protocol):
    """Somebody who answers what was cleared."""

    place: Place

    def stream(self, cleared: Cleared, model: str, crossed: Callable[[Crossing], None]) -> Deltas:
        """Ask once. An async generator; closing it ends the call. Raises ProviderError.

        crossed: called with what leaves, at the moment when the socket takes it.
        """
        ...

    def not_honoured(self, request: Request) -> tuple[str, ...]:
        """Fields, by neutral name, that it can't be told, and without which an answer means the same."""
        ...

    async def models(self) -> tuple[str, ...]:
        """The names that it has. Raises ProviderError."""
        ...

    async def close(self) -> None:
        """End its connections."""
        ...
