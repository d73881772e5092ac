"""Another server on this machine in the loop: a second daemon, with a receipt for each crossing and nothing that left."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from daemon.cli.why import explain
from tests.fakes.house import house
from tests.fakes.running import SCRIPTED, RunningDaemon, running
from tests.fakes.upstream import Answer, Cut, frames, upstream

pytestmark = pytest.mark.slow

SETTINGS = (
    SCRIPTED.format(options="")
    + """
[policy]
privacy = "strict"
escalate_below = 1.0
[providers.near]
base_url = "http://127.0.0.1:{port}/v1"
models = ["local"]
key = "none"
place = "device"
"""
)
NEAR = """
[providers.near]
base_url = "{url}"
models = ["n"]
key = "none"
place = "device"
"""
PRIVATE = "Mail ada.byron@analytical-engines.net"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[tuple[RunningDaemon, RunningDaemon]]:
    """The server beside, and a daemon that knows it."""
    with ExitStack() as stack:
        beside = stack.enter_context(running(tmp_path / "beside"))
        with beside.client() as control:
            port = control.discovery.port
        front = RunningDaemon(tmp_path / "front", SETTINGS.replace("{port}", str(port)))
        stack.callback(front.stop)
        front.wait_ready()
        yield beside, front


def ask(front: RunningDaemon, model: str, text: str, stream: bool = False) -> httpx.Response:
    """Ask without a token."""
    body = {"model": model, "messages": [{"role": "user", "content": text}], "stream": stream}
    return httpx.post(f"{front.url}/v1/chat/completions", json=body, timeout=30)


def test_it_answers_what_must_not_leave(stage: tuple[RunningDaemon, RunningDaemon]) -> None:
    """An unsure local draft goes on to it, without a token and with private values, and the record says where it stayed."""
    beside, front = stage

    answer = ask(front, "auto", PRIVATE)

    assert answer.status_code == 200, answer.text
    assert answer.json()["model"] == "near/local"
    assert answer.json()["choices"][0]["message"]["content"] == PRIVATE
    assert answer.headers["x-nearloop-egress"] == "none"
    with front.client() as control:
        record = control.record(answer.headers["x-nearloop-record"]).record
    assert [(attempt.provider, attempt.place, attempt.passed) for attempt in record.attempts] == [
        ("local", "device", False),
        ("near", "device", None),
    ]
    assert [receipt.place for receipt in record.receipts] == ["device"]
    told = " ".join(explain(record))
    assert "near/local answered on this machine" in told
    assert "Nothing left this machine." in told
    with beside.client() as control:
        assert control.status().requests == 1


@pytest.mark.parametrize("stream", [False, True])
def test_the_local_draft_is_there_when_it_is_not(stage: tuple[RunningDaemon, RunningDaemon], stream: bool) -> None:
    """A server that was stopped costs no time: the draft is the answer, and says that it is unsure."""
    beside, front = stage
    beside.stop()
    began = time.monotonic()

    answer = ask(front, "auto", PRIVATE, stream)

    assert answer.status_code == 200, answer.text
    assert "ada.byron" in answer.text
    assert answer.headers["x-nearloop-confidence"] == "below"
    assert time.monotonic() - began < 10  # three tries with pauses would be 2.5 s more than the few ms that it takes
    with front.client() as control:
        record = control.record(answer.headers["x-nearloop-record"]).record
    assert [(attempt.provider, attempt.error) for attempt in record.attempts] == [
        ("local", None),
        ("near", "Unreachable"),
    ]


def test_models_are_listed(stage: tuple[RunningDaemon, RunningDaemon]) -> None:
    """Its model can be chosen from the list, and there is no `cloud` without one."""
    _, front = stage
    names = {model["id"] for model in httpx.get(f"{front.url}/v1/models").json()["data"]}

    assert "near/local" in names
    assert "cloud" not in names


def told(index: int, words: str, reason: str | None = None) -> dict[str, Any]:
    """A chunk of one of several answers, of which the server is sure."""
    sure = {"content": [{"token": words, "logprob": -0.01, "bytes": list(words.encode()), "top_logprobs": []}]}
    return {"choices": [{"index": index, "delta": {"content": words}, "logprobs": sure, "finish_reason": reason}]}


@pytest.mark.parametrize("stream", [False, True])
async def test_several_answers_are_whole(tmp_path: Path, stream: bool) -> None:
    """Where the cloud is away it gives them, one behind the other, and none is lost with the end of the first."""
    several = Answer(frames(told(0, "one"), told(0, "", "stop"), told(1, "two"), told(1, "", "stop")))
    async with (
        upstream(several) as beside,
        house(tmp_path, Answer((Cut(),)), extra=NEAR.format(url=beside.url)) as here,
    ):
        answer = await here.ask("Say a number.", "auto", n=2, stream=stream)

        assert answer.status_code == 200, answer.text
        assert answer.text.count('"finish_reason":"stop"') == 2
        record = await here.record(answer)
        assert {attempt.provider for attempt in record.attempts} == {"work", "near"}
