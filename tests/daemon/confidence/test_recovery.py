"""Whether a draft can still become sure enough."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from daemon.certifying.fit import fitted
from daemon.confidence.families import Family
from daemon.confidence.features import Generation, features
from daemon.confidence.judgement import BY_CALIBRATION, Known, Sought, Threshold, judge
from daemon.confidence.recovery import JUDGED_TOKENS, outlook
from providers.contract import Alternative, Logprob
from tests.fakes.recordings import drawn_rows

LOGPROBS = st.floats(-6, 0)
PIECES = st.sampled_from([b" word", b" asked", b"!", b" 7"])
TOKENS = st.lists(st.tuples(PIECES, LOGPROBS), min_size=1, max_size=JUDGED_TOKENS)


def said(tokens: list[tuple[bytes, float]], reason: str | None = None) -> Generation:
    made = tuple(Logprob(piece, logprob, (Alternative(piece, logprob),)) for piece, logprob in tokens)
    return Generation(made, "words", frozenset({"asked"}), reason)


@given(TOKENS, st.integers(1, JUDGED_TOKENS), st.sampled_from(["", "avg_logprob"]), st.floats(0.05, 1))
def test_what_is_called_hopeless_never_passes(
    tokens: list[tuple[bytes, float]], length: int, method: str, threshold: float
) -> None:
    """However an answer goes on, it does not pass where its beginning was called hopeless."""
    sought = Sought("short", method)
    whole = features(said(tokens, "stop"))
    assert whole is not None

    if outlook(said(tokens[:length]), sought, threshold, Known()) == "hopeless":
        assert not judge(whole, sought, threshold, Known()).passed


def looked(
    logprob: float,
    tokens: int,
    threshold: Threshold = 0.8,
    method: str = "",
    known: Known | None = None,
    family: Family = "short",
) -> str:
    beginning = said([(b" word", logprob)] * tokens)
    return outlook(beginning, Sought(family, method), threshold, known or Known())


def test_a_sure_beginning_is_open_and_a_poor_one_amber() -> None:
    """As it stands is what decides between the two."""
    assert looked(-0.01, 4) == "open"
    assert looked(-1.0, 4) == "amber"


def test_a_beginning_that_no_end_can_mend_is_hopeless() -> None:
    """32 doubtful tokens of 64 pull any mean below what is needed."""
    assert looked(-2.0, 32) == "hopeless"
    assert looked(-3.0, 32, 0.9, "avg_logprob") == "hopeless"
    assert looked(-3.0, 32, 0.7, "hybrid") == "amber"  # margins may still be wide
    assert looked(-3.0, 32, 0.9, "margin") == "amber"


def test_a_profile_says_how_far_scores_rise() -> None:
    """Beyond what was measured nothing is hoped for; before the first checkpoint nothing is known."""
    known = Known(fitted(drawn_rows(3000, longest=40)), exact=True)

    assert looked(-5.0, 8, 0.9, known=known) == "hopeless"
    assert looked(-5.0, 3, 0.9, known=known) == "amber"
    assert looked(-0.01, 8, 0.9, known=known) == "open"


def test_an_answer_that_others_may_lift_is_heard_out() -> None:
    """What is hopeless alone is not, where further answers could still be drawn that agree with it."""
    profile = fitted(drawn_rows(3000, longest=40, good=2.0))
    alone = replace(profile, agreement=None)

    assert looked(-1.0, 8, 0.8, known=Known(alone, exact=True)) == "hopeless"
    assert looked(-1.0, 8, 0.8, known=Known(profile, exact=True)) == "amber"


def test_prose_that_others_may_lift_is_heard_out() -> None:
    """Nothing is calibrated of prose alone; where likeness of further answers counts here, none is called hopeless that it
    could lift.
    """
    rows = drawn_rows(3000, longest=40, good=2.0) + drawn_rows(900, family="prose", author="bea", good=2.0, by="ear")
    profile = fitted(rows)

    here, elsewhere = (Known(profile, exact=True, likens=likens) for likens in ("ear", "another"))

    assert looked(-2.0, 32, 0.5, known=elsewhere, family="prose") == "hopeless"
    assert looked(-2.0, 32, 0.5, known=here, family="prose") == "amber"
    assert looked(-2.0, 32, 0.999, known=here, family="prose") == "hopeless"


def test_a_promise_is_for_whole_answers() -> None:
    """A beginning is not called hopeless for missing what only beginnings need."""
    profile = fitted(drawn_rows(3000, good=6.0, longest=40))
    promised = profile.families["short"].certificate.threshold
    assert promised is not None
    beginning = features(said([(b" word", -0.4)] * 8))
    assert beginning is not None

    judgement = judge(beginning, Sought("short"), BY_CALIBRATION, Known(profile, exact=True))

    assert judgement.standing == "calibrated"
    assert looked(-0.4, 8, BY_CALIBRATION, known=Known(profile, exact=True)) != "hopeless"


def test_without_tokens_nothing_is_known() -> None:
    """An engine that tells no log-probabilities is heard out."""
    assert outlook(Generation((), "words"), Sought("short"), 0.9, Known()) == "open"
