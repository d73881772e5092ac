"""The glass wall: both sides, each key, and every size."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from textual.pilot import Pilot

from daemon import wire
from tests.fakes import told_wall
from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.screen_svg import svg, words
from tests.fakes.told_records import a_day, draft, record
from tests.tui.conftest import Opening, until
from tui.screens.request import Request
from tui.screens.wall import GlassWall
from tui.themes import THEMES
from tui.widgets.detail import Detail

ESCALATED = a_day()[1].id
STAYED = a_day()[2].id
SECOND = told_wall.left(91, b'{"said":"again, to fadzuk.hegzin@dolzom.example"}', 1)


async def shown(pilot: Pilot[Any], key: str, ready: str) -> None:
    """The wall of a request, once these words stand on it."""
    await until(pilot, lambda: len(pilot.app.link.picture.records) >= len(a_day()))  # type: ignore[attr-defined]
    await pilot.app.push_screen(GlassWall(pilot.app.link, key))  # type: ignore[attr-defined]
    await until(pilot, lambda: ready in words(pilot.app))


def part(pilot: Pilot[Any], id: str) -> str:
    return "\n".join(line.plain for line in pilot.app.screen.query_one(f"#{id}", Detail)._drawing(60))


async def test_both_sides_stand_there(played: PlayedDaemon, opening: Opening) -> None:
    """The user's words left, the very bytes right, what stood for what and the digest between."""
    told_wall.play(played)
    async with opening(size=(160, 50)) as pilot:
        await shown(pilot, ESCALATED, "✓ verified: digest of receipt #42")

        assert "maria.keller@nordhof.io²" in part(pilot, "own")
        assert "fadzuk.hegzin@dolzom.example²" in part(pilot, "sent")
        assert "nordhof" not in part(pilot, "sent")
        between = part(pilot, "between")
        assert "¹ PERSON ×2  Maria Keller → Fadzuk Hegzin" in between
        assert "0.62 needed" in between
        assert "not sure enough at its last token: 0.41 of 0.62" in between


async def test_a_digest_that_differs_is_told(played: PlayedDaemon, opening: Opening) -> None:
    """What is shown is hashed here, and held against the receipt of the chain."""
    left = told_wall.left(42, told_wall.body())
    told_wall.play(played, left)
    played.answers["GET receipts/42"] = told_wall.receipt_of(left, "ab" * 32)
    async with opening(size=(160, 50)) as pilot:
        await shown(pilot, ESCALATED, "✗ NOT the digest of receipt #42")


async def test_a_receipt_that_can_not_be_read_is_told(played: PlayedDaemon, opening: Opening) -> None:
    """Nothing is called verified then."""
    told_wall.play(played)
    played.refusals["GET receipts/42"] = "the receipts can't be read"
    async with opening(size=(160, 50)) as pilot:
        await shown(pilot, ESCALATED, "not verified")
        assert "✓" not in part(pilot, "between")


async def test_crossings_are_gone_through(played: PlayedDaemon, opening: Opening) -> None:
    """`]` and `[` choose one, and stop at the ends; each has its digest, and its own marks."""
    told_wall.play(played, told_wall.left(90, told_wall.body()), SECOND)
    async with opening(size=(160, 50)) as pilot:
        await shown(pilot, ESCALATED, "✓ verified: digest of receipt #90")
        assert "crossing 1 of 2" in words(pilot.app)
        await pilot.press("left_square_bracket")
        assert "crossing 1 of 2" in words(pilot.app)

        await pilot.press("right_square_bracket", "right_square_bracket")
        await until(pilot, lambda: "✓ verified: digest of receipt #91" in words(pilot.app))
        assert "crossing 2 of 2" in words(pilot.app)
        assert "again, to fadzuk" in part(pilot, "sent")

        await pilot.press("left_square_bracket")
        await until(pilot, lambda: "✓ verified: digest of receipt #90" in words(pilot.app))


async def test_copying(played: PlayedDaemon, opening: Opening) -> None:
    """`y` copies the digest, `c` what left; where nothing left they do nothing."""
    told_wall.play(played)
    async with opening() as pilot:
        await shown(pilot, ESCALATED, "#42")
        await pilot.press("y")
        assert pilot.app.clipboard == told_wall.left(42, told_wall.body()).sha256
        await pilot.press("c")
        assert pilot.app.clipboard == told_wall.body().decode()

        await pilot.press("escape")
        pilot.app.copy_to_clipboard("before")
        await shown(pilot, STAYED, "nothing left this machine")
        await pilot.press("y", "c")
        assert pilot.app.clipboard == "before"


async def test_what_stayed_has_an_empty_side_and_a_reason(played: PlayedDaemon, opening: Opening) -> None:
    """By clearance and rule."""
    told_wall.play(played)
    async with opening(size=(160, 50)) as pilot:
        await shown(pilot, STAYED, "nothing left this machine")

        assert "Who has the keys" in part(pilot, "own")
        assert "because the policy decides so about such values" in part(pilot, "sent")
        assert "1 × secret in messages[1].text" in part(pilot, "sent")


@pytest.mark.parametrize(("held", "said"), [("off", "The glass wall is off"), ("gone", "are not held any more")])
async def test_what_is_not_held_says_so(played: PlayedDaemon, opening: Opening, held: str, said: str) -> None:
    """Both sides do; of what left, the receipt is named."""
    told_wall.play(played, held=held)
    played.answers[f"GET records/{ESCALATED}/wall"] = told_wall.wall(ESCALATED, held=held)
    async with opening(size=(160, 50)) as pilot:
        await shown(pilot, ESCALATED, said)
        assert said in part(pilot, "own").replace("\n", " ")
        assert "#42" in part(pilot, "sent")
        assert "1 crossing, not held" in words(pilot.app)
        assert "nothing left" not in words(pilot.app)


async def test_parts_are_walked_through(played: PlayedDaemon, opening: Opening) -> None:
    """`←` and `→` go round; on a narrow terminal the one in front is the one that is seen."""
    told_wall.play(played)
    async with opening(size=(60, 24)) as pilot:
        await shown(pilot, ESCALATED, "▸Your words")
        assert '"max_tokens"' not in words(pilot.app)

        await pilot.press("left")
        await until(pilot, lambda: "▸What left" in words(pilot.app) and '{"model"' in words(pilot.app))
        assert "Be short.\n" not in words(pilot.app)
        await until(pilot, lambda: getattr(pilot.app.focused, "id", None) == "sent")

        await pilot.press("right", "right")
        await until(pilot, lambda: "▸Between" in words(pilot.app) and "verified" in words(pilot.app))


@pytest.mark.parametrize("size", [(40, 16), (80, 24), (120, 40), (280, 70)])
async def test_every_size_and_theme(played: PlayedDaemon, opening: Opening, size: tuple[int, int]) -> None:
    """Its words stand on it from narrow to very wide, and marks are told without colours too."""
    told_wall.play(played)
    async with opening(size=size) as pilot:
        await shown(pilot, ESCALATED, "Who has the")
        for theme in THEMES:
            pilot.app.theme = theme.name
            await pilot.pause()
            assert "Who has the" in words(pilot.app)
            if size[0] > 100:
                assert "text-decoration:underline" in svg(pilot.app)


async def test_a_running_request_shows_what_has_left_so_far(played: PlayedDaemon, opening: Opening) -> None:
    """Before its record is there; when that comes, the wall is asked again."""
    ended = record(30, draft())
    played.answers[f"GET records/{ended.id}/wall"] = told_wall.wall(ended.id)
    async with opening(size=(160, 50)) as pilot:
        played.say("request", {"protocol": "openai-chat", "client": None}, ended.id)
        await until(pilot, lambda: ended.id in pilot.app.link.picture.running)  # type: ignore[attr-defined]
        await shown(pilot, ended.id, "nothing has left for it so far")

        left = told_wall.left(77, told_wall.body())
        played.answers[f"GET records/{ended.id}/wall"] = told_wall.wall(ended.id, left)
        played.answers["GET receipts/77"] = told_wall.receipt_of(left, left.sha256)
        played.say(
            "receipt", msgspec.structs.replace(told_wall.receipt_of(left, left.sha256), record=ended.id), ended.id
        )
        await until(pilot, lambda: "✓ verified: digest of receipt #77" in words(pilot.app))

        played.say("record", ended, ended.id)
        await until(pilot, lambda: "03:07:35" in words(pilot.app))


async def test_what_others_send_paints_nothing_anew(played: PlayedDaemon, opening: Opening) -> None:
    """A wall is asked for once; other requests' receipts and records are no news of it."""
    told_wall.play(played)
    async with opening(size=(160, 50)) as pilot:
        await shown(pilot, ESCALATED, "✓ verified")
        asked = list(played.asked)
        other = record(31, draft())
        played.say("receipt", told_wall.receipt_of(told_wall.left(77, b"x"), "aa" * 32), other.id)
        played.say("record", other, other.id)
        await until(pilot, lambda: other.id in pilot.app.link.picture.records)  # type: ignore[attr-defined]
        await pilot.pause()

        assert played.asked == asked


async def test_deleted_words_are_gone_from_an_open_wall(played: PlayedDaemon, opening: Opening) -> None:
    """And from its request below it: what the daemon forgot is on no screen."""
    told_wall.play(played)
    async with opening(size=(160, 50)) as pilot:
        await until(pilot, lambda: len(pilot.app.link.picture.records) >= len(a_day()))  # type: ignore[attr-defined]
        await pilot.app.push_screen(Request(pilot.app.link, ESCALATED))  # type: ignore[attr-defined]
        await until(pilot, lambda: "Clearance" in words(pilot.app))
        await pilot.press("w")
        await until(pilot, lambda: "✓ verified" in words(pilot.app))
        played.records.clear()
        played.say("purged", wire.Forgotten(a_day()[-1].at + timedelta(seconds=1)))
        await until(pilot, lambda: "there is nothing of that name" in words(pilot.app))
        await until(pilot, lambda: not part(pilot, "own") + part(pilot, "sent") + part(pilot, "between"))
        assert "maria.keller" not in words(pilot.app)

        await pilot.press("escape")
        await until(pilot, lambda: "there is nothing of that name" in words(pilot.app))
        assert "Clearance" not in words(pilot.app)


async def test_the_daemon_s_refusal_is_shown(played: PlayedDaemon, opening: Opening) -> None:
    """In its own words."""
    played.refusals[f"GET records/{ESCALATED}/wall"] = "not for you"
    async with opening() as pilot:
        await shown(pilot, ESCALATED, "not for you")
