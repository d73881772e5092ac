"""The gate over tools, from labelled requests to a file that the daemon reads."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner

from daemon.cli.main import cli
from edge_models.tool_fit import decode_gate
from edge_models.training.metrics import Array
from edge_models.training.tool_gate import logistic
from edge_models.training.tool_offers import MetaTool, Offered, divided, offers

pytestmark = pytest.mark.slow

THINGS = (
    *("weather", "pizza", "train", "poem", "stock", "recipe", "holiday", "garden", "violin", "passport", "planet"),
    *("haircut", "football", "dentist", "puzzle", "bicycle"),
)


def write(path: Path, *rows: dict[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def sets(folder: Path) -> Path:
    """As MetaTool lays them out."""
    place = folder / "metatool"
    write(place / "tools.jsonl", *({"tool": f"{t}_helper", "description": f"Helps with a {t}."} for t in THINGS))
    asked = [(t, f"{verb} a {t} for me") for t in THINGS for verb in ("Find", "Look for", "Suggest", "Compare")]
    write(place / "queries.jsonl", *({"text": text, "label": f"{t}_helper"} for t, text in asked))
    write(place / "multi_tool.jsonl", {"text": "A poem on pizza", "labels": ["poem_helper", "pizza_helper"]})
    write(
        place / "awareness.jsonl",
        *({"text": f"What is {n} plus {n}?", "label": 0} for n in range(8)),
        {"text": "Ask a tool", "label": 1},
    )
    return folder


def test_from_requests_to_a_file(tmp_path: Path) -> None:
    """It tells tools that fit from those that don't, of tools that it never saw, and of another's file."""
    functions = [{"name": "shoe_size", "description": "Converts sizes of shoes.", "parameters": ["size"]}]
    write(
        tmp_path / "test" / "own.jsonl",
        *({"text": f"Convert shoe size {n}", "functions": functions, "label": 1} for n in range(40, 46)),
        *({"text": f"Who ruled in the year {n}?", "functions": functions, "label": 0} for n in range(40, 46)),
        {"text": "No tools", "functions": [], "label": 0},
    )
    file = tmp_path / "gate.json"

    done = CliRunner().invoke(
        cli,
        [
            *("train", "tool-gate", "--data", str(sets(tmp_path / "data")), "--to", str(file)),
            *("--test", str(tmp_path / "test")),
        ],
    )

    assert done.exit_code == 0, done.output
    gate = decode_gate(file.read_bytes())
    assert all(column.weight <= 0 for column in gate.columns if column.name != "many")
    report = json.loads(file.read_bytes())["report"]
    held, others, own = report["tested"]
    assert held["auroc"]["value"] > 0.8
    assert (others["auroc"]["value"], own["accuracy"]["texts"], own["name"]) == (1.0, 12, "own")
    assert "false_alarms" in done.output


def known(*names: str) -> MetaTool:
    requests = (*((f"ask {name}", (name,)) for name in names), ("both", ("a", "h")), ("none", ()))
    return MetaTool({name: Offered(name, "") for name in names}, requests)


def test_tools_are_held_out_with_their_requests() -> None:
    """No tool is on both sides, and a request for tools of both is on none."""
    fitting, held = divided(known(*"abcdefgh"), 0.25, Random(1))

    assert (len(fitting.tools), len(held.tools)) == (6, 2)
    assert not fitting.tools.keys() & held.tools.keys()
    for part in (fitting, held):
        assert all(gold in part.tools for _, golds in part.requests for gold in golds)


def test_offers_without_a_fit_have_none() -> None:
    """Neither the tool that was asked for nor one that is like it."""

    def embed(texts: list[str]) -> Array:
        """By the letter: `a` and `b` are alike, others are not."""
        rows = np.eye(9)[["abcdefgh".find(text.removeprefix("ask ")) for text in texts]]
        rows[:, 0] += 0.9 * rows[:, 1]
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    for offer in offers(known(*"abcdefgh"), embed, Random(2)):  # type: ignore[arg-type]
        names = {tool.name for tool in offer.tools}
        gold = offer.asked.removeprefix("ask ")
        if offer.asked in ("both", "none"):
            continue
        assert (gold in names) is not offer.none
        assert not (names & {"a", "b"}) if offer.none and gold in "ab" else True


def test_the_line_finds_what_made_the_labels() -> None:
    """Weights of data drawn from a known line, up to the pull to zero."""
    chance = np.random.default_rng(3)
    table = chance.normal(size=(4000, 2))
    truth = (chance.random(4000) < 1 / (1 + np.exp(-(table @ [2.0, -1.0])))).astype(np.float64)

    weights = logistic(table, truth)

    assert np.allclose(weights[:2], [2.0, -1.0], atol=0.2)
