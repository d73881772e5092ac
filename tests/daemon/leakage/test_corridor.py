"""The corridor of the benchmark is the boundary's own."""

from __future__ import annotations

from daemon.boundary.policy import Policy
from daemon.leakage.corridor import Corridor
from daemon.settings import Dictionary

TEXT = "write to maria.keller@quarrymail.de about falcon ledger"


async def crossing(text: str, policy: Policy, dictionary: Dictionary | None = None):  # type: ignore[no-untyped-def]
    corridor = Corridor(policy, dictionary, votes=False)
    try:
        return await corridor.cross(text)
    finally:
        corridor.close()


async def test_masked_text_leaves_and_is_told_to_the_byte() -> None:
    """What arrived is the body's texts, the value is not among them, and it comes back."""
    found = await crossing(TEXT, Policy("balanced"))

    assert not found.kept
    assert "keller" not in found.arrived
    assert "about falcon ledger" in found.arrived
    assert found.body_bytes > len(found.masked)
    assert found.back(found.masked) == TEXT


async def test_each_preset_is_its_own() -> None:
    """`strict` keeps it, and what is in doubt; `open` lets it out; a class of the policy counts."""
    kept = await crossing(TEXT, Policy("strict"))
    doubt = await crossing("my neighbour zyxwvut", Policy("strict"))

    assert (kept.kept, kept.arrived) == (("private",), "")
    assert doubt.kept == ("private",)
    assert not (await crossing("how are you?", Policy("strict"))).kept
    assert "keller@quarrymail.de" in (await crossing(TEXT, Policy("open"))).arrived
    assert (await crossing(TEXT, Policy("balanced", {"EMAIL_ADDRESS": "stay"}))).kept


async def test_the_users_words_count() -> None:
    """Private ones are masked, harmless ones are no finds."""
    words = Dictionary(terms=("falcon ledger",), harmless=("maria.keller@quarrymail.de",))
    found = await crossing(TEXT, Policy("balanced"), words)

    assert "falcon" not in found.arrived
    assert "maria.keller@quarrymail.de" in found.arrived


async def test_a_second_run_gives_the_same() -> None:
    """So that figures can be compared."""
    assert (await crossing(TEXT, Policy("balanced"))).arrived == (await crossing(TEXT, Policy("balanced"))).arrived


async def test_with_what_can_be_said_with_less() -> None:
    """Names in code leave as aliases, and who could be guessed leaves as someone, or not at all."""
    reduced = Policy("balanced", {"code": "reduce", "implicit": "reduce"})
    told = (
        "My neighbor, a 62-year-old retired judge from Burlington, was diagnosed with leukemia. How can I support him?"
    )

    code = await crossing("```python\ndef settle_vorlon_invoices(): ...\n```", reduced)
    person = await crossing(told, reduced)

    assert not code.kept
    assert "vorlon" not in code.arrived
    assert not person.kept
    assert "judge" not in person.arrived
    assert "How can I support him?" in person.arrived
