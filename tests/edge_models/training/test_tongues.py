"""Rows that only the multilingual heads are taught."""

from __future__ import annotations

import json
from pathlib import Path

from edge_models.training.rows import Row
from edge_models.training.tongues import spare, tongues


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
    assert not any(row.language for row in rows)


def many(folder: Path) -> None:
    """More sentences than are drawn."""
    (folder / "lingua").mkdir()
    raw = [
        {"text": f"{n:04} {label} is a sentence", "kind": "sentence", "label": label}
        for label in ("de", "en")
        for n in range(5000)
    ]
    (folder / "lingua" / "lingua.jsonl").write_text("".join(json.dumps(each) + "\n" for each in raw))


def test_sentences_that_are_not_drawn_have_a_language_and_a_part(tmp_path: Path) -> None:
    """The same in every run, about half and half; English ones are left out."""
    many(tmp_path)
    taught = tongues(tmp_path, 7)
    rows = spare(tmp_path, 7, taught)

    assert 1000 < len(rows) < 1500
    assert {row.language for row in rows} == {"de"}
    assert 0.45 < sum(row.part == "calibrate" for row in rows) / len(rows) < 0.55
    assert {row.part for row in rows} == {"calibrate", "measure"}
    assert not {row.text for row in rows} & {line for row in taught for line in row.text.split("\n")}
    assert spare(tmp_path, 7, taught) == rows


def test_a_sentence_that_a_taught_row_holds_is_not_spare(tmp_path: Path) -> None:
    """Whole or cut off behind its beginning."""
    many(tmp_path)
    first, second, *_ = spare(tmp_path, 7, [])
    left = spare(tmp_path, 7, [Row(f"Summarise: {first.text[:16]}"), Row(f"{second.text} And more.")])
    assert first not in left
    assert second not in left
    assert len(left) == len(spare(tmp_path, 7, [])) - 2


def test_the_same_seed_gives_the_same_rows(tmp_path: Path) -> None:
    """And another one others."""
    assert tongues(tmp_path, 7) == tongues(tmp_path, 7)
    assert tongues(tmp_path, 7) != tongues(tmp_path, 8)
