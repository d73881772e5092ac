"""Readers of others' labelled sets, given as a folder of JSON lines: questions with answers in several forms."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from daemon.certifying.questions import Check, Question, style_of
from daemon.errors import BadRequest

_LETTERS: Final = "ABCDEFGH"
_GSM_RESULT: Final = re.compile(r"####\s*(-?[\d,.]+)")
_BOXED: Final = re.compile(r"\\boxed\{(-?[\d,.]+)\}")
_MOST_CHARS: Final = 1200
"""Longer questions cost minutes of reading and tell nothing more."""


def labelled(folder: Path, limit: int) -> list[Question]:
    """What of the known sets is in a folder, at most `limit` of each part. Raises BadRequest if nothing is."""
    found: list[Question] = []
    for place, read in _READERS.items():
        for file in sorted(folder.glob(place)):
            found += read(file, limit)
    if not found:
        raise BadRequest(f"none of the known sets is in that folder: it needs one of {', '.join(_READERS)}", "data")
    return found


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_bytes().split(b"\n"):
        if line.strip():
            yield msgspec.json.decode(line)


def _question(id: str, source: str, author: str, text: str, accepted: tuple[str, ...], check: Check) -> Question | None:
    if len(text) > _MOST_CHARS or not all(accepted):
        return None
    return Question(id, source, author, text, accepted, check, style_of(id))


def _taken(made: Iterator[Question | None], limit: int) -> list[Question]:
    by_source: dict[str, list[Question]] = {}
    for question in made:
        if question is not None:
            by_source.setdefault(question.source, []).append(question)
    return [question for each in by_source.values() for question in each[:limit]]


def _with_options(stem: str, options: list[str]) -> str:
    listed = "\n".join(f"{letter}. {option}" for letter, option in zip(_LETTERS, options, strict=False))
    return f"{stem}\n{listed}"


def _halueval(file: Path, limit: int) -> list[Question]:
    def made() -> Iterator[Question | None]:
        for row in _rows(file):
            if row["label"] == 1:
                plain = row["answer"].strip().strip(".").casefold()
                check: Check = "yes_no" if plain in ("yes", "no") else "words"
                text = f"{row['context']}\n{row['question']}"
                yield _question(row["id"], "halueval_qa", "halueval", text, (row["answer"],), check)

    return _taken(made(), limit)


def _llmrouter(file: Path, limit: int) -> list[Question]:
    def made() -> Iterator[Question | None]:
        for row in _rows(file):
            kind, text, answer = row["label"], row["text"], row["answer"]
            if kind in ("natural_qa", "trivia_qa"):
                yield _question(row["id"], kind, kind, text, (answer,), "words")
            elif kind in ("commonsense_qa", "openbook_qa", "arc_challenge", "mmlu") and row["choices"]:
                options = [str(option) for option in _options(row["choices"])]
                if answer in _LETTERS and options:
                    yield _question(row["id"], kind, kind, _with_options(text, options), (answer,), "choice")
            elif kind in ("gsm8k", "math"):
                result = (_GSM_RESULT if kind == "gsm8k" else _BOXED).search(answer)
                if result:
                    yield _question(row["id"], kind, kind, text, (result[1],), "number")

    return _taken(made(), limit)


def _options(written: str) -> list[Any]:
    """The options, which stand in the rows as Python writes a dict or a list."""
    try:
        value = ast.literal_eval(written)
    except (ValueError, SyntaxError):
        return []
    return list(value["text"]) if isinstance(value, dict) else list(value) if isinstance(value, list) else []


def _cascade(file: Path, limit: int) -> list[Question]:
    source = file.stem

    def made() -> Iterator[Question | None]:
        for row in _rows(file):
            options, answer = row["options"], row["answer"]
            if options:
                text = _with_options(row["text"], options)
                yield _question(row["id"], source, source, text, (_LETTERS[int(answer)],), "choice")
            elif isinstance(answer, bool):
                text = row["text"][:1].upper() + row["text"][1:]
                yield _question(row["id"], source, source, text, ("yes" if answer else "no",), "yes_no")
            else:
                yield _question(row["id"], source, source, row["text"], (f"{float(answer):g}",), "number")

    return _taken(made(), limit)


def _gsm(file: Path, limit: int) -> list[Question]:
    return _taken(
        (_question(row["id"], "gsm8k_test", "gsm8k", row["text"], (row["answer"],), "number") for row in _rows(file)),
        limit,
    )


_READERS: Final[dict[str, Callable[[Path, int], list[Question]]]] = {
    "halueval_qa/halueval_qa.jsonl": _halueval,
    "llmrouter_mix/llmrouter_mix.jsonl": _llmrouter,
    "cascade_mcq/*.jsonl": _cascade,
    "gsm8k_routellm/gsm8k_test.jsonl": _gsm,
}
"""Where in a folder a set lies, and who reads it."""
