"""A head of one's own, from texts to an artefact that answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon.cli.main import cli
from daemon.errors import NearloopError
from edge_models.heads.reading import open_heads
from edge_models.training.own_head import shipped_encoder

pytestmark = pytest.mark.slow

FOOD = ("soup", "bread", "cheese", "pasta", "apple pie", "a salad", "fried rice", "pancakes", "a sandwich", "noodles")
TRAINS = ("train", "tram", "bus", "ferry", "night train", "underground", "taxi", "flight", "coach", "bicycle")


def table(path: Path) -> Path:
    lines = ["text,label"]
    lines += [f"How do I cook {thing} with {other}?,kitchen" for thing in FOOD for other in FOOD[:4]]
    lines += [
        f"When does the {thing} to {place} leave?,travel" for thing in TRAINS for place in ("Oslo", "Rome", "Kyiv")
    ]
    path.write_text("\n".join(lines))
    return path


def test_from_a_table_to_answers(tmp_path: Path) -> None:
    """The head knows texts that it never saw, its probabilities sum to 1, and the report tells how good it is."""
    done = CliRunner().invoke(
        cli, ["train", "head", str(table(tmp_path / "t.csv")), "--name", "topic", "--to", str(tmp_path / "head")]
    )
    assert done.exit_code == 0, done.output
    assert "accuracy" in done.output

    heads = open_heads(tmp_path / "head")
    for text, label in (("Can I bake lasagne in a pan?", "kitchen"), ("Which tram goes to the harbour?", "travel")):
        scores = dict(heads.read(text).scores["topic"])
        assert sum(scores.values()) == pytest.approx(1, abs=1e-5)
        assert max(scores, key=scores.__getitem__) == label
    heads.close()
    report = json.loads((tmp_path / "head" / "report.json").read_bytes())
    assert report["counts"] == {"kitchen": 40, "travel": 30}
    assert report["accuracy"]["value"] > 0.9


def test_too_few_texts_are_refused(tmp_path: Path) -> None:
    """Fewer than eight of a label make no head, and nothing is left behind."""
    (tmp_path / "t.csv").write_text("text,label\na,x\nb,y\n")
    with pytest.raises(NearloopError, match="8 texts of each: 2 of the 2 labels have fewer"):
        CliRunner().invoke(
            cli,
            ["train", "head", str(tmp_path / "t.csv"), "--name", "h", "--to", str(tmp_path / "head")],
            catch_exceptions=False,
        )
    assert not (tmp_path / "head").exists()


def test_the_shipped_encoder_is_there() -> None:
    """Its graph, tokenizer and config are in the repository."""
    assert {"openvino_model.xml", "tokenizer.json", "config.json"} <= {
        path.name for path in shipped_encoder().iterdir()
    }
