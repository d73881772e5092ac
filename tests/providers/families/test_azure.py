"""Azure's deployments: what differs from OpenAI."""

from __future__ import annotations

import json

import pytest

from providers.cleared import Place
from providers.contract import BadAnswer, Finish, TextDelta, Usage
from providers.families.azure import Azure
from providers.families.base import Listed
from providers.http import Http
from providers.registry import provider_of, target_of
from providers.target import Target
from tests.fakes.cleared import ASKED, Crossings, HeldKey, cleared
from tests.fakes.upstream import USAGE, Answer, as_json, frames, said, upstream

SAFE = {"hate": {"filtered": False, "severity": "safe"}}
FILTERED = Answer(
    frames(
        {"choices": [], "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": SAFE}]},
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "content_filter_results": {}}]},
        {"choices": [{"index": 0, "delta": {"content": "Hel"}, "content_filter_results": SAFE}]},
        {"choices": [{"index": 0, "content_filter_results": SAFE, "content_filter_offsets": {"end_offset": 3}}]},
        said("", "content_filter"),
        USAGE,
    )
)
"""As Azure streams: what its filter says of the prompt comes first, and without an answer."""


async def test_what_its_filter_says_is_no_answer() -> None:
    """Frames about the prompt and about what was said already add nothing; that it ended the answer is told."""
    http = Http("1.2.3", Crossings())
    async with upstream(FILTERED) as served:
        who = provider_of("azure", http, Target("work", served.url, Place.CLOUD), HeldKey("sk"))
        deltas = [delta async for delta in who.stream(cleared(), "chat-deployment", Crossings())]
    await http.close()

    assert deltas == [TextDelta("Hel"), Finish("content_filter", Usage(7, 2))]
    (request,) = served.requests
    assert (request.path, request.json["model"]) == ("/v1/chat/completions", "chat-deployment")
    assert request.headers["api-key"] == "sk"
    assert "authorization" not in request.headers


@pytest.mark.parametrize("version", [None, "2024-10-21"])
async def test_a_version_is_a_query_of_each_call(version: str | None) -> None:
    """As older addresses want it; the witness sees the path alone."""
    query = f"?api-version={version}" if version else ""
    http, crossed = Http("1.2.3", Crossings()), Crossings()
    async with upstream(FILTERED, as_json({"data": []})) as served:
        target = target_of("work", f"{served.url}/deployments/big", Place.CLOUD, api_version=version)
        who = provider_of("azure", http, target, HeldKey())
        async for _ in who.stream(cleared(ASKED), "big", crossed):
            pass
        assert await who.models() == ()
    await http.close()

    assert [request.path for request in served.requests] == [
        f"/v1/deployments/big/chat/completions{query}",
        f"/v1/deployments/big/models{query}",
    ]
    assert [crossing.path for crossing in crossed] == ["/v1/deployments/big/chat/completions"]


def test_models_that_chat() -> None:
    """Not those that embed or draw; those of whom it isn't said, are."""
    listed = {
        "data": [
            {"id": "gpt-4o", "capabilities": {"chat_completion": True}},
            {"id": "text-embedding-3", "capabilities": {"chat_completion": False}},
            {"id": "other"},
        ]
    }
    target = Target("work", "https://x.openai.azure.com/openai/v1", Place.CLOUD)
    assert Azure().models(json.dumps(listed).encode(), target) == Listed(("gpt-4o", "other"))
    with pytest.raises(BadAnswer):
        Azure().models(b"<html>", target)
