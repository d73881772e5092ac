"""The model list in Anthropic's shape, page by page."""

from __future__ import annotations

from typing import Any

import pytest

from daemon.errors import BadRequest
from daemon.surfaces.anthropic_models import entry, page
from daemon.surfaces.listing import Offer

NAMES = ("a", "b", "c", "d", "e")
OFFERS = [*(Offer(name, "nearloop") for name in NAMES), Offer("decider", "nearloop", decides=True)]


def ids(**asked: str) -> list[str]:
    return [model.id for model in page(OFFERS, asked).data]


def test_an_entry() -> None:
    """It has its name and its window, and no made-up day of release."""
    model = entry(Offer("local/play", "nearloop", 100))

    assert (model.id, model.type, model.display_name, model.max_input_tokens) == (
        "local/play",
        "model",
        "local/play",
        100,
    )
    assert model.created_at == "1970-01-01T00:00:00Z"


def test_what_writes_no_messages_is_not_listed() -> None:
    """A model that answers typed questions is none of these."""
    assert ids() == list(NAMES)


def test_pages() -> None:
    """Each page says whether there is more, and its ends lead to the next and to the one before."""
    first = page(OFFERS, {"limit": "2"})
    assert ([model.id for model in first.data], first.has_more, first.first_id, first.last_id) == (
        ["a", "b"],
        True,
        "a",
        "b",
    )
    assert ids(limit="2", after_id="b") == ["c", "d"]
    last = page(OFFERS, {"limit": "2", "after_id": "d"})
    assert ([model.id for model in last.data], last.has_more) == (["e"], False)
    before = page(OFFERS, {"limit": "2", "before_id": "d"})
    assert ([model.id for model in before.data], before.has_more) == (["b", "c"], True)
    nothing = page(OFFERS, {"after_id": "e"})
    assert (nothing.data, nothing.has_more, nothing.first_id, nothing.last_id) == ([], False, None, None)


@pytest.mark.parametrize(
    "asked", [{"limit": "0"}, {"limit": "1001"}, {"limit": "x"}, {"limit": "-1"}, {"after_id": "z"}, {"before_id": "z"}]
)
def test_what_is_no_page(asked: dict[str, Any]) -> None:
    """Limits out of range and names that aren't there are the client's to mend."""
    with pytest.raises(BadRequest):
        page(OFFERS, asked)
