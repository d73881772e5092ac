"""What documents carry for machines: the zone of passports, visas and identity cards (ICAO 9303), and cards' numbers as a
camera reads them.

A zone has two lines of 44 or 36 characters or three of 30, with check digits. They are read with mistakes (O for 0, « for
<<, a filler too many): a line counts by its form and its check digits and not by its length, and what stands where only
a digit may is taken for the digit that it looks like. The line with the name has no check digit: it counts beside one that
has, or where nothing else has its form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from daemon.signals.base import Found

LABEL: Final = "MRZ"
_ALIKE: Final = "OQDUILZSBG"
_AS_DIGITS: Final = str.maketrans(_ALIKE, "0000112586")
_AS_LETTERS: Final = str.maketrans("012568", "OIZSGB")
_D: Final = f"[0-9{_ALIKE}]"
_DATE: Final = rf"{_D}{{6}}"
_STATE: Final = r"[A-Z0-9<]{3}"
_SEX: Final = "[MFX<K]"
_SECOND: Final = re.compile(
    rf"(?P<number>[A-Z0-9<]{{9}})(?P<n>{_D}){_STATE}(?P<birth>{_DATE})(?P<b>{_D}){_SEX}(?P<expiry>{_DATE})(?P<e>{_D})"
)
"""The second line of passports, visas and cards with two lines."""
_CARD_FIRST: Final = re.compile(rf"[ACI1][A-Z0-9<]{_STATE}(?P<number>[A-Z0-9<]{{9}})(?P<n>{_D})(?=[A-Z0-9<]{{8,18}}$)")
_CARD_SECOND: Final = re.compile(
    rf"(?P<birth>{_DATE})(?P<b>{_D}){_SEX}(?P<expiry>{_DATE})(?P<e>{_D}){_STATE}(?=[A-Z0-9<]{{4,14}}$)"
)
_NAME: Final = re.compile(r"(?:[PVACI][A-Z<][A-Z0-9<]{3})?[A-Z0-9]+(?:<[A-Z0-9]+)*<<[A-Z0-9<]*<[A-Z0-9<]*")
_NAME_ALONE: Final = re.compile(r"[PVACI][A-Z<][A-Z]{3}[A-Z]+(?:<[A-Z]+)*<<[A-Z]+(?:<[A-Z]+)*<{3,}[A-Z<]*")
_LEAST: Final = 24
"""Characters of a line; the shortest has 30, of which some may not have been read."""
_WEIGHTS: Final = (7, 3, 1)
_FILLERS: Final = str.maketrans({"«": "<<", "‹": "<", "〈": "<", "く": "<", "≤": "<", "＜": "<"})
_MOST_CHARS: Final = 20_000
"""A text that is longer was not read out of a picture, or is searched for cards by its digits alone."""
_CARD: Final = re.compile(rf"(?<!\w){_D}{{4}}([ -])(?:{_D}{{4}}\1{_D}{{4}}\1{_D}{{4}}|{_D}{{6}}\1{_D}{{5}})(?!\w)")


class _Line(Struct, frozen=True):
    """start, end: in the text. bare: in capitals, without blanks."""

    start: int
    end: int
    bare: str


def machine_readable(text: str) -> Iterator[Found]:
    """Lines of zones, each from its first character to its last."""
    if "<" not in text and "«" not in text:
        return
    lines = list(_lines(text))
    checked = {place for place, line in enumerate(lines) if _is_checked(line.bare)}
    named = {place for place, line in enumerate(lines) if _is_name(lines, checked, place)}
    for place in sorted(checked | named):
        yield Found(lines[place].start, lines[place].end, LABEL)


def cards_as_read(text: str) -> Iterator[Found]:
    """Cards' numbers in which a letter stands for the digit that it looks like, in groups as cards have them."""
    from daemon.signals.pii import luhn

    if len(text) > _MOST_CHARS:
        return
    for hit in _CARD.finditer(text):
        written = hit[0].replace(hit[1], "")
        digits = written.translate(_AS_DIGITS)
        if 10 <= sum(map(str.isdigit, written)) < len(written) and digits[0] in "23456" and luhn(digits) == 0:
            yield Found(hit.start(), hit.end(), "CREDIT_CARD")


def _lines(text: str) -> Iterator[_Line]:
    """Those that may belong to a zone: capitals, digits and fillers, with blanks that a reader put in."""
    start = 0
    for written in text.splitlines(keepends=True):
        shown = written.strip()
        bare = "".join(shown.translate(_FILLERS).split()).upper()
        if len(bare) >= _LEAST and bare.isascii() and len(bare) < 100:
            at = start + written.index(shown)
            yield _Line(at, at + len(shown), bare)
        start += len(written)


def _is_checked(bare: str) -> bool:
    """Whether its form is that of a line with check digits, and they are right."""
    for hit in _SECOND.finditer(bare):
        if _is_right(hit["number"], hit["n"]) and _dates_are_right(hit):
            return True
    second = _CARD_SECOND.match(bare)
    if second and "<" in bare and _dates_are_right(second):
        return True
    first = _CARD_FIRST.match(bare)
    return first is not None and "<<" in bare and _is_right(first["number"], first["n"])


def _dates_are_right(hit: re.Match[str]) -> bool:
    for date, check in ((hit["birth"], hit["b"]), (hit["expiry"], hit["e"])):
        digits = date.translate(_AS_DIGITS)
        if not (digits[2:4] <= "12" and digits[4:6] <= "31" and _is_right(digits, check)):
            return False
    return True


def _is_right(field: str, check: str) -> bool:
    """Whether a field, or what it may have been taken for, has this check digit."""
    digit = int(check.translate(_AS_DIGITS))
    read = {field, field.translate(_AS_DIGITS), field[:1] + field[1:].translate(_AS_DIGITS)}
    read |= {field[:2].translate(_AS_LETTERS) + field[2:].translate(_AS_DIGITS)}
    return any(check_digit(each) == digit for each in read)


def check_digit(field: str) -> int:
    """Of ICAO 9303, part 3, section 4.9: digits as they are, A to Z as 10 to 35, fillers as 0."""
    return sum(_WEIGHTS[n % 3] * (int(sign, 36) if sign != "<" else 0) for n, sign in enumerate(field)) % 10


def _is_name(lines: list[_Line], checked: set[int], place: int) -> bool:
    bare = lines[place].bare
    if _NAME_ALONE.fullmatch(bare):
        return True
    beside = place + 1 in checked or place - 1 in checked
    return beside and place not in checked and _NAME.fullmatch(bare) is not None
