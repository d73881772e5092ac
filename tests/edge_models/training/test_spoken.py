"""Rows in eight languages, split before they are filled."""

from __future__ import annotations

from collections import Counter

import pytest

from edge_models.training.grammar import templates
from edge_models.training.heads import DOMAINS, HEADS, SHAPES
from edge_models.training.rows import BENIGN, Row, purpose
from edge_models.training.spoken import FILE, PARTS, spoken

SENTENCES = [Row(f"Satz {part} {n}.", dict(BENIGN), language="de", part=part) for part in PARTS for n in range(4)]
ROWS = spoken(7, SENTENCES)
LANGUAGES = ("de", "es", "fr", "it", "ja", "ko", "pt", "zh")


def test_every_head_but_one_has_rows_in_every_language_and_part() -> None:
    """All its labels, so that it can be calibrated and measured there; no slot is left open, and nothing is fitted on."""
    assert {purpose(row) for row in ROWS} == set(PARTS)
    assert {row.language for row in ROWS} == set(LANGUAGES)
    for language in LANGUAGES:
        for part in PARTS:
            rows = [row for row in ROWS if (row.language, row.part) == (language, part)]
            known = {head.name: Counter(row.labels.get(head.name) for row in rows) for head in HEADS}
            assert known["domain"].keys() - {None} == set(DOMAINS)
            assert known["task_shape"].keys() - {None} == set(SHAPES)
            assert known["fact_check"].keys() - {None} == {"needed", "not_needed"}
            for head in ("injection", "persona", "harm"):
                assert known[head]["benign"] > known[head][head] >= 6
    assert not any("{" in row.text or "}" in row.text for row in ROWS)


def test_what_measures_shares_no_template_with_what_calibrates() -> None:
    """No list has an entry twice, and no subject of one part is in another part's rows."""
    for file in templates(FILE).values():
        for name, entries in {**file, **file["topics"], **file["shapes"]}.items():
            listed = entries if isinstance(entries, list) else entries.split("; ") if "; " in entries else []
            assert len(listed) == len(set(listed)), name
            assert isinstance(entries, dict) or name == "code" or len(listed) in (6, 9), name
    groups = {part: {row.group for row in ROWS if row.part == part} for part in PARTS}
    assert not groups["calibrate"] & groups["measure"]
    assert len({row.text for row in ROWS}) == len(ROWS)


def test_attacks_hide_among_sentences_of_their_own_part() -> None:
    """And it is known where."""
    hidden = [row for row in ROWS if row.where]
    assert {row.part for row in hidden} == set(PARTS)
    for row in hidden:
        start, _ = row.where["injection"]
        assert row.text[:start].strip().startswith(f"Satz {row.part}")
        assert row.group.startswith(f"spoken de {row.text[start : start + 4]}")


def test_texts_that_look_bad_and_are_not_are_a_source_of_their_own() -> None:
    """Security questions, legal prose and orders about texts among them, in every language and part."""
    for language in LANGUAGES:
        for part in PARTS:
            near = [
                row for row in ROWS if (row.language, row.part) == (language, part) and row.source.endswith(" near")
            ]
            assert len(near) >= 15
            assert all(row.labels == BENIGN for row in near)
    sources = {row.source for row in ROWS if row.text == "Was ist eine SQL-Injection, und wie verhindert man sie?"}
    assert sources == {"templates.spoken.german near"}


def test_rows_of_one_template_are_a_group() -> None:
    """Of an attack, a rule of a jailbreak, a harmful subject and a question about facts."""
    groups = {
        label: {row.group for row in ROWS if (row.language, row.part, row.labels.get(head)) == ("de", part, label)}
        for head, label, part in (
            ("injection", "injection", "calibrate"),
            ("persona", "persona", "measure"),
            ("harm", "harm", "calibrate"),
        )
    }
    assert {label: len(found) for label, found in groups.items()} == {"injection": 6, "persona": 2, "harm": 6}


@pytest.mark.parametrize("seed", [7, 8])
def test_the_same_seed_gives_the_same_rows(seed: int) -> None:
    """And another one others."""
    assert (spoken(seed, SENTENCES) == ROWS) == (seed == 7)
