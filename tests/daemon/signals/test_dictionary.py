"""The user's own words are found as people and programs write them."""

from __future__ import annotations

import pytest

from daemon.settings import Dictionary as Words
from daemon.signals.base import Asked
from daemon.signals.dictionary import Dictionary, Shelf
from daemon.signals.parts import Parts
from daemon.signals.personal import PersonalData
from providers.contract import Message, Request, Text
from providers.texts import fields
from tests.fakes.asking import rules

RULE = Dictionary(
    Words(people=("Ada Byron", "김민수"), organizations=("Tannhauser",), terms=("falcon ledger", "db-prod-7", "İzmir"))
)


def found(text: str, rule: Dictionary = RULE) -> list[tuple[str, str]]:
    return [(hit.label, text[hit.start : hit.end]) for hit in rule.find(text)]


@pytest.mark.parametrize(
    "written",
    [
        "falcon ledger",
        "falcon_ledger",
        "falcon-ledger",
        "FalconLedger",
        "FALCON_LEDGER",
        "falconLedger",
        "falconledger",
        "falcon.ledger",
    ],
)
@pytest.mark.parametrize("around", ["{}", "the {}, yes", "x_{}_table", "my.{}()", "{}2", "/{}/", "Use{}", "{}'s"])
def test_a_term_in_any_convention(written: str, around: str) -> None:
    """In prose, in identifiers and in paths, with what it is a part of left alone."""
    if around == "Use{}" and written[0].islower():
        return
    assert found(around.format(written)) == [("TERM", written)]


def test_a_hump_ends_a_word() -> None:
    """`FalconLedgerService` holds it; `falconledgers` and `unfalconledger` are other words."""
    assert found("FalconLedgerService") == [("TERM", "FalconLedger")]
    assert found("falconledgers unfalconledger refalcon_ledger") == []


def test_names_and_hosts() -> None:
    """Each under its class, with marks and digits as they are written; not as a part of a longer number."""
    text = "Ada Byron (ada.byron@tannhauser.io) runs db-prod-7, not db-prod-71."
    assert found(text) == [
        ("PERSON", "Ada Byron"),
        ("PERSON", "ada.byron"),
        ("ORGANIZATION", "tannhauser"),
        ("TERM", "db-prod-7"),
    ]


def test_scripts_without_blanks() -> None:
    """A Korean name is found with what is said of it; a letter that grows in lower case keeps its place."""
    assert found("김민수는 İzmir") == [("PERSON", "김민수"), ("TERM", "İzmir")]


def test_without_words_nothing_is_found() -> None:
    """An empty dictionary looks at nothing."""
    assert found("falcon ledger", Dictionary(Words())) == []


def test_a_new_word_counts_at_once() -> None:
    """Also in a text that was read before with other words."""
    request = Request(
        id="0" * 16, model="auto", protocol="t", messages=(Message("user", (Text("the falcon ledger"),)),)
    )
    asked = Asked(request, fields(request))
    shelf = Shelf(Words())
    signal = PersonalData(rules(""), Parts(guard=True, votes=False, dictionary=shelf))
    assert signal.look(asked) == []

    shelf.take(Words(terms=("falcon ledger",)))

    (seen,) = signal.look(asked)
    assert (seen.signal, seen.label, len(seen.spans)) == ("pii", "TERM", 1)
