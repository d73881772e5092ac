"""From a recording to a profile."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from daemon.certifying.fit import CALIBRATE, LEARN, PROMISE, behind, cascade, fitted, part_of, rises, scores
from daemon.certifying.recording import rows
from daemon.confidence.profile import read_profile
from daemon.confidence.profiles import shipped
from daemon.confidence.setup import Setup
from daemon.errors import BadRequest
from daemon.signals.similarity import BY_WORDS
from tests.fakes.recordings import SETUP, drawn_rows


def test_a_question_is_in_one_part() -> None:
    """Parts have their shares, and depend on nothing but the id."""
    parts = [part_of(f"q{number}") for number in range(4000)]

    assert [round(parts.count(part) / 4000, 1) for part in (LEARN, CALIBRATE, PROMISE)] == [0.4, 0.3, 0.3]
    assert part_of("q1") == part_of("q1")


def test_a_profile_states_what_comes_true() -> None:
    """On new questions of the same kind the stated probabilities are off by 5 % at most."""
    profile = fitted(drawn_rows(3000))
    fresh = drawn_rows(3000, seed=9)
    known = profile.families["short"]

    stated = [known.calibration.probability(score) for score in scores(fresh, profile.scorer)]

    gap = abs(sum(stated) / len(stated) - sum(row.right for row in fresh) / len(fresh))
    assert gap < 0.03
    assert known.error < 0.06
    assert profile.setup == SETUP
    assert profile.sources == ("ada_short",)


def test_a_promise_is_kept_on_new_questions() -> None:
    """What is certified at 5 % is wrong at most that often on new ones, for a model that is good enough."""
    profile = fitted(drawn_rows(3000, good=6.0))
    certificate = profile.families["short"].certificate
    assert certificate.threshold is not None

    kept = [
        row
        for row in drawn_rows(4000, seed=10, good=6.0)
        if (profile.probability(row.features, "short") or 0) >= certificate.threshold
    ]

    assert len(kept) > 200
    assert sum(not row.right for row in kept) / len(kept) <= 0.05


def test_a_family_with_few_labels_is_not_spoken_of() -> None:
    """Nothing is stated of it, rather than another family's numbers."""
    profile = fitted(drawn_rows(600) + drawn_rows(15, seed=5, family="code"))

    assert set(profile.families) == {"short"}
    assert profile.probability(drawn_rows(1)[0].features, "code") is None


def test_setups_are_not_mixed() -> None:
    """Rows of two engines, files or numbers of threads make no profile."""
    rows = drawn_rows(100)
    other = replace(rows[0], setup=Setup("f" * 64, "openvino-genai", 8))

    with pytest.raises(BadRequest, match="one model on one engine"):
        fitted([*rows, other])
    with pytest.raises(BadRequest, match="at least"):
        fitted(rows[:9])


def test_a_known_scorer_leaves_more_labels_for_the_rest() -> None:
    """With weights learned elsewhere, what would have learned them calibrates."""
    rows = drawn_rows(600)
    scorer = fitted(drawn_rows(600, seed=2)).scorer

    assert fitted(rows, scorer=scorer).families["short"].labels > fitted(rows).families["short"].labels


def test_the_second_tier_is_judged_on_what_it_sees() -> None:
    """Easy questions stay with the first tier; the second is certified on the hard ones that are left, or not at all."""
    chance = Random(1)
    easy = [chance.random() < 0.5 for _ in range(1500)]
    first = ([0.97 if each else 0.4 for each in easy], [each or chance.random() < 0.3 for each in easy])
    second = ([0.9] * 1500, [each or chance.random() < 0.8 for each in easy])

    alone = cascade([second])[0]
    [one, two] = cascade([first, second])

    assert one.certified
    assert one.kept == sum(easy)
    assert two.labels == 1500 - one.kept
    assert not two.certified
    assert alone.wrong / alone.kept < two.wrong / two.kept
    assert one.delta == two.delta == 0.025


def test_scores_rise_further_than_told_in_almost_no_case() -> None:
    """Of new answers at most the allowed share goes beyond what is told of their beginnings."""
    scorer = fitted(drawn_rows(3000, longest=40)).scorer
    told = {rise.tokens: rise.most for rise in rises(drawn_rows(3000, seed=2, longest=40), scorer)}
    fresh = drawn_rows(4000, seed=3, longest=40)

    late = [
        row
        for row in fresh
        for tokens, beginning in zip(told, row.beginnings, strict=False)
        if scorer.score(row.features, "short") - scorer.score(beginning, "short") > told[tokens]
    ]

    assert list(told) == [4, 8, 16, 32]
    assert len({row.id for row in late}) <= 0.015 * len(fresh)


def test_few_answers_tell_no_rise() -> None:
    """Under 399 of a length nothing is told of it: no order statistic reaches that far."""
    rows = drawn_rows(398, longest=400)

    assert not list(rises(rows, fitted(drawn_rows(600)).scorer))


def test_a_second_model_is_certified_on_what_the_first_left() -> None:
    """By questions alone that neither was made of, and by none that the first was sure of."""
    first_rows = drawn_rows(3000, good=6.0)
    second_rows = [replace(row, setup=Setup("e" * 64, "openvino-raw", 2)) for row in drawn_rows(3000, seed=2, good=6.5)]
    first, second = fitted(first_rows), fitted(second_rows)

    found = behind(first, first_rows, second, second_rows)

    shared = first.families["short"].shared
    assert shared is not None
    assert found.required == {"short": shared.threshold}
    held = [row for row in first_rows if part_of(row.id) == PROMISE]
    left = [row for row in held if (first.probability(row.features, "short") or 0) < found.required["short"]]
    certificate = found.certificates["short"]
    assert (certificate.labels, certificate.delta) == (len(left), 0.025)
    assert 0 < len(left) < len(held)


def test_a_second_model_with_other_questions_is_promised_nothing() -> None:
    """Without a question that both were asked there is nothing to go by."""
    first_rows, second_rows = drawn_rows(600), drawn_rows(600, author="bo")

    found = behind(fitted(first_rows), first_rows, fitted(second_rows), second_rows)

    assert found.certificates["short"].threshold is None


def test_the_embedded_model_s_prose_has_no_weight() -> None:
    """What was recorded of it doesn't tell, so its profile has nothing drawn; and no words stand in what was recorded."""
    name = "smollm2-135m-instruct.openvino-genai"
    made, prose = (list(rows([shipped() / "recordings" / f"{name}{part}.jsonl.gz"])) for part in ("", ".prose"))
    profile = read_profile(shipped() / f"{name}.json")
    assert profile

    again = fitted([*made, *prose])

    assert len(prose) >= 200
    assert {(row.setup, row.alike_by, row.answer, row.others) for row in prose} == {(made[0].setup, BY_WORDS, None, ())}
    assert again.likened is profile.likened is None
    assert again.scorer == fitted(made).scorer


@pytest.mark.parametrize("engine", ["openvino-genai", "openvino-raw"])
def test_the_profiles_that_come_along_are_made_of_the_recordings_that_do(engine: str) -> None:
    """Fitted anew they are the same, and no words stand in what they are made of."""
    name = f"smollm2-135m-instruct.{engine}"
    made = list(rows([shipped() / "recordings" / f"{name}.jsonl.gz"]))
    profile = read_profile(shipped() / f"{name}.json")
    assert profile

    again = fitted(made, "shipped")

    assert len(made) >= 2000
    assert all(row.answer is None for row in made)
    assert (again.setup, again.sources, again.families.keys()) == (
        profile.setup,
        profile.sources,
        profile.families.keys(),
    )
    told = [
        (each.threshold, each.labels, each.kept) for each in (known.certificate for known in again.families.values())
    ]
    assert told == [
        (known.certificate.threshold, known.certificate.labels, known.certificate.kept)
        for known in profile.families.values()
    ]
    for row in made[::50]:
        assert again.probability(row.features, row.family) == pytest.approx(
            profile.probability(row.features, row.family), abs=1e-3
        )
