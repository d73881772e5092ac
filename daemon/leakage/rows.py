"""Texts whose private values are marked: one JSON object a line, as docs/bench.md has it."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct, field

import daemon
from daemon.errors import BadRequest
from daemon.signals.overlaps import places

_PACKAGE: Final = Path(daemon.__file__).parent
MAX_BYTES: Final = 512 * 1024 * 1024
"""Of a file, unpacked: it is read whole."""


class Value(Struct, frozen=True):
    """One private value in a text. type: its class, in the words of whoever marked it. start, end: in characters."""

    type: str
    text: str
    start: int
    end: int


class Row(Struct, frozen=True):
    """One text. group: what it is counted with. code: the language that it is written in, if a program reads it."""

    text: str
    values: tuple[Value, ...]
    group: str
    language: str = ""
    code: str = ""


class _Mark(Struct, frozen=True):
    text: str
    type: str = "value"
    start: int | None = None
    end: int | None = None


class _Line(Struct, frozen=True):
    """spans: with places, as in the sets of llm-redactor; values: without, wherever they stand."""

    text: str
    spans: tuple[_Mark, ...] = ()
    values: tuple[_Mark, ...] = ()
    group: str | None = field(name="class", default=None)
    lang: str = ""
    code: str = ""


_decode: Final = msgspec.json.Decoder(_Line).decode


def shipped() -> Path:
    """The set that comes with Nearloop."""
    inside = _PACKAGE / "assets" / "bench"
    return (inside if inside.is_dir() else _PACKAGE.parent / "assets" / "bench") / "leak.jsonl"


def read_rows(path: Path) -> tuple[Row, ...]:
    """All rows of a file, which may be packed with gzip. Raises BadRequest with the line, OSError."""
    name = path.name.removesuffix(".gz")
    data = _unpacked(path) if path.suffix == ".gz" else path.read_bytes()
    if len(data) > MAX_BYTES:
        raise BadRequest(f"{path} has more than {MAX_BYTES >> 20} MB: split it")
    rows = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                rows.append(_row(_decode(line), name.rpartition(".")[0] or name))
            except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                raise BadRequest(
                    f"{path}, line {number} is no row: {_why(error)}; docs/bench.md has the form"
                ) from error
    if not rows:
        raise BadRequest(f"{path} has no rows")
    return tuple(rows)


def _unpacked(path: Path) -> bytes:
    try:
        with gzip.open(path) as packed:
            return packed.read(MAX_BYTES + 1)
    except EOFError as error:
        raise BadRequest(f"{path} is cut off") from error


def _why(error: Exception) -> str:
    """What is wrong, without words of the row."""
    if isinstance(error, msgspec.ValidationError):
        return str(error)
    return "it is no JSON" if isinstance(error, msgspec.MsgspecError) else str(error)


def _row(line: _Line, stem: str) -> Row:
    values = [_placed(line.text, mark) for mark in line.spans]
    for mark in line.values:
        if not mark.text:
            raise ValueError("a value is empty")
        found = [Value(mark.type, mark.text, at, at + len(mark.text)) for at in places(line.text, (mark.text,))]
        if not found:
            raise ValueError("a value doesn't stand in its text")
        values += found
    return Row(line.text, tuple(values), line.group or stem, line.lang, line.code)


def _placed(text: str, mark: _Mark) -> Value:
    if mark.start is None or mark.end is None:
        raise ValueError("a span has no start or no end")
    if not mark.text or text[mark.start : mark.end] != mark.text:
        raise ValueError("a span's text doesn't stand at its place")
    return Value(mark.type, mark.text, mark.start, mark.end)


def written(row: Row) -> dict[str, Any]:
    """A row as its line has it."""
    line: dict[str, Any] = {"text": row.text, "class": row.group}
    if row.language:
        line["lang"] = row.language
    if row.code:
        line["code"] = row.code
    line["spans"] = [{"type": v.type, "text": v.text, "start": v.start, "end": v.end} for v in row.values]
    return line
