"""How much two answers in prose say the same."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import Final

from daemon.confidence.features import words
from daemon.confidence.further import Kinds
from daemon.signals.entailment import Entailment
from daemon.signals.similarity import BY_WORDS, ENTAILS, Similarity
from tests.fakes.encoders import tiny_entailer

ASKED: Final = words("Why do ships float? Say it in one sentence.")
FIRST: Final = "Steel ships float because they displace 40 tons of water."


def test_words_tell_where_no_model_is_set_up() -> None:
    """The same in another order is of a kind with it, another number is not."""
    similarity = Similarity(Entailment())
    reworded = similarity.of(FIRST, "Because they displace 40 tons of water, ships of steel float.", ASKED)
    otherwise = similarity.of(FIRST, "Steel ships float because they displace 60 tons of water.", ASKED)

    assert similarity.by == BY_WORDS
    assert otherwise < reworded <= similarity.of(FIRST, FIRST, ASKED) == 1
    assert Kinds(FIRST).take("", [reworded]).kinds == 1
    assert Kinds(FIRST).take("", [otherwise]).kinds == 2


def test_the_users_model_tells_if_there_is_one(tmp_path: Path) -> None:
    """By entailment both ways: all or nothing."""
    with closing(Entailment(tiny_entailer(tmp_path))) as entailment:
        similarity = Similarity(entailment)
        pairs = [(one, other) for one in ("bob", "bad", "a bob") for other in ("bob", "bad", "a bob")]
        entails = {pair: entailment.judge(*pair)["entailment"] >= ENTAILS for pair in pairs}

        for one, other in pairs:
            both = one == other or (entails[one, other] and entails[other, one])
            assert similarity.of(one, other, ASKED) == float(both)
        assert not entails["bad", "bob"]  # which it calls a contradiction


def test_which_model_it_is_can_be_told(tmp_path: Path) -> None:
    """What was measured by one counts by no other; one that can't be read tells nothing."""
    folder = tiny_entailer(tmp_path)
    first, again = Similarity(Entailment(folder)).by, Similarity(Entailment(folder)).by
    os.utime(folder / "config.json", (1, 1))

    assert first == again
    assert first.startswith("entailment-")
    assert Similarity(Entailment(folder)).by not in ("", first)
    assert Similarity(Entailment(tmp_path / "gone")).by == ""
