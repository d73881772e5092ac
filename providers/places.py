"""Where a provider runs, by its address and what the user said; no I/O.

The address alone is trusted only towards farther: a loopback port may be a tunnel or a gateway to somebody else's machine,
so it counts as cloud until the user confirms it. Hosts are read by yarl, the very parser of the HTTP client, so that no
address means one thing here and another there.
"""

from __future__ import annotations

import ipaddress
from enum import StrEnum
from functools import lru_cache
from typing import Final

from yarl import URL

from providers.cleared import Place


class Address(StrEnum):
    """What a host's name or number says by itself."""

    LOOPBACK = "loopback"
    LAN = "lan"
    INDOORS = "indoors"
    """A name that public DNS does not have: in the local network, if the user says so."""
    PUBLIC = "public"


_LAN: Final = tuple(
    ipaddress.ip_network(block)
    for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10")
)
"""RFC 1918, 3927, 4193, 4291."""
_SHARED: Final = ipaddress.ip_network("100.64.0.0/10")
"""RFC 6598: an overlay network such as Tailscale, or the provider's own network."""
_LOOPBACK: Final = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))
_INDOORS: Final = (".home.arpa", ".internal", ".lan", ".home")
"""RFC 8375; reserved by ICANN; never delegated."""
_ORDER: Final = (Place.DEVICE, Place.LAN, Place.CLOUD)


@lru_cache(maxsize=256)  # pure, and asked for with each request
def url_of(base_url: str) -> URL:
    """A provider's address, checked. Raises ValueError with what is wrong."""
    try:
        if " " in base_url or not base_url.isprintable():  # yarl takes some of these, and quotes or drops others
            raise ValueError
        url = URL(base_url)
        port = url.port
    except ValueError:
        raise ValueError("base_url is not an address such as https://example.com/v1") from None
    if url.scheme not in ("http", "https") or not url.host or not port:
        raise ValueError("base_url must start with https:// or http:// and name a host")
    if url.user is not None or url.password is not None:
        raise ValueError("base_url holds a user name or password: take it out, keys belong into `key`")
    if url.query_string or url.fragment:
        raise ValueError("base_url holds a query or a fragment: give it up to and with the version, such as /v1")
    return url


@lru_cache(maxsize=256)
def address_of(host: str) -> Address:
    """What a host is. Loopback is strict: 127.0.0.0/8, ::1 and the name `localhost`, in no other spelling."""
    host = host.lower()
    if host == "localhost":
        return Address.LOOPBACK
    try:
        number = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return _address_of_name(host.removesuffix("."))
    if any(number in network for network in _LOOPBACK):
        return Address.LOOPBACK
    if any(number in network for network in _LAN):
        return Address.LAN
    return Address.INDOORS if number in _SHARED else Address.PUBLIC


def _address_of_name(name: str) -> Address:
    if name.endswith(".local"):
        return Address.LAN
    looks_like_number = name[-1:].isdigit() or name.startswith("0x")  # 127.1, 2130706433, 0x7f000001
    if name.endswith(_INDOORS) or ("." not in name and not looks_like_number):
        return Address.INDOORS
    return Address.PUBLIC


def place_of(base_url: str, told: str | None = None) -> Place:
    """Where requests to `base_url` go. told: what the settings say. Raises ValueError with words for the user.

    What is told may be farther than the address; nearer only where it is a confirmation of what the address allows.
    """
    address = address_of(url_of(base_url).host or "")
    if told is None:
        return Place.LAN if address is Address.LAN else Place.CLOUD
    place = Place(told)
    if not may_be(address, place):
        allowed = (
            "a loopback address (127.0.0.1, ::1, localhost)" if place is Place.DEVICE else "a local network's address"
        )
        raise ValueError(f'place = "{place}" needs {allowed}, and base_url has another: leave place out, or correct it')
    return place


def may_be(address: Address, place: Place) -> bool:
    """Whether an address can be as near as that. Asked again where the socket is opened."""
    nearest = {
        Address.LOOPBACK: Place.DEVICE,
        Address.LAN: Place.LAN,
        Address.INDOORS: Place.LAN,
        Address.PUBLIC: Place.CLOUD,
    }[address]
    return _ORDER.index(place) >= _ORDER.index(nearest)


def place_of_model(place: Place, model: str) -> Place:
    """Where a model of a provider runs: Ollama passes models named `…:cloud` and `…-cloud` on to its makers' machines."""
    name = model.strip().lower().removesuffix(":latest")
    return Place.CLOUD if name.endswith((":cloud", "-cloud")) else place
