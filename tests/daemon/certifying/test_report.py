"""What a recording tells of sureness."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.certifying.likened import likened
from daemon.certifying.report import (
    ALL,
    Parted,
    across_authors,
    cascaded,
    kept,
    parted,
    promised_across,
    self_checked,
    set_apart,
    told,
    with_samples,
)
from daemon.cli.confidence_report import report_lines
from tests.fakes.recordings import drawn_rows, truth


def test_nobody_is_stated_of_by_himself() -> None:
    """The third part is stated of by the others; each author's rows by all others' rows; a set apart is whole."""
    rows = drawn_rows(400) + drawn_rows(200, seed=2, author="bob")

    assert 0.25 < len(parted(rows)) / len(rows) < 0.35
    assert sorted(part.row.id for part in across_authors(rows)) == sorted(row.id for row in rows)
    assert len(set_apart(rows, drawn_rows(50, seed=3, author="eve"))) == 50


def test_a_model_whose_sureness_tells_is_told_from_one_whose_does_not() -> None:
    """Drawn from a truth in which sureness tells, AUROC is high and calibration is near; else it is chance."""
    telling, blind = drawn_rows(900), drawn_rows(900, tells=0.0, good=0.0)

    [good, _] = list(told(parted(telling), telling))
    [bad, _] = list(told(parted(blind), blind))

    assert good.learned
    assert bad.learned
    assert good.learned.value > 0.8
    assert good.error is not None
    assert good.error < 0.08
    assert bad.learned.low < 0.55
    assert good.gain
    assert good.gain.low < 0 < good.gain.high  # the mean is all that this truth knows


def test_authors_are_not_compared_with_each_other() -> None:
    """Two authors whose questions differ in difficulty alone: expected shares of others' rows would invert a pooled AUROC."""
    rows = drawn_rows(300, good=5.0) + drawn_rows(300, seed=2, author="bob", good=0.5)

    apart = list(told(across_authors(rows), [], apart=True))[-1]

    assert apart.family == ALL
    assert apart.learned
    assert apart.learned.value > 0.8


def test_promises_are_kept_where_they_are_made() -> None:
    """Over 60 calibrations each, a promise is broken in at most 5 % of them, and one that can't be kept is seldom made."""
    found = {each.risk: each for each in kept(parted(drawn_rows(1200)), resamples=60)}

    assert found[0.4].certified > 0.7
    assert all(each.violations <= 0.05 for each in found.values())


def test_tiers_are_certified_on_what_they_see() -> None:
    """Two tiers of which the second is good at the same easy questions alone: on the residual its promise holds, certified on
    all questions it breaks far more often than it may.
    """
    first = drawn_rows(1500, good=5.0)
    parts = [Parted(row, 0.0, truth(row.features.answer_mean, good=5.0)) for row in first]
    second = [Parted(replace(part.row, right=(part.probability or 0) > 0.05), 0.0, 0.9) for part in parts]

    found = next(iter(cascaded(parts, second, risks=(0.2,), resamples=40)))

    assert found.certified[0] > 0.9
    assert max(found.broken) <= 0.05
    assert found.rows == 1500
    assert found.pooled > 0.5


def test_a_promise_can_break_on_another_author() -> None:
    """Bob's questions are harder than they look: what was promised on others' does not hold on his, and that is said."""
    rows = drawn_rows(1500, good=6.0) + drawn_rows(400, seed=2, author="bob", good=0.0)

    found = {each.author: each for each in promised_across(rows, 0.10)}

    assert found["bob"].promised
    assert found["bob"].violated


def test_agreement_and_self_check_are_told_where_they_were_asked() -> None:
    """Further answers that agree where the answer is right add to what sureness tells; without them nothing is said."""
    parts = parted(drawn_rows(1500, tells=0.5, good=1.0))
    families = {family: (alone, both) for family, alone, both in with_samples(parts)}

    alone, both = families[ALL]
    assert alone.value > 0.7
    assert both.value > alone.value
    assert list(with_samples([replace(part, row=replace(part.row, samples=0)) for part in parts])) == []
    assert self_checked(parts) is None
    asked = [replace(part, row=replace(part.row, self_check=float(part.row.right))) for part in parts]
    assert (check := self_checked(asked))
    assert check.value == 1.0


def test_likeness_of_prose_is_told_by_others_weights() -> None:
    """Our own questions by others' weights, and theirs by ours; without prose, or without another author, nothing."""
    rows = drawn_rows(600)
    ours, theirs = (
        drawn_rows(300, seed, family="prose", author=author, tells=0.5, good=1.0, by="ear")
        for seed, author in ((2, "nearloop"), (3, "bea"))
    )

    found = list(likened(rows, ours + theirs))

    assert [(each.learnt, each.tested, each.rows) for each in found] == [
        ("others", "our own", 300),
        ("our own", "others", 300),
    ]
    assert all(each.alike.low > 0.7 and each.gain.low > 0 and each.both.value > each.score.value for each in found)
    assert list(likened(rows, ours)) == list(likened(rows, [])) == []
    lines = "\n".join(report_lines(rows + ours + theirs, [], 5))
    assert "in prose, likened by ear" in lines
    assert lines.startswith("# drawn")
    assert "Only answers in prose" in "\n".join(report_lines(ours, [], 5))


def test_the_report_has_its_tables() -> None:
    """Each part stands there with the model's name, and no interval is missing where both kinds of answers are."""
    text = "\n".join(report_lines(drawn_rows(600), drawn_rows(100, seed=4, author="eve"), 20))

    for head in (
        "# drawn on openvino-genai, 2 thread(s)",
        "## Same authors",
        "## Sets apart",
        "## Promises, 20",
        "## With three",
    ):
        assert head in text
    assert "nan" not in text
