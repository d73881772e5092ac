"""What one call took, as a line of the money's own table: of everything that was asked, on this machine too."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final, Literal

from msgspec import Struct

from daemon.money.days import day_of
from daemon.wire import Attempt, Record
from providers.prices import NANO

Billing = Literal["known", "told", "plan", "unknown", "none"]
"""By a known price; as its provider told; by a subscription; nobody knows; nothing, on machines of the user's."""
PRICED: Final = ("known", "told")


class Line(Struct, frozen=True):
    """One call of a request. number: its place among them. day: on which the request came in, here. open: it was begun, and
    `nano` is what was kept for it; a line that stays so is one of a daemon that was killed. answered: whether it is the
    answer that the client got. reckoned: its tokens and cost are, since nobody told them. nano: what it cost, in nano-USD.
    took_ms: how long it ran. joules: of the whole machine meanwhile, of an answer from here. saved_nano: what the tokens of
    such an answer would have cost at `against`; None: nobody knows.
    """

    record: str
    number: int
    at: float
    day: str
    client: str
    project: str
    session: str
    provider: str
    model: str
    place: str
    billing: Billing
    role: str = ""
    outcome: str = ""
    open: bool = False
    answered: bool = False
    reckoned: bool = False
    prompt: int = 0
    cached: int = 0
    stored: int = 0
    stored_long: int = 0
    written: int = 0
    nano: int = 0
    took_ms: float = 0.0
    joules: float | None = None
    saved_nano: int | None = None
    against: str = ""


def lines_of(record: Record) -> Iterator[Line]:
    """All of a record."""
    saved = record.saved
    given = record.given
    for number, attempt in enumerate(record.attempts):
        place = attempt.place or ("device" if attempt.provider == "local" else "cloud")
        here = place == "device"
        answered = number == given
        yield Line(
            record=record.id,
            number=number,
            at=record.at.timestamp(),
            day=day_of(record.at).isoformat(),
            client=record.client or "",
            project=record.project or "",
            session=record.session or "",
            provider=attempt.provider,
            model=attempt.model,
            place=place,
            billing=_billing(attempt, here),
            role=attempt.role or "",
            outcome=attempt.outcome,
            answered=answered,
            reckoned=attempt.reckoned,
            prompt=attempt.reckoned_prompt if attempt.reckoned else attempt.prompt_tokens,
            cached=attempt.cached_tokens,
            stored=attempt.stored_tokens,
            stored_long=attempt.stored_long_tokens,
            written=attempt.reckoned_completion if attempt.reckoned else attempt.completion_tokens,
            nano=round((attempt.cost_usd or 0.0) * NANO),
            took_ms=attempt.took_ms,
            joules=record.ledger.joules if here and answered else None,
            saved_nano=round(saved.usd * NANO) if saved and saved.usd is not None and answered else None,
            against=saved.against if saved and answered else "",
        )


def opened(
    record: str,
    number: int,
    at: datetime,
    who: tuple[str | None, str | None, str | None],
    whom: tuple[str, str],
    place: str,
    nano: int,
) -> Line:
    """Of a call that begins, with what is kept for it. who: client, project and session; whom: provider and model."""
    client, project, session = who
    return Line(
        record=record,
        number=number,
        at=at.timestamp(),
        day=day_of(at).isoformat(),
        client=client or "",
        project=project or "",
        session=session or "",
        provider=whom[0],
        model=whom[1],
        place=place,
        billing="known",
        open=True,
        reckoned=True,
        nano=nano,
    )


def _billing(attempt: Attempt, here: bool) -> Billing:
    if attempt.priced_by == "plan":
        return "plan"
    if attempt.priced_by == "told":
        return "told"
    if here or (attempt.priced_by is None and attempt.cost_usd == 0.0):
        return "none"
    return "unknown" if attempt.cost_usd is None else "known"
