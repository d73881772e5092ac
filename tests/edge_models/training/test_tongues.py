"""Rows that only the multilingual heads are taught."""

from __future__ import annotations

import json
from pathlib import Path

from edge_models.training.rows import BENIGN, Row, purpose
from edge_models.training.tongues import sentences, tongues, without


def test_orders_and_requests_in_many_languages(tmp_path: Path) -> None:
    """No slot is left open; where an attack stands is known."""
    rows = tongues(tmp_path, 7)
    attacks = [row for row in rows if row.labels.get("injection") == "injection"]
    assert len({row.source for row in attacks}) == 13
    assert {row.labels["injection"] for row in rows} == {"benign", "injection"}
    assert not any("{" in row.text or "}" in row.text for row in rows)
    for row in attacks:
        start, end = row.where["injection"]
        assert row.group == f"attack {row.text[start:end]}"


def test_sentences_are_sources_by_language_and_hide_attacks(tmp_path: Path) -> None:
    """If the set is there."""
    (tmp_path / "lingua").mkdir()
    raw = [{"text": f"Satz {n}", "kind": "sentence", "label": "de"} for n in range(30)] + [
        {"text": "wort pair", "kind": "word_pair", "label": "de"}
    ]
    (tmp_path / "lingua" / "lingua.jsonl").write_text("".join(json.dumps(each) + "\n" for each in raw))
    rows = tongues(tmp_path, 7)

    assert sum(row.source == "lingua de" for row in rows) == 30
    hidden = [row for row in rows if row.where.get("injection", (0, 0))[0] > 0]
    assert hidden
    assert all(row.text.startswith("Satz") for row in hidden)
    kept = {row.text for row in sentences(tmp_path) if purpose(row) != "fit"}
    assert kept
    assert not any(line in kept for row in hidden for line in row.text.split("\n"))


def test_sentences_have_a_language_and_a_part(tmp_path: Path) -> None:
    """The same in every run; English ones are parted as all other rows are."""
    (tmp_path / "lingua").mkdir()
    raw = [{"text": f"{label} {n}", "kind": "sentence", "label": label} for label in ("de", "en") for n in range(400)]
    (tmp_path / "lingua" / "lingua.jsonl").write_text("".join(json.dumps(each) + "\n" for each in raw))
    german, english = ([row for row in sentences(tmp_path) if row.source == f"lingua {code}"] for code in ("de", "en"))

    shares = [sum(purpose(row) == part for row in german) / 400 for part in ("fit", "calibrate", "measure")]
    assert [round(share, 1) for share in shares] in ([0.4, 0.3, 0.3], [0.4, 0.4, 0.2], [0.4, 0.3, 0.2], [0.4, 0.4, 0.3])
    assert {row.language for row in german} == {"de"}
    assert {(row.language, row.part) for row in english} == {("", "")}
    assert sentences(tmp_path) == sentences(tmp_path)


def test_documents_that_hold_a_kept_sentence_are_left_out() -> None:
    """Whole or cut off behind its beginning."""
    kept = [Row("Der Zug nach München hat Verspätung.", dict(BENIGN)), Row("短い文。", dict(BENIGN))]
    rows = [
        Row("Summarise: Der Zug nach München hat Ver"),
        Row("Der Zug nach Bern ist pünktlich."),
        Row("短い文。"),
        Row("x"),
    ]
    assert [row.text for row in without(rows, kept)] == ["Der Zug nach Bern ist pünktlich.", "x"]


def test_the_same_seed_gives_the_same_rows(tmp_path: Path) -> None:
    """And another one others."""
    assert tongues(tmp_path, 7) == tongues(tmp_path, 7)
    assert tongues(tmp_path, 7) != tongues(tmp_path, 8)
