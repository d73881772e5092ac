"""The report on a recording, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from daemon.certifying.fit import CALIBRATE, PROMISE, fitted, part_of
from daemon.certifying.likened import likened
from daemon.certifying.recording import Row
from daemon.certifying.report import (
    BASELINES,
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
from daemon.certifying.stopping import stopped
from daemon.certifying.transfer import alike, carried, moved, paired
from daemon.confidence.judgement import CAUTIOUS

if TYPE_CHECKING:
    from edge_models.training.metrics import Estimate

_ACROSS_RISK: Final = 0.80
SHARES: Final = (None, 0.1, 0.25, 0.5)
"""Of answers that a threshold keeps; None: the threshold of a model of which nothing is promised."""


def report_lines(
    rows: Sequence[Row],
    test: Sequence[Row],
    resamples: int,
    second: Sequence[Row] = (),
    other: Sequence[Row] = (),
) -> Iterator[str]:
    """Everything that a recording tells. test: of sets that nothing was fitted on; second: of another setup that is asked
    where this one is not sure; other: of one that this one's profile is tried on. All three may be empty.
    """
    prose, rows = [row for row in rows if row.alike_by], [row for row in rows if not row.alike_by]
    if not rows:
        yield "Only answers in prose: give the recording of other questions of the same model with it."
        return
    first = rows[0]
    right = sum(row.right for row in rows)
    yield f"# {first.model} on {first.setup.engine}, {first.setup.threads} thread(s)"
    yield ""
    yield f"{len(rows):,} questions, {right:,} right ({right / len(rows):.1%}); 95 % intervals by bootstrap over questions."
    between = [row for row in rows if part_of(row.id) == CALIBRATE]
    same = parted(rows)
    yield from _told("Same authors, other questions", same, between)
    yield from _told("Other authors: each author's questions by all others'", across_authors(rows), between, apart=True)
    if test:
        yield from _told("Sets apart, on which nothing was fitted", set_apart(rows, test), between)
    yield from _more(same)
    yield from _likened(rows, prose)
    yield from _kept(same, resamples)
    yield from _stopped(rows, test)
    if second:
        yield from _cascaded(same, parted(second), resamples)
    if elsewhere := [row for row in other if not row.alike_by]:
        yield from _elsewhere(rows, elsewhere, resamples)
    yield from _across(rows)


def _stopped(rows: Sequence[Row], test: Sequence[Row]) -> Iterator[str]:
    """By thresholds, of which some keep a part of all answers: the cautious one keeps next to none of a weak model's."""
    profile = fitted(rows)
    if not profile.rises:
        return
    told = [(part_of(row.id) == PROMISE, row) for row in rows]
    parts = {"same authors": [row for apart, row in told if apart], "sets apart": list(test)}
    yield ""
    yield "## Drafts stopped early"
    yield ""
    yield "| of | threshold | reach it | of these stopped | tokens of the others | never written |"
    yield "|---|---|---|---|---|---|"
    for name, held in parts.items():
        stated = sorted(filter(None, (profile.probability(row.seen, row.family) for row in held)), reverse=True)
        if not stated:
            continue
        for share in SHARES:
            required = CAUTIOUS if share is None else stated[int(share * len(stated))]
            found = stopped(held, profile, required)
            wrong = f"{found.wrong} ({found.wrong / found.passing:.1%})" if found.passing else "-"
            saved = f"{found.saved / found.tokens:.0%}" if found.tokens else "-"
            yield f"| {name} | {required:.2f} | {found.passing} | {wrong} | {found.tokens:,} | {saved} |"


def _told(title: str, parts: list[Parted], between: list[Row], apart: bool = False) -> Iterator[str]:
    yield ""
    yield f"## {title}"
    yield ""
    yield f"| family | right of | AUROC learned | {' | '.join(BASELINES)} | gain over mean | ECE | Brier (mean alone) |"
    yield f"|---|---|---|{'---|' * len(BASELINES)}---|---|---|"
    for each in told(parts, between, apart):
        base = " | ".join(_short(each.baselines[name]) for name in BASELINES)
        error = "" if each.error is None else f"{each.error:.3f}"
        squared = "" if each.brier is None else f"{each.brier:.3f}"
        plain = "" if each.brier_plain is None else f" ({each.brier_plain:.3f})"
        yield (
            f"| {each.family} | {each.right} of {each.rows} | {_short(each.learned)} | {base} | {_short(each.gain, True)} | "
            f"{error} | {squared}{plain} |"
        )


def _more(parts: list[Parted]) -> Iterator[str]:
    found = list(with_samples(parts))
    if found:
        yield ""
        yield "## With three further answers to each question"
        yield ""
        yield "| family | AUROC agreement alone | with the learned score |"
        yield "|---|---|---|"
        for family, alone, both in found:
            yield f"| {family} | {_short(alone)} | {_short(both)} |"
    if check := self_checked(parts):
        yield ""
        yield f"Asked whether it was right: AUROC {_short(check)}."


def _likened(rows: Sequence[Row], prose: Sequence[Row]) -> Iterator[str]:
    found = list(likened(rows, prose))
    if not found:
        return
    yield ""
    yield f"## With three further answers in prose, likened by {found[0].by}"
    yield ""
    yield "| weights from | questions | right | AUROC learned score | likeness alone | both | gain |"
    yield "|---|---|---|---|---|---|---|"
    for each in found:
        numbers = " | ".join(map(_short, (each.score, each.alike, each.both)))
        yield f"| {each.learnt} | {each.tested}, {each.rows} | {each.right} | {numbers} | {_short(each.gain, signed=True)} |"


def _kept(parts: list[Parted], resamples: int) -> Iterator[str]:
    yield ""
    yield f"## Promises, {resamples:,} calibrations each, 95 % sure"
    yield ""
    yield "| family | at most wrong | promised in | broken in | answers kept |"
    yield "|---|---|---|---|---|"
    for each in kept(parts, resamples=resamples):
        yield (
            f"| {each.family} | {each.risk:.0%} | {each.certified:.1%} | {each.violations:.1%} | "
            f"{f'{each.share:.0%}' if each.certified else ''} |"
        )


def _cascaded(first: list[Parted], second: list[Parted], resamples: int) -> Iterator[str]:
    found = list(cascaded(first, second, resamples=resamples))
    if not found:
        return
    then = second[0].row
    yield ""
    yield f"## And then {then.model} on {then.setup.engine}: promises on the residual, {found[0].rows} questions"
    yield ""
    yield "| at most wrong | promised, first / second | broken: first / second / together | second, if certified on all |"
    yield "|---|---|---|---|"
    for each in found:
        promised = " / ".join(f"{share:.1%}" for share in each.certified)
        broken = " / ".join(f"{share:.1%}" for share in each.broken)
        yield f"| {each.risk:.0%} | {promised} | {broken} | {each.pooled:.1%} |"


def _elsewhere(rows: Sequence[Row], other: Sequence[Row], resamples: int) -> Iterator[str]:
    there, pairs, near = other[0], paired(rows, other), alike(rows, other)
    yield ""
    yield f"## This profile on answers of {there.model} on {there.setup.engine}"
    yield ""
    yield (
        f"{near.asked:,} questions that both answered: {near.right[0]:,} right here, {near.right[1]:,} there; "
        f"{near.only_first:,} here alone, {near.only_other:,} there alone. {near.same:,} of {near.formed:,} answers with a "
        "form are the same."
    )
    yield ""
    yield "| family | right of | AUROC by its own profile | by this one | lost | ECE own, this | Brier own, this |"
    yield "|---|---|---|---|---|---|---|"
    for each in carried(pairs):
        yield (
            f"| {each.family} | {each.right} of {each.rows} | {_short(each.own)} | {_short(each.carried)} | "
            f"{_short(each.lost, True)} | {_two(each.errors)} | {_two(each.briers)} |"
        )
    yield ""
    yield f"### Promises of this one, believed of the other, {resamples:,} calibrations each"
    yield ""
    yield "| family | at most wrong | promised in | broken here | broken there | answers kept there |"
    yield "|---|---|---|---|---|---|"
    for put in moved(pairs, resamples=resamples):
        if put.promised:
            here, beyond = put.broken
            yield (
                f"| {put.family} | {put.risk:.0%} | {put.promised:.1%} | {here:.1%} | {beyond:.1%} | {put.kept:.0%} |"
            )


def _two(figures: tuple[float, float] | None) -> str:
    return "" if figures is None else f"{figures[0]:.3f}, {figures[1]:.3f}"


def _across(rows: Sequence[Row]) -> Iterator[str]:
    yield ""
    yield f"## Promised on all authors but one, tested on that one (at most {_ACROSS_RISK:.0%} wrong)"
    yield ""
    yield "| family | author | promised | wrong of kept | questions | |"
    yield "|---|---|---|---|---|---|"
    for each in promised_across(rows, _ACROSS_RISK):
        verdict = "broken" if each.violated else "held" if each.kept else ""
        done = f"{each.wrong} of {each.kept}" if each.promised else ""
        yield f"| {each.family} | {each.author} | {'yes' if each.promised else 'no'} | {done} | {each.rows} | {verdict} |"


def _short(value: Estimate | None, signed: bool = False) -> str:
    if value is None:
        return ""
    plus = "+" if signed else ""
    return f"{value.value:{plus}.2f} ({value.low:{plus}.2f} to {value.high:{plus}.2f})"
