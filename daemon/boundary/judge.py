"""judge: from what a request shows and what the user decided, how far it may travel.

It only ever narrows. Whatever can't be looked at, or whose look failed, is treated as private: a picture, a file, a signal
that broke. What was found where it can't be masked (a tool's name, a JSON key) keeps the request here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, Literal

from msgspec import Struct

from daemon.boundary.policy import OPAQUE, Policy, Treatment, strictest
from daemon.signals.base import Kind, Observation, Span
from providers.contract import Reach as Wish

Reach = Literal["device", "masked", "open"]
"""device: nothing leaves. masked: it leaves with values replaced. open: it leaves as it is."""
_OPENS: Final = "secret"
"""The signal whose finds open something."""


class Finding(Struct, frozen=True):
    """What was found, for the user's eyes: a class, how often, and where; never the value."""

    label: str
    count: int
    path: str
    treatment: Treatment


class Clearance(Struct, frozen=True):
    """How far a request may travel, and what has to be masked for it. why: what narrowed it, as codes. secrets: classes of
    what has to be masked that open something.
    """

    reach: Reach
    spans: tuple[Span, ...] = ()
    findings: tuple[Finding, ...] = ()
    why: tuple[str, ...] = ()
    secrets: frozenset[str] = frozenset()


def judge(
    observations: Iterable[Observation],
    opaque: tuple[str, ...],
    policies: tuple[Policy, ...],
    wish: Wish,
    allowed: frozenset[Span] = frozenset(),
    local_only: bool = False,
) -> Clearance:
    """The clearance for one request, under all of the policies.

    opaque: paths of parts that can't be looked at. allowed: spans that the user let pass. local_only: whether the user keeps
    everything here.
    """
    masked: list[Span] = []
    secrets: set[str] = set()
    findings: list[Finding] = []
    why: list[str] = []
    if local_only:
        why.append("local-only")
    if wish == "device":
        why.append("asked")
    for seen in observations:
        if seen.kind is not Kind.PRIVACY:
            continue
        if seen.error is not None:
            why.append("signal-failed")
            continue
        left = [span for span in seen.spans if span not in allowed]
        for label in dict.fromkeys(span.label for span in left):
            treatment = strictest(policies, seen.signal, label)
            spans = [span for span in left if span.label == label]
            findings += _findings(spans, treatment)
            if treatment == "mask":
                masked += [span for span in spans if not span.fixed]
                secrets |= {label} if seen.signal == _OPENS else set()
                if any(span.fixed for span in spans):
                    why.append("not-maskable")
            elif treatment == "stay":
                why.append("private")
    if opaque and strictest(policies, OPAQUE, OPAQUE) != "pass":
        why.append("not-readable")
        findings += [Finding("OPAQUE", 1, path, "stay") for path in opaque]
    reach: Reach = "device" if why else "masked" if masked else "open"
    return Clearance(reach, tuple(masked), tuple(findings), tuple(dict.fromkeys(why)), frozenset(secrets))


def narrower(first: Clearance, second: Clearance) -> Clearance:
    """How far both let go, with what either wants masked."""
    order: tuple[Reach, ...] = ("device", "masked", "open")
    return Clearance(
        reach=min(first.reach, second.reach, key=order.index),
        spans=(*first.spans, *second.spans),
        findings=(*first.findings, *second.findings),
        why=tuple(dict.fromkeys((*first.why, *second.why))),
        secrets=first.secrets | second.secrets,
    )


def _findings(spans: list[Span], treatment: Treatment) -> list[Finding]:
    counted = Counter((span.label, _place(span.path), span.fixed) for span in spans)
    return [
        Finding(label, count, path, "stay" if fixed and treatment == "mask" else treatment)
        for (label, path, fixed), count in counted.items()
    ]


def _place(path: str) -> str:
    """A field's path as it may be shown and kept: keys of JSON values are the client's words, or even what was found."""
    field, inside, _ = path.partition("/")
    return f"{field}/…" if inside else field
