"""Domains that everybody uses."""

from __future__ import annotations

import pytest

from daemon.signals.public_domains import registered


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("db.nordhof.io", "nordhof.io"),
        ("a.b.nordhof.co.uk", "nordhof.co.uk"),
        ("nordhof.de", "nordhof.de"),
        ("host", "host"),
    ],
)
def test_the_registered_part(name: str, own: str) -> None:
    """Two labels, or three below a country's own second level."""
    assert registered(name.split(".")) == own
