"""Use of a masked text is tried, and a fault in it shows."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from daemon.boundary.policy import Policy
from daemon.leakage.corridor import Corridor, Crossing
from daemon.leakage.rows import Row
from daemon.leakage.utility import use_of

CODE = "OWNER = 'maria.keller@quarrymail.de'\n\n\ndef ask():\n    return OWNER\n"


@pytest.fixture
async def corridor() -> AsyncIterator[Corridor]:
    made = Corridor(Policy("balanced"), votes=False)
    yield made
    made.close()


async def crossed(corridor: Corridor, text: str) -> Crossing:
    crossing = await corridor.cross(text)
    assert not crossing.kept
    return crossing


async def test_masked_code_serves(corridor: Corridor) -> None:
    """It parses as before, comes back, and edits against it fit."""
    use = use_of(Row(CODE, (), "t", code="python"), await crossed(corridor, CODE))

    assert use.serves
    assert (use.restored, use.parses, use.edits, use.edits_that_fit) == (True, True, 2, 2)


async def test_a_line_that_is_lost_shows(corridor: Corridor) -> None:
    """Two lines made one: it neither parses nor do edits fit."""
    crossing = await crossed(corridor, CODE)
    joined = replace(crossing, masked=crossing.masked.replace("\n\n\ndef", " def"))
    use = use_of(Row(CODE, (), "t", code="python"), joined)

    assert not use.serves
    assert use.parses is False
    assert use.edits_that_fit < use.edits


async def test_an_alias_that_is_lost_shows(corridor: Corridor) -> None:
    """It can't come back."""
    crossing = await crossed(corridor, CODE)
    assert crossing.passage is not None
    (alias,) = crossing.passage.aliases
    use = use_of(Row(CODE, (), "t"), replace(crossing, masked=crossing.masked.replace(alias.text, "x@y.example")))

    assert not use.restored
    assert not use.serves


async def test_what_no_parser_reads_is_not_held_against_it(corridor: Corridor) -> None:
    """Prose, and code that never parsed."""
    assert use_of(Row("hello", (), "t"), await crossed(corridor, "hello")).parses is None
    assert use_of(Row("def (", (), "t", code="python"), await crossed(corridor, "def (")).parses is None
