"""A head of one's own from the records of this machine."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from daemon.cli.main import cli
from daemon.cli.train_records import read_records
from daemon.errors import BadRequest, NearloopError, NotFound
from daemon.records import Store
from daemon.wire import Attempt, Content, Decision, Ledger, Outcome, Record, Route, Seen
from edge_models.heads.reading import open_heads
from edge_models.training.examples import Example
from providers.contract import Message, Text
from tests.fakes.clock import HeldClock

pytestmark = pytest.mark.slow

FOOD = ("soup", "bread", "cheese", "pasta", "apple pie", "a salad", "fried rice", "pancakes", "a sandwich", "noodles")
TRAINS = ("train", "tram", "bus", "ferry", "night train", "underground", "taxi", "flight", "coach", "bicycle")
START = datetime(2026, 1, 1, tzinfo=UTC)
Kept = tuple[Record, Content | None]


def record(number: int, **more: Any) -> Record:
    plain: dict[str, Any] = {
        "outcome": "answered",
        "decision": None,
        "attempts": (),
        "seen": (),
    }
    return Record(
        id=f"{number:016x}",
        at=START + timedelta(minutes=number),
        protocol="openai-chat",
        client=None,
        project=None,
        session=None,
        model="auto",
        streamed=False,
        egress="none",
        took_ms=1.0,
        waited_ms=0.0,
        messages=1,
        prompt_chars=1,
        answer_chars=1,
        ledger=Ledger(),
        **plain | more,
    )


def words(*said: str) -> Content:
    """A conversation, as the pipeline keeps it."""
    turns = [turn for text in said for turn in (Message("user", (Text(text),)), Message("assistant", (Text("yes"),)))]
    return Content(msgspec.to_builtins(turns[:-1]), "answer")


def keep(path: Path, rows: Iterable[Kept]) -> Path:
    store = Store(path, HeldClock())
    for row in rows:
        store.write(*row)
    store.close()
    return path


def by_recipe(name: str | None) -> Decision:
    return Decision("recipe", "single", ("local/x",), Route(recipe="mine", decision=name))


def attempt(provider: str, model: str, place: str | None, outcome: Outcome = "answered") -> Attempt:
    return Attempt(provider, model, outcome, 1.0, place=place)


def test_from_records_to_answers(home: Path, tmp_path: Path) -> None:
    """The head tells which decision a text comes to, and no file of it holds the words."""
    rows: list[Kept] = []
    for thing in FOOD:
        for other in FOOD[:3]:
            row = record(len(rows), decision=by_recipe("kitchen"))
            rows.append((row, words("hello", f"How do I cook {thing} with {other}?")))
    for thing in TRAINS:
        for town in ("Oslo", "Rome", "Kyiv"):
            row = record(len(rows), decision=by_recipe("travel"))
            rows.append((row, words(f"When does the {thing} to {town} leave?")))
    rows.append((record(len(rows), decision=by_recipe("rare")), words("something else")))
    rows.append((record(len(rows), decision=by_recipe("kitchen")), None))
    keep(home / "data" / "records.db", rows)

    done = CliRunner().invoke(
        cli,
        ["train", "head", "--from-records", "--label-by", "decision", "--name", "mine", "--to", str(tmp_path / "head")],
    )

    assert done.exit_code == 0, done.output
    assert "left out, with too few texts: rare" in done.output
    assert json.loads((tmp_path / "head" / "report.json").read_bytes())["counts"] == {"kitchen": 30, "travel": 30}
    heads = open_heads(tmp_path / "head")
    scores = dict(heads.read("Which tram goes to the harbour?").scores["mine"])
    heads.close()
    assert max(scores, key=scores.__getitem__) == "travel"
    for name in ("signals.json", "report.json"):
        assert b"pancakes" not in (tmp_path / "head" / name).read_bytes()


@pytest.mark.parametrize(
    ("label_by", "rows", "label"),
    [
        ("decision", {"decision": by_recipe("kitchen")}, "kitchen"),
        ("decision", {"decision": by_recipe(None)}, "recipe"),
        ("decision", {"decision": Decision("auto-near", "single", ())}, "auto-near"),
        ("model", {"attempts": (attempt("local", "a", None, "failed"), attempt("work", "b", "cloud"))}, "work/b"),
        ("place", {"attempts": (attempt("work", "b", "cloud"),)}, "cloud"),
        ("outcome", {"outcome": "cancelled"}, "cancelled"),
        (
            "signal:domain",
            {
                "seen": (
                    Seen("domain", "law", None, 0.2, 0.2, 0, 1.0, None),
                    Seen("domain", "math", None, 0.7, 0.7, 0, 1.0, None),
                    Seen("complexity", "c", "hard", 0.9, 0.9, 0, 1.0, None),
                )
            },
            "math",
        ),
        ("signal:complexity/c", {"seen": (Seen("complexity", "c", "hard", 0.9, 0.9, 0, 1.0, None),)}, "c:hard"),
        ("signal:jailbreak", {}, "none"),
    ],
)
def test_what_a_label_can_be(label_by: str, rows: dict[str, Any], label: str, tmp_path: Path) -> None:
    """A record's decision, its model, where that is, how it ended, and what a signal saw."""
    other = record(0, decision=by_recipe("other"), attempts=(attempt("other", "o", "other"),), outcome="refused")
    other = msgspec.structs.replace(other, seen=(Seen(label_by[7:].partition("/")[0], "c", "o", 1, 1, 0, 1, None),))
    kept: list[Kept] = [(msgspec.structs.replace(other, id=f"{n:016x}"), words(f"other {n}")) for n in range(8)]
    kept += [(record(n, **rows), words(f"text {n}")) for n in range(10, 18)]
    examples, left_out = read_records(keep(tmp_path / "records.db", kept), label_by)

    assert [each for each in examples if each.text.startswith("text")] == [
        Example(f"text {n}", label) for n in range(10, 18)
    ]
    assert left_out == ()


def test_the_newest_label_of_a_text_counts(tmp_path: Path) -> None:
    """An agent repeats what its user said with each of its steps; a text is one example."""
    kept: list[Kept] = [(record(n, outcome="failed"), words(f"text {n % 20}")) for n in range(20)]
    kept += [(record(n, outcome="answered"), words("before", f"text {n % 20}")) for n in range(20, 28)]
    examples, _ = read_records(keep(tmp_path / "records.db", kept), "outcome")

    assert {each.text: each.label for each in examples} == {
        f"text {n}": "answered" if n < 8 else "failed" for n in range(20)
    }


def test_what_a_signal_could_not_look_at_has_no_label(tmp_path: Path) -> None:
    """It isn't taken for a text that nothing was found in."""
    late = (Seen("domain", "domain", None, 0.0, None, 0, 0.0, "Late"),)
    kept: list[Kept] = [(record(n, seen=late), words(f"text {n}")) for n in range(20)]
    with pytest.raises(NotFound, match="20 records with words give 0, of 0 labels"):
        read_records(keep(tmp_path / "records.db", kept), "signal:domain")


def test_without_words_nothing_is_learnt(tmp_path: Path) -> None:
    """There may be no file, or records without words; what to do is told."""
    with pytest.raises(NotFound, match="content = true"):
        read_records(tmp_path / "records.db", "model")
    assert not (tmp_path / "records.db").exists()
    kept: list[Kept] = [(record(n), None) for n in range(20)]
    with pytest.raises(NotFound, match="content = true"):
        read_records(keep(tmp_path / "records.db", kept), "model")


@pytest.mark.parametrize("label_by", ["colour", "signal:", "signal"])
def test_a_label_that_there_is_not(label_by: str, tmp_path: Path) -> None:
    """Is refused with those that there are."""
    with pytest.raises(BadRequest, match="decision, model, place, outcome, signal:FAMILY"):
        read_records(tmp_path / "records.db", label_by)


@pytest.mark.parametrize(
    "args", [(), ("--from-records",), ("--label-by", "model"), ("FILE", "--from-records", "--label-by", "model")]
)
def test_a_file_or_records(args: tuple[str, ...], home: Path, tmp_path: Path) -> None:
    """One of the two."""
    (tmp_path / "t.csv").write_text("text,label\na,b\n")
    given = [str(tmp_path / "t.csv") if arg == "FILE" else arg for arg in args]
    with pytest.raises(NearloopError, match="give a FILE, or --from-records with --label-by"):
        CliRunner().invoke(
            cli, ["train", "head", *given, "--name", "h", "--to", str(tmp_path / "h")], catch_exceptions=False
        )
