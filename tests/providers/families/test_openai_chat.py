"""What is asked of an OpenAI-compatible server, to the byte, and what its answers over HTTP become."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace

from daemon.protocols import openai_chat as inbound
from daemon.protocols.base import Envelope
from providers.cleared import Place, Provider
from providers.contract import (
    BadAnswer,
    Delta,
    File,
    Finish,
    Image,
    KeyRejected,
    Message,
    NotCleared,
    Overloaded,
    ProviderError,
    RateLimited,
    Request,
    Sampling,
    Text,
    TextDelta,
    Thinking,
    Thought,
    Tool,
    ToolCall,
    ToolResult,
    Unreachable,
    Unsupported,
    Usage,
)
from providers.families.openai_chat import body_of
from providers.http import Http
from providers.registry import provider_of, target_of
from providers.target import Quirks, Target
from providers.vendors import quirks_of
from tests.fakes.cleared import ASKED, Crossings, HeldKey, cleared
from tests.fakes.upstream import HELLO, Answer, Cut, Pause, Upstream, as_json, frames, packed, said, upstream

OPENAI = quirks_of("https://api.openai.com/v1")
USER = Message("user", (Text("hello"),))
SHOWN = [TextDelta("Hel"), TextDelta("lo"), Finish("stop", Usage(7, 2))]


@pytest.fixture
async def http() -> AsyncIterator[Http]:
    made = Http("1.2.3", Crossings())
    yield made
    await made.close()


def provider(http: Http, served: Upstream, place: Place = Place.CLOUD, key: HeldKey | None = None) -> Provider:
    return provider_of("openai-chat", http, Target("work", served.url, place), key or HeldKey())


async def ask(who: Provider, request: Request = ASKED, model: str = "big") -> list[Delta]:
    return [delta async for delta in who.stream(cleared(request), model, Crossings())]


def written(request: Request, openai: bool = False) -> Any:
    return json.loads(body_of(request, "big", OPENAI if openai else Quirks()))


def turns(*messages: Message, openai: bool = False) -> Any:
    return written(replace(ASKED, messages=messages), openai)["messages"]


# ---- asking ---------------------------------------------------------------------------------------------------------


def test_the_plainest_request() -> None:
    """Only what was asked for is sent; a stream comes with its usage."""
    plain = {"model": "big", "messages": [{"role": "user", "content": "hello"}]}

    assert written(ASKED) == plain
    assert written(replace(ASKED, stream=True)) == {**plain, "stream": True, "stream_options": {"include_usage": True}}


def test_every_way_to_choose_tokens() -> None:
    """All of the neutral sampling is written in their names."""
    sampling = Sampling(
        max_tokens=5, temperature=0.0, top_p=0.5, seed=0, stop=("a", "b"), presence_penalty=0.1, frequency_penalty=-0.1,
        logprobs=True, top_logprobs=3, choices=2,
    )  # fmt: skip

    body = written(replace(ASKED, sampling=sampling))

    assert {name: body[name] for name in body if name not in ("model", "messages", "stream", "stream_options")} == {
        "max_tokens": 5, "temperature": 0.0, "top_p": 0.5, "seed": 0, "stop": ["a", "b"], "presence_penalty": 0.1,
        "frequency_penalty": -0.1, "logprobs": True, "top_logprobs": 3, "n": 2,
    }  # fmt: skip


def test_openai_itself_has_its_own_name_for_the_limit() -> None:
    """OpenAI gets max_completion_tokens, which its reasoning models insist on."""
    body = written(replace(ASKED, sampling=Sampling(max_tokens=5)), openai=True)

    assert body["max_completion_tokens"] == 5 and "max_tokens" not in body


def test_tools() -> None:
    """Tools go with their schemas; a choice of tool is written only where it says something."""
    tools = (Tool("look", "looks", {"type": "object", "properties": {}}), Tool("go", "", {}))

    body = written(replace(ASKED, tools=tools))

    assert body["tools"] == [
        {"type": "function", "function": {"name": "look", "description": "looks", "parameters": {"type": "object", "properties": {}}}},
        {"type": "function", "function": {"name": "go", "parameters": {}}},
    ]  # fmt: skip
    assert "tool_choice" not in body
    assert written(replace(ASKED, tools=tools, tool_choice="required"))["tool_choice"] == "required"
    assert written(replace(ASKED, tools=tools, tool_choice="go"))["tool_choice"] == {
        "type": "function",
        "function": {"name": "go"},
    }
    assert "tool_choice" not in written(replace(ASKED, tool_choice="none"))


def test_how_tools_may_be_called_is_passed_on() -> None:
    """Strictness and one call at a time are said where the client said them, and not made up."""
    tools = (Tool("look", "", {}, strict=True), Tool("go", "", {}))

    body = written(replace(ASKED, tools=tools, parallel_calls=False))

    assert [tool["function"].get("strict") for tool in body["tools"]] == [True, None]
    assert body["parallel_tool_calls"] is False
    assert "parallel_tool_calls" not in written(replace(ASKED, tools=tools))
    assert "parallel_tool_calls" not in written(replace(ASKED, parallel_calls=False))


STRICT = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "format"),
    [
        ({"type": "object"}, {"type": "json_object"}),
        (STRICT, {"type": "json_schema", "json_schema": {"name": "answer", "schema": STRICT, "strict": True}}),
        ({**STRICT, "required": []}, {"type": "json_schema", "json_schema": {"name": "answer", "schema": {**STRICT, "required": []}, "strict": False}}),
        ({**STRICT, "required": [["city"], {}]}, {"type": "json_schema", "json_schema": {"name": "answer", "schema": {**STRICT, "required": [["city"], {}]}, "strict": False}}),
        ({"type": "array", "items": {"type": "object"}}, {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "array", "items": {"type": "object"}}, "strict": False}}),
    ],
)  # fmt: skip
def test_schemas(schema: dict[str, Any], format: dict[str, Any]) -> None:
    """A schema goes as one, strictly only if OpenAI would take it strictly; any object is the plain JSON mode."""
    assert written(replace(ASKED, schema=schema))["response_format"] == format


def test_turns_of_words() -> None:
    """Words alone are one string in each role, since many servers read nothing else."""
    assert turns(Message("system", (Text("be"), Text("brief"))), USER, Message("assistant", (Text("hi"),))) == [
        {"role": "system", "content": "be\nbrief"},
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hi"},
    ]


def test_pictures_and_files() -> None:
    """Pictures and files go in lists with their details; a file's address is refused, since nobody fetches it."""
    parts = (
        Text("see"), Image("data:image/png;base64,xx", "low"), Image("https://h/i.png"),
        File("data:application/pdf;base64,yy", "a.pdf"), File("file-123"),
    )  # fmt: skip

    assert turns(Message("user", parts)) == [
        {"role": "user", "content": [
            {"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,xx", "detail": "low"}},
            {"type": "image_url", "image_url": {"url": "https://h/i.png"}},
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,yy", "filename": "a.pdf"}},
            {"type": "file", "file": {"file_id": "file-123"}},
        ]}
    ]  # fmt: skip
    with pytest.raises(Unsupported, match="send the file itself"):
        turns(Message("user", (File("https://h/a.pdf"),)))


def test_tool_turns() -> None:
    """Calls keep their argument text; each result is a message of its own, and its pictures follow as the user's."""
    messages = (
        Message("assistant", (Thought("hm"), ToolCall("c1", "look", '{"a": 1}'), ToolCall("c2", "go", ""))),
        Message("tool", (ToolResult("c1", (Text("one"), Text("two"))), ToolResult("c2", (Image("data:x"),)))),
        Message("user", (ToolResult("c3", (Text("late"),)), Text("and?"))),
    )

    assert turns(*messages) == [
        {"role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}},
            {"id": "c2", "type": "function", "function": {"name": "go", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "c1", "content": "one\ntwo"},
        {"role": "tool", "tool_call_id": "c2", "content": ""},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:x"}}]},
        {"role": "tool", "tool_call_id": "c3", "content": "late"},
        {"role": "user", "content": "and?"},
    ]  # fmt: skip


def test_nothing_stands_between_results() -> None:
    """Results in turns of their own follow the calls one after another; pictures of all of them come behind the last."""
    picture = ToolResult("c1", (Text("seen"), Image("data:x")))

    assert turns(Message("tool", (picture,)), Message("tool", (ToolResult("c2", (Text("two"),)),))) == [
        {"role": "tool", "tool_call_id": "c1", "content": "seen"},
        {"role": "tool", "tool_call_id": "c2", "content": "two"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:x"}}]},
    ]


def test_openai_itself_gets_no_thoughts() -> None:
    """OpenAI refuses fields that it doesn't know, and that is one."""
    assert turns(Message("assistant", (Thought("hm"), Text("so"))), openai=True) == [
        {"role": "assistant", "content": "so"}
    ]


def test_extras_pass_between_equals() -> None:
    """Fields that we don't know reach a provider of the client's own protocol, and never replace ours; null says nothing."""
    extras = {
        "user": "u1",
        "reasoning_effort": "high",
        "nothing": None,
        "model": "evil",
        "stream": False,
        "n": 99,
        "max_tokens": 1,
    }

    same = written(replace(ASKED, extras=extras))
    other = written(replace(ASKED, extras=extras, protocol="anthropic"))

    sibling = written(replace(ASKED, extras=extras, protocol="openai-responses"))

    assert same == sibling == {**written(ASKED), "user": "u1", "reasoning_effort": "high"}
    assert other == written(ASKED)


def test_what_a_client_sent_is_what_is_asked() -> None:
    """An OpenAI request read by our codec and written by this provider says the same."""
    sent = {
        "model": "x", "temperature": 0.25, "max_tokens": 9, "stop": ["\n"], "seed": 3, "user": "u", "n": 2,
        "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": [{"type": "text", "text": "t"}, {"type": "image_url", "image_url": {"url": "data:x", "detail": "high"}}]},
            {"role": "assistant", "content": "a", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "r"},
        ],
        "tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}],
        "tool_choice": {"type": "function", "function": {"name": "f"}},
    }  # fmt: skip
    request = inbound.read(
        json.dumps(sent).encode(), Envelope(id="r", created_s=1, client=None, session=None, project=None, reach="any")
    )

    body = json.loads(body_of(request, "x"))

    assert body == sent


# ---- over HTTP ------------------------------------------------------------------------------------------------------


async def test_an_answer(http: Http) -> None:
    """The key goes in its header, the model by its name, and the words come back with their usage."""
    async with upstream() as served:
        assert await ask(provider(http, served)) == SHOWN

        (received,) = served.requests
    assert (received.method, received.path) == ("POST", "/v1/chat/completions")
    assert received.headers["authorization"] == "Bearer sk-held"
    assert received.json == written(ASKED)


async def test_no_key_no_header(http: Http) -> None:
    """A provider without a key is sent none."""
    async with upstream() as served:
        await ask(provider(http, served, key=HeldKey(None)))

        assert "authorization" not in served.requests[0].headers


@pytest.mark.parametrize("cut", range(0, len(b"".join(HELLO.pieces)), 3))  # type: ignore[arg-type]
async def test_cuts_between_packets_change_nothing(http: Http, cut: int) -> None:
    """Wherever the stream is cut into packets, the deltas are the same."""
    whole = b"".join(piece for piece in HELLO.pieces if isinstance(piece, bytes))
    async with upstream(Answer((whole[:cut], whole[cut:]))) as served:
        assert await ask(provider(http, served)) == SHOWN


@pytest.mark.parametrize("cut", range(0, len(b"".join(HELLO.pieces[:3])), 7))  # type: ignore[arg-type]
async def test_a_stream_that_breaks_off_is_an_error(http: Http, cut: int) -> None:
    """Dropped or ended anywhere before the last word, an answer never passes for a whole one."""
    whole = b"".join(piece for piece in HELLO.pieces if isinstance(piece, bytes))
    until = min(cut, whole.index(b'"finish_reason": "stop"'))
    async with upstream(Answer((whole[:until], Cut())), Answer((whole[:until],))) as served:
        for _ in range(2):
            with pytest.raises(Unreachable, match=r"work (went away|closed)"):
                await ask(provider(http, served))


async def test_connections_are_used_again(http: Http) -> None:
    """A stream that was read to its end leaves its connection for the next one."""
    async with upstream() as served:
        for _ in range(3):
            await ask(provider(http, served))

        assert served.connections == 1


async def test_an_end_mark_ends_the_answer(http: Http) -> None:
    """What a server does after its end mark is not waited for."""
    async with upstream(Answer((*HELLO.pieces, Pause()))) as served:
        assert await ask(provider(http, served)) == SHOWN


WHOLE = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 2},
}


@pytest.mark.parametrize(
    "answer",
    [
        as_json(WHOLE),
        Answer((json.dumps(WHOLE).encode(),)),
        Answer(tuple(json.dumps(WHOLE, indent=1).encode()[n : n + 9] for n in range(0, 400, 9))),
        packed(as_json(WHOLE)),
        Answer((b" \r\n", json.dumps(WHOLE).encode())),
    ],
    ids=["json", "mislabelled", "in pieces", "packed", "blanks first"],
)
async def test_a_server_that_does_not_stream(http: Http, answer: Answer) -> None:
    """A whole completion is understood where a stream was asked for, however it is labelled."""
    async with upstream(answer) as served:
        assert await ask(provider(http, served)) == [TextDelta("Hello"), Finish("stop", Usage(7, 2))]


@pytest.mark.parametrize(
    "answer",
    [
        Answer((b"<html><body>Sign in to the network</body></html>",), headers={"content-type": "text/html"}),
        as_json({"detail": "hi"}),
        as_json([1]),
        Answer((b'{"model": "x", "message": {}}\n{"done": true}\n',), headers={"content-type": "application/x-ndjson"}),
        Answer((b"data: hello\n\n",)),
        Answer((b"",), headers={}),
    ],
    ids=["a page", "other JSON", "a list", "Ollama's own", "no JSON", "nothing"],
)
async def test_what_is_no_answer(http: Http, answer: Answer) -> None:
    """A 200 that isn't OpenAI's format says what to look at."""
    async with upstream(answer) as served:
        with pytest.raises(BadAnswer, match="check base_url and wire"):
            await ask(provider(http, served))


async def test_comments_are_no_answer(http: Http) -> None:
    """Heartbeats are skipped, and nothing but heartbeats is nobody there."""
    async with upstream(Answer((b": OPENROUTER PROCESSING\n\n", *HELLO.pieces)), Answer((b": x\n\n",))) as served:
        assert await ask(provider(http, served)) == SHOWN
        with pytest.raises(Unreachable, match="without an answer"):
            await ask(provider(http, served))


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (as_json({"error": {"message": "no", "code": "invalid_api_key"}}, 401), KeyRejected),
        (as_json({"error": {"message": "slow"}}, 429, retry_after="3"), RateLimited),
        (Answer(frames(said("a"), {"error": {"message": "hello", "code": 429}})), RateLimited),
        (as_json({"error": {"message": "hello"}}), BadAnswer),
        (Answer((), 500), Unreachable),
        (Answer((b"x" * 200_000,), 500), Unreachable),
        (Answer((b'{"error"', Cut()), 503), ProviderError),
    ],
)
async def test_refusals(http: Http, answer: Answer, kind: type[ProviderError]) -> None:
    """A refusal, by status or inside the answer, is our error without the provider's words, and a rejected key is forgotten."""
    key = HeldKey()
    async with upstream(answer) as served:
        with pytest.raises(kind) as caught:
            await ask(provider(http, served, key=key))

        assert len(served.requests) == 1, "providers try once"
    assert "hello" not in str(caught.value) and "sk-held" not in repr(caught.value)
    assert key.forgotten == (1 if kind is KeyRejected else 0)
    if isinstance(caught.value, RateLimited) and answer.status == 429:
        assert caught.value.retry_after_s == 3.0


async def test_a_refusal_that_stalls_is_told(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal is told by its status if its body doesn't come."""
    monkeypatch.setattr("providers.http.ERROR_BODY_S", 0.1)
    async with upstream(Answer((b'{"error"', Pause()), 503)) as served, asyncio.timeout(5):
        with pytest.raises(Overloaded):
            await ask(provider(http, served))

        await served.hung_up.wait()


async def test_models(http: Http) -> None:
    """The names of its models, and an error for what is no list."""
    async with upstream(
        as_json({"object": "list", "data": [{"id": "b"}, {"id": "a"}]}), as_json({"data": 3}), as_json({}, 404)
    ) as served:
        who = provider(http, served)
        assert await who.models() == ("b", "a")
        assert (served.requests[0].method, served.requests[0].path, served.requests[0].body) == (
            "GET",
            "/v1/models",
            b"",
        )
        with pytest.raises(BadAnswer):
            await who.models()
        with pytest.raises(Unsupported):
            await who.models()


async def test_a_cloud_model_of_a_local_server_needs_a_cloud_clearance(http: Http) -> None:
    """What may only go to this machine does not go to a server here that would pass it on."""
    crossed = Crossings()
    async with upstream() as served:
        who = provider(http, served, Place.DEVICE)
        with pytest.raises(NotCleared):
            _ = [delta async for delta in who.stream(cleared(place=Place.DEVICE), "big:cloud", crossed)]
        assert (served.connections, crossed) == (0, [])

        _ = [delta async for delta in who.stream(cleared(place=Place.CLOUD), "big:cloud", crossed)]

    assert [crossing.place for crossing in crossed] == [Place.CLOUD]


@pytest.mark.parametrize(
    ("reasoning", "wanted", "told"),
    [
        ("effort", Thinking(True, "high"), {"reasoning_effort": "high"}),
        ("effort", Thinking(False), {}),
        (
            "template:enable_thinking",
            Thinking(True, "high"),
            {"chat_template_kwargs": {"x": 1, "enable_thinking": True}},
        ),
        ("template:enable_thinking", Thinking(False), {"chat_template_kwargs": {"x": 1, "enable_thinking": False}}),
        (None, Thinking(True, "high"), {}),
    ],
)
def test_reasoning_as_a_server_is_told(reasoning: str | None, wanted: Thinking, told: dict[str, Any]) -> None:
    """By the way that the settings name, beside what the client says; a server that can't be told isn't."""
    extras = {"chat_template_kwargs": {"x": 1}}
    asked = replace(ASKED, thinking=wanted, extras=extras, protocol="openai-chat")

    body = json.loads(body_of(asked, "big", reasoning=reasoning))

    assert {**extras, **told} == {
        name: body[name] for name in ("chat_template_kwargs", "reasoning_effort") if name in body
    }


async def test_thinking_that_a_server_cant_be_told_is_left_aside(http: Http) -> None:
    """What changes nothing of what is asked is said, so that the client learns of it."""
    asked = replace(ASKED, thinking=Thinking(True))
    told = {
        reasoning: provider_of(
            "openai-chat", http, Target("work", "http://127.0.0.1:9/v1", Place.CLOUD, reasoning), HeldKey()
        ).not_honoured(asked)
        for reasoning in ("effort", "template:enable_thinking", None)
    }

    assert told == {"effort": ("thinking",), "template:enable_thinking": (), None: ("thinking",)}


async def test_more_than_the_protocol_has(http: Http) -> None:
    """A server that the settings say takes it is told of how many tokens to draw; others are not, and it is said."""
    asked = replace(ASKED, sampling=Sampling(top_k=40))
    takes, other = (
        provider_of(
            "openai-chat", http, target_of("work", "http://127.0.0.1:9/v1", Place.CLOUD, accepts=accepts), HeldKey()
        )
        for accepts in (("top_k",), ())
    )

    assert takes.not_honoured(asked) == ()
    assert other.not_honoured(asked) == ("top_k",)
    assert json.loads(body_of(asked, "big", accepts=("top_k",)))["top_k"] == 40
    assert "top_k" not in json.loads(body_of(asked, "big"))


async def test_thoughts_that_a_server_cant_read_are_left_aside(http: Http) -> None:
    """What only its maker can read goes to nobody else, and OpenAI takes none at all: the client learns of both."""
    url = {False: "http://127.0.0.1:9/v1", True: "https://api.openai.com/v1"}
    told = {
        (openai, redacted): provider_of(
            "openai-chat", http, target_of("work", url[openai], Place.CLOUD), HeldKey()
        ).not_honoured(
            replace(ASKED, messages=(Message("assistant", (Thought("" if redacted else "hm", "s", redacted),)),))
        )
        for openai in (False, True)
        for redacted in (False, True)
    }

    assert told == {
        (False, False): (),
        (False, True): ("thoughts",),
        (True, False): ("thoughts",),
        (True, True): ("thoughts",),
    }


@pytest.mark.parametrize(
    ("parts", "content"),
    [
        ((Text("no such file"),), "Error: no such file"),
        ((Text("error: no"), Text("x")), "error: no\nx"),
        ((), "Error: "),
    ],
)
def test_a_failed_tool_is_told_in_words(parts: tuple[Text, ...], content: str) -> None:
    """Their results have no mark for it; one that says so itself says it once."""
    asked = replace(ASKED, messages=(Message("tool", (ToolResult("c", parts, failed=True),)),))

    assert json.loads(body_of(asked, "big"))["messages"][0]["content"] == content


def test_a_format_has_the_name_that_its_schema_has() -> None:
    """As long as they take it for one."""
    for title, name in {"weather_2": "weather_2", "has blanks": "answer", "": "answer", "x" * 65: "answer"}.items():
        told = json.loads(body_of(replace(ASKED, schema={"title": title}), "big"))["response_format"]["json_schema"]
        assert (told["name"], told["schema"]) == (name, {"title": title})


async def test_headers_of_the_policy(http: Http) -> None:
    """They go along, and can't replace ours."""
    async with upstream(HELLO) as served:
        headers = (("x-lane", "quick"), ("authorization", "Bearer else"), ("content-type", "text/plain"))
        await ask(provider(http, served), replace(ASKED, headers=headers))
        (received,) = served.requests

    assert received.headers["x-lane"] == "quick"
    assert "else" not in received.headers["authorization"]
    assert received.headers["content-type"] == "application/json"
