"""How sure a draft is, and how sure it has to be."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.certifying.fit import fitted
from daemon.confidence.calibration import Platt, log_odds
from daemon.confidence.features import Features
from daemon.confidence.further import SAMPLES, Further
from daemon.confidence.judgement import (
    BY_CALIBRATION,
    CAUTIOUS,
    Judgement,
    Known,
    Sought,
    Threshold,
    for_calls,
    judge,
    judge_calls,
    plain_score,
    verified,
)
from daemon.confidence.profile import Behind, Profile
from daemon.confidence.upstream import upstream_score
from tests.fakes.recordings import drawn_rows

SHORT = Sought("short")
SURE, UNSURE = sorted((row.features for row in drawn_rows(50)), key=lambda seen: seen.answer_mean)[::-49]


@pytest.fixture(scope="module")
def promising() -> Profile:
    """Of a model that is good enough for a promise."""
    profile = fitted(drawn_rows(3000, good=6.0))
    assert profile.families["short"].certificate.certified
    return profile


def test_without_a_profile_only_what_is_beyond_doubt_passes() -> None:
    """Nobody measured this model: the plain score is held against the cautious threshold, unless the user named one."""
    by_itself, named = judge(SURE, SHORT, BY_CALIBRATION, Known()), judge(SURE, SHORT, 0.5, Known())

    assert (by_itself.standing, by_itself.required, by_itself.score) == ("uncertified", CAUTIOUS, plain_score(SURE))
    assert (named.standing, named.required) == ("uncertified", 0.5)
    assert by_itself.odds is None


def test_a_promise_sets_the_threshold(promising: Profile) -> None:
    """On the very setup, a calibrated probability is held against the certified threshold."""
    judgement = judge(SURE, SHORT, BY_CALIBRATION, Known(promising, exact=True))

    assert judgement.standing == "certified"
    assert judgement.required == promising.families["short"].certificate.threshold
    assert judgement.score == promising.probability(SURE, "short")
    assert judgement.passed
    assert not judge(UNSURE, SHORT, BY_CALIBRATION, Known(promising, exact=True)).passed


def test_another_number_of_threads_is_promised_nothing(promising: Profile) -> None:
    """The probability is stated all the same, and the cautious threshold holds."""
    judgement = judge(SURE, SHORT, BY_CALIBRATION, Known(promising, exact=False))

    assert (judgement.standing, judgement.required) == ("uncertified", CAUTIOUS)
    assert judgement.score == promising.probability(SURE, "short")


def test_another_family_is_promised_nothing(promising: Profile) -> None:
    """What was measured of short answers says nothing of code."""
    assert judge(SURE, Sought("code"), BY_CALIBRATION, Known(promising, exact=True)).standing == "uncertified"


def test_a_broken_promise_is_taken_back(promising: Profile) -> None:
    """Once outcomes have told that it does not hold, the cautious threshold does."""
    judgement = judge(SURE, SHORT, BY_CALIBRATION, Known(promising, exact=True, broken=frozenset({"short"})))

    assert (judgement.standing, judgement.required) == ("calibrated", CAUTIOUS)


def test_the_second_draft_is_promised_nothing(promising: Profile) -> None:
    """It sees what the first one was not sure of; the promise was made on all questions."""
    first = judge(UNSURE, SHORT, BY_CALIBRATION, Known(promising, exact=True))
    judgement = judge(SURE, SHORT, BY_CALIBRATION, Known(promising, exact=True, before=(first,)))

    assert (judgement.standing, judgement.required) == ("calibrated", CAUTIOUS)


def test_a_second_draft_has_a_promise_of_its_own_for_what_the_first_left(promising: Profile) -> None:
    """It holds behind that very setup at that very threshold, and behind no other."""
    own = replace(promising.families["short"].certificate, threshold=0.77)
    mute = replace(promising, agreement=None)
    first = judge(UNSURE, replace(SHORT, drafts=2), BY_CALIBRATION, Known(mute, exact=True))
    behind = Behind({"short": first.required}, {"short": own})
    second = replace(promising, behind={promising.setup.key: behind})

    def required(before: Judgement | None, exact: bool = True) -> tuple[str, float]:
        found = judge(SURE, SHORT, BY_CALIBRATION, Known(second, exact=exact, before=(before,)))
        return found.standing, found.required

    assert required(first) == ("certified", 0.77)
    assert required(replace(first, required=0.9)) == ("calibrated", CAUTIOUS)
    assert required(replace(first, standing="uncertified")) == ("calibrated", CAUTIOUS)
    assert required(replace(first, liftable=True)) == ("calibrated", CAUTIOUS)  # further answers keep some of them
    assert required(None) == ("calibrated", CAUTIOUS)
    assert required(first, exact=False) == ("uncertified", CAUTIOUS)


def test_a_first_draft_shares_its_certainty_with_the_second(promising: Profile) -> None:
    """Where two are judged, each has half of the chance to be wrong, so that both together keep the promise."""
    shared = promising.families["short"].shared
    assert shared is not None

    judgement = judge(SURE, replace(SHORT, drafts=2), BY_CALIBRATION, Known(promising, exact=True))

    assert shared.delta == 0.025
    assert judgement.required == shared.threshold
    assert judgement.required >= judge(SURE, SHORT, BY_CALIBRATION, Known(promising, exact=True)).required


def test_outcomes_tighten_a_promise_and_loosen_none(promising: Profile) -> None:
    """Where answers turned out worse, fewer pass; where they turned out better, no more do than were promised."""
    stated = promising.probability(UNSURE, "short")
    assert stated is not None

    worse, better = (
        judge(UNSURE, SHORT, BY_CALIBRATION, Known(promising, True, {"short": Platt(1.0, shift)})).score
        for shift in (-2.0, 2.0)
    )

    assert worse < stated == better


def test_without_a_promise_outcomes_count_both_ways(promising: Profile) -> None:
    """A user's own threshold is held against the refined probability."""
    stated = promising.probability(UNSURE, "short")
    assert stated is not None

    better = judge(UNSURE, SHORT, 0.5, Known(promising, True, {"short": Platt(1.0, 2.0)}))

    assert better.score > stated
    assert better.odds == pytest.approx(log_odds(stated))


def test_a_recipes_threshold_is_held_against_its_own_score(promising: Profile) -> None:
    """`avg_logprob` at 0.6 means the other router's 0.6; a margin that the engine doesn't tell vouches for nothing."""
    known = Known(promising, exact=True)
    judgement = judge(SURE, replace(SHORT, method="avg_logprob"), 0.6, known)
    blind = judge(SURE, replace(SHORT, method="margin"), 0.5, known)

    assert (judgement.standing, judgement.score) == ("upstream", upstream_score(SURE, "avg_logprob"))
    assert (blind.score, blind.passed) == (0.0, False)


@pytest.mark.parametrize(
    ("threshold", "doubt", "required"),
    [(BY_CALIBRATION, 1.0, CAUTIOUS), (BY_CALIBRATION, 0.3, 0.94), (0.5, 0.3, 0.85), (0.0, 0.3, 0.0), (1.0, 0.3, 1.0)],
)
def test_calls_are_held_against_what_was_never_measured(threshold: Threshold, doubt: float, required: float) -> None:
    """However well the model's words were; with less doubt left the more they change, unless the user leaves all to it."""
    judgement = judge_calls(SURE, SHORT, threshold, doubt, barred=False)

    assert (judgement.standing, judgement.score) == ("uncertified", plain_score(SURE))
    assert judgement.required == pytest.approx(required)


def test_a_barred_call_never_passes() -> None:
    """Whatever it scores, and whatever the user's threshold is."""
    assert judge_calls(SURE, SHORT, 0.0, 1.0, barred=False).passed
    assert not judge_calls(SURE, SHORT, 0.0, 1.0, barred=True).passed


def test_a_recipe_s_method_judges_calls_too() -> None:
    """On its own scale."""
    judgement = judge_calls(SURE, Sought("short", "avg_logprob"), 0.5, 1.0, barred=False)

    assert (judgement.standing, judgement.score) == ("upstream", upstream_score(SURE, "avg_logprob", (0.5, 0.5)))


ALL_AGREE, NONE_AGREE = Further(SAMPLES, SAMPLES, 1), Further(SAMPLES, 0, 1 + SAMPLES)


@pytest.fixture(scope="module")
def measured() -> Known:
    """Of a model that is often wrong, and whose further answers tell."""
    profile = fitted(drawn_rows(3000, good=1.5))
    assert profile.agreement
    return Known(profile, exact=True)


def middling(known: Known) -> Features:
    """A draft that fails alone and would pass if all others agreed."""
    rows = [row for row in drawn_rows(300, seed=4, good=1.5) if judge(row.features, SHORT, 0.8, known).undecided]
    return rows[0].features


def test_further_answers_can_lift_a_draft(measured: Known) -> None:
    """It is said beforehand whether they can; agreement lets it pass, and disagreement doesn't."""
    seen = middling(measured)
    alone, lifted, left = (judge(seen, SHORT, 0.8, measured, each) for each in (None, ALL_AGREE, NONE_AGREE))

    assert (alone.passed, lifted.passed, left.passed) == (False, True, False)
    assert not lifted.undecided
    assert not left.undecided
    assert left.score < alone.score < lifted.score
    assert (lifted.standing, lifted.odds) == ("calibrated", pytest.approx(log_odds(lifted.score)))


def test_a_draft_is_undecided_until_the_rest_can_t_matter(measured: Known) -> None:
    """What was drawn counts at its worst, and then nothing is stated that outcomes could refine."""
    seen = middling(measured)
    part = judge(seen, SHORT, 0.8, measured, Further(1, 1, 1))

    assert part.score == judge(seen, SHORT, 0.8, measured, Further(SAMPLES, 1, SAMPLES)).score
    assert part.undecided is not part.passed
    assert part.odds is None


@pytest.mark.parametrize("change", [{"ended": None}, {"ended": False}, {"tokens": 65}])
def test_what_can_t_be_compared_is_decided(measured: Known, change: dict[str, object]) -> None:
    """Beginnings and long answers have no further ones."""
    assert not judge(replace(middling(measured), **change), SHORT, 0.8, measured).undecided


def test_what_passes_or_nobody_measured_is_decided(measured: Known, promising: Profile) -> None:
    """A sure draft, one without a profile, one whose profile says nothing of further answers, an upstream score."""
    mute = Known(replace(measured.profile, agreement=None), exact=True) if measured.profile else Known()
    seen = middling(measured)

    assert not judge(SURE, SHORT, 0.1, measured).undecided
    assert not judge(seen, SHORT, 0.8, Known()).undecided
    assert not judge(seen, SHORT, 0.8, mute).undecided
    assert not judge(seen, Sought("short", "avg_logprob"), 0.99, measured).undecided


def test_nothing_was_promised_of_further_answers(promising: Profile) -> None:
    """Who passes with them has to reach what was promised at least, and stands as calibrated."""
    known = Known(promising, exact=True)
    certificate = promising.families["short"].certificate
    assert certificate.threshold is not None

    judgement = judge(UNSURE, SHORT, BY_CALIBRATION, known, ALL_AGREE)

    assert judgement.standing == "calibrated"
    assert judgement.required == max(certificate.threshold, CAUTIOUS)


def test_what_was_asked_for_is_held_against_the_recipe_s_threshold() -> None:
    """On the scale of its method, whether or not anything of the draft was measured."""
    given = verified(0.7, Sought("short", "self_verify"), 0.7, None)

    assert (given.passed, given.standing, given.seen) == (True, "upstream", None)
    assert not verified(0.69, Sought("short", "self_verify"), 0.7, SURE).passed


def test_what_was_asked_for_lets_no_barred_call_pass() -> None:
    """Calls have to leave less doubt, whoever vouches for them."""
    given = verified(0.9, Sought("structured", "self_verify"), 0.7, SURE)

    assert for_calls(given, 0.3, barred=False).required == pytest.approx(0.91)
    assert not for_calls(verified(1.0, SHORT, 0.7, SURE), 1.0, barred=True).passed
