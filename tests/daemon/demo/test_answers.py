"""The recording: which turn is next, and what stands in its slots."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from daemon.demo.agent import TOOLS
from daemon.demo.answers import Answers, RecordedCall, RecordedTurn, read_answers
from daemon.demo.assets import shipped
from daemon.demo.planted import plant
from daemon.errors import NearloopError

ANSWERS = Answers(
    "ours",
    {"name": r"of (\w+)"},
    (RecordedTurn("Hello.", (RecordedCall("run", {"a": "{name} {x}"}),)), RecordedTurn("{name}")),
)


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def test_slots_hold_what_came() -> None:
    """Quoted as it stands in the request; a slot without a value and other braces stay."""
    turn = ANSWERS.turn([said("user", "the refund of Ada")])

    assert turn == RecordedTurn("Hello.", (RecordedCall("run", {"a": "Ada {x}"}),))


def test_turns_follow_the_conversation() -> None:
    """By how often the assistant spoke, whose own words fill no slot; in parts too. At the end there is nothing more."""
    parts = {"role": "user", "content": [{"type": "text", "text": "of Max"}]}
    talk = [parts, said("assistant", "of Nobody")]

    assert ANSWERS.turn(talk).words == "Max"
    with pytest.raises(NearloopError, match="2 turns"):
        ANSWERS.turn([*talk, said("assistant", "")])


def test_the_shipped_one_fits_the_folder(tmp_path: Path) -> None:
    """It calls tools that the agent has with their arguments, fills all its slots from the files, and its edits fit them."""
    plant(tmp_path, shipped(), random.Random(1))
    answers = read_answers(shipped() / "answers.json")
    files = "\n".join(f"{path.name}:\n{path.read_text()}" for path in tmp_path.iterdir())
    heard = said("user", "The refund of Ada Byron (a@b.example) isn't taken off." + files)
    takes = {tool["function"]["name"]: set(tool["function"]["parameters"]["required"]) for tool in TOOLS}

    for number in range(len(answers.turns)):
        turn = answers.turn([heard, *[said("assistant", "")] * number])
        assert not any(f"{{{name}}}" in repr(turn) for name in answers.slots)
        for call in turn.calls:
            assert takes[call.tool] == set(call.arguments)
            if call.tool == "edit_file":
                assert (tmp_path / call.arguments["path"]).read_text().count(call.arguments["old"]) == 1
    assert "we wrote it" in answers.about
