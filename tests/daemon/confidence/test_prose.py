"""How much two answers in prose say the same, by their words, and what keeps them apart."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.confidence.features import words
from daemon.confidence.prose import SAME, contradict, likeness

TEXTS: Final = st.text(alphabet="abAB no 12.,'é漢\n", max_size=40)
SENTENCES: Final = st.lists(
    st.sampled_from(
        ["the", "salt", "melts", "ice", "in", "Paris", "not", "12", "13", "Oslo", "hot", "cold", "It", "Anna"]
    ),
    max_size=12,
).map(" ".join)
ASKED: Final = st.frozensets(st.sampled_from(["salt", "ice", "paris", "river"]))


@given(TEXTS | SENTENCES, TEXTS | SENTENCES, ASKED)
def test_it_is_the_same_both_ways(one: str, other: str, asked: frozenset[str]) -> None:
    """And within bounds; what contradicts is not alike."""
    assert likeness(one, other, asked) == likeness(other, one, asked)
    assert 0 <= likeness(one, other, asked) <= 1
    assert contradict(one, other, asked) == contradict(other, one, asked)
    assert not (contradict(one, other, asked) and likeness(one, other, asked))


@given(TEXTS | SENTENCES, ASKED)
def test_an_answer_is_like_itself(one: str, asked: frozenset[str]) -> None:
    """Wholly, and it contradicts nothing of itself."""
    assert likeness(one, one, asked) == 1
    assert not contradict(one, one, asked)


@given(
    st.sampled_from(["steel ships", "the old bridges", "these machines"]),
    st.sampled_from(["carry", "move", "hold"]),
    st.integers(2, 10_000),
    st.sampled_from(["tons of water", "people a day", "litres"]),
    st.sampled_from(["Paris", "Oslo", "Lima"]),
    st.sampled_from(["number", "denial", "name"]),
)
def test_put_otherwise_is_nearer_than_the_contrary(
    who: str, does: str, many: int, what: str, where: str, change: str
) -> None:
    """A sentence with another number, a denial or another name is less like it than the same said otherwise."""
    said = f"In {where}, {who} {does} {many} {what}."
    reworded = f"It is {many} {what} that {who} in {where} {does}."
    contrary = {
        "number": said.replace(str(many), str(many + 1)),
        "denial": said.replace(f" {does} ", f" do not {does} "),
        "name": said.replace(where, "Bergen"),
    }[change]

    assert likeness(said, contrary) < SAME <= likeness(said, reworded)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It was built in 1887.", "It was built in 1889."),
        ("There are three moons.", "There are 4 moons."),
        ("The painting is by Pablo Picasso.", "The painting is by Claude Monet."),
        ("Oslo is where she lives, in Oslo.", "She lives in Bergen."),
        ("Salt melts the ice on roads.", "Salt does not melt the ice on roads."),
        ("It can be seen from space.", "It can't be seen from space."),
        ("Das Eis schmilzt.", "Das Eis schmilzt nicht."),
        ("This enables the firewall.", "This disables the firewall."),
        ("Hot air rises.", "Cold air rises."),
    ],
)
def test_what_can_t_both_be_right_contradicts(one: str, other: str) -> None:
    """By numbers, names, a negation or a word's opposite, however much else they share."""
    assert contradict(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ships float because they displace water.", "A ship displaces water, which makes it float."),
        ("It was built in 1887.", "It was built in Paris in 1887."),
        ("She lives in Oslo.", "She lives in Oslo, the capital of Norway."),
        ("There are 3 moons.", "It has three moons."),
        ("It costs 1,000 euros.", "It costs 1000 euros."),
        ("It doesn't melt.", "It never melts."),
        ("", "Salt melts ice."),
    ],
)
def test_what_goes_on_or_is_put_otherwise_does_not(one: str, other: str) -> None:
    """What one of them leaves out is no contradiction."""
    assert not contradict(one, other)


def test_names_of_the_question_are_no_answer() -> None:
    """All answers may repeat them or not."""
    asked = words("What did Ada write to Charles?")

    assert contradict("It was to Charles a letter", "It was by Ada a letter")
    assert not contradict("It was to Charles a letter", "It was by Ada a letter", asked)


def test_nothing_is_like_nothing_else() -> None:
    """Of answers without words only equal ones are alike."""
    assert likeness("", "Lima") == 0
    assert likeness("…", "!") == 0
    assert likeness("…", "…") == 1


@pytest.mark.parametrize(
    ("one", "other"), [("冰會在熱水中融化。", "在熱水中冰會融化。"), ("Лёд тает в воде.", "В воде лёд тает.")]
)
def test_other_scripts_are_compared_too(one: str, other: str) -> None:
    """By their letters, where words have no blanks between them."""
    assert likeness(one, other) >= SAME
