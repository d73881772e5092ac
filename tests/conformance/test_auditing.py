"""What reading any program's logs must do: find, count, survive what it can't read, and tell no value."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Final

import msgspec
import pytest

from daemon.auditing.base import Given, Where
from daemon.auditing.card import card
from daemon.auditing.log import Log
from daemon.auditing.registry import FORMATS
from daemon.auditing.report import Report
from daemon.cli.audit_text import show
from daemon.connecting.base import Machine
from tests.fakes.agent_logs import MAKERS
from tests.fakes.audited import events, report, written

SECRET: Final = "hunter2Correct77horse"
WORDS: Final = "please write to peter.lang@northwind-shop.com\nabout the canaryword"
RESULT: Final = f"DB_PASSWORD={SECRET}\nOWNER=maria.keller@acme-gmbh.de\ncard 4111 1111 1111 1111"
VALUES: Final = ("hunter2", "Correct77", "peter", "lang@", "northwind", "maria", "keller", "acme", "4111", "canaryword")


def read(home: Path, name: str) -> Report:
    """Of the files at their usual places, or, where a program has none, of the folder."""
    return report(home, *(() if any(FORMATS[name].find(_where(home))) else (home,)), formats=(name,))


def _where(home: Path) -> Where:
    return Where(Machine("linux", home, {}), home)


def test_each_has_a_log_to_be_tested_with() -> None:
    """A new line in the table is tested here."""
    assert set(MAKERS) == set(FORMATS)
    assert all(name == format.name for name, format in FORMATS.items())


@pytest.mark.parametrize("name", FORMATS)
def test_what_was_sent_is_found(tmp_path: Path, name: str) -> None:
    """The user's words and what tools gave back: one turn, answered, with all values and none twice."""
    found = read(written(tmp_path, MAKERS[name](WORDS, RESULT)), name)

    assert {(each.signal, each.label): each.values for each in found.classes} == {
        ("secret", "PASSWORD"): 1,
        ("pii", "EMAIL_ADDRESS"): 2,
        ("pii", "CREDIT_CARD"): 1,
    }
    assert found.turns == 1
    assert found.requests == found.priced == (1 if name in ("aider", "litellm") else 2)
    assert found.exposed_requests >= 1
    assert found.cost_usd > 0
    assert found.staying == 1
    assert found.skipped == type(found.skipped)()
    assert found.first is not None


@pytest.mark.parametrize("name", FORMATS)
def test_no_value_is_told(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Not in the report, in JSON, in the picture or on the terminal, not even a part of one, and no word of a conversation."""
    found = read(written(tmp_path / "h", MAKERS[name](WORDS, RESULT)), name)
    show(found, [])
    told = "".join((repr(found), msgspec.json.encode(found).decode(), card(found), capsys.readouterr().out))

    assert "Email address" in told
    for value in VALUES:
        assert value.lower() not in told.lower(), value


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "continue"])
def test_logs_are_read_piece_by_piece(tmp_path: Path, name: str) -> None:
    """The first words are known when little of a long log was read, so hundreds of megabytes are never held at once."""
    file, content = next(iter(MAKERS[name](WORDS, RESULT).items()))
    long = content * (8_000_000 // len(content))
    written(tmp_path, {file: long})

    with Log(tmp_path / file) as log:
        first = next(event for event in FORMATS[name].read(log) if isinstance(event, Given) and event.by_user)
        assert WORDS in first.texts
        assert log.done_bytes < 2 * len(content)


@pytest.mark.parametrize("name", FORMATS)
def test_files_cut_anywhere(tmp_path: Path, name: str) -> None:
    """A log that ends in the middle of a record is read up to there, and raises nothing."""
    draw = random.Random(7)
    for file, content in MAKERS[name](WORDS, RESULT).items():
        for at in sorted({0, 1, len(content) - 1, *(draw.randrange(len(content)) for _ in range(40))}):
            written(tmp_path, {file: content[:at]})
            events(tmp_path / file, name)


@pytest.mark.parametrize("name", FORMATS)
def test_bytes_changed_anywhere(tmp_path: Path, name: str) -> None:
    """Whatever a file holds, reading it raises nothing, and says nothing of what it holds."""
    draw = random.Random(11)
    for file, content in MAKERS[name](WORDS, RESULT).items():
        for _ in range(60):
            changed = bytearray(content)
            for _ in range(draw.randrange(1, 9)):
                changed[draw.randrange(len(changed))] = draw.choice(b'"{}[],:\\\n\0\xff#> 0a')
            written(tmp_path, {file: bytes(changed)})
            events(tmp_path / file, name)


def _mutated(value: object, draw: random.Random) -> object:
    """A JSON value with some parts replaced by ones of another type."""
    if draw.random() < 0.08:
        return draw.choice([None, 7, -1.5, True, "x", [], {}, [[]], {"text": 7}, ["x", {"type": "text"}]])
    if isinstance(value, dict):
        return {key: _mutated(inner, draw) for key, inner in value.items()}
    if isinstance(value, list):
        return [_mutated(inner, draw) for inner in value]
    return value


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "aider"])
def test_fields_of_other_types(tmp_path: Path, name: str) -> None:
    """Records of versions that nobody has seen are odd or understood, and never an error."""
    draw = random.Random(13)
    ((file, content),) = [(file, content) for file, content in MAKERS[name](WORDS, RESULT).items() if len(content) > 2]
    is_lines = file.endswith(".jsonl")
    records = [json.loads(line) for line in content.splitlines()] if is_lines else [json.loads(content)]
    for _ in range(150):
        changed = b"\n".join(json.dumps(_mutated(record, draw)).encode() for record in records)
        written(tmp_path, {file: changed})
        report(tmp_path, tmp_path / file, formats=(name,))
        events(tmp_path / file, name)


@pytest.mark.parametrize("name", FORMATS)
def test_logs_of_others_are_not_taken_for_ones_own(tmp_path: Path, name: str) -> None:
    """Each file of a program is known to it, or lies at its place, and to no other one."""
    for other, maker in MAKERS.items():
        for file, content in maker(WORDS, RESULT).items():
            known = FORMATS[name].knows(tmp_path / file, content[:4096])
            assert known == (name == other and len(content) > 2), (file, other)
