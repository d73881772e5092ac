"""Rows for four heads in eight languages."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from edge_models.training.by_language import FEWEST_OF_LABEL
from edge_models.training.grammar import templates
from edge_models.training.heads import DOMAINS, SHAPES
from edge_models.training.native import GRADED, graded, hardness, native
from edge_models.training.rows import purpose
from edge_models.training.spoken import spoken

ROWS = native()
LANGUAGES = ("de", "es", "fr", "it", "ja", "ko", "pt", "zh")
LABELS = {"domain": DOMAINS, "task_shape": SHAPES, "persona": ("benign", "persona")}


@pytest.mark.parametrize("head", LABELS)
def test_each_label_has_as_many_texts_in_both_halves(head: str) -> None:
    """In every language, and nothing is fitted on; with the other rows of ours enough for a calibration of its own."""
    others = spoken(7, [])
    for language in LANGUAGES:
        halves = {
            part: Counter(
                row.labels[head]
                for row in ROWS
                if head in row.labels and (row.language, purpose(row)) == (language, part)
            )
            for part in ("calibrate", "measure")
        }
        assert halves["calibrate"] == halves["measure"]
        assert halves["measure"].keys() == set(LABELS[head])
        assert min(halves["measure"].values()) >= 4
        for label in LABELS[head]:
            groups = {
                row.group
                for row in (*ROWS, *others)
                if (row.language, row.part, row.labels.get(head)) == (language, "calibrate", label)
            }
            assert len(groups) >= FEWEST_OF_LABEL + 2


def test_every_text_is_a_group_and_stands_once() -> None:
    """In no other language, and not among the rows that are made of templates; it is labelled for one head."""
    texts = Counter(row.text for row in (*ROWS, *spoken(7, [])))
    assert all(texts[row.text] == 1 for row in ROWS)
    assert len({row.group for row in ROWS}) == len(ROWS)
    assert all(len(row.labels) == 1 for row in ROWS)
    assert {row.language for row in ROWS} == set(LANGUAGES)


def test_graded_questions_have_the_label_of_their_original_in_every_language() -> None:
    """And the same half: what measures in one language has calibrated in none."""
    questions = len(templates(GRADED)["english"]["questions"])
    hard = [number / questions for number in range(questions)]
    rows = graded(hard)

    assert Counter(row.language for row in rows) == dict.fromkeys(LANGUAGES, questions)
    for language in LANGUAGES:
        own = [row for row in rows if row.language == language]
        assert [row.labels["complexity"] for row in own] == hard
        assert all({one.part, two.part} == {"calibrate", "measure"} for one, two in pairwise(own))
    assert len({row.text for row in rows}) == len({row.group for row in rows}) == len(rows)


def test_the_english_heads_tell_what_was_written_to_be_hard() -> None:
    """36 questions in the order of what their author held for harder and harder."""
    hard = np.array(hardness())
    ranks = hard.argsort().argsort()
    assert len(hard) == 36
    assert ((hard > 0) & (hard < 1)).all()
    assert np.corrcoef(ranks, np.arange(36))[0, 1] > 0.6
    assert hard[:12].mean() + 0.2 < hard[-12:].mean()
