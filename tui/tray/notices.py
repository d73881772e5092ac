"""What the user is told unasked."""

from __future__ import annotations

from msgspec import Struct

from daemon import wire
from tui.words import counted, plain, size


class Notice(Struct, frozen=True):
    """A notification. Nobody's words: names, classes and numbers."""

    title: str
    text: str


def first_left(receipt: wire.Receipt) -> Notice:
    """Something goes to the cloud for the first time since this icon is there."""
    masked = sum(receipt.masks.values())
    how = f", {counted(masked, 'value')} masked" if masked else ""
    text = (
        f"{size(receipt.body_bytes)} for “{plain(receipt.provider)}”{how}. Later requests show in the icon alone. "
        f"What left: nearloop receipts show {receipt.number}"
    )
    return Notice(f"A request leaves this machine, receipt {receipt.number}", text)


def asks(news: tuple[wire.ApprovalNews, ...]) -> Notice:
    """Somebody waits for the user's word. news: one at least."""
    if len(news) > 1:
        providers = ", ".join(sorted({f"“{plain(each.provider)}”" for each in news if each.provider}))
        return Notice(f"{len(news)} wait for your word", f"They would go to {providers or 'a tool'}.")
    (one,) = news
    classes = ", ".join(f"{count} × {plain(label)}" for label, count in sorted(one.classes.items())) or "private values"
    if one.kind == "call":
        return Notice("A tool call waits for your word", f"It would carry {classes}.")
    return Notice("A request waits for your word", f"It holds {classes}, and would go to “{plain(one.provider)}”.")


def spent(limit: str) -> Notice:
    """A limit of [budget], or of what a client may take a day, kept something from being done. limit: its key."""
    if limit.endswith(("_day_usd", "_month_usd")):
        return Notice("What may be spent in clouds is spent", "Models on this machine answer. More: nearloop limit")
    if limit.startswith("day_"):
        what = limit.removeprefix("day_")
        return Notice("A program has taken what it may a day", f"{what} of per_day. Which it was: nearloop client list")
    return Notice(
        "A request's budget is spent", f"{limit} under [budget] was reached. What it was and why: nearloop records"
    )


def spending(text: str, reached: bool) -> Notice:
    """A limit of what may be spent came near, or was reached. text: the daemon's own."""
    return Notice("What may be spent is spent" if reached else "Most of what may be spent is spent", plain(text))


def failed(what: str) -> Notice:
    """The daemon said no to what was clicked."""
    return Notice("That did not work", plain(what))
