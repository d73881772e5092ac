"""What calibration by language came to, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from edge_models.training.by_language import ALL, PRIOR_ROWS, LanguageReport, Measured
from edge_models.training.metrics import Estimate, upper_bound
from edge_models.training.package import SHARES


def language_report(reports: Sequence[LanguageReport]) -> str:
    """Two tables: how far probabilities are off, and how many harmless texts pass a threshold."""
    lines = [
        "# The multilingual heads by language",
        "",
        "Everything here is on rows that nothing was fitted on and that calibrated nothing: half of lingua's spare"
        " sentences, a third of the templates and subjects of our own, and half of the texts that were written in one"
        " language alone. They are by the training's own authors, and but for lingua's by one of them: other people's texts"
        " do worse. n counts groups of like texts. For `complexity` nobody's answers are known in these languages: what"
        " comes true there is what the English heads say of a question's English original, so its rows tell how far a"
        " translation is from that, and not how often a model errs. It has 18 questions a language, the same in each.",
        "",
        "## Probabilities",
        "",
        "Expected calibration error and Brier score, lower is better, under three calibrations: `before` is that of the"
        " English mix alone; `pooled` that of the mix and all languages but this one, which is what a language without rows"
        f" of its own gets; `after` the artefact's, whose own rows stand beside a prior worth {PRIOR_ROWS:.0f}. Labels are"
        " weighed to their shares in the mix. Intervals of 95 % by bootstrap over groups; an error of so few rows is never"
        " 0, even if the probabilities are right. `rows behind` is 0 where a language has too few groups of a label for"
        " numbers of its own; a head for which that is so in every language keeps those of the English mix, and `after` is"
        " `before`. One that is not named has no rows in other languages.",
        "",
        "| head | language | rows behind | error before | pooled | after | Brier before | pooled | after |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for each in reports:
        if each.error and each.brier:
            cells = [*_three(each.error), *_three(each.brier)]
            lines.append(
                f"| {each.head} | {each.language}, n = {each.error.after.texts} | {each.rows} | {' | '.join(cells)} |"
            )
    lines += [
        "",
        "## False alarms",
        "",
        f"Of harmless texts, how many reach the default threshold, before and after, and the share that 95 % confidence"
        " leaves possible (Clopper and Pearson, one-sided). Of heads that look for one bad window the default is the"
        f" threshold of {SHARES[0]:.0%}, or 0.5 if that is more, of others 0.5. Then the same for that of {SHARES[1]:.0%}."
        f" `behind`: harmless texts of the language that set its thresholds, beside {PRIOR_ROWS:.0f} of all others.",
        "",
        "| head | language | behind | before | after | at most | over the loose one | at most |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for head in dict.fromkeys(each.head for each in reports):
        own = [each for each in reports if each.head == head and each.alarms and each.language != ALL]
        for each in own:
            assert each.alarms
            lines.append(_alarms(head, each.language, each.harmless, *_counts(each)))
        if own:
            sums = [sum(column) for column in zip(*map(_counts, own), strict=True)]
            lines.append(_alarms(head, f"{ALL} {len(own)}", sum(each.harmless for each in own), *sums))
    return "\n".join(lines) + "\n"


def _counts(each: LanguageReport) -> tuple[int, int, int, int]:
    assert each.alarms
    return each.alarms.texts, each.alarms.before, each.alarms.after, each.alarms.loose


def _alarms(head: str, language: str, behind: int, texts: int, before: int, after: int, loose: int) -> str:
    counts = f"{before} of {texts:,} | {after} of {texts:,} | {upper_bound(after, texts):.3f}"
    return f"| {head} | {language} | {behind:,} | {counts} | {loose} of {texts:,} | {upper_bound(loose, texts):.3f} |"


def _three(measured: Measured) -> list[str]:
    return [_cell(each) for each in (measured.before, measured.pooled, measured.after)]


def _cell(value: Estimate) -> str:
    return f"{value.value:.3f} ({value.low:.3f}-{value.high:.3f})"
