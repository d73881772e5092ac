"""Marked texts are read strictly, in both forms."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from daemon.errors import BadRequest
from daemon.leakage.rows import Row, Value, read_rows, shipped, written

ROW = {"text": "mail ada@x.dev, ada@x.dev", "spans": [{"type": "email", "text": "ada@x.dev", "start": 5, "end": 14}]}


def file(folder: Path, *lines: Any, name: str = "own.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_spans_have_places_and_values_stand_anywhere(tmp_path: Path) -> None:
    """The file's name is the class of rows that have none; a value without a place is marked wherever it stands."""
    values = {
        "text": ROW["text"],
        "values": [{"type": "email", "text": "ada@x.dev"}],
        "class": "mail",
        "lang": "en",
        "code": "sql",
    }
    spanned, valued = read_rows(file(tmp_path, ROW, "", values))

    assert spanned == Row("mail ada@x.dev, ada@x.dev", (Value("email", "ada@x.dev", 5, 14),), "own")
    assert [value.start for value in valued.values] == [5, 16]
    assert (valued.group, valued.language, valued.code) == ("mail", "en", "sql")


def test_packed_files_are_read(tmp_path: Path) -> None:
    """With gzip, as the sets of others come."""
    path = tmp_path / "wl1.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(ROW).encode()))

    assert [row.group for row in read_rows(path)] == ["wl1"]
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(BadRequest, match="cut off"):
        read_rows(path)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        {"spans": []},
        {"text": "secretvalue", "spans": [{"text": "secretvalue"}]},
        {"text": "secretvalue", "spans": [{"text": "secretvalue", "start": 1, "end": 12}]},
        {"text": "a", "values": [{"text": "secretvalue"}]},
        {"text": "a", "values": [{"text": ""}]},
    ],
)
def test_a_wrong_row_is_told_with_its_line_and_without_its_words(tmp_path: Path, line: Any) -> None:
    """And with where the form is described."""
    with pytest.raises(BadRequest, match=r"line 2 is no row.*docs/bench.md") as told:
        read_rows(file(tmp_path, ROW, line))

    assert "secretvalue" not in str(told.value)


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    """It would be a perfect score."""
    with pytest.raises(BadRequest, match="has no rows"):
        read_rows(file(tmp_path, ""))


def test_what_is_shipped_is_what_was_written() -> None:
    """At least 200 rows, 60 for each of seven languages, harmless ones too, and the file is what the script makes."""
    from tests.bench.write_leak_rows import lines

    rows = read_rows(shipped())

    assert shipped().read_text(encoding="utf-8") == lines()
    assert len(rows) >= 200
    for language in ("en", "de", "fr", "es", "ko", "ja", "zh"):
        assert sum(row.language == language for row in rows) >= 60
    assert sum(not row.values for row in rows) >= 60
    assert {row.group.partition(",")[0] for row in rows} == {
        "pii",
        "numbers",
        "secrets",
        "code",
        "implicit",
        "harmless",
    }
    assert [read["text"] for read in map(written, rows)] == [row.text for row in rows]
