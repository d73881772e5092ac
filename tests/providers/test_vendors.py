"""The table of vendors, and what each row changes of what its server is asked."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import asdict, replace

from daemon.settings import CLIENT_NAME, RESERVED_PROVIDERS
from providers.cleared import Place
from providers.contract import (
    Message,
    ProviderError,
    Request,
    Sampling,
    Text,
    Thought,
    Tool,
    ToolCall,
    ToolResult,
    Unsupported,
)
from providers.http import Http
from providers.places import Address, address_of, place_of, url_of
from providers.registry import FAMILIES, provider_of
from providers.target import Quirks, Target
from providers.vendors import VENDORS, place_of_vendor, quirks_of
from tests.fakes.cleared import ASKED, Crossings, HeldKey
from tests.fakes.upstream import as_json, upstream

ADDRESSED: Final = {name: vendor for name, vendor in VENDORS.items() if vendor.base_url is not None}


@pytest.mark.parametrize("name", VENDORS)
def test_each_vendor_can_be_added_by_its_name(name: str) -> None:
    """Its name may stand in settings, and its address is sound; or it is told what one looks like."""
    vendor = VENDORS[name]

    assert CLIENT_NAME.fullmatch(name)
    assert name not in RESERVED_PROVIDERS
    if vendor.base_url is None:
        assert vendor.like.startswith(("http://", "https://"))
    else:
        assert not vendor.base_url.endswith("/")


@pytest.mark.parametrize("name", ADDRESSED)
def test_each_vendor_is_encrypted_or_here(name: str) -> None:
    """Whoever is not on this machine is in the cloud, spoken to over https and has a key; whoever is needs none."""
    vendor = VENDORS[name]
    url = url_of(vendor.base_url or "")

    assert place_of(vendor.base_url or "") is Place.CLOUD, "nobody is trusted by a loopback address alone"
    if address_of(url.host or "") is Address.LOOPBACK:
        assert vendor.key_variable is None
        assert place_of_vendor(vendor) is Place.DEVICE
    else:
        assert url.scheme == "https"
        assert vendor.key_variable
        assert re.fullmatch(r"[A-Z0-9_]+_(API_KEY|TOKEN)", vendor.key_variable)
        assert place_of_vendor(vendor) is Place.CLOUD


@pytest.mark.parametrize(
    ("base_url", "name"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("https://mine.openai.azure.com/openai/v1", "openai"),
        ("https://api.openai.com.example/v1", None),
        ("https://api.groq.com/openai/v1", "groq"),
        ("https://api.moonshot.cn/v1", "moonshot"),
        ("https://models.github.ai/orgs/mine/inference", "github"),
        ("http://127.0.0.1:8000/v3", "ovms"),
        ("http://127.0.0.1:8000/v3/", "ovms"),
        ("http://127.0.0.1:8000/v1", "vllm"),
        ("http://10.0.0.7:8000/v3", None),
        ("http://127.0.0.1:9/v1", None),
    ],
)
def test_quirks_are_told_by_whose_address_it_is(base_url: str, name: str | None) -> None:
    """Whatever the user calls it; of servers on this machine the port and the path tell them apart."""
    assert quirks_of(base_url) == (VENDORS[name].quirks if name else Quirks())


# ---- each quirk, with and without -----------------------------------------------------------------------------------

LOOK: Final = Tool("look", "looks", {"type": "object", "properties": {}}, strict=True)
SPOKEN: Final = (
    Message("user", (Text("hi"),)),
    Message("assistant", (Thought("hm"), ToolCall("c1", "look", "{}"))),
    Message("tool", (ToolResult("c1", (Text("seen"),)),)),
)
BASE: Final = replace(
    ASKED,
    messages=SPOKEN,
    stream=True,
    tools=(LOOK,),
    tool_choice="required",
    parallel_calls=False,
    extras={"logit_bias": {"1": 5}, "reasoning_effort": "low"},
    sampling=Sampling(max_tokens=9, seed=7, presence_penalty=1.0, frequency_penalty=1.0, logprobs=True, top_logprobs=2),
)


def sent(request: Request, **quirks: Any) -> dict[str, Any]:
    target = Target("work", "https://x.example/v1", Place.CLOUD, quirks=Quirks(**quirks))
    return dict(json.loads(FAMILIES["openai-chat"].body(request, "big", target)))


def left_aside(request: Request, **quirks: Any) -> set[str]:
    family, url = FAMILIES["openai-chat"], "https://x.example/v1"
    plain = set(family.not_honoured(request, Target("work", url, Place.CLOUD)))
    return set(family.not_honoured(request, Target("work", url, Place.CLOUD, quirks=Quirks(**quirks)))) - plain


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What is another, by name: as it was, and as it is."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return {name: (before.get(name), after.get(name)) for name in names}


STRICT: Final = {"name": "look", "description": "looks", "parameters": LOOK.parameters, "strict": True}
LOOSE: Final = {name: value for name, value in STRICT.items() if name != "strict"}


@pytest.mark.parametrize(
    ("quirk", "changed", "aside"),
    [
        ({"completion_tokens": True}, {"max_tokens": (9, None), "max_completion_tokens": (None, 9)}, set()),
        ({"extras": ("reasoning_effort",)}, {"logit_bias": ({"1": 5}, None)}, {"other"}),
        ({"stream_usage": False}, {"stream_options": ({"include_usage": True}, None)}, set()),
        (
            {"penalties": False},
            {"presence_penalty": (1.0, None), "frequency_penalty": (1.0, None)},
            {"presence_penalty", "frequency_penalty"},
        ),
        ({"parallel_field": False}, {"parallel_tool_calls": (False, None)}, {"parallel_calls"}),
        (
            {"strict": False},
            {"tools": ([{"type": "function", "function": STRICT}], [{"type": "function", "function": LOOSE}])},
            set(),
        ),
        ({"logprobs": "none"}, {"logprobs": (True, None), "top_logprobs": (2, None)}, {"logprobs"}),
        ({"logprobs": "whole"}, {"logprobs": (True, None), "top_logprobs": (2, None)}, {"logprobs"}),
        ({"seed": "random_seed"}, {"seed": (7, None), "random_seed": (None, 7)}, set()),
        ({"seed": None}, {"seed": (7, None)}, {"seed"}),
        ({"tool_choice": "any"}, {"tool_choice": ("required", "any")}, set()),
    ],
    ids=lambda each: str(sorted(each)),
)
def test_a_quirk_changes_this_alone(quirk: dict[str, Any], changed: dict[str, Any], aside: set[str]) -> None:
    """The body with it and without differ in its field, and what can't be told is said to be left aside."""
    assert changes(sent(BASE), sent(BASE, **quirk)) == changed
    assert left_aside(BASE, **quirk) == aside


def test_thoughts() -> None:
    """Under the name that its server reads, or not at all."""
    (plain, other, none) = (
        sent(BASE)["messages"][1],
        sent(BASE, thoughts_field="reasoning")["messages"][1],
        sent(BASE, reads_thoughts=False)["messages"][1],
    )

    assert plain["reasoning_content"] == "hm"
    assert changes(plain, other) == {"reasoning_content": ("hm", None), "reasoning": (None, "hm")}
    assert changes(plain, none) == {"reasoning_content": ("hm", None)}
    assert left_aside(BASE, reads_thoughts=False) == {"thoughts"}


def test_logprobs_of_whole_answers() -> None:
    """A server that tells them of those alone is asked for them there."""
    assert sent(replace(BASE, stream=False), logprobs="whole")["logprobs"] is True


SCHEMA: Final = {"type": "object", "properties": {"a": {"type": "string"}}}
ANY_OBJECT: Final = {"type": "object"}


@pytest.mark.parametrize(
    ("request_", "quirk", "parameter"),
    [
        (replace(ASKED, sampling=Sampling(choices=2)), {"choices": False}, "choices"),
        (replace(ASKED, schema=SCHEMA), {"schema": "object"}, "schema"),
        (replace(ASKED, schema=ANY_OBJECT), {"schema": "none"}, "schema"),
        (replace(ASKED, tools=(LOOK,), tool_choice="required"), {"tool_choice": None}, "tool_choice"),
        (replace(ASKED, tools=(LOOK,), tool_choice="look"), {"tool_choice": None}, "tool_choice"),
    ],
)
def test_what_would_mean_something_else_without(request_: Request, quirk: dict[str, Any], parameter: str) -> None:
    """It is refused by its name where the server can't be told, and told where it can."""
    sent(request_)
    with pytest.raises(Unsupported) as caught:
        sent(request_, **quirk)
    assert caught.value.parameter == parameter


def test_what_means_the_same_without() -> None:
    """An object of any kind is no schema; tools that may not be called are none; one answer is one."""
    assert sent(replace(ASKED, schema=ANY_OBJECT), schema="object")["response_format"] == {"type": "json_object"}
    assert "tools" not in sent(replace(ASKED, tools=(LOOK,), tool_choice="none"), tool_choice=None)
    assert sent(replace(ASKED, tools=(LOOK,), tool_choice="none"))["tool_choice"] == "none"
    assert "n" not in sent(ASKED, choices=False)


def test_each_quirk_is_tested_here() -> None:
    """A new one needs a body with it and without."""
    here = {
        "completion_tokens", "reads_thoughts", "thoughts_field", "extras", "stream_usage", "choices", "penalties",
        "parallel_field", "strict", "logprobs", "seed", "schema", "tool_choice", "models_path", "headers",
    }  # fmt: skip
    of_anthropics = {"bearer", "longest_answer", "system_turns"}  # tried in families/test_anthropic.py
    assert asdict(Quirks()).keys() == here | of_anthropics


@pytest.fixture
def crossings() -> Crossings:
    return Crossings()


@pytest.mark.parametrize(
    ("path", "asked"), [(None, "/v1/models"), ("/catalog/models", "/catalog/models"), ("all/models", "/v1/all/models")]
)
async def test_where_models_are_listed(path: str | None, asked: str, crossings: Crossings) -> None:
    """Behind the address, or behind its host; with the headers that each call carries."""
    http = Http("1.2.3", crossings)
    quirks = Quirks(models_path=path, headers=(("x-github-api-version", "2022-11-28"),))
    try:
        async with upstream(as_json([{"id": "openai/gpt"}])) as served:
            provider = provider_of(
                "openai-chat", http, Target("w", served.url, Place.CLOUD, quirks=quirks), HeldKey("k")
            )
            assert await provider.models() == ("openai/gpt",)
            assert served.requests[0].path == asked
            assert served.requests[0].headers["x-github-api-version"] == "2022-11-28"
            assert served.requests[0].headers["authorization"] == "Bearer k"
    finally:
        await http.close()


async def test_who_lists_no_models(crossings: Crossings) -> None:
    """Nobody is asked, and the user is told what to do."""
    http = Http("1.2.3", crossings)
    try:
        async with upstream() as served:
            quirks = Quirks(models_path="")
            provider = provider_of(
                "openai-chat", http, Target("w", served.url, Place.CLOUD, quirks=quirks), HeldKey("k")
            )
            with pytest.raises(ProviderError, match="name them in settings"):
                await provider.models()
            assert served.requests == []
    finally:
        await http.close()


@pytest.mark.parametrize("name", VENDORS)
def test_every_vendor_can_be_asked(name: str) -> None:
    """Of what all can, each is asked for by its own row's words, with no field that the row says it doesn't know."""
    vendor = VENDORS[name]
    plain = replace(ASKED, stream=True, sampling=Sampling(max_tokens=9, temperature=0.5, stop=("END",)), tools=(LOOK,))
    target = Target(name, vendor.base_url or "http://10.0.0.7:6327/v1", Place.CLOUD, quirks=vendor.quirks)
    body = json.loads(FAMILIES[vendor.wire].body(plain, "big", target))
    if vendor.wire not in ("openai-chat", "azure"):
        told = json.dumps(body)
        assert all(each in told for each in ('"END"', "0.5", "look", "hello"))
        assert any(f'": 9{end}' in told for end in ",}")
        return

    assert ("max_completion_tokens" in body) is vendor.quirks.completion_tokens
    assert ("stream_options" in body) is vendor.quirks.stream_usage
    assert ("strict" in body["tools"][0]["function"]) is vendor.quirks.strict
    assert body["stop"] == ["END"]


def test_each_vendor_is_in_the_docs() -> None:
    """With its address and its variable, and marked as untested or not."""
    table = (Path(__file__).resolve().parents[2] / "docs" / "providers.md").read_text()
    table = table.partition("## Vendors by name")[2].partition("\n## ")[0]
    rows = {line.split("`")[1]: line for line in table.splitlines() if line.startswith("| `")}

    assert rows.keys() == VENDORS.keys()
    for name, vendor in VENDORS.items():
        assert (vendor.base_url or vendor.like).partition("://")[2] in rows[name]
        assert (vendor.key_variable or "| |") in rows[name]
        assert f"| {place_of_vendor(vendor)} |" in rows[name]
        assert ("untested" in rows[name]) is not vendor.tested
