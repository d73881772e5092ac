"""Providers as rows, with what they were asked today, and all that is known of one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from msgspec import Struct
from textual.content import Content

from daemon import wire
from tui.panels.writing import fact, said, wrapped
from tui.tables.sums import apart, cost, costs
from tui.tones import Tone, Toned
from tui.words import clock, counted, lasted, plain, share

NOTHING: Final = Toned("–", "muted")
_PLACES: Final[dict[str, Toned]] = {
    "device": Toned("⌂ this machine", "good"),
    "lan": Toned("↗ network", "warn"),
    "cloud": Toned("↗ cloud", "warn"),
}
_ABOUT: Final[dict[str, str]] = {
    "device": "this machine: nothing leaves it",
    "lan": "another machine in your network",
    "cloud": "somebody else's: requests go there as the privacy policy lets them",
}


class Asked(Struct):
    """How a provider did since a time, in the records that were read, and what it was asked today, in the daemon's sums."""

    calls: int = 0
    failed: int = 0
    today: wire.Sums = wire.Sums("")
    last: wire.Attempt | None = None
    last_at: datetime | None = None


def asked(records: Iterable[wire.Record], since: datetime) -> dict[str, Asked]:
    """By provider, of records in the order of their end."""
    found: dict[str, Asked] = {}
    for record in records:
        if record.at < since:
            continue
        for attempt in record.attempts:
            each = found.setdefault(attempt.provider, Asked())
            each.calls += 1
            each.failed += attempt.outcome == "failed"
            each.last, each.last_at = attempt, record.at
    return found


Test = wire.Tested | str
"""How a test went: what it told, or why not."""


def row(provider: wire.ProviderInfo, of: Asked, test: Test | None) -> tuple[Toned, ...]:
    """As a row of the table."""
    return (
        _mark(provider, of, test),
        Toned(provider.name),
        _PLACES[provider.place],
        _key(provider),
        health(provider, of, test),
        costs(of.today),
        Toned(str(of.today.calls)) if of.today.calls else NOTHING,
        Toned(", ".join(provider.models) or "all that it has", "plain" if provider.models else "muted"),
        Toned(provider.wire, "muted"),
        Toned(provider.base_url, "muted"),
    )


def _mark(provider: wire.ProviderInfo, of: Asked, test: Test | None) -> Toned:
    tone = health(provider, of, test).tone
    return {"good": Toned("●", "good"), "bad": Toned("✗", "bad"), "warn": Toned("!", "warn")}.get(
        tone, Toned("○", "muted")
    )


def _key(provider: wire.ProviderInfo) -> Toned:
    if provider.key == "none":
        return Toned("needs none", "muted")
    if provider.trouble is not None:
        return Toned("missing", "bad")
    source = provider.key.partition(":")[0]
    return Toned("in the keyring" if source == "keyring" else f"from {source}", "warn" if provider.caution else "plain")


def health(provider: wire.ProviderInfo, of: Asked, test: Test | None) -> Toned:
    """How it does, by the last test, else by the last call."""
    if provider.removed:
        return Toned("removed", "bad")
    if not provider.running:
        return Toned("after a restart", "warn")
    if provider.upstream is not None and provider.upstream.state != "ready":
        return _out(provider.upstream)
    if isinstance(test, str):
        return Toned("does not answer", "bad")
    if test is not None:
        return Toned(f"answers, {lasted(test.took_ms)}", "good")
    if provider.trouble is not None:
        return Toned("no key", "bad")
    if of.last is None:
        return Toned("not asked today", "muted")
    if of.last.outcome == "failed":
        return Toned(f"failed: {of.last.error or 'unknown'}", "bad")
    first = of.last.first_token_ms
    return Toned("answered" + (f", {lasted(first)}" if first is not None else ""), "good")


_STATES: Final[dict[str, tuple[str, Tone]]] = {
    "limited": ("at its limit", "warn"),
    "down": ("keeps failing", "bad"),
    "trying": ("is tried again", "warn"),
    "no-credit": ("no credit", "bad"),
    "offline": ("no network", "bad"),
}


def _out(upstream: wire.Upstream) -> Toned:
    """Why it can't be asked now, and until when."""
    words, tone = _STATES[upstream.state]
    back = f", {upstream.back_in_s:.0f} s" if upstream.back_in_s is not None else ""
    return Toned(f"{words}{back}", tone)


def detail(provider: wire.ProviderInfo | None, of: Asked, test: Test | None, width: int) -> list[Content]:
    """All that is known of it, for so many cells."""
    if provider is None:
        return [
            *wrapped("Nobody beyond this machine's own models is asked: there are no providers.", width),
            *wrapped("a adds one: openai, mistral, ollama, …; so does `nearloop provider add`.", width, tone="accent"),
        ]
    lines = [said(Toned(plain(provider.name), "strong"), "  ", health(provider, of, test))]
    lines += fact("address", f"{provider.base_url} ({provider.wire})", width)
    lines += fact("place", _ABOUT[provider.place], width, _PLACES[provider.place].tone)
    if len(provider.keys) > 1:
        for each in provider.keys:
            lines += fact("key", _standing(each), width, "bad" if each.trouble else "warn" if each.out_s else "plain")
    else:
        lines += fact("key", _standing(provider.keys[0]) if provider.keys else provider.key, width)
    if provider.trouble:
        lines += wrapped(provider.trouble, width, tone="bad")
    if provider.caution:
        lines += wrapped(provider.caution, width, tone="warn")
    lines += fact("models", ", ".join(provider.models) or "all that it has", width)
    lines += fact("today", _today(of), width)
    if provider.day_usd is not None:
        lines += fact("limit", f"${provider.day_usd:g} a day", width)
    if (up := provider.upstream) is not None and (up.running or up.waiting):
        lines += fact("now", f"{up.running} of {up.concurrent} requests there, {up.waiting} waiting", width)
    if of.last_at is not None and of.last is not None:
        tone: Tone = "bad" if of.last.outcome == "failed" else "plain"
        lines += fact("last call", f"{clock(of.last_at)}, {of.last.model}, {of.last.outcome}", width, tone)
    if test is not None:
        lines += _tested(test, width)
    if provider.removed:
        told = "It is out of the settings, and is asked until the daemon ends: `nearloop down` and `nearloop up`"
        lines += wrapped(told, width, tone="bad")
    elif not provider.running:
        lines += wrapped(
            "It was added or changed since the daemon started: `nearloop down` and `nearloop up`", width, tone="warn"
        )
    return lines


def _standing(key: wire.KeyInfo) -> str:
    """Where it is, and how it did."""
    parts = [key.source]
    if key.trouble is not None:
        parts.append("missing")
    if key.used_at is not None:
        parts.append(f"taken {clock(key.used_at)}")
    if key.refused_at is not None:
        parts.append(f"refused {clock(key.refused_at)} ({key.refusal})")
    if key.out_s is not None:
        parts.append(f"others first for {key.out_s:.0f} s")
    return ", ".join(parts)


def _today(of: Asked) -> str:
    today = of.today
    told = f" ({apart(today)})" if today.unpriced or today.plan else ""
    failed = f", {share(of.failed, of.calls)} of the last {of.calls} failed" if of.failed else ""
    tokens = today.prompt_tokens + today.completion_tokens
    return f"{cost(today)}{told}, {counted(today.calls, 'call')}, {counted(tokens, 'token')}{failed}"


def _tested(test: Test, width: int) -> list[Content]:
    if isinstance(test, str):
        return fact("test", test, width, "bad")
    shown = ", ".join(test.models[:12]) + (" …" if len(test.models) > 12 else "")
    lines = fact("test", f"answers in {lasted(test.took_ms)}, {counted(len(test.models), 'model')}: {shown}", width)
    if test.missing:
        lines += fact("lacks", ", ".join(test.missing), width, "warn")
    return lines
