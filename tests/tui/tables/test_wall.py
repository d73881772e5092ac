"""The sides of the glass wall as lines: marks, bytes that are no text, and what is too long to be shown."""

from __future__ import annotations

import hashlib

import pytest
from msgspec.structs import replace

from daemon import wire
from daemon.wall_wire import Left, Masked, OwnText
from tests.fakes import told_wall
from tests.fakes.told_records import a_day, record
from tui.tables.wall import SHOWN_CHARS, between, own, reasons, sent, verdict

ALIAS = "Fadzuk Hegzin"


def right(body: bytes, *masked: Masked) -> str:
    left = told_wall.left(7, body, 0, masked)
    return "\n".join(line.plain for line in sent(told_wall.wall("a", left), left, None))


def styles(left: Left) -> set[str]:
    return {str(span.style) for line in sent(told_wall.wall("a", left), left, None) for span in line.spans}


def test_bytes_that_are_no_text_are_shown_as_numbers() -> None:
    """In another look than letters that say the same, and nothing a terminal would obey."""
    assert right(b'ok \xff\xfe \x1b[2J \xe2\x80\xae "\\xff"') == 'ok \\xff\\xfe \\x1b[2J \\u202e "\\xff"'
    assert any("reverse" in style for style in styles(told_wall.left(7, b"a \xff b", 0, ())))
    assert not any("reverse" in style for style in styles(told_wall.left(7, b"a \\xff b", 0, ())))


@pytest.mark.parametrize(
    "written", ['a "q" b', 'a \\"q\\" b', 'a \\\\\\"q\\\\\\" b'], ids=["raw", "JSON", "JSON within JSON"]
)
def test_aliases_are_found_as_json_writes_them(written: str) -> None:
    """In a text, and in arguments of a call, which are JSON within JSON."""
    masked = Masked("TERM", "my value", 'a "q" b', 0, 0, 8)

    assert right(b"x " + written.encode() + b" y", masked) == f"x {written}¹ y"


def test_marks_are_at_their_places_alone() -> None:
    """The same word somewhere else is not marked: there it left as it is."""
    text = OwnText("messages[0].parts[0]", "user", "Ann and Annual, Ann")
    left = told_wall.left(7, b"x", 0, (Masked("PERSON", "Ann", ALIAS, 0, 16, 19),))
    shown = own(replace(told_wall.wall("a", left), texts=(text,)), left)

    assert shown[-1].plain == "Ann and Annual, Ann¹"


def test_marks_go_over_lines() -> None:
    """A value of two lines is marked in both."""
    text = OwnText("messages[0].parts[0]", "user", "Maria\nKeller calls")
    left = told_wall.left(7, b"x", 0, (Masked("PERSON", "Maria\nKeller", ALIAS, 0, 0, 12),))

    assert [line.plain for line in own(replace(told_wall.wall("a", left), texts=(text,)), left)][-2:] == [
        "Maria¹",
        "Keller¹ calls",
    ]


def test_long_ones_are_shortened_in_view_alone() -> None:
    """Of the bytes the beginning and the end are shown; the digest is of all of them."""
    body = b"begin " + b"x" * 3 * SHOWN_CHARS + ALIAS.encode() + b" end"
    left = told_wall.left(7, body, 0, (Masked("PERSON", "Maria Keller", ALIAS, 0, 0, 1),))
    shown = right(body, *left.masked)

    assert len(shown) < SHOWN_CHARS + 200
    assert shown.startswith("begin xxx")
    assert shown.endswith(f"{ALIAS}¹ end")
    assert f"… {len(body) - SHOWN_CHARS:,} characters, which are in the digest, not shown …" in shown
    receipt = replace(a_day()[1].receipts[0], number=7, sha256=hashlib.sha256(body).hexdigest())
    assert "✓ verified" in verdict(left, receipt, None).plain
    assert "✗ NOT" in verdict(replace(left, body=body[:-1]), receipt, None).plain


def test_of_a_long_conversation_the_end_is_shown() -> None:
    """How much stands before it is told."""
    texts = tuple(OwnText(f"messages[{number}]", "user", f"{number} " + "y" * SHOWN_CHARS) for number in range(3))
    shown = "\n".join(line.plain for line in own(replace(told_wall.wall("a"), texts=texts), None))

    assert "2 texts before these, 48,004 characters, not shown" in shown
    assert "2 yyy" in shown


def test_what_could_not_be_held_says_so() -> None:
    """Each side for itself; nothing is called verified."""
    left = replace(told_wall.left(7, b"x", 0, ()), body=None, body_bytes=9_000_000)
    wall = replace(told_wall.wall("a", left), texts=(), whole=False)

    assert "too many to be held" in own(wall, left)[0].plain
    assert "9.0 MB left: too many to be held" in sent(wall, left, None)[0].plain
    assert "nothing to compare" in verdict(left, None, None).plain


def test_of_bytes_that_are_not_held_the_receipt_tells_what_was_masked() -> None:
    """That nothing was is not said of what nobody holds."""
    left = replace(told_wall.left(7, b"x", 0, ()), body=None, body_bytes=9_000_000)
    receipt = replace(a_day()[1].receipts[0], masks={"EMAIL_ADDRESS": 2, "PERSON": 1})

    def told(receipt: wire.Receipt | None) -> str:
        return " ".join(line.plain for line in between(None, left, receipt, None, 80))

    assert "Masked in it, and not held: 2 × EMAIL_ADDRESS, 1 × PERSON" in told(receipt)
    assert "What was masked in it is not held" in told(None)
    assert "it left as it was" not in told(receipt) + told(None)
    assert "it left as it was" in told(replace(receipt, masks={}))
    assert "it left as it was" not in told(replace(receipt, masks={}, reduced="rules"))


def test_a_refusal_for_privacy_says_what_for() -> None:
    """As `nearloop why` does: the clearance stands in the record, though nothing was decided."""
    refused = replace(a_day()[2], decision=None, attempts=(), outcome="refused", error="Private")
    told = " ".join(reasons(refused))

    assert "has to stay on this machine" in told
    assert "1 × secret in messages[1].text" in told
    assert "refused before anybody was asked: Private" in told


def test_reasons_for_an_empty_side() -> None:
    """Refused, kept by the policy, sure enough here, or nobody was asked."""
    told = {each.id: " ".join(reasons(each)) for each in a_day()}
    day = [each.id for each in a_day()]

    assert "was sure enough: 0.91 of 0.62" in told[day[0]]
    assert "has to stay on this machine" in told[day[2]]
    assert "refused before anybody was asked: budget_spent" in told[day[7]]
    assert "Nobody was asked: no_candidate" in " ".join(reasons(record(9, outcome="refused", error="no_candidate")))


def test_what_left_unmasked_is_told_as_that() -> None:
    """And a request without drafts has no curve."""
    left = told_wall.left(7, b"x", 0, ())

    assert "it left as it was" in "\n".join(line.plain for line in between(None, left, None, None, 40))
    less = replace(a_day()[1].receipts[0], reduced="rules")
    assert "said with less, by rules" in "\n".join(line.plain for line in between(None, left, less, None, 80))
    assert "no draft was measured" in between(None, None, None, None, 40)[0].plain
