"""Recorded answers, read from files of all forms."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from daemon.errors import BadRequest
from daemon.replaying.recordings import Recorded, read


def lines(file: Path, *rows: object) -> Path:
    text = "\n".join(map(json.dumps, rows))
    file.write_bytes(gzip.compress(text.encode()) if file.suffix == ".gz" else text.encode())
    return file


def test_solutions_and_responses_of_one_question(tmp_path: Path) -> None:
    """Files of two makers are joined by the question, whatever quotation marks it has; others fall out."""
    solutions = lines(
        tmp_path / "solutions.jsonl.gz",
        {"question": "Janet\u2019s ducks?", "ground_truth": "A: 18", "6b": {"is_correct": False, "solution": "A: 26"}},
        {"question": "Only here?", "ground_truth": "A: 1", "6b": {"is_correct": True, "solution": "A: 1"}},
    )
    responses = tmp_path / "gsm8k.csv"
    responses.write_text('big,prompt,big_response\n1,Janet\'s  ducks?,"So,\n18"\n')

    [item] = read([solutions, responses])

    assert item.answers == {"6b": Recorded("A: 26", False), "big": Recorded("So,\n18", True)}


def test_rightness_without_words(tmp_path: Path) -> None:
    """Right answers are the same one, and each wrong one is its model's own."""
    file = tmp_path / "mmlu.csv"
    file.write_text("subject,a,b,c,prompt\nlaw,1,1,0,Which?\n")

    [item] = read([file])

    assert item.answers["a"].text == item.answers["b"].text != item.answers["c"].text
    assert [each.right for each in item.answers.values()] == [True, True, False]


def test_one_s_own_form(tmp_path: Path) -> None:
    """With words or without."""
    own = lines(
        tmp_path / "own.jsonl",
        {"question": "2+2?", "answers": {"a": {"text": "4", "right": True}, "b": {"right": False}}},
    )

    [item] = read([own])

    assert item.answers == {"a": Recorded("4", True), "b": Recorded("only b's", False, worded=False)}


def test_words_under_a_shorter_name(tmp_path: Path) -> None:
    """A column of words that is called by the beginning of its model's name is that model's, and no other's."""
    file = tmp_path / "gsm8k.csv"
    file.write_text("big_8x7b,bigger_11,prompt,big_response,bigger_response\n1,0,Which?,four,five\n")

    [item] = read([file])

    assert item.answers == {"big_8x7b": Recorded("four", True), "bigger_11": Recorded("five", False)}


@pytest.mark.parametrize("form", ["list", "lines"])
def test_grades_without_words(tmp_path: Path, form: str) -> None:
    """LLMRouter's mix: the grade is kept, and half of it counts as right."""
    rows = [{"question": "2+2?", "scores": {"a": 0.5, "b": 0.25}}, {"question": "3+3?", "scores": {"a": 1, "b": 0}}]
    file = lines(tmp_path / "mix.json.gz", *([rows] if form == "list" else rows))

    first, second = read([file])

    assert first.answers == {
        "a": Recorded("the right one", True, 0.5, False),
        "b": Recorded("only b's", False, 0.25, False),
    }
    assert [each.quality for each in (*first.answers.values(), *second.answers.values())] == [0.5, 0.25, 1.0, 0.0]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", b'{"question": "x"}'),
        ("a.jsonl", b'{"question": 3, "answers": '),
        ("a.jsonl", b'{"answers": {"a": {"right": true}}}'),
        ("a.json", b'[{"question": "x", "scores": {"a": 2}}]'),
        ("a.json", b'[{"question": "x"'),
        ("a.csv", b"question,answer\n1,2\n"),
        ("a.csv", b"prompt,a_response\nx,y\n"),
        ("a.csv", b"\xff\xfe\x00"),
        ("a.jsonl.gz", b"no gzip"),
        ("a.jsonl", b""),
    ],
)
def test_what_can_t_be_read(tmp_path: Path, name: str, content: bytes) -> None:
    """It is refused with where, and without its words."""
    file = tmp_path / name
    file.write_bytes(content)

    with pytest.raises(BadRequest, match="a\\."):
        read([file])
    with pytest.raises(BadRequest):
        read([tmp_path / "gone.csv"])
