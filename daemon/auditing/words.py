"""Numbers, dates and classes of a report as people read them."""

from __future__ import annotations

from typing import Final

from daemon.auditing.report import Report

_CAPITALS: Final = frozenset(
    {"API", "AWS", "CN", "DE", "ES", "FR", "GCP", "IBAN", "ID", "IN", "IP", "IT", "JP", "JWT", "KR", "SSH", "SSN", "UK"}
    | {"URL", "US"}
)
_AS_WRITTEN: Final = {"GITHUB": "GitHub", "GITLAB": "GitLab", "IP_ADDRESS": "IP address", "OPENAI": "OpenAI"}


def named(label: str) -> str:
    """A class in words: `EMAIL_ADDRESS` as `Email address`."""
    words = [_AS_WRITTEN.get(word, word if word in _CAPITALS else word.lower()) for word in label.split("_")]
    text = " ".join(words)
    return text[:1].upper() + text[1:]


def counted(number: int, what: str) -> str:
    """So many of something."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def short(number: int) -> str:
    """A count: whole up to 99,999, then in thousands or millions."""
    if number < 100_000:
        return f"{number:,}"
    return f"{number / 1e6:.1f}M" if number >= 1e6 else f"{number / 1e3:.0f}k"


def share(part: int, whole: int) -> str:
    """In whole per cent; never 0 % or 100 % of something that isn't."""
    if not whole:
        return "–"
    per_cent = round(100 * part / whole)
    if part and not per_cent:
        return "<1 %"
    return "99 %" if part < whole and per_cent == 100 else f"{per_cent} %"


def money(usd: float) -> str:
    """An amount."""
    if usd and usd < 0.01:
        return "<$0.01"
    return f"${usd:,.2f}" if usd < 10_000 else f"${usd:,.0f}"


def dates(report: Report) -> str:
    """From when to when, in this machine's days; empty if no log says."""
    if report.first is None or report.last is None:
        return ""
    first, last = report.first.astimezone(), report.last.astimezone()
    if first.date() == last.date():
        return f"{first:%d %b %Y}".lstrip("0")
    return f"{first:%d %b %Y} – {last:%d %b %Y}".lstrip("0")
