"""Which proxy of the environment's, or of the system's, a call takes, and which kinds of proxies can be taken.

http:// and https:// ones can, with a name and a password. SOCKS can't, and neither can a file of rules (PAC), which would
have to be run as a program: who set one is told so by the setting's name, and nothing goes around it.
"""

from __future__ import annotations

import base64
import ipaddress
from typing import Any, Final
from urllib.request import getproxies, proxy_bypass

from yarl import URL

_USABLE: Final = ("http", "https")


class ProxyUnusable(ValueError):
    """What names the proxy can't be followed."""


def proxy_for(url: URL) -> dict[str, Any]:
    """Options of aiohttp for the proxy to an address; none without one. Raises ProxyUnusable."""
    proxies = getproxies()
    setting = url.scheme if proxies.get(url.scheme) else "all"
    named = proxies.get(setting)
    if not named or _bypassed(url, proxies.get("no", "")):
        return {}
    proxy = _usable(named, f"{setting.upper()}_PROXY")
    options: dict[str, Any] = {"proxy": proxy.with_user(None)}
    if proxy.user is not None:
        basic = base64.b64encode(f"{proxy.user}:{proxy.password or ''}".encode()).decode()
        options["proxy_headers"] = {"authorization": f"Basic {basic}"}  # aiohttp makes it the proxy's, and only its
    return options


def proxied(url: URL) -> bool:
    """Whether a proxy is between here and an address, usable or not."""
    try:
        return bool(proxy_for(url))
    except ProxyUnusable:
        return True


def _usable(named: str, setting: str) -> URL:
    try:
        proxy = URL(named if "://" in named else f"http://{named}")
        scheme, host = proxy.scheme, proxy.host
    except ValueError:
        raise ProxyUnusable(f"{setting} is no address: write it as http://HOST:PORT") from None
    if scheme.startswith("pac") or proxy.path.endswith(".pac"):
        raise ProxyUnusable(
            f"{setting} names a file of rules (PAC), which is not read: put the proxy that it leads to in its place, as "
            "http://HOST:PORT"
        )
    if scheme not in _USABLE or not host:
        kind = (
            "a SOCKS proxy, which is not spoken"
            if scheme.startswith("socks")
            else "a proxy of a kind that is not spoken"
        )
        raise ProxyUnusable(f"{setting} names {kind}: put one in its place that is http:// or https://")
    return proxy


def _bypassed(url: URL, no_proxy: str) -> bool:
    """By the names of NO_PROXY as Python reads them (of the system's settings, on macOS and Windows), and by networks."""
    if proxy_bypass(f"{url.host}:{url.port}"):
        return True
    try:
        number = ipaddress.ip_address((url.host or "").partition("%")[0])
    except ValueError:
        return False
    return any(number in network for network in map(_network, no_proxy.split(",")) if network is not None)


def _network(word: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    if "/" not in word:
        return None
    try:
        return ipaddress.ip_network(word.strip(), strict=False)
    except ValueError:
        return None
