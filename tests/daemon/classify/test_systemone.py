"""Typed questions over HTTP."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from daemon.classify.systemone import answer, read
from daemon.errors import BadRequest, UnknownModel
from tests.fakes.signal_parts import with_models

REQUEST: dict[str, Any] = {
    "model": "nearloop/decisions",
    "state": "I was charged twice for order A1842. Please refund the duplicate payment.",
    "questions": {
        "refund_requested": {"type": "noul", "instructions": "The customer requests a refund"},
        "category": {
            "type": "choice",
            "instructions": "Classify the support request.",
            "criteria": {
                "billing": "Charges, invoices, or refunds",
                "product": "Product use or defects",
                "other": None,
            },
        },
        "urgency": {
            "type": "score",
            "instructions": "Rate the urgency of this request.",
            "criteria": ["Routine", "Needs prompt attention", "Critical"],
        },
    },
}


def encoded(**changes: Any) -> bytes:
    return msgspec.json.encode(REQUEST | changes)


def test_upstreams_example() -> None:
    """The shape of its documentation: probabilities add up, a score lies between its levels."""
    told = msgspec.to_builtins(answer(with_models(), read(encoded())))
    noul, choice, score = (told["answers"][name] for name in ("refund_requested", "category", "urgency"))

    assert told.keys() == {"model", "answers", "usage"}
    assert noul["type"] == "noul"
    assert noul["noul"] > 0.5
    assert (choice["type"], choice["choice"]) == ("choice", "billing")
    assert sum(choice["probabilities"].values()) == pytest.approx(1)
    assert score["legend"] == {"0": "Routine", "1": "Needs prompt attention", "2": "Critical"}
    assert 0 <= score["score"] <= 2
    assert 0 <= score["confidence"] <= 1
    assert told["usage"]["output_tokens"] == 0


def test_a_state_may_be_json() -> None:
    """It is read as its text; criteria say what yes and no mean."""
    question = {
        "type": "noul",
        "instructions": {"ask": "urgent?"},
        "criteria": {"true": "A refund.", "false": "A greeting."},
    }
    asked = read(encoded(state={"message": "Please refund me"}, questions={"q": question}))

    assert answer(with_models(), asked).answers["q"].noul > 0.5  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "changes",
    [
        {"state": 1},
        {"questions": {}},
        {"more": 1},
        {"questions": {"q": {"type": "choice", "instructions": "x", "criteria": {"one": None}}}},
        {"questions": {"q": {"type": "score", "instructions": "x", "criteria": ["one"]}}},
        {"questions": {"q": {"type": "noul", "instructions": "x", "other": 1}}},
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Any]) -> None:
    """Unknown fields too, as upstream does."""
    with pytest.raises(BadRequest):
        read(encoded(**changes))


def test_there_is_one_model() -> None:
    """Any other name is unknown."""
    with pytest.raises(UnknownModel, match="nearloop/decisions"):
        read(encoded(model="jev-latest"))
