"""Where in a picture a value stands."""

from __future__ import annotations

import random
from typing import Final

import pytest
from msgspec.structs import replace
from PIL import Image, ImageDraw

from daemon.boundary.boxes import Box, boxes
from daemon.signals.base import Span
from providers.contract import Line, Sight
from tests.fakes.pictures import Drawn, drawn, fonts

SAID: Final = """Invoice for Jane Keller from Millbrook Ltd please call WWW mmm illicit will fill MILLION iiii shipping
address jane.keller@millbrook.example 4111 1111 password sk-proj-abcdefghijklm GB29 NWBK 6016"""
WORDS: Final = SAID.split()
PATH: Final = "messages[0].parts[0].sight"


def covered(page: Drawn, found: tuple[Box, ...]) -> set[int]:
    """Letters of which no pixel is left outside."""
    mask = Image.new("1", page.picture.size)
    for box in found:
        ImageDraw.Draw(mask).polygon(list(box), fill=1)
    inside = set()
    for letter in page.letters:
        own = Image.new("1", page.picture.size)
        ImageDraw.Draw(own).polygon(list(letter.corners), fill=1)
        area = own.getbbox()
        assert area
        if not any(a & ~b for a, b in zip(own.crop(area).tobytes(), mask.crop(area).tobytes(), strict=True)):
            inside.add(letter.at)
    return inside


def span(start: int, end: int) -> Span:
    return Span(PATH, start, end, "PERSON")


@pytest.mark.parametrize("font", fonts(), ids=str)
@pytest.mark.parametrize("angle", [0, 3, -7, 10])
def test_every_letter_of_a_value_is_covered(font: str | None, angle: float) -> None:
    """In any font that is here, and on pages that lie askew."""
    chance = random.Random(str((font, angle)))
    for _ in range(6):
        words = chance.choices(WORDS, k=chance.randint(4, 9))
        line = " ".join(words)
        page = drawn(["Above it", line, "Below it"], font=font, angle=angle)
        first = chance.randrange(len(words))
        start = len("Above it\n") + len(" ".join(words[:first])) + (first > 0)
        end = start + len(words[first])

        assert covered(page, boxes(page.sight, [span(start, end)])) >= {
            letter.at for letter in page.letters if start <= letter.at < end
        }


def test_the_rest_of_a_line_stays() -> None:
    """Words that stand farther away can still be read, and so can other lines."""
    page = drawn(["A quiet beginning of a long line and then jane.keller@millbrook.example", "Another line"])
    start = page.sight.text.index("jane.")
    hidden = covered(page, boxes(page.sight, [span(start, start + len("jane.keller@millbrook.example"))]))

    assert not hidden & set(range(len("A quiet beginning of a long line and")))
    assert not hidden & set(range(page.sight.text.index("Another"), len(page.sight.text)))


@pytest.mark.parametrize("what", ["unsure", "script", "upright", "most"])
def test_where_it_can_not_be_told_the_whole_line_is(what: str) -> None:
    """A line that was not read surely, of another script, turned by a right angle, or of which little is left."""
    text = {"script": "Кому: Jane Keller, где", "most": "To Jane Keller"}.get(what, "To Jane Keller, at home")
    page = drawn([text], angle=90 if what == "upright" else 0, sure=0.5 if what == "unsure" else 1.0)
    start = text.index("Jane")
    found = boxes(page.sight, [span(start, start + len("Jane Keller"))])

    assert covered(page, found) == {letter.at for letter in page.letters}


def test_a_value_over_two_lines_is_covered_in_both() -> None:
    """It goes on where the next line begins."""
    page = drawn(["It was sent by Jane", "Keller, who lives in the next house but one"])
    start = page.sight.text.index("Jane")
    found = boxes(page.sight, [span(start, start + len("Jane Keller"))])

    assert len(found) == 2
    assert covered(page, found) >= {
        at for at in range(start, start + len("Jane Keller")) if page.sight.text[at].strip()
    }


def test_other_frames_are_not_painted() -> None:
    """The first one alone leaves."""
    box = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
    sight = Sight(form="gif", text="one\ntwo", lines=(Line(0, 3, box), replace(Line(4, 7, box), page=1)))

    assert len(boxes(sight, [span(0, 3), span(4, 7)])) == 1
