"""judge: from what a request shows and what the user decided, how far it may travel.

It only ever narrows. Whatever can't be looked at, or whose look failed, is treated as private: a picture, a file, a signal
that broke. What was found where it can't be masked (a tool's name, a JSON key) keeps the request here. A picture that shall
leave masked has everything painted over that is personal data or opens something, also of classes that else may leave.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from daemon.boundary.policy import OPAQUE, PICTURE, Treatment
from daemon.signals.base import LATE, Kind, Observation, Span
from providers.contract import Reach as Wish
from providers.texts import seen_in

Reach = Literal["device", "masked", "open"]
"""device: nothing leaves. masked: it leaves with values replaced. open: it leaves as it is."""
_OPENS: Final = "secret"
"""The signal whose finds open something."""
VALUES: Final = frozenset({"pii", "secret"})
"""Signals that find values, which can be painted over."""
IDENTIFYING: Final = "identifying"
"""Why a request stays unless it can be said with less."""


class Finding(Struct, frozen=True):
    """What was found, for the user's eyes: a class, how often, and where; never the value."""

    label: str
    count: int
    path: str
    treatment: Treatment


class Clearance(Struct, frozen=True):
    """How far a request may travel, and what has to be masked for it. why: what narrowed it, as codes. secrets: classes of
    what has to be masked that open something. policy: the presets by which that is so. asks: of what the user has to be
    asked first; the rest holds once that was let pass.
    """

    reach: Reach
    spans: tuple[Span, ...] = ()
    findings: tuple[Finding, ...] = ()
    why: tuple[str, ...] = ()
    secrets: frozenset[str] = frozenset()
    policy: str = ""
    asks: tuple[Span, ...] = ()


class Clearances(Struct, frozen=True):
    """How far a request may travel, by who is asked. general: to whoever has no rules of their own. own: by provider."""

    general: Clearance
    own: Mapping[str, Clearance] = {}

    def of(self, provider: str) -> Clearance:
        """To one provider."""
        return self.own.get(provider, self.general)

    @property
    def all(self) -> tuple[Clearance, ...]:
        """To whomever."""
        return (self.general, *self.own.values())

    def kept_here(self, why: str) -> Clearances:
        """The same, but that nobody beyond this machine may be asked. why: a code."""

        def kept(clearance: Clearance) -> Clearance:
            return replace(clearance, reach="device", why=(*clearance.why, why))

        return Clearances(kept(self.general), {name: kept(clearance) for name, clearance in self.own.items()})


class Says(Protocol):
    """What the settings say."""

    @property
    def name(self) -> str:
        """For receipts."""
        ...

    def treatment(self, signal: str, label: str) -> Treatment:
        """What is done with a find of a signal."""
        ...


def judge(
    observations: Iterable[Observation],
    opaque: tuple[Span, ...],
    says: Says,
    wish: Wish,
    allowed: frozenset[Span] = frozenset(),
    local_only: bool = False,
) -> Clearance:
    """The clearance for one request.

    opaque: parts that can't be looked at, as spans of no length. allowed: spans that the user let pass. local_only: whether
    the user keeps everything here.
    """
    masked: list[Span] = []
    secrets: set[str] = set()
    findings: list[Finding] = []
    asks: list[Span] = []
    why: list[str] = []
    if local_only:
        why.append("local-only")
    if wish == "device":
        why.append("asked")
    observations = tuple(observations)
    painted = painted_wholly(observations, says, allowed)
    for seen in observations:
        if seen.kind is not Kind.PRIVACY:
            continue
        if seen.error is not None:
            why.append("signal-late" if seen.error == LATE else "signal-failed")
            continue
        left = [span for span in seen.spans if span not in allowed]
        for label in dict.fromkeys(span.label for span in left):
            treatment = says.treatment(seen.signal, label)
            spans = [span for span in left if span.label == label]
            if seen.signal == PICTURE and treatment in ("mask", "pass"):
                continue
            if treatment == "pass" and seen.signal in VALUES:
                spans, also = _apart(spans, painted)
                findings += _findings(also, "mask")
                masked += [span for span in also if not span.fixed]
                secrets |= {label} if also and seen.signal == _OPENS else set()
                if any(span.fixed for span in also):
                    why.append("not-maskable")
            findings += _findings(spans, treatment)
            if treatment == "mask":
                masked += [span for span in spans if not span.fixed]
                secrets |= {label} if seen.signal == _OPENS else set()
                if any(span.fixed for span in spans):
                    why.append("not-maskable")
            elif treatment == "stay":
                why.append("private")
            elif treatment == "ask":
                asks += spans
            elif treatment == "reduce":
                why.append(IDENTIFYING)
    closed = [part for part in opaque if part not in allowed]
    if closed and (treatment := says.treatment(OPAQUE, OPAQUE)) != "pass":
        findings += [Finding(part.label, 1, part.path, treatment) for part in closed]
        if treatment == "ask":
            asks += closed
        else:
            why.append("not-readable")
    reach: Reach = "device" if why else "masked" if masked else "open"
    return Clearance(
        reach,
        tuple(masked),
        tuple(findings),
        tuple(dict.fromkeys(why)),
        frozenset(secrets),
        says.name,
        () if why else tuple(asks),
    )


def painted_wholly(
    observations: Iterable[Observation], says: Says, allowed: frozenset[Span] = frozenset()
) -> frozenset[str]:
    """Paths of pictures in which every value is painted over, whatever the policy says of its class."""
    spans = [span for seen in observations if seen.signal == PICTURE for span in seen.spans if span not in allowed]
    return frozenset(span.path for span in spans if says.treatment(PICTURE, span.label) == "mask")


def narrower(first: Clearance, second: Clearance) -> Clearance:
    """How far both let go to one provider, with what either wants masked or asked about."""
    order: tuple[Reach, ...] = ("device", "masked", "open")
    return Clearance(
        reach=min(first.reach, second.reach, key=order.index),
        spans=(*first.spans, *second.spans),
        findings=(*first.findings, *second.findings),
        why=tuple(dict.fromkeys((*first.why, *second.why))),
        secrets=first.secrets | second.secrets,
        policy=first.policy,
        asks=(*first.asks, *second.asks),
    )


def _apart(spans: list[Span], painted: frozenset[str]) -> tuple[list[Span], list[Span]]:
    """Those elsewhere, and those in pictures in which everything is painted over."""
    return [s for s in spans if seen_in(s.path) not in painted], [s for s in spans if seen_in(s.path) in painted]


def _findings(spans: list[Span], treatment: Treatment) -> list[Finding]:
    counted = Counter((span.label, place_of(span.path), span.fixed) for span in spans)
    return [
        Finding(label, count, path, "stay" if fixed and treatment == "mask" else treatment)
        for (label, path, fixed), count in counted.items()
    ]


def place_of(path: str) -> str:
    """A field's path as it may be shown and kept: keys of JSON values are the client's words, or even what was found."""
    field, inside, _ = path.partition("/")
    return f"{field}/…" if inside else field
