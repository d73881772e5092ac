"""How much there is to see."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.signals.to_see import WEIGHT, harder, to_see
from providers.contract import File, Image, Message
from tests.fakes.asking import asked, observed
from tests.fakes.sights import picture, shown, sight, unseen
from tests.fakes.signal_parts import with_models

PDF = "data:application/pdf;base64,"


@pytest.mark.parametrize(
    ("parts", "share"),
    [
        ((), 0.0),
        ((unseen(),), 0.0),
        ((picture(words="a " * 250),), 0.25),
        ((picture(words="a " * 250), picture(words="b " * 250)), 0.5),
        ((picture(words="a " * 5000),), 1.0),
        ((picture(detail=0.5),), 0.25),
        ((picture(detail=1.0),), 0.5),
        ((File(PDF, sight=sight(pages=6)),), 0.5),
        ((File(PDF, sight=sight(pages=600)),), 1.0),
        ((picture(), picture()), 0.1),
    ],
)
def test_words_pages_and_detail(parts: tuple[Image | File, ...], share: float) -> None:
    """The largest of the three; several pictures are read one after the other."""
    assert to_see(asked(shown("x", *parts))) == pytest.approx(share)


def test_earlier_pictures_are_not_this_question_s() -> None:
    """Its words aren't either."""
    assert to_see(asked(shown("x", before=(Message("user", (picture(words="a " * 900),)),)))) == 0.0


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1))
def test_more_to_see_is_never_easier(margin: float, less: float, more: float) -> None:
    """A margin stays one, grows with what is to be seen, and nothing to see changes no bit of it."""
    low, high = sorted((less, more))

    assert harder(margin, 0.0) == margin
    assert -1 <= margin <= harder(margin, low) <= harder(margin, high) <= 1


RECIPE = """
SIGNAL complexity by_examples {
  threshold: 0.1
  hard: { candidates: ["prove this theorem step by step"] }
  easy: { candidates: ["say hello"] }
}
SIGNAL complexity trained { threshold: 0.2 hard: {} easy: {} }
"""


async def margins(*parts: Image) -> dict[str, float]:
    found = await observed(RECIPE, messages=shown("hello", *parts).messages, parts=with_models())
    return {each.name: each.value or 0.0 for each in found if each.signal == "complexity"}


async def test_a_full_picture_makes_a_question_harder() -> None:
    """By examples and by the head alike; a picture that nobody looked at, and one with nothing in it, change no bit."""
    plain, empty, unlooked = await margins(), await margins(picture()), await margins(unseen())
    full = await margins(picture(detail=1.0))

    assert plain == empty == unlooked
    assert full == {name: pytest.approx(margin + WEIGHT / 2 * (1 - margin)) for name, margin in plain.items()}
