"""Zones that documents carry for machines, as they are and as a camera reads them."""

from __future__ import annotations

import random

import pytest

from daemon.signals.machine_readable import cards_as_read, check_digit, machine_readable
from daemon.signals.pii import Pii

PASSPORT = """\
P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<
L898902C36UTO7408122F1204159ZE184226B<<<<<10"""
CARD = """\
I<UTOD231458907<<<<<<<<<<<<<<<
7408122F1204159UTO<<<<<<<<<<<6
ERIKSSON<<ANNA<MARIA<<<<<<<<<<"""
TWO_LINES = """\
I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<
D231458907UTO7408122F1204159<<<<<<<6"""
"""The three specimens of ICAO 9303 (parts 4, 5, 6)."""


def lines(text: str) -> list[str]:
    return [text[hit.start : hit.end] for hit in machine_readable(text)]


@pytest.mark.parametrize("zone", [PASSPORT, CARD, TWO_LINES])
def test_specimens(zone: str) -> None:
    """Each line of the standard's own examples is told, and nothing around it."""
    assert lines(f"PASSPORT\nErika\n{zone}\nbelow it") == zone.split("\n")


def test_check_digits() -> None:
    """As the standard works them out."""
    assert [check_digit(each) for each in ("520727", "AB2134<<<", "L898902C3", "D23145890")] == [3, 5, 6, 7]


@pytest.mark.parametrize(
    ("right", "read"),
    [
        ("7408122", "74O8122"),
        ("L898902C3", "L8989O2C3"),
        ("UTO740", "UT0740"),
        ("1204159", "I2O4I59"),
        ("<<<<<10", "<<<10"),
        ("L898902C36UTO", "L898902C36 UTO "),
        ("ERIKSSON<<ANNA", "ERIKSSON«ANNA"),
        ("<<<<<<<<<<<<<<<<<<<", "<<<<<<<<<<<<"),
        ("P<UTOERIKSSON", "P<UT0ERIKSSON"),
        ("L898902C3", "l898902c3"),
    ],
)
def test_as_a_camera_reads_it(right: str, read: str) -> None:
    """Look-alikes, fillers that are missing and blanks that are not there change nothing."""
    assert right in PASSPORT
    assert len(lines(PASSPORT.replace(right, read))) == 2


def test_a_wrong_check_digit() -> None:
    """What has the form alone is no zone; its name's line still is."""
    assert lines(PASSPORT.replace("7408122", "7408123").replace("C36", "C35")) == [PASSPORT.split("\n")[0]]
    assert lines(CARD.replace("7408122", "7408123").replace("907", "908")) == []


@pytest.mark.parametrize(
    "text",
    [
        "std::map<std::string, std::vector<std::pair<int, int>>> result_by_name;",
        "<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<< HEAD",
        "cout<<ANNA<<MARIA<<endl; cout << 7408122 << endl;",
        "A<B<C<D<E<F<G<H<I<J<K<L<M<N<O<P<Q<R<S",
        "1<<20 | 1<<21 | 1<<22 | 1<<23 | 1<<24 | 1<<25",
        "cat <<EOF\nPOSTGRESPASSWORDISNOTHEREATALL\nEOF",
    ],
)
def test_other_texts(text: str) -> None:
    """Code is full of the same marks."""
    assert lines(text) == []


def test_random_lines() -> None:
    """Of random lines in the zone's own letters hardly any is one."""
    draw = random.Random(9)
    made = ["".join(draw.choices("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<<<<", k=44)) for _ in range(20_000)]
    assert len(lines("\n".join(made))) <= 2


@pytest.mark.parametrize("number", ["4111 1111 1111 1111", "5500-0000-0000-0004", "3782 822463 10005"])
def test_cards(number: str) -> None:
    """A card's number with letters for digits is one; without, the rule for cards tells it."""
    read = number.replace("1", "I", 1).replace("0", "O", 2)
    text = f"no. {read} valid"
    assert [text[hit.start : hit.end] for hit in cards_as_read(text)] == [read]
    assert [hit.label for hit in Pii().find(text)] == ["CREDIT_CARD"]
    assert list(cards_as_read(number)) == []
    assert list(cards_as_read(read[:-1] + "9")) == []


def test_found_with_all_else() -> None:
    """The rule for personal data tells a zone whole, not in parts."""
    found = Pii().find(PASSPORT)
    assert [(hit.label, PASSPORT[hit.start : hit.end]) for hit in found] == [
        ("MRZ", line) for line in PASSPORT.split("\n")
    ]
