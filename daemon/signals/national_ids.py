"""Numbers that states give to persons, told from other numbers by their check digits (python-stdnum).

Where a number's shape and check digits leave little to chance it counts by itself; where one random number in about ten
would pass, a word that names it has to stand before it. United States: apart, in pii.py, with upstream's own label.
"""

from __future__ import annotations

import importlib
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final

from msgspec import Struct

from daemon.signals.base import Found
from daemon.signals.overlaps import places

LABEL: Final = "NATIONAL_ID"
_BEFORE: Final = 60
"""Characters before a number in which the word that names it is looked for: a table's head or half a sentence."""


class NationalId(Struct, frozen=True):
    """module: of stdnum, None where there is no check digit. shape: how it is written.

    named: words, in lower case, of which one must stand before it.
    """

    module: str | None
    shape: re.Pattern[str]
    named: re.Pattern[str] | None = None


def _row(module: str | None, shape: str, named: str | None = None) -> NationalId:
    edge = rf"(?<![\w.+/=-])(?:{shape})(?![\w/=+-])"
    return NationalId(module, re.compile(edge, re.ASCII), re.compile(named) if named else None)


TABLE: Final = (
    # by themselves
    _row("it.codicefiscale", r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]"),
    _row("mx.curp", r"[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d"),
    _row("cn.ric", r"[1-9]\d{5}(?:19|20)\d{2}[01]\d[0-3]\d{4}[\dX]"),
    _row("fr.nir", r"[12] ?\d\d ?[01]\d ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d"),
    _row("br.cpf", r"\d{3}\.\d{3}\.\d{3}-\d\d"),
    _row("es.nie", r"[XYZ]-?\d{7}-?[A-Z]"),
    _row("es.dni", r"\d{8}-?[A-HJ-NP-TV-Z]"),
    _row("fi.hetu", r"[0-3]\d[01]\d{3}[-+A]\d{3}[0-9A-Y]"),
    _row("kr.rrn", r"\d{2}[01]\d[0-3]\d-[1-8]\d{6}"),
    # only where named
    _row("br.cpf", r"\d{11}", r"\bcpf\b"),
    _row("gb.nhs", r"\d{3}[ -]?\d{3}[ -]?\d{4}", r"\bnhs\b"),
    _row("de.idnr", r"\d\d ?\d{3} ?\d{3} ?\d{3}", r"\bsteuer|\bidnr|\btax (?:id|number)|\btin\b"),
    _row("nl.bsn", r"\d{9}|\d{4}\.\d\d\.\d{3}", r"\bbsn\b|burgerservice|sofinummer"),
    _row("pl.pesel", r"\d{11}", r"\bpesel\b"),
    _row("se.personnummer", r"(?:\d\d)?\d{6}[-+]?\d{4}", r"personnummer|\bpersonal (?:identity )?number"),
    _row("in_.aadhaar", r"[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}", r"aadha?ar|\buidai\b|\buid\b"),
    _row("in_.pan", r"[A-Z]{5}\d{4}[A-Z]", r"\bpan\b"),
    _row("ca.sin", r"\d{3}[ -]?\d{3}[ -]?\d{3}", r"\bsin\b|social insurance"),
    _row("au.tfn", r"\d{3} ?\d{3} ?\d{2,3}", r"\btfn\b|\btax file"),
    _row("za.idnr", r"\d{13}", r"\bsouth africa|\bid (?:number|no)|\bidentity number"),
    _row("ch.ssn", r"756\.\d{4}\.\d{4}\.\d\d"),
    # only where named, and without a check digit
    _row(
        None,
        r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]",
        r"\bnino\b|national insurance|\bni (?:number|no)",
    ),
    _row(None, r"[STFGM]\d{7}[A-Z]", r"\bnric\b|\bfin\b|singapore"),
)
_LETTER_ROWS: Final = tuple(
    row for row in TABLE if row.module in (None, "it.codicefiscale", "mx.curp", "es.nie", "in_.pan")
)
_ALONE: Final = tuple(row for row in TABLE if row not in _LETTER_ROWS and not row.named)
_NAMED: Final = tuple(row for row in TABLE if row not in _LETTER_ROWS and row.named)
_ANY_ALONE: Final = re.compile("|".join(row.shape.pattern for row in _ALONE), re.ASCII)
_STEMS: Final = (
    "cpf", "nhs", "steuer", "idnr", "tax id", "tax number", "tax file", "tin", "bsn", "burgerservice", "sofinummer", "pesel",
    "personnummer", "personal identity", "personal number", "aadhar", "aadhaar", "uid", "pan", "sin", "social insurance",
    "tfn", "south africa", "id number", "id no", "identity no", "identity number",
)  # fmt: skip
"""A beginning of each word that the named rows ask for."""
_LETTERS_FIRST: Final = re.compile(r"[A-Z]{1,6}-? ?\d[\dA-Z]")


@cache
def _check(module: str) -> Any:
    return importlib.import_module(f"stdnum.{module}")


def national_ids(text: str, lower: str, windows: Sequence[tuple[int, int]]) -> Iterator[Found]:
    """lower: the text in lower case, at the same length. windows: where runs of digits are."""
    named_at = sorted(at for at in places(lower, _STEMS) if not (at and lower[at - 1].isalnum())) if windows else []
    for start, end in windows:
        rows: tuple[NationalId, ...] = _ALONE if _ANY_ALONE.search(text, start, end) else ()
        near = bisect_left(named_at, start - _BEFORE)
        if near < len(named_at) and named_at[near] < end:
            rows += _NAMED
        for row in rows:
            for hit in row.shape.finditer(text, start, end):
                if _is_id(row, lower, hit):
                    yield Found(hit.start(), hit.end(), LABEL)
    for head in _LETTERS_FIRST.finditer(text):
        if head.start() and text[head.start() - 1].isalnum():
            continue
        for row in _LETTER_ROWS:
            whole = row.shape.match(text, head.start())
            if whole and _is_id(row, lower, whole):
                yield Found(whole.start(), whole.end(), LABEL)


def _is_id(row: NationalId, lower: str, hit: re.Match[str]) -> bool:
    if row.named and not row.named.search(lower, max(0, hit.start() - _BEFORE), hit.start()):
        return False
    return row.module is None or bool(_check(row.module).is_valid(hit[0]))
