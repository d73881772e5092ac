"""Which methods a recording allows."""

from __future__ import annotations

from daemon.replaying.curve import split
from daemon.replaying.offers import offered
from tests.fakes.asking import without_models
from tests.fakes.replays import PRICES, replayed
from tests.fakes.signal_parts import with_models

DESCRIBED = {"small": "cooking", "large": "programming"}


def names(worded: bool, described: dict[str, str], models: bool) -> list[str]:
    parted = split(replayed(["rxr", "xrr"], worded=worded), PRICES)
    return [each.name for each in offered(parted, PRICES, described, with_models() if models else without_models())]


def test_all_of_them() -> None:
    """With words, descriptions and the models of the signals."""
    assert names(True, DESCRIBED, True) == [
        "selector by length",
        "selector complexity",
        "selector router_dc",
        "selector multi_factor",
        "cascade by agreement",
        "cascade by brevity",
    ]


def test_what_is_left_out() -> None:
    """A cascade without words, a selector without descriptions, and a signal without its model."""
    assert names(False, {"small": "cooking"}, False) == ["selector by length", "selector multi_factor"]
