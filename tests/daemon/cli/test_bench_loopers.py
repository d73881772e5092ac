"""`nearloop bench loopers`, at the command line."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from daemon.cli.bench import bench


def written(file: Path, questions: int) -> Path:
    rows = []
    for number in range(questions):
        wrong = number % 3
        answers = {
            f"m{place}": {"text": f"#### {number + 100 * (place == wrong) * (place + 1)}", "right": place != wrong}
            for place in range(3)
        }
        rows.append(json.dumps({"question": f"q{number}", "answers": answers}))
    file.write_text("\n".join(rows))
    return file


def test_figures_are_printed(tmp_path: Path) -> None:
    """In lines, or as JSON; `--limit` reads the first questions alone."""
    file = written(tmp_path / "own.jsonl", 40)

    lines = CliRunner().invoke(bench, ["loopers", str(file)])
    as_json = CliRunner().invoke(bench, ["loopers", str(file), "--json", "--limit", "30"])

    assert lines.exit_code == 0
    assert "oracle 100.0%" in lines.output
    found = json.loads(as_json.output)
    assert found["questions"] + found["chosen_on"] == 30
    assert {each["quality"] for each in found["outcomes"]} == {1.0}


def test_too_few_questions(tmp_path: Path) -> None:
    """One can't both choose and test."""
    result = CliRunner().invoke(bench, ["loopers", str(written(tmp_path / "own.jsonl", 1))])

    assert result.exit_code != 0
    assert "two questions" in str(result.exception)
