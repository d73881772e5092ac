"""Which proxy a call takes."""

from __future__ import annotations

import pytest
from yarl import URL

from providers.proxies import ProxyUnusable, proxied, proxy_for

CLOUD = URL("https://api.example.com/v1")


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a setting, or with one for other addresses, it is asked directly."""
    assert proxy_for(CLOUD) == {}
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    assert not proxied(CLOUD)


@pytest.mark.parametrize("named", ["http://me:pw@proxy:3128", "me:pw@proxy:3128", "https://me:pw@proxy:3128"])
def test_a_name_and_a_password(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    """They are the proxy's alone, and stand in no address."""
    monkeypatch.setenv("https_proxy", named)
    options = proxy_for(CLOUD)

    assert options["proxy_headers"] == {"authorization": "Basic bWU6cHc="}
    assert "pw" not in str(options["proxy"])
    assert options["proxy"].scheme == ("https" if named.startswith("https") else "http")
    assert proxied(CLOUD)


@pytest.mark.parametrize(
    ("variable", "named", "told"),
    [
        ("https_proxy", "socks5://proxy:1080", "HTTPS_PROXY names a SOCKS proxy"),
        ("all_proxy", "socks5h://proxy:1080", "ALL_PROXY names a SOCKS proxy"),
        ("https_proxy", "http://proxy.example/proxy.pac", r"HTTPS_PROXY names a file of rules \(PAC\)"),
        ("https_proxy", "pac+http://proxy.example/wpad", r"HTTPS_PROXY names a file of rules \(PAC\)"),
        ("https_proxy", "quic://proxy:1", "HTTPS_PROXY names a proxy of a kind that is not spoken"),
        ("https_proxy", "http://proxy:port", "HTTPS_PROXY is no address"),
    ],
)
def test_what_can_not_be_used_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, variable: str, named: str, told: str
) -> None:
    """And its words, which may hold a password, are not told."""
    monkeypatch.setenv(variable, named)

    with pytest.raises(ProxyUnusable, match=told) as refused:
        proxy_for(CLOUD)
    assert named not in str(refused.value)
    assert proxied(CLOUD)


@pytest.mark.parametrize(
    ("url", "direct"),
    [
        ("http://10.1.2.3:8000/v1", True),
        ("http://10.2.2.3:8000/v1", False),
        ("http://[fd00::7]:8000/v1", True),
        ("http://192.168.7.7/v1", True),
        ("http://192.168.7.8/v1", False),
        ("http://models.corp.example/v1", True),
        ("http://10.1.2.3.example.com/v1", False),
    ],
)
def test_no_proxy_takes_networks(monkeypatch: pytest.MonkeyPatch, url: str, direct: bool) -> None:
    """Beside names and addresses; a name that only looks like an address is none."""
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", "10.1.0.0/16, fd00::/8,192.168.7.7,.corp.example,10.9.0.0/99,/")

    assert (proxy_for(URL(url)) == {}) is direct
