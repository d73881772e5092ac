"""Lists of models in the forms in which servers give them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from providers.contract import BadAnswer
from providers.families.base import Listed
from providers.families.model_list import listed


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"object": "list", "data": [{"id": "a", "object": "model"}, {"id": "b"}]}, ("a", "b")),
        ([{"id": "openai/gpt-4.1", "name": "OpenAI GPT-4.1"}], ("openai/gpt-4.1",)),
        ({"models": [{"name": "a"}, {"model": "b"}, {"slug": "c"}]}, ("a", "b", "c")),
        ({"data": ["a", "b"]}, ("a", "b")),
        ({"data": [{"id": "a"}, {"id": "a"}, {"id": ""}, {"id": 7}, None, {"id": "a\nb"}]}, ("a",)),
        ({"data": [{"id": "a"}], "models": [{"name": "b"}]}, ("a",)),
        ({"data": []}, ()),
        ({"data": None}, ()),
        ({"object": "list"}, ()),
        ([], ()),
    ],
)
def test_forms(body: Any, names: tuple[str, ...]) -> None:
    """A list under a name or bare, of objects or names; each model once, and what has no name is none."""
    assert listed(json.dumps(body).encode(), "work") == Listed(names)


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"has_more": True, "last_id": "b/c d"}, "models?after=b/c+d"),
        ({"has_more": True}, "models?after=b/c"),
        ({"has_more": False, "last_id": "b"}, None),
        ({"has_more": True, "last_id": 7}, None),
    ],
)
def test_pages(more: dict[str, Any], path: str | None) -> None:
    """The next one begins behind the last model of this one."""
    body = json.dumps({"data": [{"id": "a"}, {"id": "b/c"}], **more}).encode()

    assert listed(body, "work") == Listed(("a", "b/c"), path)


@pytest.mark.parametrize(
    "body", [b"<html>", b"7", b'"a"', b'{"a": 1}', b'{"data": "a"}', b'{"data": [{"a": 1}]}', b"\xff"]
)
def test_what_is_no_list(body: bytes) -> None:
    """It is told as such."""
    with pytest.raises(BadAnswer, match="check base_url"):
        listed(body, "work")
