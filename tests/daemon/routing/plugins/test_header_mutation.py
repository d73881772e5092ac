"""Headers of a recipe's."""

from __future__ import annotations

import pytest

from daemon.recipes.plugins import Header, HeaderMutation
from daemon.routing.plugins.header_mutation import header_mutation, is_allowed
from tests.fakes.asking import asking


def made(**options: object) -> dict[str, str]:
    return dict(header_mutation(asking("hello"), HeaderMutation(**options)).request.headers)  # type: ignore[arg-type]


def test_add_update_delete() -> None:
    """In this order, whatever the case of a name."""
    headers = made(
        add=(Header(name="X-Lane", value="one"), Header(name="X-Gone", value="1")),
        update=(Header(name="x-lane", value="two"),),
        delete=("x-gone",),
    )

    assert headers == {"x-lane": "two"}


@pytest.mark.parametrize(
    "name",
    ["Authorization", "X-API-Key", "Cookie", "Host", "Content-Length", "Transfer-Encoding", "Proxy-Else", "a b", "a:"],
)
def test_what_is_not_a_recipes_to_say(name: str) -> None:
    """Who we are, where it goes and how it is framed; and what is no header's name."""
    assert not is_allowed(name.lower())
    assert made(add=(Header(name=name, value="x"),)) == {}


@pytest.mark.parametrize("value", ["a\r\nx-injected: 1", "a\nb", "\x00", "é"])
def test_values_that_would_break_out(value: str) -> None:
    """They are left out."""
    assert made(add=(Header(name="x-lane", value=value),)) == {}
