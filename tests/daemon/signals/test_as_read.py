"""Values that are written with escapes, or with characters that nobody sees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.signals.as_read import InAnyWriting, Reading
from daemon.signals.pii import Pii
from daemon.signals.secret import Secrets
from tests.fakes.growth import grows_with_length_alone

FIND = InAnyWriting(Pii()).find
ADDRESSES = (
    "ada%40lovelace.dev",
    "ada%2540lovelace.dev",
    "ada\\u0040lovelace.dev",
    "ada\\x40lovelace\\x2edev",
    "ada&#64;lovelace.dev",
    "ada&#x40;lovelace&period;dev",
    "ada&commat;lovelace.dev",
    "ad\u200ba@love\u00adlace.dev",
    "ada\uff20lovelace\uff0edev",
    "ada (at) lovelace (dot) dev",
    "ada[AT]lovelace.dev",
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_one_in_any_writing(address: str) -> None:
    """An escaped, spaced out or veiled address is found whole, where it is written."""
    text = f"see {address}, once"

    [hit] = FIND(text)

    assert (hit.label, text[hit.start : hit.end]) == ("EMAIL_ADDRESS", address)


def test_a_secret_is_one_in_any_writing() -> None:
    """The same holds for keys of vendors."""
    key = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" + "\u200b" + "K1l2M3n4O5p6Q7r8"

    [hit] = InAnyWriting(Secrets()).find(f"it is {key}!")

    assert (hit.start, hit.end) == (6, 6 + len(key))


@pytest.mark.parametrize(
    "text",
    [
        'printf("%20s %40d\\u0041", rows[at].dev)',
        "https://registry.example/%40scope%2fname",
        "table[at] other.py",
        "ada%40example.com",
        "100%40",
    ],
)
def test_escapes_of_harmless_things_are_no_finding(text: str) -> None:
    """A format, a package's name and an address for examples are none."""
    assert not FIND(text)


def test_what_is_written_as_it_is_read_stays_in_its_place() -> None:
    """An escape elsewhere in the text moves nothing."""
    text = "a%20b ada@lovelace.dev %20"

    [hit] = FIND(text)

    assert text[hit.start : hit.end] == "ada@lovelace.dev"


@given(st.lists(st.sampled_from(["a", "@", "%40", "\u200b", "&#64;", " (at) ", "\\u0041", "\uff21", "."]), max_size=12))
def test_places_hold_what_is_read(pieces: list[str]) -> None:
    """Reading the place of a piece gives the piece, whatever is escaped around it."""
    written = "".join(pieces)
    reading = Reading(written)
    for start in range(len(reading.text)):
        for end in range(start + 1, len(reading.text) + 1):
            if (place := reading.place(start, end)) is not None:
                assert Reading(written[slice(*place)]).text == reading.text[start:end]


@pytest.mark.parametrize("unit", ["%40", "&#64;", "[at", "\u200b", "a%40b.co", "(at) ", "\\u00"])
def test_time_grows_with_length_alone(unit: str) -> None:
    """No text makes a pattern go back and forth."""
    assert grows_with_length_alone(FIND, unit)


def test_a_long_text_is_read_again_around_escapes_alone() -> None:
    """Two escaped addresses far from each other are found in their places, and no rule reads all the rest twice."""
    text = f"{'lorem ipsum ' * 2000}ada%40lovelace.dev {'dolor sit ' * 2000}bob&#64;lovelace.dev"

    assert [text[hit.start : hit.end] for hit in FIND(text)] == ["ada%40lovelace.dev", "bob&#64;lovelace.dev"]
    assert sum(end - start for start, end in Reading(text).around()) < 2000
