"""The table of protocols, and whom a row of the settings names."""

from __future__ import annotations

from providers.cleared import Place
from providers.registry import FAMILIES, target_of
from providers.target import Target
from providers.vendors import VENDORS


def test_every_vendors_protocol_is_spoken() -> None:
    """A row of the table is of use as it stands."""
    assert {vendor.wire for vendor in VENDORS.values()} <= FAMILIES.keys()


def test_whom_a_row_names() -> None:
    """With what is known of its address, whatever its user calls it."""
    url = "https://api.mistral.ai/v1"

    assert target_of("work", url, Place.CLOUD, "effort", ("top_k",)) == Target(
        "work", url, Place.CLOUD, "effort", ("top_k",), VENDORS["mistral"].quirks
    )
