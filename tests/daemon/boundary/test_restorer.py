"""Aliases become values again, however the text is cut and whoever changed how they are written."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.boundary.aliases.base import Alias
from daemon.boundary.masker import Masker
from daemon.boundary.restorer import HELD_CHARS, Index, Restorer
from tests.fakes.aliases import VALUES


def made() -> tuple[Masker, dict[tuple[str, str], Alias]]:
    masker = Masker(b"k" * 32, [])
    return masker, {(label, value): masker.alias(label, value) for label, value in VALUES}


MASKER, MADE = made()
INDEX = Index(MASKER.aliases)


def whole(text: str, index: Index = INDEX) -> str:
    restorer = Restorer(index)
    return restorer.feed(text) + restorer.finish()


def pieces(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[start:end] for start, end in pairwise(places)]


def alias(label: str, value: str) -> str:
    return MADE[label, value].text


PIECES = [part for each in MASKER.aliases for part in (each.text, each.text[:4], each.text[-4:], each.text.upper())]


@given(
    st.lists(st.sampled_from(PIECES) | st.text(" -.@_/axz019ß", max_size=4), max_size=8).map("".join),
    st.lists(st.integers(0, 300), max_size=12),
)
def test_any_cut(text: str, cuts: list[int]) -> None:
    """The joined output is that of the whole text, for every way to cut it."""
    restorer = Restorer(INDEX)

    assert "".join(restorer.feed(piece) for piece in pieces(text, cuts)) + restorer.finish() == whole(text)


@pytest.mark.parametrize(("label", "value"), VALUES)
def test_every_single_cut_and_every_character(label: str, value: str) -> None:
    """Every class, cut at every place, and character by character; no more is held back than promised."""
    text = f"Dear {alias(label, value)}, see ({alias(label, value)})."
    for cut in range(len(text)):
        restorer = Restorer(INDEX)
        out = restorer.feed(text[:cut]) + restorer.feed(text[cut:]) + restorer.finish()
        assert out == f"Dear {value}, see ({value})."
    restorer = Restorer(INDEX)
    out = ""
    for place, character in enumerate(text):
        out += restorer.feed(character)
        assert len(whole(text[: place + 1])) - len(out) <= max(HELD_CHARS, len(value))
    assert out + restorer.finish() == f"Dear {value}, see ({value})."


def test_nothing_is_held_back_without_reason() -> None:
    """Text that can't become an alias goes out at once."""
    restorer = Restorer(Index([Alias("Bezmok Torvan", "Ada Byron", "PERSON", "words")]))

    assert restorer.feed("if a < b: pass") == "if a < b: pass"
    assert restorer.feed(" Bez") == " "
    assert restorer.feed("ier") == "Bezier"


def test_words_are_known_in_any_case_and_alone() -> None:
    """A model that shouts a name, writes it small, or uses the surname alone is understood."""
    first, last = alias("PERSON", "Maria Keller").split()

    assert whole(f"{first} {last}'s, {first.upper()} {last.upper()}!") == "Maria Keller's, MARIA KELLER!"
    assert whole(f"{first.lower()}.{last.lower()}, Ms {last}, {last}s Haus") == "maria.keller, Ms Keller, Kellers Haus"


def test_identifiers_are_known_in_other_conventions() -> None:
    """`falcon_ledger` comes back as a class, a constant and a file name, too."""
    first, last = alias("TERM", "falcon_ledger").split("_")
    text = f"{first.title()}{last.title()} {first.upper()}_{last.upper()} {first}-{last}.py {first}{last.title()}"

    assert whole(text) == "FalconLedger FALCON_LEDGER falcon-ledger.py falconLedger"


def test_numbers_are_known_with_other_marks() -> None:
    """A card without blanks, a telephone with other marks; not a part of a longer number."""
    card = alias("CREDIT_CARD", "4111 1111 1111 1111").replace(" ", "")
    phone = alias("PHONE_NUMBER", "+49 170 1234567").replace(" ", "").removeprefix("+")

    assert (
        whole(f"{card}, {card[:4]}-{card[4:8]}-{card[8:12]}-{card[12:]}.") == "4111111111111111, 4111-1111-1111-1111."
    )
    assert whole(f"({phone[:2]}) {phone[2:5]}-{phone[5:]}") == "(49) 170-1234567"
    assert whole(f"9{card}9") == f"9{card}9"


def test_a_mail_address_is_known_in_a_url() -> None:
    """With its sign escaped, the value's is too."""
    made = alias("EMAIL_ADDRESS", "ada.byron@lovelace.dev")

    assert whole(f"mailto:{made}?cc={made.replace('@', '%40')}") == (
        "mailto:ada.byron@lovelace.dev?cc=ada.byron%40lovelace.dev"
    )


def test_secrets_are_known_exactly_or_not_at_all() -> None:
    """A key in other letters is another key."""
    made = alias("OPENAI_KEY", "sk-proj-abcd1234efgh5678ijkl")

    assert whole(made) == "sk-proj-abcd1234efgh5678ijkl"
    assert whole(made.upper()) == made.upper()


def test_a_value_that_looks_like_an_alias_is_left_alone() -> None:
    """What was turned back is not read again."""
    index = Index(
        [Alias("Bezmok", "Torvan", "PERSON", "words"), Alias("Torvan", "Ada", "PERSON", "words")],
    )

    assert whole("Bezmok and Torvan", index) == "Torvan and Ada"


def test_a_strangers_alias_is_left_alone() -> None:
    """What was made for another request, or by nobody, is text."""
    other = Masker(b"o" * 32, []).alias("EMAIL_ADDRESS", "ada.byron@lovelace.dev").text

    assert whole(f"write to {other} ") == f"write to {other} "


def test_a_name_of_words_comes_back_in_the_case_of_each() -> None:
    """Where only one of an alias's words is written small, only that word of the value is: both stand for what was there."""
    made = Alias("Kozvik Rumnax", "Blue Heron", "CODE_NAME", "words", (("Kozvik", "Blue"), ("Rumnax", "Heron")))
    index = Index([made])

    assert whole("Kozvik Rumnax, Kozvik rumnax, kozvik rumnax, KOZVIK RUMNAX", index) == (
        "Blue Heron, Blue heron, blue heron, BLUE HERON"
    )
