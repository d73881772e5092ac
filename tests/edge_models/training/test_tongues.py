"""Rows that only the multilingual heads are taught."""

from __future__ import annotations

import json
from pathlib import Path

from edge_models.training.tongues import tongues


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
    raw = [{"text": f"Satz {n}", "kind": "sentence", "label": "de"} for n in range(9)] + [
        {"text": "wort pair", "kind": "word_pair", "label": "de"}
    ]
    (tmp_path / "lingua" / "lingua.jsonl").write_text("".join(json.dumps(each) + "\n" for each in raw))
    rows = tongues(tmp_path, 7)

    assert sum(row.source == "lingua de" for row in rows) == 9
    hidden = [row for row in rows if row.where.get("injection", (0, 0))[0] > 0]
    assert hidden
    assert all(row.text.startswith("Satz") for row in hidden)


def test_the_same_seed_gives_the_same_rows(tmp_path: Path) -> None:
    """And another one others."""
    assert tongues(tmp_path, 7) == tongues(tmp_path, 7)
    assert tongues(tmp_path, 7) != tongues(tmp_path, 8)
