"""What this machine's records teach a head: what users said last, with a label that the record has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from daemon.errors import BadRequest, NotFound
from daemon.records import read_kept
from daemon.wire import Content, Record, Seen
from edge_models.training.examples import FEWEST, Example
from providers.contract import Message, Text

SIGNAL: Final = "signal:"
NOTHING: Final = "none"
"""The label of a text that no rule of the signal matched."""


def decision(record: Record) -> str | None:
    """The recipe's decision, or the rule by which it was decided without one."""
    if record.decision is None:
        return None
    route = record.decision.route
    return (route.decision if route else None) or record.decision.rule


def model(record: Record) -> str | None:
    """Who answered."""
    return f"{record.attempts[-1].provider}/{record.attempts[-1].model}" if _answered(record) else None


def place(record: Record) -> str | None:
    """Where the answer came from: device, lan or cloud."""
    return record.attempts[-1].place if _answered(record) else None


def outcome(record: Record) -> str | None:
    """How it ended: answered, cancelled, refused or failed."""
    return record.outcome


LABELS: Final[dict[str, Callable[[Record], str | None]]] = {
    "decision": decision,
    "model": model,
    "place": place,
    "outcome": outcome,
}
"""What --label-by takes, beside `signal:FAMILY` and `signal:FAMILY/RULE`."""


def read_records(path: Path, label_by: str) -> tuple[list[Example], tuple[str, ...]]:
    """Each text once, with its newest label, and the labels that were left out, having too few texts.

    Raises BadRequest for a label that there isn't, NotFound if the records teach nothing, StoreError.
    """
    label_of = _labelling(label_by)
    found: dict[str, str] = {}
    kept = 0
    for record, content in read_kept(path):
        kept += 1
        text, label = said(content), label_of(record)
        if text and label:
            found[text] = label
    if not kept:
        raise NotFound(
            "no record holds words, so nothing can be learnt from them: with `content = true` under [records] in"
            " settings.toml, and the daemon started again, those of later requests are kept"
        )
    counts = Counter(found.values())
    enough = {label for label, count in counts.items() if count >= FEWEST}
    if len(enough) < 2:
        raise NotFound(
            f"a head needs two labels with {FEWEST} texts or more, and by {label_by} the {kept} records with words give"
            f" {len(enough)}, of {len(counts)} labels in all: keep more of them, or label by something else"
        )
    left_out = tuple(sorted(counts.keys() - enough))
    return [Example(text, label) for text, label in found.items() if label in enough], left_out


def said(content: Content) -> str:
    """What the user said last, as signals read it; empty if that was no text."""
    for message in reversed(msgspec.convert(content.request, list[Message])):
        if message.role == "user":
            return "\n".join(part.text for part in message.parts if isinstance(part, Text)).strip()
    return ""


def _labelling(label_by: str) -> Callable[[Record], str | None]:
    if label_by in LABELS:
        return LABELS[label_by]
    family, _, rule = label_by.removeprefix(SIGNAL).partition("/")
    if not label_by.startswith(SIGNAL) or not family:
        raise BadRequest(f"--label-by takes {', '.join(LABELS)}, {SIGNAL}FAMILY or {SIGNAL}FAMILY/RULE")
    return lambda record: _of_signal(record, family, rule)


def _of_signal(record: Record, family: str, rule: str) -> str | None:
    """The rule that matched, with what it found; of several the surest. None if the signal could not look."""
    seen = [each for each in record.seen if each.signal == family and (not rule or each.name == rule)]
    if any(each.error is not None for each in seen):
        return None
    if not seen:
        return NOTHING
    return _name(max(seen, key=lambda each: each.score))


def _name(seen: Seen) -> str:
    return seen.name if seen.label is None else f"{seen.name}:{seen.label}"


def _answered(record: Record) -> bool:
    return bool(record.attempts) and record.attempts[-1].outcome == "answered"
