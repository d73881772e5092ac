"""What a client may take a day, in words and back."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from daemon import wire
from tui.panels.writing import fact, said
from tui.tones import Tone, Toned
from tui.words import counted, money, short

_NEAR: Final = 0.8
"""Of a limit, from which it is worth a look."""


def written(per_day: wire.PerDay) -> dict[str, str]:
    """As it is typed."""
    found = {"requests": per_day.requests, "tokens": per_day.tokens, "cost_usd": per_day.cost_usd}
    return {key: f"{value:.12g}" if isinstance(value, float) else str(value) for key, value in found.items() if value}


def limits_of(typed: dict[str, str]) -> wire.PerDay | str:
    """What was typed; or what is wrong with it."""
    requests, tokens = _whole(typed.get("requests")), _whole(typed.get("tokens"))
    cost_usd = _number(typed.get("cost_usd"))
    if requests == 0 or tokens == 0:
        return "requests and tokens are whole numbers above 0, such as 200000, or nothing"
    if cost_usd == 0:
        return "USD is a number above 0, such as 2.50, or nothing"
    return wire.PerDay(requests, tokens, cost_usd)


def _whole(words: str | None) -> int | None:
    """0: it is none."""
    if words is None:
        return None
    digits = words.replace(",", "").replace("_", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(wire.MOST_PER_DAY))):
        return 0
    return int(digits)


def _number(words: str | None) -> float | None:
    """0: it is none."""
    if words is None:
        return None
    try:
        number = float(words.removeprefix("$").replace(",", "."))
    except ValueError:
        return 0.0
    return number if 0 < number <= wire.MOST_USD_PER_DAY else 0.0


def may(per_day: wire.PerDay) -> str:
    """`300 requests, 500k tokens, $2.00`."""
    parts = []
    if per_day.requests is not None:
        parts.append(counted(per_day.requests, "request"))
    if per_day.tokens is not None:
        parts.append(f"{short(per_day.tokens)} tokens")
    if per_day.cost_usd is not None:
        parts.append(money(per_day.cost_usd))
    return ", ".join(parts) or "as much as it likes"


def _shares(client: wire.ClientInfo) -> list[tuple[str, float]]:
    """Of each limit: what was taken of it, in words, and as a share."""
    today, per_day = client.today, client.per_day
    found = []
    if per_day.requests is not None:
        found.append((f"{today.requests}/{per_day.requests} requests", today.requests / per_day.requests))
    if per_day.tokens is not None:
        found.append((f"{short(today.tokens)}/{short(per_day.tokens)} tokens", today.tokens / per_day.tokens))
    if per_day.cost_usd is not None:
        found.append((f"{money(today.cost_usd)}/{money(per_day.cost_usd)}", today.cost_usd / per_day.cost_usd))
    return found


def _tone(share: float) -> Tone:
    return "bad" if share >= 1 else "warn" if share >= _NEAR else "plain"


def standing(client: wire.ClientInfo) -> Toned:
    """In a cell: the limit that is nearest."""
    shares = sorted(_shares(client), key=lambda each: -each[1])
    if not shares:
        return Toned("–", "muted")
    more = f" +{len(shares) - 1}" if len(shares) > 1 else ""
    return Toned(f"{shares[0][0]}{more}", _tone(shares[0][1]))


def told(client: wire.ClientInfo, width: int) -> list[Content]:
    """What it took today, and of what."""
    today = client.today
    unpriced = f" and {counted(today.unpriced, 'call')} without a known price" if today.unpriced else ""
    took = f"{counted(today.requests, 'request')}, {short(today.tokens)} tokens, {money(today.cost_usd)}{unpriced}"
    lines = fact("today", took, width)
    shares = _shares(client)
    if not shares:
        return [*lines, *fact("a day", "as much as it likes; l limits it", width, "muted")]
    for number, (words, share) in enumerate(shares):
        lines += fact("of" if number == 0 else "", f"{words}, {100 * share:.0f} %", width, _tone(share))
    if max(share for _, share in shares) >= 1:
        lines.append(said(Toned("It is refused until midnight; l changes the limit.", "bad")))
    return lines
