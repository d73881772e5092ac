"""The table of the shipped heads on sets by other authors, which nothing was trained on.

    python -m edge_models.training.evaluate MODEL_DIR --dev DIR [--cases FILE] [--limit N] [--multilingual DIR]

Everything runs as in the daemon: the int8 graph on OpenVINO, windows, calibration, thresholds. Intervals are 95 %, by
bootstrap over texts. Sets that are not under --dev are left out. --limit draws a random sample of each set. --multilingual:
the multilingual heads beside those of MODEL_DIR, in other languages (`edge_models.training.abroad`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np

from edge_models.heads.reading import Scores, SignalHeads, open_heads
from edge_models.multilingual.heads import open_multilingual
from edge_models.runtimes.base import Placement
from edge_models.training import abroad
from edge_models.training.metrics import accuracy, auroc, estimate, recall_at

Raw = dict[str, Any]
_TYPES: Final = {"person": "PERSON", "org_name": "ORGANIZATION", "address": "ADDRESS"}
_BENIGN: Final = {
    "wildguard_benign": "wildguard_benign/wildguard_benign.jsonl",
    "hwu64": "hwu64/hwu64.jsonl",
    "self_instruct_user": "self_instruct_user/user_oriented.jsonl",
    "code, documents, logs": "pii_code_negatives/pii_code_negatives.jsonl.gz",
}
_ATTACKS: Final = {
    "deepset": "deepset_prompt_injections/deepset.jsonl",
    "bastioncorpus": "bastioncorpus/bastioncorpus.jsonl",
}
_LANGUAGES: Final = ("de", "es", "fr", "it", "ja", "ko", "zh")
_POOLED_MOST: Final = 1000
"""Of one harmless set in the pooled figure, so that 10,000 short orders don't make it easy."""


def rows(path: Path, limit: int | None) -> list[Raw]:
    """A set's rows, or as many of them by chance; none if it isn't there."""
    if not path.is_file():
        return []
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    found = [json.loads(line) for line in data.split(b"\n") if line.strip()]
    return Random("evaluate").sample(found, limit) if limit and limit < len(found) else found


def attacks(heads: SignalHeads, dev: Path, limit: int | None) -> Iterator[tuple[str, str]]:
    """The heads that look for attacks: order, false alarms, and both together."""
    scored: dict[str, tuple[list[float], dict[str, list[float]]]] = {}
    names = [name for name in ("injection", "persona", "harm") if name in heads.heads]
    for name, file in {**_ATTACKS, **_BENIGN}.items():
        found = rows(dev / file, limit)
        truth = [float(row.get("label") == 1) for row in found] if name in _ATTACKS else [0.0] * len(found)
        answers = [heads.read(row["text"]).scores for row in found]
        scored[name] = (truth, {head: [answer[head][-1][1] for answer in answers] for head in names})
    for name in _ATTACKS:
        truth, scores = scored[name]
        if truth:
            yield f"injection, AUROC {name}", str(estimate(auroc, truth, scores["injection"]))
            for share in (0.05, 0.01):
                value = estimate(lambda t, s, share=share: recall_at(share, t, s), truth, scores["injection"])
                yield f"injection, recall at {share:.0%} false alarms, {name}", str(value)
            bar = heads.heads["injection"].thresholds["default"]
            for label, what in ((1.0, "recall"), (0.0, "false alarms")):
                told = [value for value, true in zip(scores["injection"], truth, strict=True) if true == label]
                if told:
                    yield f"injection, {what} over default, {name}", _share(told, bar)
    for name in _BENIGN:
        truth, scores = scored[name]
        for head in names if truth else ():
            for key in ("default", "fpr_0.05"):
                passed = _share(scores[head], heads.heads[head].thresholds[key])
                yield f"{head}, false alarms over {key}, {name}", passed
    truth, score = [], []
    for name, (labels, scores) in scored.items():
        keep = list(range(len(labels)))
        if name in _BENIGN and len(keep) > _POOLED_MOST:
            keep = Random(name).sample(keep, _POOLED_MOST)
        truth += [labels[place] for place in keep]
        score += [scores["injection"][place] for place in keep]
    if truth:
        yield "injection, AUROC pooled", str(estimate(auroc, truth, score))
        yield (
            "injection, recall at 1% false alarms, pooled",
            str(estimate(lambda t, s: recall_at(0.01, t, s), truth, score)),
        )


def languages(heads: SignalHeads, dev: Path) -> Iterator[tuple[str, str]]:
    """False alarms of the attack heads on harmless lines in other languages: they were taught in English."""
    found = rows(dev / "udhr/udhr.jsonl", None)
    for code in _LANGUAGES if found else ():
        answers = [heads.read(row["text"]).scores for row in found if row["label"] == code]
        for head in ("injection", "persona", "harm") if answers else ():
            bar = heads.heads[head].thresholds["default"]
            yield (
                f"{head}, false alarms over default, udhr {code}",
                _share([answer[head][-1][1] for answer in answers], bar),
            )


def _share(scores: Sequence[float], bar: float) -> str:
    return str(estimate(lambda passed: float(passed.mean()), [float(score >= bar) for score in scores]))


def _best(scores: Scores) -> int:
    return max(range(len(scores)), key=lambda place: scores[place][1])


def subjects(heads: SignalHeads, dev: Path, cases: Path | None, limit: int | None) -> Iterator[tuple[str, str]]:
    """Domain and complexity."""
    found = rows(dev / "mmlu_routellm/mmlu_routellm.jsonl", limit)
    answers = [heads.read(row["text"]).scores for row in found]
    labels = heads.heads["domain"].labels
    if found:
        truth = [labels.index(row["label"]) for row in found]
        guess = [_best(answer["domain"]) for answer in answers]
        yield "domain, accuracy mmlu_routellm", str(estimate(accuracy, truth, guess))
        per = [accuracy(np.array([x]), np.array([y])) for x, y in zip(truth, guess, strict=True)]
        shares = [
            float(np.mean([hit for hit, label in zip(per, truth, strict=True) if label == number]))
            for number in set(truth)
        ]
        yield "domain, accuracy mmlu_routellm, mean over classes", f"{np.mean(shares):.3f}"
        weak = [float(not row["weak_correct"]) for row in found]
        hard = [answer["complexity"][1][1] for answer in answers]
        yield "complexity, AUROC for a wrong answer of the weak model, mmlu_routellm", str(estimate(auroc, weak, hard))
    if cases:
        listed = json.loads(cases.read_text(encoding="utf-8"))
        truth = [labels.index(case["category"]) for case in listed]
        guess = [_best(heads.read(case["question"]).scores["domain"]) for case in listed]
        yield f"domain, accuracy {cases.name}", str(estimate(accuracy, truth, guess))


def names(heads: SignalHeads, dev: Path, limit: int | None) -> Iterator[tuple[str, str]]:
    """The token head: strict spans, and what it alters in code."""
    found = rows(dev / "llm_redactor/wl1_pii.jsonl.gz", limit)
    if found:
        wanted = [
            {(_TYPES[span["type"]], span["start"], span["end"]) for span in row["spans"] if span["type"] in _TYPES}
            for row in found
        ]
        given = [
            {(s.label, s.start, s.end) for s in whole_words(row["text"], heads.read(row["text"]).spans["pii"])}
            for row in found
        ]
        for kind in (None, "PERSON", "ORGANIZATION", "ADDRESS"):
            ours = [{span for span in spans if kind in (None, span[0])} for spans in given]
            theirs = [{span for span in spans if kind in (None, span[0])} for spans in wanted]
            hits = [len(a & b) for a, b in zip(ours, theirs, strict=True)]
            value = estimate(
                lambda h, o, t: float(2 * h.sum() / max(o.sum() + t.sum(), 1)),
                hits,
                [len(spans) for spans in ours],
                [len(spans) for spans in theirs],
            )
            yield f"pii, strict F1 {kind or 'all three'}, llm_redactor wl1 (head alone)", str(value)
    found = rows(dev / "pii_code_negatives/pii_code_negatives.jsonl.gz", limit)
    if found:
        lines = altered = 0
        for row in found:
            text = row["text"]
            lines += text.count("\n") + 1
            altered += len({text.count("\n", 0, span.start) for span in heads.read(text).spans["pii"]})
        yield (
            "pii, altered lines of 1,000, code, documents, logs (head alone)",
            f"{1000 * altered / lines:.1f}, n = {lines:,}",
        )


def whole_words(text: str, spans: Sequence[Any]) -> list[Any]:
    """Spans widened to whole words at hyphens and apostrophes."""
    from msgspec import structs

    widened = []
    for span in spans:
        end = span.end
        while end < len(text) and (text[end].isalnum() or (text[end] in "-'’" and text[end + 1 : end + 2].isalnum())):
            end += 1
        widened.append(structs.replace(span, end=end))
    return widened


def speed(directory: Path, dev: Path) -> Iterator[tuple[str, str]]:
    """One text, all heads, tokenizer included."""
    texts = [row["text"] for row in rows(dev / "self_instruct_user/user_oriented.jsonl", None)]
    for threads in (1, 2) if texts else ():
        heads = open_heads(directory, Placement(threads=threads))
        took = []
        for text in texts:
            began = time.perf_counter()
            heads.read(text)
            took.append(1000 * (time.perf_counter() - began))
        low, high, last = np.percentile(took, [50, 95, 99])
        yield (
            f"ms a text, {threads} threads, self_instruct_user, p50 / p95 / p99",
            f"{low:.1f} / {high:.1f} / {last:.1f}, n = {len(took)}",
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="The shipped heads on sets by other authors.")
    parser.add_argument("model", type=Path)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--multilingual", type=Path)
    asked = parser.parse_args()
    heads = open_heads(asked.model, Placement(multiple=16) if asked.multilingual else Placement())  # as in the daemon
    if asked.multilingual:
        print("| what | English heads | multilingual heads |\n|---|---|---|")
        for row in abroad.table(heads, open_multilingual(asked.multilingual), asked.dev, asked.limit):
            print(f"| {' | '.join(row)} |")
            sys.stdout.flush()
        return
    print("| what | value |\n|---|---|")
    for part in (
        subjects(heads, asked.dev, asked.cases, asked.limit),
        names(heads, asked.dev, asked.limit),
        attacks(heads, asked.dev, asked.limit),
        languages(heads, asked.dev),
        speed(asked.model, asked.dev),
    ):
        for what, value in part:
            print(f"| {what} | {value} |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
