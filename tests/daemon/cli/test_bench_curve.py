"""`nearloop bench curve`, at the command line."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from daemon.cli.bench import bench
from daemon.cli.bench_curve import lines, taken
from daemon.replaying.cascading import cascades
from daemon.replaying.curve import measure, split
from daemon.replaying.methods import Method, alone
from tests.fakes.replays import PRICES, replayed

ROOT = Path(__file__).resolve().parents[3]


def written(file: Path, patterns: list[str], times: int = 60) -> Path:
    rows = []
    for item in replayed(patterns, times):
        answers = {name: {"right": said.right, "text": said.text} for name, said in item.answers.items()}
        rows.append(json.dumps({"question": item.question, "answers": answers}))
    file.write_text("\n".join(rows), encoding="utf-8")
    return file


PRICED = ("--price", "small=1", "--price", "middle=2", "--price", "large=60/100")


def run(*args: object) -> Result:
    return CliRunner().invoke(bench, ["curve", *map(str, args)])


PRICED = ("--price", "small=1", "--price", "middle=2", "--price", "large=60/100")


def test_the_documented_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/bench.md's, on a file of one's own: tables; then figures with their intervals, and a picture."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "own.jsonl", ["rrx", "rrr", "xxr", "xxr"], 48)
    page = (ROOT / "docs" / "bench.md").read_text()
    commands = [line for line in page.splitlines() if line.startswith("nearloop bench curve")]

    tables, as_json = [CliRunner().invoke(bench, shlex.split(line, comments=True)[2:]) for line in commands]

    assert "selector complexity" in tables.output
    assert "Better than the best single model beyond doubt: cascade by agreement" in tables.output
    found = json.loads(as_json.output)
    assert (found["questions"] + found["chosen_on"], found["single"]) == (48, "large")
    for curve in found["curves"]:
        assert curve["best"]["gain"]["low"] <= curve["best"]["gain"]["value"] <= curve["best"]["gain"]["high"]
    assert ElementTree.parse(tmp_path / "curve.svg").getroot().tag.endswith("svg")


async def told(patterns: list[str], worded: bool = True) -> list[str]:
    parted = split(replayed(patterns, 120, worded=worded), PRICES)
    methods = cascades(parted.chosen_on, parted.models) or [Method("x", (alone("large"), alone("small")))]
    return lines(await measure(parted, PRICES, methods))


async def test_tables() -> None:
    """What the models are worth alone, the best setting with gain and losses, and what it is."""
    said = await told(["rrx", "rrr", "xxr", "xxr"])

    assert any(line.startswith("best single (large)") for line in said)
    assert any(line.startswith("oracle") for line in said)
    assert "  cascade by agreement: small > middle > large, kept: one agrees" in said
    (best, _) = (line for line in said if line.startswith("cascade by agreement  "))
    assert "+100%" in best


async def test_composition_did_not_help() -> None:
    """It is said, in two degrees, and that words are missing."""
    assert "did not help beyond the best single" in (await told(["rrr", "rrr", "xxr"]))[-1]
    assert "did not help: nothing is better" in (await told(["wwr", "xwr"]))[-1]
    unworded = await told(["xxr", "rrr"], worded=False)
    assert "Answers' words aren't recorded" in unworded[1]
    assert any("it only ever chose one model" in line for line in unworded)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--limit", 2), "no price is known of small"),
        ((*PRICED, "--description", "small"), "MODEL=WORDS"),
        ((*PRICED, "--limit", 1), "limit"),
        ((*PRICED, "--sample", 1), "sample"),
        (("--prices", "gone.json"), "gone.json can't be read"),
    ],
)
def test_what_is_refused(tmp_path: Path, args: tuple[object, ...], told: str) -> None:
    """Missing prices, and what has another form."""
    done = run(written(tmp_path / "own.jsonl", ["rrr"]), *args)

    assert done.exit_code != 0
    assert told in done.output + str(done.exception)


def test_a_sample_is_a_fair_part() -> None:
    """Of questions of which the first ones are alike, `--limit` takes those alone; `--sample` takes of all, the same by seed."""
    items = replayed(["rrr"] * 60 + ["xxr"] * 60, 120)

    first, drawn = taken(items, 40, None, 0), taken(items, None, 40, 0)

    assert [item.question for item in first] == [item.question for item in items[:40]]
    assert 10 < sum(item.answers["small"].right for item in drawn) < 30
    assert len({item.question for item in drawn}) == 40
    assert drawn == taken(items, None, 40, 0) != taken(items, None, 40, 5)
    assert taken(items, None, 500, 0) == items


def test_too_few(tmp_path: Path) -> None:
    """One question can't both choose and test."""
    assert "two questions" in str(run(written(tmp_path / "own.jsonl", ["rrr"], 1), *PRICED).exception)
