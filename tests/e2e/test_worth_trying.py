"""What a draft may cost whoever goes to the cloud in the end, and what the cloud has to write of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.fakes.house import CHAT, House, house
from tests.fakes.upstream import HELLO, Answer, Pause, Upstream, frames, said

pytestmark = pytest.mark.slow

EMAIL: Final = "ada.byron@analytical-engines.net"
BLOCKS: Final = ("```js\nopen(1);\n```", f'```js\nmail("{EMAIL}";\n```', "```js\nclose(2);\n```")
DRAFT: Final = "Here:\n\n" + "\n\n".join(BLOCKS) + "\n\nDone."


async def ask(here: House[Upstream], words: str) -> tuple[str, tuple[str, ...], str]:
    """(rule, providers that were asked, what the client read) of a streamed question."""
    body = {"model": "auto", "stream": True, "messages": [{"role": "user", "content": words}]}
    async with here.client.stream("POST", CHAT, json=body) as answer:
        told = (await answer.aread()).decode()
    record = await here.record(answer)
    return record.decision.rule, tuple(attempt.provider for attempt in record.attempts), told


async def test_a_slow_draft_does_not_keep_the_cloud_waiting(tmp_path: Path) -> None:
    """It is stopped after the head start, in the middle of its prompt; the next one of that length is not made."""
    async with house(tmp_path, HELLO, head_start=1.0, options="reading=100,context=100000") as here:
        rule, asked, told = await ask(here, "Go on. [[prompt=5000]]")
        assert (rule, asked) == ("auto-confidence", ("local", "work"))
        assert "Hel" in told

        rule, asked, told = await ask(here, "And on. " + "word " * 5000)
        assert (rule, asked) == ("auto-skip-local", ("work",))
        assert len(here.served.requests) == 2


async def test_what_can_not_fit_is_not_tried(tmp_path: Path) -> None:
    """A prompt far beyond the model's window goes to the cloud at once."""
    async with house(tmp_path, HELLO, options="context=512") as here:
        rule, asked, _ = await ask(here, "word " * 2000)

        assert (rule, asked) == ("auto-skip-local", ("work",))


async def test_the_failing_block_alone_is_asked_of_the_cloud(tmp_path: Path) -> None:
    """Of three blocks that were drafted here one does not close its bracket: the cloud writes that one, and sees no address."""
    right = '```js\nmail("ops");\n```'
    served = Answer((Pause(0.5), *frames(said(right), said("", "stop"))))
    async with house(tmp_path, served, policy="escalate_below = 0.01") as here:
        answer = await here.ask(DRAFT, model="auto", max_tokens=200)

        assert answer.status_code == 200, answer.text
        assert answer.json()["choices"][0]["message"]["content"] == DRAFT.replace(BLOCKS[1], right)
        record = await here.record(answer)
        assert [(attempt.provider, attempt.role) for attempt in record.attempts] == [
            ("local", None),
            ("work", "repair"),
        ]
        assert record.notes == ("mended",)
        drafted, repaired = (attempt.took_ms for attempt in record.attempts)
        assert drafted < repaired  # who held it for the mending meanwhile is no part of a model's speed
        assert record.egress == "masked"
        assert EMAIL.encode() not in here.served.bytes
        assert b"GAP 1" in here.served.bytes
