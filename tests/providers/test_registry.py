"""The tables of protocols and vendors."""

from __future__ import annotations

import re

import pytest

from daemon.settings import CLIENT_NAME, RESERVED_PROVIDERS
from providers.cleared import Place
from providers.places import Address, address_of, place_of, url_of
from providers.registry import FAMILIES, VENDORS, target_of
from providers.target import Quirks


@pytest.mark.parametrize("name", VENDORS)
def test_each_vendor_can_be_added_by_its_name(name: str) -> None:
    """A vendor's name may stand in settings, its address is sound and its protocol is spoken."""
    vendor = VENDORS[name]

    assert CLIENT_NAME.fullmatch(name)
    assert name not in RESERVED_PROVIDERS
    assert vendor.wire in FAMILIES
    assert not vendor.base_url.endswith("/")
    assert place_of(vendor.base_url) is Place.CLOUD


@pytest.mark.parametrize("name", VENDORS)
def test_each_vendor_is_encrypted_or_here(name: str) -> None:
    """Whoever is not on this machine is spoken to over https and has a key; whoever is needs none."""
    url, variable = url_of(VENDORS[name].base_url), VENDORS[name].key_variable

    if address_of(url.host or "") is Address.LOOPBACK:
        assert variable is None
    else:
        assert url.scheme == "https"
        assert variable and re.fullmatch(r"[A-Z0-9_]+_API_KEY", variable)


@pytest.mark.parametrize(
    ("base_url", "name"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("https://mine.openai.azure.com/openai/v1", "openai"),
        ("https://api.openai.com.example/v1", None),
        ("https://api.groq.com/openai/v1", "groq"),
        ("http://127.0.0.1:9/v1", None),
    ],
)
def test_quirks_are_told_by_whose_address_it_is(base_url: str, name: str | None) -> None:
    """Whatever the user calls it."""
    expected = VENDORS[name].quirks if name else Quirks()

    assert target_of("work", base_url, Place.CLOUD).quirks == expected
