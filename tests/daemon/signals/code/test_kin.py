"""Names that were found, where they are said otherwise."""

from __future__ import annotations

from daemon.signals.code.kin import kin_of, owners, relatives, their_hosts
from daemon.signals.code.public import public_names

PUBLIC = public_names()


def said_otherwise(text: str, *names: str) -> list[str]:
    kin = kin_of(names, frozenset(), PUBLIC)
    return [text[start:end] for start, end in relatives(text, kin, PUBLIC)]


def test_what_is_put_together_with_a_name_is_one_as_a_whole() -> None:
    """Its common words too, in each convention, but not where they stand without it."""
    text = "falcon-billing, FalconBilling, FALCON_DB_URL, billing_falcon; billing and url"

    assert said_otherwise(text, "Falcon") == ["falcon-billing", "FalconBilling", "FALCON_DB_URL", "billing_falcon"]


def test_a_word_of_english_needs_the_capital_of_a_name() -> None:
    """What is said of falcons stays; a word that no language has is a name however it is written."""
    assert said_otherwise("Falcon flies like a falcon", "Falcon") == ["Falcon"]
    assert said_otherwise("at kestrelpay, Kestrelpay", "Kestrelpay") == ["kestrelpay", "Kestrelpay"]


def test_a_name_of_several_words_is_known_as_one() -> None:
    """`deltafreight` of Delta Freight, and its first word in a path."""
    assert said_otherwise("cd deltafreight/x", "Delta Freight") == ["deltafreight"]
    assert said_otherwise("/orbit/v1 in orbit", "Orbit Scheduler") == ["orbit"]


def test_machines_are_told_by_the_name_or_by_their_owner() -> None:
    """Of an own domain all hosts are found, and no pages of the Web."""
    text = "mq.deltafreight.com and api.umbrella-health.com; https://docs.python.org/3 and see https://flask.palletsprojects.com"
    kin = kin_of(["Delta Freight"], frozenset(owners(text)), PUBLIC)

    assert set(owners(text)) == {"deltafreight", "umbrella-health"}
    assert [text[start:end] for start, end in their_hosts(text, kin)] == [
        "mq.deltafreight.com",
        "api.umbrella-health.com",
    ]


def test_words_that_libraries_have_tell_nothing() -> None:
    """`data_user` has no kin."""
    assert said_otherwise("data and user and UserData", "data_user") == []
