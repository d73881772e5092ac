"""Log files, whatever they turn out to be."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from daemon.auditing import log as module
from daemon.auditing.log import Log, NoLog, Odd, decoded

_any: msgspec.json.Decoder[Any] = msgspec.json.Decoder()


def test_lines_and_how_far_it_is(tmp_path: Path) -> None:
    """Each line with its end; how much was read is known at each of them."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\nrest")

    with Log(path) as log:
        seen = [(line, log.done_bytes) for line in log.lines()]

    assert seen == [(b"one\n", 4), (b"two\n", 8), (b"rest", 12)]
    assert log.size_bytes == 12


def test_records_that_cannot_be_read(tmp_path: Path) -> None:
    """A broken line is odd, a last one without its end torn, and blank ones are nothing; the others are read."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n{broken}\n\n[2]\n{"a": "to')

    with Log(path) as log:
        assert list(log.records(_any)) == [{"a": 1}, Odd(), [2], Odd(torn=True)]


def test_a_last_line_without_a_line_end(tmp_path: Path) -> None:
    """It is read if it is whole."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}')

    with Log(path) as log:
        assert list(log.records(_any)) == [{"a": 1}]


def test_lines_that_are_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are left out without being held in memory, and the next one is read."""
    monkeypatch.setattr(module, "MAX_LINE_BYTES", 16)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'"' + b"x" * 100 + b'"\n"short"\n' + b'"' + b"y" * 50)

    with Log(path) as log:
        assert list(log.records(_any)) == [Odd(), "short", Odd()]


def test_whole_files_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not read."""
    path = tmp_path / "a.json"
    path.write_bytes(b"[1, 2]")

    with Log(path) as log:
        assert log.whole() == b"[1, 2]"
        monkeypatch.setattr(module, "MAX_WHOLE_BYTES", 3)
        assert log.whole() is None


def test_deep_nesting_and_bad_bytes() -> None:
    """Neither a value without an end of brackets nor bytes that are no text raise anything."""
    assert decoded(_any, b"[" * 100_000) == Odd()
    assert decoded(_any, b'"\xff\xfe"') == Odd()


def test_a_pipe_does_not_hold_it_up(tmp_path: Path) -> None:
    """A pipe that nobody writes to, a folder and a link to nowhere are no logs."""
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")

    with pytest.raises(NoLog):
        Log(pipe)
    for path in (tmp_path, tmp_path / "gone.jsonl"):
        with pytest.raises(OSError, match=r".+"):
            Log(path)


def test_what_is_added_while_it_is_read(tmp_path: Path) -> None:
    """A log that grows is read as far as it went when it was opened."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n2\n")

    with Log(path) as log, path.open("ab") as writer:
        seen = []
        for line in log.lines():
            seen.append(line)
            writer.write(b"more\n")
            writer.flush()

    assert seen == [b"1\n", b"2\n"]


def test_texts_of_any_bytes(tmp_path: Path) -> None:
    """What isn't UTF-8 is replaced."""
    path = tmp_path / "a.md"
    path.write_bytes(b"caf\xe9\n\xe2\x82\xac\n")

    with Log(path) as log:
        assert list(log.texts()) == ["caf\ufffd\n", "€\n"]
        assert log.head() == b"caf\xe9\n\xe2\x82\xac\n"
