"""Names that everybody knows."""

from __future__ import annotations

import pytest

from daemon.signals.public_names import everybody_knows


@pytest.mark.parametrize(
    "name", ["Amazon", "AWS", "Google Cloud", "microsoft excel", "GitHub, Inc.", "Stack Overflow Google"]
)
def test_a_famous_name_is_known(name: str) -> None:
    """A name of world-wide use is known with the words that go with it."""
    assert everybody_knows(name)


@pytest.mark.parametrize(
    "name", ["Nordhof Google Partners", "Red Hat", "Acme", "Visa Office", "Hansa Cloud Services", "", "…"]
)
def test_others_are_not(name: str) -> None:
    """One word that isn't famous, or only words that mean something else as well, make a name somebody's own."""
    assert not everybody_knows(name)
