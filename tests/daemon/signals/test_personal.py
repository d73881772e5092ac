"""Personal data, by a recipe's rules and for the boundary."""

from __future__ import annotations

from daemon.decision.seen import FALSE, TRUE, Seen
from daemon.signals.registry import FAMILIES
from tests.fakes.asking import looked, without_models

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
