"""Loopers of several models under policies: what models wrote goes no further than each provider's rules let it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import pytest

from daemon.cli.why import explain
from daemon.wire import NewAnswer
from tests.fakes.several import Several, content, several, spoken
from tests.fakes.upstream import Answer

pytestmark = pytest.mark.slow

MIXED: Final = """
MODEL local {}
MODEL "work/a" {}
ROUTE panel { MODEL "local", "work/a" ALGORITHM ratings {} }
"""
BEYOND: Final = """
MODEL "work/a" {}
MODEL "work/b" {}
MODEL "strict/s" {}
ROUTE panel { MODEL "work/a", "work/b", "strict/s" ALGORITHM ratings {} }
"""
REDUCE: Final = '[policy.classes]\nimplicit = "reduce"\n'
TOLD: Final = "My neighbor, a retired judge from Burlington, was diagnosed with leukemia. How can I help?"
LESS: Final = "It is about someone I know and a matter of work and health. How can I help?"
FACTS: Final = (b"neighbor", b"Burlington", b"leukemia", b"retired")
ADDRESS: Final = "ada.byron@analytical-engines.net"
PROSE: Final = "Listen to them, cook for them, and ask them what they need before you do anything at all."


def kind(model: str, asked: str, body: dict[str, Any]) -> str | Answer:
    """A judge who likes the first answer, and everybody's prose."""
    return json.dumps({"scores": {"answer 1": 9, "answer 2": 1}}) if "Score each" in asked else f"{PROSE} ({model})"


def judged(here: Several) -> list[bytes]:
    return [each.body for each in here.models.requests if b"Score each" in each.body]


async def test_what_was_taken_out_does_not_leave_in_an_errand(tmp_path: Path) -> None:
    """A judge who gets the request said with less gets it with answers behind it that tell nothing of what was taken out,
    and is left out where the local model's answer tells it."""
    async with several(tmp_path, MIXED, kind, more=REDUCE) as here:
        repeats = await here.ask(TOLD)  # the local model says what it was asked
        record = await here.record(repeats)
        assert content(repeats) in (TOLD, f"{PROSE} (a)")
        assert [LESS.encode() in each.body for each in here.models.requests] == [True]
        assert judged(here) == []
        assert [receipt.reduced for receipt in record.receipts] == ["rules"]
        assert "left-out" in record.notes
        assert "who may not be asked was left out" in " ".join(explain(record)).lower()

        harmless = await here.ask(
            f"{TOLD} {spoken('Bring soup and books, and offer to drive to the doctor each week.')}"
        )
        (verdict,) = judged(here)
        assert LESS.encode() in verdict
        assert b"Bring soup" in verdict
        assert content(harmless).startswith("Bring soup")
        record = await here.record(harmless)
        assert [receipt.reduced for receipt in record.receipts] == ["rules", "rules"]
        assert [each.role for each in record.attempts].count("judge") == 2
        for fact in FACTS:
            assert fact not in bytes(here.models.bytes)


async def test_each_provider_sees_of_the_others_answers_what_its_rules_let_it(tmp_path: Path) -> None:
    """One model writes an address: a judge of its own provider sees an alias, the one of a stricter provider is not asked."""

    def writes(model: str, asked: str, body: dict[str, Any]) -> str | Answer:
        said = kind(model, asked, body)
        return (
            f"Write to eve.moneypenny@universal-exports.co.uk. {said}" if model == "a" and PROSE in str(said) else said
        )

    strict = '[providers.strict]\nbase_url = "{url}"\nmodels = ["s"]\nkey = "env:NEARLOOP_TEST_KEY"\nclasses = { EMAIL_ADDRESS = "device" }\n'
    async with several(tmp_path, BEYOND, writes, more=strict) as here:
        answer = await here.ask("How can I help somebody who is ill, and what should I leave alone?")
        record = await here.record(answer)

        assert content(answer)
        asked = [json.loads(body)["model"] for body in judged(here)]
        assert "b" in asked
        assert "s" not in asked
        assert ("strict", "panel") in [(each.provider, each.role) for each in record.attempts]
        shown = b"".join(judged(here))
        assert b"Write to " in shown
        assert b"moneypenny" not in shown


ASKS: Final = '[policy.classes]\nEMAIL_ADDRESS = "ask"\n'


async def told(here: Several, answer: Any) -> None:
    """Answer the one question that waits."""
    async with asyncio.timeout(60):
        while not (found := (await asyncio.to_thread(here.control.approvals)).approvals):
            await asyncio.sleep(0.01)
    (held,) = found
    await asyncio.to_thread(here.control.answer, held.id, NewAnswer(answer))


async def test_the_user_is_asked_once_for_a_panel(tmp_path: Path) -> None:
    """A yes holds for all of a provider's models, and for judges whose prompts hold the same value."""
    recipe = MIXED.replace('"local", "work/a"', '"local", "work/a", "work/b"').replace(
        "ROUTE", 'MODEL "work/b" {}\nROUTE'
    )
    async with several(tmp_path, recipe, kind, more=ASKS) as here:
        asking = asyncio.create_task(here.ask(f"What would you write to {ADDRESS}, who is ill and far away from home?"))
        await told(here, "allow")
        answer = await asking
        record = await here.record(answer)

        assert content(answer)
        assert [(each.to, each.outcome) for each in record.asked] == [("work", "allowed")]
        assert len(judged(here)) == 2
        assert all(ADDRESS.encode() in body for body in judged(here))
        assert record.egress == "open"


async def test_a_no_is_answered_here(tmp_path: Path) -> None:
    """A panel that is all beyond this machine gives way to this machine's model, and nothing leaves."""
    recipe = MIXED.replace('"local", "work/a"', '"work/a", "work/b"').replace("ROUTE", 'MODEL "work/b" {}\nROUTE')
    async with several(tmp_path, recipe, kind, more=ASKS) as here:
        question = f"What would you write to {ADDRESS}?"
        asking = asyncio.create_task(here.ask(question))
        await told(here, "deny")
        answer = await asking
        record = await here.record(answer)

        assert content(answer) == question
        assert here.models.requests == []
        assert [(each.to, each.outcome) for each in record.asked] == [("work", "denied")]
        assert (record.egress, record.attempts[-1].provider) == ("none", "local")
        assert "nobody-beyond" in record.notes
