"""Codes and their words: each code that the daemon gives as a reason has words on the command line and in the dashboard."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final, get_args

import pytest

from daemon.cli import why_codes
from daemon.confidence.collapse import Collapse
from daemon.loopers import way_back
from daemon.pictures import carried, fetching, service
from daemon.settings import Effect, Keys
from daemon.shown_pictures import NOT_LOOKED
from daemon.tools.weighing import Bar
from daemon.upstreams.standing import Reason
from edge_models.vision import limits
from tui.panels import codes

ROOT: Final = Path(__file__).resolve().parents[2]
TABLES: Final = {
    "RULES": codes.RULES,
    "STANDINGS": codes.STANDINGS,
    "COLLAPSES": codes.COLLAPSES,
    "NOTES": codes.NOTES,
    "WHY_NOT_REDUCED": codes.WHY_NOT_REDUCED,
    "WHY_HERE": codes.WHY,
    "UNSEEN": codes.UNSEEN,
    "EFFECTS": codes.EFFECTS,
    "KEYS": codes.KEYS,
    "LOOPER_NOTES": codes.LOOPER_NOTES,
    "AWAY": codes.AWAY,
}
"""Those of `nearloop why`, and the dashboard's."""
NOT_OF_A_RECORD: Final = {"TEACHERS"}
"""What was learned from it later, which the dashboard doesn't show."""


def noted() -> set[str]:
    """Every literal that the daemon passes to `noted`."""
    found: set[str] = set()
    for text in (path.read_text() for path in (ROOT / "daemon").rglob("*.py")):
        for node in ast.walk(ast.parse(text)) if "noted(" in text else ():
            match node:
                case ast.Call(func=ast.Attribute(attr="noted" | "_noted"), args=[ast.Constant(value=str(code))]):
                    found.add(code)
    return found


def test_every_table_of_the_command_line_has_its_like() -> None:
    """A new table of `nearloop why` is one of the dashboard, too."""
    tables = {name for name, value in vars(why_codes).items() if isinstance(value, dict) and name.isupper()}

    assert tables == TABLES.keys() | NOT_OF_A_RECORD


@pytest.mark.parametrize("table", TABLES)
def test_every_code_has_words_in_the_dashboard(table: str) -> None:
    """No code of the command line is shown as it is."""
    assert getattr(why_codes, table).keys() <= TABLES[table].keys()


def test_why_nobody_was_asked_has_words() -> None:
    """Each reason of the gate before a provider, as why it was left out and as a note of a recipe."""
    reasons = set(get_args(Reason))

    assert reasons == codes.AWAY.keys() == why_codes.AWAY.keys()
    assert reasons <= codes.NOTES.keys() & why_codes.NOTES.keys()


def test_what_loopers_note_has_words() -> None:
    """Found in the sources, so that a new note can't be forgotten."""
    found = noted()

    assert len(found) > 15
    assert found | {way_back.NOTE} | set(get_args(Bar)) <= codes.LOOPER_NOTES.keys() & why_codes.LOOPER_NOTES.keys()


def test_why_a_picture_is_not_seen_has_words() -> None:
    """Each code of what looks at pictures, in whichever module."""
    found = {
        value
        for module in (limits, service, carried, fetching)
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, str)
    }

    assert found | {NOT_LOOKED} == codes.UNSEEN.keys()


def test_what_calls_and_drafts_come_to_has_words() -> None:
    """By the types that hold them."""
    assert set(get_args(Collapse)) <= codes.COLLAPSES.keys()
    assert set(get_args(Effect)) <= codes.EFFECTS.keys()
    assert set(get_args(Keys)) <= codes.KEYS.keys()
