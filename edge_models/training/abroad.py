"""The multilingual heads beside the English ones, on texts by other authors in other languages.

    python -m edge_models.training.evaluate MODEL_DIR --multilingual DIR --dev DIR [--limit N]

No set of other languages is labelled by subject or kind of task. What can be known: how often harmless lines raise an alarm,
what German attacks come to, and how often a translation gets the decision that its English original gets from the English
heads. Labelled sets in English say how well the encoder's vectors carry a head at all. Every text is read and judged by the
numbers of the language that it is told to be in, as in the daemon.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

from edge_models.heads.reading import SignalHeads
from edge_models.training.metrics import accuracy, auroc, calibration_error, estimate, recall_at

Raw = dict[str, Any]
Row = tuple[str, ...]
"""Three of them: what, the English heads' value, the multilingual heads'."""
LANGUAGES: Final = ("de", "es", "fr", "it", "ja", "ko", "zh")
_ATTACKS: Final = ("injection", "persona", "harm")


def table(english: SignalHeads, abroad: SignalHeads, dev: Path, limit: int | None) -> Iterator[Row]:
    """All rows. Sets that are not under `dev` are left out."""
    both = (english, abroad)
    yield from _german(both, dev, limit)
    yield from _agreement(both, dev, limit)
    yield from _subjects(both, dev, limit)
    yield from _alarms(both, dev, limit)


def _rows(path: Path, limit: int | None = None) -> list[Raw]:
    if not path.is_file():
        return []
    found = [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]
    return Random("evaluate").sample(found, limit) if limit and limit < len(found) else found


@cache
def language(text: str) -> str:
    """ISO 639-1, as py3langid tells it."""
    from py3langid import langid

    return str(langid.classify(text)[0])


def _said(heads: SignalHeads, texts: Sequence[str], head: str) -> list[dict[str, float]]:
    return [dict(heads.read(text, language=language(text)).scores[head]) for text in texts]


def _scores(heads: SignalHeads, texts: Sequence[str], head: str) -> list[float]:
    return [said[heads.heads[head].labels[-1]] for said in _said(heads, texts, head)]


def _bar(heads: SignalHeads, text: str, head: str) -> float:
    return heads.heads[head].spoken(language(text)).threshold


def _passed(heads: SignalHeads, texts: Sequence[str], head: str) -> str:
    """The share of texts over the default threshold."""
    scores = zip(_scores(heads, texts, head), texts, strict=True)
    return str(estimate(_mean, [float(score >= _bar(heads, text, head)) for score, text in scores]))


def _alarms(both: tuple[SignalHeads, SignalHeads], dev: Path, limit: int | None) -> Iterator[Row]:
    found = _rows(dev / "udhr/udhr.jsonl")
    groups = {code: [row["text"] for row in found if row["label"] == code] for code in LANGUAGES}
    others = [row["text"] for row in found if row["label"] != "en"]
    groups["all but English"] = Random("udhr").sample(others, limit) if limit and limit < len(others) else others
    for name, texts in groups.items():
        for head in _ATTACKS if texts else ():
            one, other = (_passed(heads, texts, head) for heads in both)
            yield f"{head}, false alarms over default, udhr {name}", one, other


def _german(both: tuple[SignalHeads, SignalHeads], dev: Path, limit: int | None) -> Iterator[Row]:
    for name, file in (
        ("deepset", "deepset_prompt_injections/deepset.jsonl"),
        ("bastioncorpus", "bastioncorpus/bastioncorpus.jsonl"),
    ):
        found = _rows(dev / file, limit)
        for what, rows in (
            ("German", [row for row in found if row.get("lang", language(row["text"])) == "de"]),
            ("not English", [row for row in found if row.get("lang", "en") != "en"]),
        ):
            truth = [float(row["label"] == 1) for row in rows]
            texts = [row["text"] for row in rows]
            if not 0 < sum(truth) < len(truth):
                continue
            scores = [_scores(heads, texts, "injection") for heads in both]
            yield f"injection, AUROC, {name}, {what}", *(str(estimate(auroc, truth, each)) for each in scores)
            yield (
                f"injection, recall at 5% false alarms, {name}, {what}",
                *(str(estimate(lambda t, s: recall_at(0.05, t, s), truth, each)) for each in scores),
            )
            for label, measure in ((1.0, "recall"), (0.0, "false alarms")):
                there = [text for text, true in zip(texts, truth, strict=True) if true == label]
                yield (
                    f"injection, {measure} over default, {name}, {what}",
                    *(_passed(heads, there, "injection") for heads in both),
                )
            yield (
                f"injection, calibration error, {name}, {what}",
                *(str(estimate(calibration_error, truth, each)) for each in scores),
            )
            yield (
                f"injection, Brier score, {name}, {what}",
                *(str(estimate(lambda t, s: _mean((s - t) ** 2), truth, each)) for each in scores),
            )


def _agreement(both: tuple[SignalHeads, SignalHeads], dev: Path, limit: int | None) -> Iterator[Row]:
    found = [row for row in _rows(dev / "cache_backtranslation/pairs.jsonl") if row["kind"] == "cross_lingual"]
    pairs = []
    for row in found[:limit]:
        one, other = row["text1"], row["text2"]
        pairs.append((one, other, row["via"]) if language(one) == "en" else (other, one, row["via"]))
    english, _ = both
    for head in [head.name for head in english.manifest.heads if head.task == "sequence"] if pairs else ():
        asked = [pair[0] for pair in pairs]
        theirs = [
            _decision(english, text, said, head) for text, said in zip(asked, _said(english, asked, head), strict=True)
        ]
        same = []
        for heads in both:
            texts = [pair[1] for pair in pairs]
            ours = [
                _decision(heads, text, said, head) for text, said in zip(texts, _said(heads, texts, head), strict=True)
            ]
            same.append([float(one == other) for one, other in zip(theirs, ours, strict=True)])
        yield f"{head}, as in English, translations", *(str(estimate(_mean, each)) for each in same)
        for via in sorted({pair[2] for pair in pairs}) if head == "domain" else ():
            places = [place for place, pair in enumerate(pairs) if pair[2] == via]
            yield (
                f"{head}, as in English, translations, {via}",
                *(str(estimate(_mean, [each[place] for place in places])) for each in same),
            )


def _mean(values: Any) -> float:
    return float(values.mean())


def _decision(heads: SignalHeads, text: str, said: dict[str, float], name: str) -> str:
    """The label, or for a head of two whether the second is over its threshold."""
    labels = list(said)
    if len(labels) == 2:
        return labels[said[labels[1]] >= _bar(heads, text, name)]
    return max(labels, key=lambda label: said[label])


def _subjects(both: tuple[SignalHeads, SignalHeads], dev: Path, limit: int | None) -> Iterator[Row]:
    found = _rows(dev / "mmlu_routellm/mmlu_routellm.jsonl", limit)
    texts = [row["text"] for row in found]
    labels = both[0].heads["domain"].labels
    truth = [labels.index(row["label"]) for row in found]
    weak = [float(not row["weak_correct"]) for row in found]
    if found:
        domains = [
            [labels.index(max(said, key=lambda label: said[label])) for said in _said(heads, texts, "domain")]
            for heads in both
        ]
        yield "domain, accuracy mmlu_routellm (in English)", *(str(estimate(accuracy, truth, each)) for each in domains)
        hard = [_scores(heads, texts, "complexity") for heads in both]
        yield "complexity, AUROC mmlu_routellm (in English)", *(str(estimate(auroc, weak, each)) for each in hard)
