"""Why a request stays on this machine, in words without any of it, and how to let it leave."""

from __future__ import annotations

from typing import Final

from daemon.boundary.judge import IDENTIFYING, Clearance
from daemon.errors import Private

PRIVATE: Final = "private"
DENIED: Final = "denied"
NOT_ANSWERED: Final = "not-answered"
CROWDED: Final = "crowded"
_WHY: Final = {
    "asked": "the client or its project asked for that",
    "local-only": "this machine is local-only (`nearloop local-only off` ends that)",
    PRIVATE: "it holds private values",
    IDENTIFYING: "somebody could be guessed by what it tells, and it can't be said with less",
    "not-maskable": "a private value stands where nothing can be replaced",
    "not-readable": "a part of it can't be looked at",
    "signal-failed": "a privacy check failed",
    "signal-late": "a privacy check was not done in the time that it has (`signals.deadline_s`)",
    "doubtful": "a decision that might have kept it here could not be judged",
    DENIED: "the user was asked, and didn't let it leave",
    NOT_ANSWERED: "the user was asked whether it may leave, and nobody answered in time",
    CROWDED: "too many requests wait for the user's word whether they may leave",
}
_LET_PASS: Final = frozenset({PRIVATE, IDENTIFYING, "not-maskable", "not-readable", DENIED, NOT_ANSWERED, CROWDED})
"""What the user can end for one request, by letting its finds pass."""


def private(clearance: Clearance, record: str) -> Private:
    """What the client is told. record: the request's id."""
    reasons = "; ".join(_WHY[code] for code in clearance.why)
    found = ", ".join(f"{finding.count} {finding.label} in {finding.path}" for finding in clearance.findings)
    way_out = f", or let it pass with `nearloop allow {record} --once` and send it again"
    return Private(
        f"this request stays on this machine: {reasons}{f' ({found})' if found else ''}. Ask for `local`"
        f"{way_out if _LET_PASS.issuperset(clearance.why) else ''}"
    )
