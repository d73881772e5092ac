"""Personal data, by a recipe's rules and for the boundary."""

from __future__ import annotations

from pathlib import Path

from daemon.decision.seen import FALSE, TRUE, Seen
from daemon.settings import Dictionary
from daemon.signals.base import UNSCANNED
from daemon.signals.dictionary import Shelf
from daemon.signals.observe import Observer
from daemon.signals.parts import Parts
from daemon.signals.registry import FAMILIES
from daemon.signals.shipped import shipped_heads
from providers.contract import Image, Message, Sight, Text, ToolResult
from tests.fakes.asking import asking, looked, rules, without_models
from tests.fakes.signal_models import tiny_heads
from tests.fakes.signal_parts import with_models

LOOKED = frozenset(FAMILIES)


async def test_personal_data_by_rule() -> None:
    """Each rule sees the types that it doesn't allow, in the history too."""
    recipe = (
        'SIGNAL pii all { threshold: 0.9 } SIGNAL pii but_mail { pii_types_allowed: ["EMAIL_ADDRESS"] }'
        "SIGNAL secret keys {}"
    )
    seen = Seen(await looked(recipe, "mail ada.l@analytical-engines.co.uk", "and now?"), LOOKED)
    card = Seen(await looked(recipe, "card 4111 1111 1111 1111"), LOOKED)

    assert (seen.truth("pii", "all"), seen.truth("pii", "but_mail")) == (TRUE, FALSE)
    assert (card.truth("pii", "all"), card.truth("pii", "but_mail"), card.truth("secret", "keys")) == (
        TRUE,
        TRUE,
        FALSE,
    )


async def test_the_boundary_gets_each_place_once() -> None:
    """Places stand under the family's own name; a rule that saw the same has none, so that nothing is masked twice."""
    seen = await looked("SIGNAL pii all {}", "card 4111 1111 1111 1111", parts=without_models(guard=True))

    assert [(each.name, each.label, len(each.spans)) for each in seen] == [
        ("pii", "CREDIT_CARD", 1),
        ("all", "CREDIT_CARD", 0),
    ]


async def test_names_are_found_by_votes() -> None:
    """Where no rule saw anything, in words of people and tools, and at the head's threshold."""
    seen = await looked("", "alice smith met Acme . mail alice@nordhof.com", parts=with_models(guard=True))

    assert {
        (each.label, tuple((span.start, span.end) for span in each.spans)) for each in seen if each.signal == "pii"
    } == {
        ("EMAIL_ADDRESS", ((28, 45),)),
        ("PERSON", ((0, 11),)),
        ("ORGANIZATION", ((16, 20),)),
    }


async def test_a_name_ends_with_its_line() -> None:
    """What the head reads over a line feed as one name is two finds, so that masked text keeps its lines."""
    seen = await looked("", "alice\nsmith met Acme", parts=with_models(guard=True))

    (persons,) = (each for each in seen if each.label == "PERSON")
    assert [(span.start, span.end) for span in persons.spans] == [(0, 5), (6, 11)]


async def test_a_vote_for_more_of_a_name_than_a_rule_saw_counts() -> None:
    """The user's dictionary has `smith`, the head reads `alice` too: nothing of the name is left over."""
    seen = await looked(
        "", "alice smith", parts=with_models(guard=True, dictionary=Shelf(Dictionary(people=("smith",))))
    )

    assert {place for each in seen for span in each.spans for place in range(span.start, span.end)} == {*range(11)}


async def test_a_rule_allows_what_was_voted_for() -> None:
    """By upstream's words."""
    recipe = 'SIGNAL pii all {} SIGNAL pii but_persons { pii_types_allowed: ["PERSON"] }'
    seen = await looked(recipe, "alice smith", parts=with_models())

    assert [(each.name, each.label) for each in seen if each.signal == "pii"] == [("all", "PERSON")]


async def test_there_are_no_votes_without_a_head_that_was_validated(tmp_path: Path) -> None:
    """What was found by rules before still is."""
    tiny_heads(tmp_path / "signals", validated=False)
    unproven = Parts(shipped_heads(tmp_path), guard=True)
    for parts in (unproven, without_models(guard=True), with_models(guard=True, votes=False)):
        seen = await looked("", "alice 4111 1111 1111 1111", parts=parts)
        assert [each.label for each in seen] == ["CREDIT_CARD"]
    unproven.close()


async def test_a_text_that_was_not_read_whole_fails_closed() -> None:
    """The boundary learns that somebody could not look."""
    observer = Observer(rules(""), with_models(guard=True), deadline_s=1e-9)
    seen = await observer.observe(asking("alice " * 300))
    observer.close()

    assert {each.error for each in seen if each.signal == "pii"} <= {UNSCANNED, "Late"}
    assert all(each.error for each in seen if each.signal == "pii")


async def test_a_product_is_told_from_a_person_by_the_whole_request() -> None:
    """A name that persons have too is a product's alone where any text of the request says so; with a surname it stays one's."""
    meant = "You are Claude Code."
    cases: list[tuple[tuple[str, ...], list[str]]] = [
        (("Claude and Maria Keller met.",), ["Claude", "Maria Keller"]),
        (("Claude and Maria Keller met.", meant), ["Maria Keller"]),
        (("Claude Dubois and Maria Keller met.", meant), ["Claude Dubois", "Maria Keller"]),
    ]
    for said, wanted in cases:
        seen = await looked("", *said, parts=Parts(guard=True))
        spans = [span for each in seen if each.label == "PERSON" for span in each.spans]
        assert [said[0][span.start : span.end] for span in spans] == wanted, said


async def test_names_in_pictures_are_found_by_votes() -> None:
    """In the words that were seen in it, of users and of tools."""
    page = Image("data:image/png;base64,", sight=Sight(form="png", text="alice smith\nmet Acme ."))
    messages = (Message("user", (Text("look"), page)), Message("tool", (ToolResult("c", (page,)),)))
    seen = await looked("", parts=with_models(guard=True), messages=messages)

    assert {(each.label, span.path, span.start, span.fixed) for each in seen for span in each.spans} == {
        (label, path, start, True)
        for path in ("messages[0].parts[1].sight", "messages[1].parts[0].0.sight")
        for label, start in (("PERSON", 0), ("ORGANIZATION", 16))
    }
