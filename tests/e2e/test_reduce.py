"""Reduction, end to end: what leaves says less, what is told about it is true, and doubt keeps a request here."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.house import house
from tests.fakes.upstream import HELLO, USAGE, Answer, frames
from tests.fakes.upstream import said as says

pytestmark = pytest.mark.slow

POLICY: Final = """
[policy.classes]
code = "reduce"
implicit = "reduce"
[records]
content = true
"""
TOLD: Final = (
    "My neighbor, a retired judge from Burlington, was diagnosed with leukemia. How can I help? Mail ada@lovelace.dev"
)
LESS: Final = "It is about someone I know and a matter of work and health. How can I help? Mail "
DOUBT: Final = "Summarize: the principal of the largest school in Fresno was arrested in 2019."


async def test_what_leaves_says_less_and_it_is_told(tmp_path: Path) -> None:
    """The provider gets the abstract text with masks in it; header, record, receipt and `why` say so, in counts and kinds."""
    async with house(tmp_path, HELLO, HELLO, HELLO, extra=POLICY) as here:
        for stream in (False, True):
            answer = await here.ask(TOLD, stream=stream)
            assert answer.status_code == 200, answer.text
            sent = here.served.requests[-1].json["messages"][-1]["content"]
            assert sent.startswith(LESS)
            assert "ada@lovelace.dev" not in sent
            assert answer.headers["x-nearloop-egress"] == "masked"
            by, _, kinds = answer.headers["x-nearloop-reduced"].partition("; ")
            assert by == "rules"
            assert {"person=1", "place=1"} <= set(kinds.split(", "))

        id = answer.headers["x-nearloop-record"]
        detail = await asyncio.to_thread(here.control.record, id)
        record, content = detail.record, detail.content
        assert record.reduction
        assert record.reduction.changes["person"] == 1
        assert [receipt.reduced for receipt in record.receipts] == ["rules"]
        assert content
        assert content.reduced
        assert content.reduced[0]["parts"][0]["text"].startswith(LESS)
        why = await here.nearloop("why", id)
        assert "said with less (rules)" in why
        assert "reduced by rules" in why
        assert "leukemia" not in why
        assert LESS in await here.nearloop("why", id, "--words")
        assert "reduced" in await here.nearloop("receipts", "show", id)

        plain = await here.ask("How do I sort a list?")
        assert plain.status_code == 200
        assert "x-nearloop-reduced" not in plain.headers


async def test_a_description_can_be_let_pass(tmp_path: Path) -> None:
    """What was found in the client's own words is what `nearloop allow` lets pass; until then nothing left as it was."""
    words = TOLD.partition(" Mail")[0]
    async with house(tmp_path, HELLO, extra=POLICY) as here:
        less = await here.ask(words)
        assert less.headers["x-nearloop-egress"] == "masked"
        await here.nearloop("allow", less.headers["x-nearloop-record"], "--once")
        whole = await here.ask(words)
        assert whole.headers["x-nearloop-egress"] == "open"
        assert "x-nearloop-reduced" not in whole.headers
        assert [each.json["messages"][-1]["content"] for each in here.served.requests] == [
            LESS.partition(" Mail")[0],
            words,
        ]


async def test_doubt_and_tools_keep_a_request_here(tmp_path: Path) -> None:
    """It is refused if it asked for the cloud by name, answered here otherwise, and `why` says why it couldn't be reduced."""
    async with house(tmp_path, HELLO, extra=POLICY) as here:
        tool = {
            "type": "function",
            "function": {"name": "look_up", "description": "", "parameters": {"type": "object"}},
        }
        for words, more, reason in (
            (DOUBT, {}, "could still be guessed"),
            (TOLD, {"tools": [tool]}, "more than a conversation"),
        ):
            refused = await here.ask(words, **more)
            assert refused.status_code == 403, refused.text
            kept = await here.ask(words, "auto", **more)
            assert kept.headers["x-nearloop-egress"] == "none"
            assert "x-nearloop-reduced" not in kept.headers
            why = await here.nearloop("why", kept.headers["x-nearloop-record"])
            assert reason in why
            assert "somebody could be guessed" in why
        assert not here.served.requests


async def test_names_in_code_leave_masked_and_come_back(tmp_path: Path) -> None:
    """The provider's answer speaks of aliases; the client reads its own names, in new ones made of them too."""
    code = "```python\ndef settle_batch(cust_ref):\n    return cust_ref\n```\nRename `settle_batch`, please."
    async with house(tmp_path, HELLO, extra=POLICY) as here:
        await here.ask(code)
        sent = here.served.requests[0].json["messages"][-1]["content"]
        assert "settle_batch" not in sent
        assert "cust_ref" not in sent
        alias = sent.split("def ")[1].split("(")[0]
        here.served.answers.append(Answer(frames(says(f"Call it {alias}_now, not {alias}."), says("", "stop"), USAGE)))
        answer = await here.ask(code)
        assert answer.json()["choices"][0]["message"]["content"] == "Call it settle_batch_now, not settle_batch."


async def test_the_command_shows_the_difference(tmp_path: Path) -> None:
    """Exit status 0 with both texts and counts where it would leave; 5 with the reason where it would not."""
    async with house(tmp_path) as here:
        shown = await here.nearloop("reduce", TOLD)
        assert f"- {TOLD}" in shown
        assert f"+ {LESS}" in shown
        assert "Taken out, for good: " in shown
        assert "1 EMAIL_ADDRESS" in shown
        kept = await here.nearloop("reduce", DOUBT, check=5)
        assert "It would stay here, because somebody could be guessed" in kept
        found = json.loads(await here.nearloop("reduce", "--json", "Nothing to see."))
        assert found == {"leaves": "Nothing to see."}


async def test_a_named_model_rewrites_what_rules_cannot(tmp_path: Path) -> None:
    """What it makes is sent if it is believed, under its name; an echo is not, and the request stays."""
    less = "Summarize: someone in a school has trouble with the law."
    async with house(tmp_path, HELLO, extra=POLICY, policy='reducer = "play"') as here:
        answer = await here.ask(f"{DOUBT} [[bytes={less.encode().hex()}]]")
        assert answer.status_code == 200, answer.text
        assert answer.headers["x-nearloop-reduced"] == "model play; rewritten=1"
        assert here.served.requests[0].json["messages"][-1]["content"] == less

        echoed = await here.ask(DOUBT)
        assert echoed.status_code == 403
        assert len(here.served.requests) == 1
