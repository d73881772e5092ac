"""Addresses to listen on: which of them other machines can reach, and how each is written.

Loopback is always among them, since this machine's own programs look there. What others can reach has to be said twice, as
an address and as a flag, so that neither a copied settings file nor a slip of the keyboard opens a door.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from daemon.errors import BadRequest

LOOPBACK: Final = "127.0.0.1"
CONTAINER_NAMES: Final = frozenset({"host.docker.internal", "host.containers.internal"})
"""What containers call the machine that they run on. A page under such a name still has no token."""
_EVERY: Final = {4: "0.0.0.0", 6: "::"}
_DOCS: Final = "see docs/clients.md"


def address_of(text: str) -> str:
    """One address, in its usual form. Raises ValueError with what is wrong about it."""
    if text == "localhost":
        return LOOPBACK
    try:
        found = ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError as error:
        raise ValueError(
            f"{text!r} is no address of a network card, like 192.168.1.5 or fd00::5; 0.0.0.0 stands for all of them"
        ) from error
    if found.is_multicast or str(found) == "255.255.255.255":
        raise ValueError(f"{text} is an address of many machines, not of this one")
    if isinstance(found, IPv6Address) and (found.scope_id or found.ipv4_mapped):
        raise ValueError(f"{text}: an address with a % or of IPv4 within IPv6 is not listened on: take another one")
    return str(found)


def is_address(host: str) -> bool:
    """Whether it is an address and not a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether a socket's address is one that only this machine has. Of a form that isn't known it is not."""
    return host.startswith("127.") or host == "::1"


def listened(asked: Iterable[str], expose: bool) -> tuple[str, ...]:
    """Every address to listen on, loopback or what covers it first. expose: the user said that others may be let in.

    Raises BadRequest if they may reach an address without that having been said, or if it was said of none.
    """
    try:
        found = dict.fromkeys((LOOPBACK, *map(address_of, asked)))
    except ValueError as error:
        raise BadRequest(f"{error}; {_DOCS}", "host") from error
    others = beyond(found)
    if others and not expose:
        raise BadRequest(
            f"other machines may reach {' and '.join(others)}: add --expose if that is meant, or leave that address out of "
            f"--host and of server.host in settings.toml; {_DOCS}",
            "host",
        )
    if expose and not others:
        raise BadRequest(
            f"--expose needs an address that others can reach: name it by --host, or server.host in settings.toml; {_DOCS}",
            "expose",
        )
    every = [_EVERY[version] for version in (4, 6) if _EVERY[version] in found]
    rest = [each for each in found if _EVERY[ip_address(each).version] not in every]
    return (*every, *rest) if _EVERY[4] in every else (*rest, *every)


def beyond(addresses: Iterable[str]) -> tuple[str, ...]:
    """Those that other machines may reach."""
    return tuple(each for each in addresses if not is_loopback(each))


def url(address: str, port: int) -> str:
    """Where programs find it."""
    return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"


def urls(addresses: Iterable[str], port: int) -> tuple[str, ...]:
    """Where others find those addresses, with the ones that this machine has now in place of `all of them`."""
    found: dict[str, None] = {}
    for each in beyond(addresses):
        version = ip_address(each).version
        had = [own for own in cards() if ip_address(own).version == version and not is_loopback(own)]
        found |= dict.fromkeys(had if each == _EVERY[version] and had else (each,))
    return tuple(url(each, port) for each in found)


def cards() -> dict[str, str]:
    """This machine's addresses, and the network card of each; those that hold on one card alone are left out."""
    import psutil

    found: dict[str, str] = {}
    for card, addresses in psutil.net_if_addrs().items():
        for each in addresses:
            try:
                address: IPv4Address | IPv6Address = ip_address(each.address)
            except ValueError:  # a hardware address, or one with a scope
                continue
            if not address.is_link_local:
                found[str(address)] = card
    return found
