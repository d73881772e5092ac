"""Loopers of several models, through a real daemon: who is asked, what leaves, what is told and written down."""

from __future__ import annotations

import asyncio
import json
import re
import stat
from pathlib import Path
from typing import Any, Final

import pytest

from daemon.cli.why import explain
from tests.fakes.several import Several, called, content, several, spoken, words
from tests.fakes.upstream import Answer, Pause

pytestmark = pytest.mark.slow

RATINGS: Final = """
MODEL local {}
MODEL "work/a" {}
MODEL "work/b" {}
MODEL "work/c" {}
ROUTE panel { MODEL "work/a", "work/b", "work/c" ALGORITHM ratings {} }
"""
MIXED: Final = RATINGS.replace('MODEL "work/a", "work/b", "work/c"', 'MODEL "local", "work/b"')
EMAIL: Final = "ada.byron@analytical-engines.net"


def capitals(model: str, asked: str, body: dict[str, Any]) -> str:
    return "Lyon" if model == "a" else "Paris"


def silent(model: str, asked: str, body: dict[str, Any]) -> Answer:
    return Answer((Pause(),))


async def until(condition: Any) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


async def test_dissent_is_seen(tmp_path: Path) -> None:
    """The majority's answer comes, and the header, upstream's headers, the record and `why` show who said otherwise."""
    async with several(tmp_path, RATINGS, capitals) as here:
        answer = await here.ask("Capital of France?")
        record = await here.record(answer)

        assert content(answer) == "Paris"
        assert answer.headers["x-nearloop-dissent"] == "1/3"
        assert answer.headers["x-vsr-looper-algorithm"] == "ratings"
        assert answer.headers["x-vsr-looper-models-used"] == "work/a,work/b,work/c"
        assert answer.headers["x-vsr-looper-total-tokens"] == "27"
        assert answer.json()["usage"] == {**answer.json()["usage"], "prompt_tokens": 21, "completion_tokens": 6}
        assert [(each.model, each.role, each.side) for each in record.attempts] == [
            ("a", "panel", "B"),
            ("b", "panel", "A"),
            ("c", "panel", "A"),
        ]
        assert len(record.receipts) == record.ledger.calls == 3
        told = " ".join(explain(record))
        assert "1 said something else" in told
        assert "side B" in told


async def test_a_client_that_hangs_up_ends_all_calls(tmp_path: Path) -> None:
    """Each of the silent servers sees its connection end, and the record says that the client went."""
    async with several(tmp_path, RATINGS, silent) as here:
        asking = asyncio.create_task(here.ask("Capital of France?"))
        await until(lambda: len(here.models.requests) == 3)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

        await until(lambda: len(here.control.records(None, 1).records) == 1)
        [record] = here.control.records(None, 1).records
        assert record.outcome == "cancelled"
        assert [each.outcome for each in record.attempts] == ["cancelled"] * 3
        await asyncio.wait_for(here.models.hung_up.wait(), 10)


async def streamed(here: Several, text: str, **more: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """The frames of a streamed answer, and the lines that are no frames."""
    body = {"model": "auto", "stream": True, "messages": [{"role": "user", "content": text}], **more}
    lines: list[str] = []
    async with here.http.stream("POST", "/v1/chat/completions", json=body) as answer:
        lines = [line async for line in answer.aiter_lines() if line]
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    assert data[-1] == "[DONE]"
    return [json.loads(each) for each in data[:-1]], [line for line in lines if not line.startswith("data: ")]


async def test_a_stream_begins_once_and_shows_signs_of_life(tmp_path: Path) -> None:
    """While the panel works nothing is said but heartbeats, then one start, one answer, one end."""

    def slow(model: str, asked: str, body: dict[str, Any]) -> Answer:
        whole = capitals(model, asked, body)
        return Answer((Pause(6.5), *words(whole).pieces))

    async with several(tmp_path, RATINGS, slow) as here:
        chunks, beats = await streamed(here, "Capital of France?")

        assert beats
        assert [each["choices"][0]["delta"].get("role") for each in chunks if each["choices"]].count("assistant") == 1
        said = "".join(each["choices"][0]["delta"].get("content") or "" for each in chunks if each["choices"])
        assert said == "Paris"
        assert [each["choices"][0]["finish_reason"] for each in chunks if each["choices"]].count("stop") == 1


async def test_on_the_device_alone(tmp_path: Path) -> None:
    """A request that has to stay is answered by the local models of the recipe, and nothing is sent."""
    async with several(tmp_path, MIXED, capitals) as here:
        answer = await here.ask("Say one two three", headers={"x-nearloop-reach": "device"})
        record = await here.record(answer)

        assert content(answer) == "Say one two three"
        assert here.models.requests == []
        assert {each.place for each in record.attempts} == {"device"}
        assert record.egress == "none"


async def test_answers_are_looked_at_before_a_judge_sees_them(tmp_path: Path) -> None:
    """A private value that only a local model's answer holds leaves masked in the judge's prompt, as in the question."""
    prose = "A long answer about letters that people write to each other, and how they are sent."

    def speaks(model: str, asked: str, body: dict[str, Any]) -> str:
        return json.dumps({"scores": {"answer 1": 9}}) if "Score each" in asked else prose

    question = f"Please write a long letter to {EMAIL} about the many rivers of France and about their fish."
    async with several(tmp_path, MIXED, speaks) as here:
        answer = await here.ask(question)
        record = await here.record(answer)

        judged = [each for each in here.models.requests if b"Score each" in each.body]
        assert len(judged) == 1
        assert b"rivers of France" in judged[0].body
        assert EMAIL.encode() not in bytes(here.models.bytes)
        assert all(sum(receipt.masks.values()) for receipt in record.receipts)
        assert content(answer) == question  # the local one's, which the judge liked
        assert answer.headers["x-nearloop-egress"] == "masked"


FUSION: Final = """
MODEL local {}
MODEL "work/a" {}
MODEL "work/b" {}
ROUTE panel { MODEL "work/a", "work/b" ALGORITHM fusion { max_completion_tokens: 100 } }
"""
PICTURE: Final = "data:image/png;base64,iVBORw0KGgo="


async def test_fusion_of_a_picture(tmp_path: Path) -> None:
    """Panel, judge and writer all see the picture of a question; the writer's answer streams, and counts all tokens."""

    def speaks(model: str, asked: str, body: dict[str, Any]) -> str:
        if "Say only a JSON object" in asked:
            return '{"consensus": ["a picture"]}'
        if "answers of several models" in asked:
            return "It is a very small picture."
        return f"A long answer of {model} about what a picture of this kind may show to people."

    async with several(tmp_path, FUSION, speaks, more='[policy]\nprivacy = "open"\n') as here:
        parts = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": PICTURE}}]
        chunks, _ = await streamed(here, parts, stream_options={"include_usage": True})  # type: ignore[arg-type]

        assert "".join(c["choices"][0]["delta"].get("content") or "" for c in chunks if c["choices"]) == (
            "It is a very small picture."
        )
        assert chunks[-1]["usage"]["total_tokens"] == 4 * 9
        assert len(here.models.requests) == 4
        assert all(PICTURE.encode() in each.body for each in here.models.requests)
        [record] = (await asyncio.to_thread(here.control.records, None, 1)).records
        assert [each.role for each in record.attempts] == ["panel", "panel", "judge", "synthesis"]
        assert len(record.receipts) == 4


REMOM: Final = """
MODEL "work/a" {}
MODEL "work/b" {}
ROUTE rounds { MODEL "work/a", "work/b" ALGORITHM remom { breadth_schedule: [2, 2] } }
"""


async def test_remom_within_a_budget(tmp_path: Path) -> None:
    """Three calls are allowed: the first round and one more; the best of them is the answer, in the user's form."""

    def speaks(model: str, asked: str, body: dict[str, Any]) -> str:
        return "I think so.\nANSWER: B" if "Between the marks" in asked else f"Model {model} thinks.\nANSWER: C"

    async with several(tmp_path, REMOM, speaks, more="[budget]\ncalls = 3\n") as here:
        answer = await here.ask("Which of A to D? End with a line ANSWER: X")
        record = await here.record(answer)

        assert content(answer) == "I think so.\nANSWER: B"
        assert len(here.models.requests) == 3
        assert record.ledger.spent == ("calls",)
        assert record.notes == ("below-quorum", "synthesis-failed")


WORKFLOW: Final = """
MODEL "work/a" {}
MODEL "work/b" {}
ROUTE flow {
  MODEL "work/a", "work/b"
  ALGORITHM workflows {
    mode: "static"
    roles: [
      { name: "think", models: ["work/a"], prompt: "Think first." },
      { name: "look", models: ["work/b"], prompt: "Then look.", access_list: ["think"] }
    ]
  }
}
"""
TOOL: Final = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}


def flows(model: str, asked: str, body: dict[str, Any]) -> str | Answer:
    if "of the results below" in asked:
        return "It is blue."
    if "Think first" in asked:
        return f"Ask {EMAIL} what colour it has."
    return "I saw blue." if any(each["role"] == "tool" for each in body["messages"]) else called("look", "{}")


@pytest.mark.parametrize("may_keep", [False, True])
async def test_a_tool_in_the_middle_of_a_workflow(tmp_path: Path, may_keep: bool) -> None:
    """The client runs a step's tool and comes back, and no step is done twice; what waits is written down only where words
    may be kept, for this user alone, and is wiped when it is taken up."""
    more = "[records]\ncontent = true\n" if may_keep else ""
    async with several(tmp_path, WORKFLOW, flows, more=more) as here:
        first = await here.ask("What colour is it?", tools=[TOOL])
        [call] = first.json()["choices"][0]["message"]["tool_calls"]
        folder = here.daemon.paths.flows
        waiting = list(folder.iterdir()) if folder.exists() else []
        assert len(waiting) == may_keep
        if may_keep:
            assert stat.S_IMODE(waiting[0].stat().st_mode) == 0o600
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert first.json()["choices"][0]["finish_reason"] == "tool_calls"
        assert re.fullmatch(r"flow_[0-9a-f]{16}_0", call["id"])

        turns = [
            {"role": "user", "content": "What colour is it?"},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": "rgb(0, 0, 255)"},
        ]
        second = await here.ask("", messages=turns, tools=[TOOL])
        record = await here.record(second)

        assert content(second) == "It is blue."
        assert [(each.model, each.role) for each in record.attempts] == [("b", "step"), ("a", "synthesis")]
        assert len(here.models.requests) == 4
        assert not folder.exists() or list(folder.iterdir()) == []
        resumed = here.models.requests[2].json
        assert "Ask " in json.dumps(resumed)
        assert EMAIL not in json.dumps(resumed)  # a model's answer is looked at like a client's words
        again = await here.ask("", messages=turns, tools=[TOOL])
        assert "flow-lost" in (await here.record(again)).notes


async def test_an_answer_that_has_to_stay_is_shown_to_nobody_beyond(tmp_path: Path) -> None:
    """The question may leave, but a local model's answer holds what the policy keeps here: the judge in the cloud never gets
    it, and one of the answers that came is released."""
    secret = f"A letter to {EMAIL}, which is long enough to be compared with nothing at all."
    prose = "A long answer about letters that people write to each other, and how they are sent."

    def speaks(model: str, asked: str, body: dict[str, Any]) -> str:
        return prose

    async with several(tmp_path, MIXED, speaks, more='[policy.classes]\nEMAIL_ADDRESS = "device"\n') as here:
        answer = await here.ask(spoken(secret))
        record = await here.record(answer)

        assert content(answer) in (secret, prose)
        assert EMAIL.encode() not in bytes(here.models.bytes)
        roles = [(each.provider, each.role) for each in record.attempts]
        assert ("work", "panel") in roles
        assert ("work", "judge") not in roles
        assert record.egress == "open"
