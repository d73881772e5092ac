"""Answers that models once gave to questions, with whether they were right, read from files of the user's.

Read are, by their columns, and packed with gzip or not:
- JSON lines of grade-school-math's solutions (`question`, and for each model `{is_correct, solution}`);
- CSV of RouteLLM's GSM8K (`prompt`, and `MODEL_response`, or `BEGINNING_OF_MODEL_response`, beside a column of 0 and 1 for
  each model);
- CSV of RouteLLM's MMLU (`prompt`, and a column of 0 and 1 for each model: no words);
- JSON of LLMRouter's mix, a list or lines (`question`, `scores` of each model in [0, 1]: no words);
- JSON lines of one's own: `{"question": …, "answers": {MODEL: {"text": …, "right": true}}}`, where `text` may be missing.

Where only rightness is known, an answer is replayed as the right one, or as one that nobody else gives. Two wrong answers
may in truth have been the same, so votes look no worse there than they are.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from daemon.errors import BadRequest

_RESPONSE: Final = "_response"
_ENOUGH: Final = 0.5
"""A score from which an answer counts as right."""
_MOST_BYTES: Final = 1 << 30
"""Of a file, unpacked."""


class Recorded(Struct, frozen=True):
    """One model's answer. score: how good it was, in [0, 1], where that was graded. worded: whether `text` is its own."""

    text: str
    right: bool
    score: float | None = None
    worded: bool = True

    @property
    def quality(self) -> float:
        """In [0, 1]."""
        return float(self.right) if self.score is None else self.score


class Item(Struct, frozen=True):
    """One question, and who answered it how."""

    question: str
    answers: dict[str, Recorded]


class _Own(Struct, frozen=True):
    right: bool
    text: str | None = None


def read(files: Sequence[Path]) -> list[Item]:
    """The questions that stand in all of the files, with all models' answers. Raises BadRequest for what can't be read."""
    read_files = [dict(_items(file)) for file in files]
    if not read_files:
        raise BadRequest("name at least one file of recorded answers")
    common = [question for question in read_files[0] if all(question in each for each in read_files)]
    items = []
    for question in common:
        answers: dict[str, Recorded] = {}
        for each in read_files:
            answers |= each[question]
        items.append(Item(question, answers))
    if not items:
        raise BadRequest("no question stands in all of these files")
    models = set(items[0].answers)
    return [item for item in items if set(item.answers) == models]


def _items(file: Path) -> Iterator[tuple[str, dict[str, Recorded]]]:
    text = content(file)
    if text.lstrip().startswith("["):
        yield from _of_list(text, str(file))
        return
    if text.lstrip().startswith("{"):
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield _of_line(line, f"{file}, line {number}")
        return
    rows = csv.DictReader(text.splitlines(keepends=True))
    columns = rows.fieldnames or []
    models = [name for name in columns if name not in ("prompt", "subject") and not name.endswith(_RESPONSE)]
    if "prompt" not in columns or not models:
        raise BadRequest(
            f"{file} has none of the known forms: JSON lines, or CSV with `prompt` and a column for each model"
        )
    words = {model: _response_of(model, columns) for model in models}
    for row in rows:
        yield (
            _key(row["prompt"]),
            {name: _recorded(name, row.get(words[name]), row[name] == "1") for name in models},
        )


def _response_of(model: str, columns: Sequence[str]) -> str:
    """The column with a model's words, which may be called by the beginning of its name alone; empty if there is none."""
    called = [name for name in columns if name.endswith(_RESPONSE) and model.startswith(name.removesuffix(_RESPONSE))]
    return max(called, key=len, default="")


def content(file: Path) -> str:
    """A file's text, unpacked. Raises BadRequest."""
    try:
        return _text(file)
    except (OSError, EOFError, UnicodeError) as error:
        raise BadRequest(f"{file} can't be read: {type(error).__name__}") from error


def _text(file: Path) -> str:
    if file.suffix == ".gz":
        with gzip.open(file) as packed:
            data = packed.read(_MOST_BYTES + 1)
    else:
        with file.open("rb") as plain:
            data = plain.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise BadRequest(f"{file} is larger than 1 GiB")
    return data.decode("utf-8-sig")


def _of_list(text: str, where: str) -> Iterator[tuple[str, dict[str, Recorded]]]:
    try:
        rows = msgspec.json.decode(text, type=list[msgspec.Raw])
    except msgspec.MsgspecError as error:
        raise BadRequest(f"{where}: this is no list of questions with recorded answers") from error
    for number, row in enumerate(rows, 1):
        yield _of_line(row, f"{where}, row {number}")


def _of_line(line: str | msgspec.Raw, where: str) -> tuple[str, dict[str, Recorded]]:
    try:
        row: dict[str, Any] = msgspec.json.decode(line)
        if "answers" in row:
            own = msgspec.convert(row["answers"], dict[str, _Own])
            return _key(row["question"]), {name: _recorded(name, each.text, each.right) for name, each in own.items()}
        if "scores" in row:
            graded = msgspec.convert(row["scores"], dict[str, Annotated[float, Meta(ge=0, le=1)]])
            return _key(row["question"]), {
                name: _recorded(name, None, score >= _ENOUGH, score) for name, score in graded.items()
            }
        found = {
            name: Recorded(each["solution"], each["is_correct"] is True)
            for name, each in row.items()
            if isinstance(each, dict) and "solution" in each
        }
        if not found:
            raise KeyError("answers")
        return _key(row["question"]), found
    except (msgspec.MsgspecError, KeyError, TypeError) as error:
        raise BadRequest(f"{where}: this is no question with recorded answers") from error


def _key(question: str) -> str:
    """So that a question is the same in several files."""
    return " ".join(question.replace("\u2019", "'").replace("\u2013", "-").split())


def _recorded(model: str, text: str | None, right: bool, score: float | None = None) -> Recorded:
    told = text or ("the right one" if right else f"only {model}'s")
    return Recorded(told, right, score, worded=bool(text))
