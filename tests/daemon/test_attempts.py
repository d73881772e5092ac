"""What an attempt leaves behind: how sure each of its tokens was, and when it began."""

from __future__ import annotations

from math import inf

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from daemon import wire
from daemon.attempts import LEAST, Notes, curve
from daemon.decision.rules import Candidate
from daemon.ledger import Entry
from daemon.wire import CURVE_POINTS
from providers.cleared import Place
from providers.contract import Logprob


def tokens(*logprobs: float) -> tuple[Logprob, ...]:
    return tuple(Logprob(b"x", each) for each in logprobs)


@given(st.lists(st.floats(-30, 0), max_size=2000))
def test_a_curve_loses_no_dip(logprobs: list[float]) -> None:
    """It has a point for each token, or so many that stand for all: the least is in it, and each is one of its neighbours."""
    points = curve(logprobs)

    assert len(points) == min(len(logprobs), CURVE_POINTS)
    if logprobs:
        assert min(points) == round(min(logprobs), 3)
        assert set(points) <= {round(each, 3) for each in logprobs}
    if len(logprobs) <= CURVE_POINTS:
        assert points == tuple(round(each, 3) for each in logprobs)


def test_each_token_is_in_one_point() -> None:
    """One bad token of many makes one bad point, wherever it stands."""
    for at in (0, 1, 499, 998, 999):
        logprobs = [0.0] * 1000
        logprobs[at] = -5.0
        assert sorted(curve(logprobs))[:2] == [-5.0, 0.0]


def test_what_was_impossible_can_be_written() -> None:
    """JSON has no infinity."""
    assert msgspec.json.decode(msgspec.json.encode(curve([-inf, -0.5]))) == [LEAST, -0.5]


def test_an_attempt_says_when_it_began() -> None:
    """In milliseconds since its request came, with the tokens that were measured."""
    entry = Entry(None, 0, None)
    notes = Notes(Candidate("local", "small", 0.8), Place.DEVICE, 12.25, None, entry, False, 12.0)
    notes.measure(tokens(-0.1, -0.2))
    notes.measure(tokens(-0.3))
    attempt = notes.attempt(13.0)

    assert (attempt.began_ms, attempt.took_ms) == (250.0, 750.0)
    assert (attempt.curve, attempt.curve_tokens) == ((-0.1, -0.2, -0.3), 3)


def test_older_records_say_nothing_of_it() -> None:
    """They are read as they were."""
    written = b'{"provider":"local","model":"small","outcome":"answered","took_ms":1.0}'
    attempt = msgspec.json.decode(written, type=wire.Attempt)
    seen = msgspec.json.decode(
        b'{"signal":"pii","name":"email","label":null,"score":1.0,"value":null,"places":1,"took_ms":0.1}',
        type=wire.Seen,
    )

    assert (attempt.began_ms, attempt.curve, attempt.looks, seen.matched) == (None, (), (), None)
