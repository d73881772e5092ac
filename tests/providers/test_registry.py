"""The tables of protocols and vendors."""

from __future__ import annotations

import re

import pytest

from daemon.settings import CLIENT_NAME, RESERVED_PROVIDERS
from providers.cleared import Place
from providers.places import Address, address_of, place_of, url_of
from providers.registry import PROVIDERS, VENDORS


@pytest.mark.parametrize("name", VENDORS)
def test_each_vendor_can_be_added_by_its_name(name: str) -> None:
    """A vendor's name may stand in settings, its address is sound and its protocol is spoken."""
    vendor = VENDORS[name]

    assert CLIENT_NAME.fullmatch(name)
    assert name not in RESERVED_PROVIDERS
    assert vendor.wire in PROVIDERS
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
