"""Sums of calls as rows: what they cost, what a plan pays, what nobody knows, and what answers from here saved."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from daemon import wire
from tui.drawing import meter
from tui.panels.writing import fact, said, wrapped
from tui.tones import Tone, Toned
from tui.words import counted, energy, lasted, money, plain, short

NOTHING: Final = Toned("–", "muted")
NOBODY: Final = "(none)"
_BASIS: Final = (
    "an estimate: the same tokens, as counted here, at the list price of the cloud's model that would have been asked, "
    "without its cache"
)


def cost(sums: wire.Sums) -> str:
    """`$0.0042`; with `plan` where a subscription pays for calls, and `?` where nobody knows what they cost."""
    parts = [money(sums.cost_usd)] if sums.priced or sums.cost_usd else []
    parts += ["plan"] if sums.plan else []
    parts += ["?"] if sums.unpriced else []
    return "+".join(parts) or "$0"


def costs(sums: wire.Sums) -> Toned:
    """The same in a cell."""
    if sums.unpriced:
        return Toned(cost(sums), "warn")
    return Toned(cost(sums), "plain" if sums.cost_usd or sums.plan else "muted")


def apart(sums: wire.Sums) -> str:
    """What the money leaves out: `1 unknown, 3 plan`."""
    parts = [f"{short(sums.unpriced)} unknown"] if sums.unpriced else []
    parts += [f"{short(sums.plan)} plan"] if sums.plan else []
    return ", ".join(parts) or "all priced"


def row(sums: wire.Sums, whole: wire.Sums) -> tuple[Toned, ...]:
    """As a row of the table. whole: of which it is a part."""
    part = sums.cost_usd / whole.cost_usd if whole.cost_usd else 0.0
    return (
        Toned(sums.name or NOBODY, "plain" if sums.name else "muted"),
        costs(sums),
        Toned(meter(part, 8), "accent") if sums.cost_usd else NOTHING,
        _count(sums.calls),
        _count(sums.plan),
        _count(sums.unpriced, "warn"),
        _count(sums.prompt_tokens),
        _count(sums.cached_tokens),
        _count(sums.completion_tokens),
        _count(sums.answers, "good"),
        Toned(f"≈ {money(sums.saved_usd)}", "good") if sums.compared else NOTHING,
    )


def _count(number: int, tone: Tone = "plain") -> Toned:
    return Toned(short(number), tone) if number else NOTHING


def detail(sums: wire.Sums, width: int) -> list[Content]:
    """All that is known of some calls, for so many cells."""
    lines = _beyond(sums, width)
    if sums.prompt_tokens or sums.completion_tokens:
        lines += fact("tokens", _tokens(sums), width)
    if sums.reckoned:
        lines += fact("reckoned", f"{counted(sums.reckoned, 'call')}, since nobody told what they took", width, "warn")
    if sums.lost:
        told = f"{counted(sums.lost, 'call')} for nothing (hedges, repetitions): {money(sums.lost_usd)}"
        lines += fact("lost", told, width, "warn")
    return [*lines, *_here(sums, width)]


def _beyond(sums: wire.Sums, width: int) -> list[Content]:
    lines = []
    if sums.priced:
        told = f", {short(sums.told)} of them told by the provider" if sums.told else ""
        lines += fact("cost", f"{money(sums.cost_usd)} for {counted(sums.priced, 'call')}{told}", width)
    if sums.plan:
        lines += fact("plan", f"{counted(sums.plan, 'call')} that a subscription pays for", width)
    if sums.unpriced:
        told = f"{counted(sums.unpriced, 'call')} whose price nobody knows: [prices] in settings.toml names it"
        lines += fact("unknown", told, width, "warn")
    if sums.free:
        told = f"{counted(sums.free, 'call')} on machines of yours or refused, which cost nothing"
        lines += fact("free", told, width, "muted")
    return lines or fact("cost", "nothing was asked", width, "muted")


def _tokens(sums: wire.Sums) -> str:
    parts = [f"{short(sums.cached_tokens)} from a cache"] if sums.cached_tokens else []
    parts += [f"{short(sums.stored_tokens)} stored there"] if sums.stored_tokens else []
    cached = f" ({', '.join(parts)})" if parts else ""
    return f"{short(sums.prompt_tokens)} read{cached}, {short(sums.completion_tokens)} written"


def _here(sums: wire.Sums, width: int) -> list[Content]:
    """What this machine did, and what that saved."""
    lines = []
    if sums.answers:
        lines += fact("here", answered(sums), width, "good")
        lines += fact("energy", _energy(sums), width, "plain" if sums.measured else "muted")
    if sums.aside_s:
        lines += fact("beside", f"{lasted(sums.aside_s * 1000)} on drafts that others answered after", width)
    if sums.compared:
        told = f"≈ {money(sums.saved_usd)} by {short(sums.compared)} of {counted(sums.answers, 'answer')}, {_BASIS}"
        lines += fact("saved", told, width, "good")
    elif sums.answers:
        lines += fact("saved", "not known: no price of a cloud's model is, or none is set up", width, "muted")
    return lines


def answered(sums: wire.Sums) -> str:
    """`41 answers in 3:07`."""
    return f"{counted(sums.answers, 'answer')} in {lasted(sums.local_s * 1000)}"


def _energy(sums: wire.Sums) -> str:
    if not sums.measured:
        return "the machine doesn't tell"
    return f"{energy(sums.joules)} of the whole machine, during {short(sums.measured)} of {counted(sums.answers, 'answer')}"


def summed(sums: wire.Sums, width: int) -> list[Content]:
    """What answers from here took and saved, in a line."""
    if not sums.answers:
        return [said(Toned("here".ljust(12), "muted"), Toned("nothing was answered on this machine", "muted"))]
    joules = f", {energy(sums.joules)}" if sums.measured else ""
    saved = f"≈ {money(sums.saved_usd)} saved (estimate)" if sums.compared else "saved: not known"
    words = f"{answered(sums)}{joules} · {saved}"
    return [said(Toned("here".ljust(12), "muted"), Toned(plain(words)[: max(0, width - 12)], "good"))]


def titled(sums: wire.Sums, name: str) -> Content:
    """Whose sums these are."""
    return said(Toned(name, "strong"), "  ", costs(sums))


def empty(width: int) -> list[Content]:
    """Before the daemon has answered."""
    return wrapped("asking what was spent …", width)
