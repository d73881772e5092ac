"""The two sides of the glass wall, and what is between them: own words, the very bytes, and what stood for what."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from textual.content import Content

from daemon import wire
from daemon.wall_wire import GlassWall, Left, Masked, OwnText
from tui.panels import curve
from tui.panels.codes import PLACES, REACH, RULES, WHY
from tui.panels.writing import said, wrapped
from tui.requests import name_of
from tui.tones import Toned
from tui.words import counted, size

SHOWN_CHARS: Final = 24_000
"""Of each side: what a screen lays out in a quarter of a second. The digest is of all of it."""
_FIRST: Final = 1 / 4
"""The share of that which is shown of the beginning; what is new in a conversation stands at its end."""
_CURVE_ROWS: Final = 7
_FLAT: Final = 70
"""From so many cells on, what is between stands above the two sides, and has few lines."""
_SMALL: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNSEEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\udc80-\udcff]")
"""What a terminal would obey, and bytes that are no UTF-8."""
_MARKED: Final = "bold underline $warning"
_NUMBER: Final = "$warning"
_FOREIGN: Final = "reverse $error"


class Pair(NamedTuple):
    """A value and what stood for it. number: by which both are told; times: how often it stood."""

    number: int
    label: str
    value: str
    alias: str
    times: int


class _Mark(NamedTuple):
    """A place in a text. number: of its pair."""

    start: int
    end: int
    number: int


def pairs(left: Left | None) -> list[Pair]:
    """Each once, in the order in which they stand."""
    found: dict[tuple[str, str], Pair] = {}
    for each in left.masked if left else ():
        key = each.value, each.alias
        before = found.get(key)
        number = before.number if before else len(found) + 1
        found[key] = Pair(number, each.label, each.value, each.alias, (before.times if before else 0) + 1)
    return list(found.values())


# -- left: the user's own words


def own(wall: GlassWall, left: Left | None) -> list[Content]:
    """What the client sent, with the values marked that something else stood for."""
    if wall.held != "yes":
        return _not_held(wall)
    if not wall.whole:
        return wrapped("These words were too many to be held.", 200)
    numbers = {(pair.value, pair.alias): pair.number for pair in pairs(left)}
    told: list[Content] = []
    room = SHOWN_CHARS
    kept: list[tuple[int, OwnText]] = []
    for number, each in reversed(list(enumerate(wall.texts))):
        kept.append((number, each))
        room -= len(each.text)
        if room <= 0:
            break
    if hidden := len(wall.texts) - len(kept):
        chars = sum(len(each.text) for each in wall.texts[:hidden])
        told.append(_left_out(f"{counted(hidden, 'text')} before these, {chars:,} characters"))
    before = ""
    for number, each in reversed(kept):
        if each.role != before:
            told += [said("")] * bool(told) + [said(Toned(each.role, "accent"))]
            before = each.role
        told += _text(each.text, _marks_in(number, left.masked if left else (), numbers))
    return told or [said(Toned("There are no words in it", "muted"))]


def _marks_in(number: int, masked: Iterable[Masked], numbers: dict[tuple[str, str], int]) -> list[_Mark]:
    found = [_Mark(each.start, each.end, numbers[each.value, each.alias]) for each in masked if each.text == number]
    return sorted(found)


def _text(text: str, marks: list[_Mark]) -> list[Content]:
    """Line by line; of a long one its beginning and its end."""
    told: list[Content] = []
    for begin, end in _windows(len(text)):
        if begin:
            told.append(_left_out(f"{begin - _windows(len(text))[0][1]:,} characters"))
        at = begin
        for line in text[begin:end].split("\n"):
            told.append(Content.assemble(*_pieces(line, at, marks)))
            at += len(line) + 1
    return told


# -- right: the very bytes


def sent(wall: GlassWall, left: Left | None, record: wire.Record | None) -> list[Content]:
    """The bytes as they were handed over, or why there are none."""
    if left is None:
        return nothing_left(wall, record)
    if left.body is None:
        return wrapped(f"{size(left.body_bytes)} left: too many to be held. Their receipt has their digest.", 200)
    text = left.body.decode("utf-8", "surrogateescape")
    told: list[Content] = []
    for begin, end in _windows(len(text)):
        if begin:
            told.append(_left_out(f"{begin - _windows(len(text))[0][1]:,} characters, which are in the digest"))
        told.append(Content.assemble(*_pieces(text[begin:end], begin, list(_aliases(text, begin, end, left)))))
    return told


def _aliases(text: str, begin: int, end: int, left: Left) -> Iterator[_Mark]:
    """Where aliases stand in the bytes: as they are, or as JSON, or JSON within JSON, writes them."""
    numbers = {}
    for pair in pairs(left):
        once = json.dumps(pair.alias, ensure_ascii=False)[1:-1]
        for form in (pair.alias, once, json.dumps(once, ensure_ascii=False)[1:-1]):
            numbers[form] = pair.number
    if not numbers:
        return
    forms = re.compile("|".join(map(re.escape, sorted(numbers, key=len, reverse=True))))
    for found in forms.finditer(text, begin, end):
        yield _Mark(found.start(), found.end(), numbers[found[0]])


def nothing_left(wall: GlassWall, record: wire.Record | None) -> list[Content]:
    """An empty side, and the reason."""
    if record is None:
        return [said(Toned("⌂ nothing has left for it so far", "good"))]
    if record.receipts:
        told = [said(Toned(f"{counted(len(record.receipts), 'crossing')}, of which the receipts are left:", "warn"))]
        told += [
            said(f"  #{each.number} ", Toned(f"{size(each.body_bytes)} to {each.provider}", "strong"))
            for each in record.receipts
        ]
        return [*told, said(""), *_not_held(wall)]
    told = [said(Toned("⌂ nothing left this machine", "good")), said("")]
    return told + [line for reason in reasons(record) for line in wrapped(reason, 200, "", "plain")]


def reasons(record: wire.Record) -> list[str]:
    """Why nothing left, as far as the record tells."""
    told = []
    clearance = record.clearance
    if clearance is not None and clearance.reach == "device":
        told.append(REACH["device"].words)
        told += [f"  because {WHY.get(code, code)}" for code in clearance.why]
        told += [f"  {each.count} × {each.label} in {each.path}" for each in clearance.findings]
    if record.decision is None:
        return [*told, f"It was refused before anybody was asked: {record.error or record.outcome}."]
    route = record.decision.route
    rule = f"the recipe {route.recipe} decided so" if route else RULES.get(record.decision.rule, record.decision.rule)
    told.append(f"Decided: {rule}.")
    for attempt in record.attempts:
        if attempt.passed and attempt.confidence is not None and attempt.threshold is not None:
            told.append(f"{name_of(attempt)} was sure enough: {attempt.confidence:.2f} of {attempt.threshold:.2f}.")
    if not record.attempts:
        told.append(f"Nobody was asked: {record.error or record.outcome}.")
    return told


# -- between them


def between(
    record: wire.Record | None, left: Left | None, receipt: wire.Receipt | None, trouble: str | None, width: int
) -> list[Content]:
    """Whether the bytes are the receipt's, what stood for what, and how sure each draft was."""
    told = _checked(left, receipt, trouble, width) if left is not None else []
    if receipt is not None and receipt.reduced is not None:
        told += wrapped(f"said with less, by {receipt.reduced}: not your words as they are", width, "  ", "warn")
    found = pairs(left)
    if found:
        told += [said("")] * (width < _FLAT) + [said(Toned("What stood for what", "strong"))]
        told += [line for pair in found for line in _pair(pair, width)]
    elif left is not None:
        told += [said(""), *_without_pairs(left, receipt, width)]
    for attempt in record.attempts if record is not None else ():
        if drawn := curve.lines(attempt, width, _CURVE_ROWS):
            told += [said("")] * bool(told) + [said(Toned(name_of(attempt), "strong")), *drawn]
    return told or [said(Toned("no draft was measured", "muted"))]


def _without_pairs(left: Left, receipt: wire.Receipt | None, width: int) -> list[Content]:
    """Of a crossing whose values are not told: that there were none, or how many of which by its receipt."""
    if receipt is not None and receipt.masks:
        masks = ", ".join(f"{count} × {label}" for label, count in receipt.masks.items())
        return wrapped(f"Masked in it, and not held: {masks}", width, "", "warn")
    if receipt is None and left.body is None:
        return wrapped("What was masked in it is not held.", width)
    if receipt is not None and receipt.reduced is not None:
        return wrapped("Nothing else in it was masked.", width)
    return [said(Toned("Nothing in it was masked: it left as it was", "muted"))]


def _pair(pair: Pair, width: int) -> list[Content]:
    """On one line where that is long enough."""
    times = f" ×{pair.times}" if pair.times > 1 else ""
    number, label = Toned(_small(pair.number), "warn"), Toned(f" {pair.label}{times}", "muted")
    arrow, alias = Toned(" → ", "muted"), Toned(pair.alias, "warn")
    if len(pair.value) + len(pair.alias) + len(label.words) + len(number.words) + 5 <= width:
        return [said(number, label, "  ", pair.value, arrow, alias)]
    return [said(number, label), said("  ", pair.value), said(" ", arrow, alias)]


def _checked(left: Left, receipt: wire.Receipt | None, trouble: str | None, width: int) -> list[Content]:
    place = PLACES.get(left.place, Toned("·", "muted"))
    to = Toned(f" {left.provider}/{left.model or '–'}  {size(left.body_bytes)}", "strong")
    checked, host = verdict(left, receipt, trouble), Toned(f"  {left.host}", "muted")
    if width >= _FLAT:
        return [Content.assemble(checked, "  ", said(host)), said(Toned(f"  {left.sha256}", "muted"))]
    halves = [said(Toned(f"  {half}", "muted")) for half in (left.sha256[:32], left.sha256[32:])]
    return [said(place, to), said(host), checked, *halves]


def verdict(left: Left, receipt: wire.Receipt | None, trouble: str | None) -> Content:
    """Whether what is shown is what the receipt is of: its digest is made here, of the bytes that are shown."""
    if left.body is None:
        return said(Toned("· not held: nothing to compare", "muted"))
    made = hashlib.sha256(left.body).hexdigest()
    if trouble is not None:
        return said(Toned(f"? not verified: {trouble}", "warn"))
    if receipt is None:
        return said(Toned(f"… receipt #{left.receipt} is being read", "muted"))
    if made == receipt.sha256:
        return said(Toned(f"✓ verified: digest of receipt #{receipt.number}", "good"))
    return said(Toned(f"✗ NOT the digest of receipt #{receipt.number}", "bad"))


# -- how it is written


def _windows(chars: int) -> tuple[tuple[int, int], ...]:
    """What is shown of so many characters: from where to where."""
    if chars <= SHOWN_CHARS:
        return ((0, chars),)
    first = int(SHOWN_CHARS * _FIRST)
    return ((0, first), (chars - (SHOWN_CHARS - first), chars))


def _pieces(text: str, at: int, marks: list[_Mark]) -> list[tuple[str, str]]:
    """A stretch of a text that begins at a place, with its marks, each behind it its number."""
    told: list[tuple[str, str]] = []
    here = at
    for mark in marks:
        start, end = max(mark.start, here), min(mark.end, at + len(text))
        if start >= end:
            continue
        told += _plain(text[here - at : start - at], "")
        told += _plain(text[start - at : end - at], _MARKED)
        told.append((_small(mark.number), _NUMBER))
        here = end
    return [*told, *_plain(text[here - at :], "")]


def _plain(text: str, style: str) -> Iterator[tuple[str, str]]:
    """What a terminal would obey, and bytes that are no UTF-8, as their numbers in another look."""
    here = 0
    for found in _UNSEEN.finditer(text):
        if found.start() > here:
            yield text[here : found.start()], style
        code = ord(found[0])
        yield f"\\x{code - 0xDC00:02x}" if code >= 0xDC80 else ascii(found[0])[1:-1], _FOREIGN
        here = found.end()
    if here < len(text):
        yield text[here:], style


def _small(number: int) -> str:
    return str(number).translate(_SMALL)


def _left_out(what: str) -> Content:
    return said(Toned(f"… {what}, not shown …", "muted"))


def _not_held(wall: GlassWall) -> list[Content]:
    if wall.held == "off":
        return wrapped("The glass wall is off: [records] glass_wall = false in settings.toml.", 200)
    minutes = f"{wall.kept_s / 60:.0f} minutes"
    limits = f"the last {wall.requests} requests, {size(wall.kept_bytes)} of all together, for {minutes} at most"
    return wrapped(f"Its words are not held any more. Held in memory are {limits}, and nothing after a restart.", 200)
