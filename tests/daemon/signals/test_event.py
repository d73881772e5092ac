"""Events that are reported in words."""

from __future__ import annotations

import pytest

from tests.fakes.asking import looked

RECIPE = """
SIGNAL event payment {
  event_types: ["payment_failed", "transaction_declined"]
  severities: ["Critical", "high", "unheard-of"]
  action_codes: ["TXN_DECLINE"]
  temporal: true
}
SIGNAL event unknown { severities: ["unheard-of"] }
"""


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("payment_failed, severity critical, code TXN_DECLINE, act now", 4),
        ("PAYMENT_FAILED", 1),
        ("it is urgent and of HIGH severity", 2),
        ("highly unlikely, nowhere, my_payment_failed_twice", 0),
        ("time sensitive", 1),
        ("", 0),
    ],
)
async def test_the_score_is_the_share_of_criteria(text: str, met: int) -> None:
    """0.5 + 0.5 · met / given, of whole words in any case."""
    seen = [each for each in await looked(RECIPE, text) if each.signal == "event"]

    assert [(each.name, each.score) for each in seen] == ([("payment", 0.5 + 0.5 * met / 4)] if met else [])
