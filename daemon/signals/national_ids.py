"""Numbers that states give to persons, told from other numbers by their check digits (python-stdnum).

Where a number's shape and check digits leave little to chance it counts by itself; where one random number in about ten
would pass, a word that names it has to stand before it. United States: apart, in pii.py, with upstream's own label.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from daemon.signals.base import Found
from daemon.signals.overlaps import Vocabulary, places
from daemon.signals.windows import Windows, near

LABEL: Final = "NATIONAL_ID"
_BEFORE: Final = 60
"""Characters before a number in which the word that names it is looked for: a table's head or half a sentence."""


class NationalId(Struct, frozen=True):
    """module: of stdnum, None where there is no check digit. shape: how it is written.

    cores: as in windows.py; empty where they would be too many, or say too little. named: words, in lower case, of which
    one must stand before it. stems: of each of these words a part.
    """

    module: str | None
    shape: re.Pattern[str]
    cores: tuple[bytes, ...] = ()
    named: re.Pattern[str] | None = None
    stems: tuple[str, ...] = ()


def _row(module: str | None, shape: str, *cores: bytes) -> NationalId:
    return NationalId(module, re.compile(rf"(?<![\w.+/=-])(?:{shape})(?![\w/=+-])", re.ASCII), cores)


def _named(module: str | None, shape: str, words: str, *stems: str, cores: tuple[bytes, ...] = ()) -> NationalId:
    return replace(_row(module, shape, *cores), named=re.compile(words), stems=stems)


_FRENCH: Final = _row("fr.nir", r"[12] ?\d\d ?[01]\d ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d")
_FRENCH_CORE: Final = b"0" * 15
_CORSICAN_CORE: Final = b"0A" + b"0" * 8
"""Without the blanks, which may stand in many places."""
_ALONE: Final = (
    _row("cn.ric", r"[1-9]\d{5}(?:19|20)\d{2}[01]\d[0-3]\d{4}[\dX]", b"0" * 17),
    _row("br.cpf", r"\d{3}\.\d{3}\.\d{3}-\d\d", b"000.000.000-00"),
    _row("es.dni", r"\d{8}-?[A-HJ-NP-TV-Z]", b"00000000A", b"00000000-A"),
    _row("fi.hetu", r"[0-3]\d[01]\d{3}[-+A]\d{3}[0-9A-Y]", b"000000-000", b"000000+000", b"000000A000"),
    _row("kr.rrn", r"\d{2}[01]\d[0-3]\d-[1-8]\d{6}", b"000000-0000000"),
    _row("ch.ssn", r"756\.\d{4}\.\d{4}\.\d\d", b"000.0000.0000.00"),
)
_NAMED: Final = (
    _named("br.cpf", r"\d{11}", r"\bcpf\b", "cpf"),
    _named("gb.nhs", r"\d{3}[ -]?\d{3}[ -]?\d{4}", r"\bnhs\b", "nhs"),
    _named(
        "de.idnr",
        r"\d\d ?\d{3} ?\d{3} ?\d{3}",
        r"\bsteuer|\bidnr|\btax (?:id|number)|\btin\b",
        *("steuer", "idnr", "tax id", "tax number", "tin"),
    ),
    _named(
        "nl.bsn",
        r"\d{9}|\d{4}\.\d\d\.\d{3}",
        r"\bbsn\b|burgerservice|sofinummer",
        *("bsn", "burgerservice", "sofinummer"),
    ),
    _named(
        "jp.in_",
        r"\d{4}[ -]?\d{4}[ -]?\d{4}",
        r"マイナンバー|個人番号|my number",
        *("マイナンバー", "個人番号", "my number"),
    ),
    _named("pl.pesel", r"\d{11}", r"\bpesel\b", "pesel"),
    _named(
        "se.personnummer",
        r"(?:\d\d)?\d{6}[-+]?\d{4}",
        r"personnummer|\bpersonal (?:identity )?number",
        *("personnummer", "personal identity", "personal number"),
    ),
    _named(
        "in_.aadhaar",
        r"[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}",
        r"aadha?ar|\buidai\b|\buid\b",
        *("aadhar", "aadhaar", "uid"),
    ),
    _named("ca.sin", r"\d{3}[ -]?\d{3}[ -]?\d{3}", r"\bsin\b|social insurance", "sin", "social insurance"),
    _named("au.tfn", r"\d{3} ?\d{3} ?\d{2,3}", r"\btfn\b|\btax file", "tfn", "tax file"),
    _named(
        "za.idnr",
        r"\d{13}",
        r"\bsouth africa|\bid (?:number|no)|\bidentity number",
        *("south africa", "id number", "id no", "identity no", "identity number"),
    ),
)
_LETTERS_FIRST: Final = (
    _row("it.codicefiscale", r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]", b"AAAAAA00A00A000A"),
    _row("mx.curp", r"[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d", b"AAAA000000AAAAAA"),
    _row("es.nie", r"[XYZ]-?\d{7}-?[A-Z]", b"A0000000", b"A-0000000"),
    _named("in_.pan", r"[A-Z]{5}\d{4}[A-Z]", r"\bpan\b", "pan", cores=(b"AAAAA0000A",)),
    # without a check digit
    _named(
        None,
        r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]",
        r"\bnino\b|national insurance|\bni (?:number|no)",
        *("nino", "national insurance", "ni n"),
        cores=(b"AA00", b"AA 00"),
    ),
    _named(
        None, r"[STFGM]\d{7}[A-Z]", r"\bnric\b|\bfin\b|singapore", "nric", "fin", "singapore", cores=(b"A0000000A",)
    ),
)
"""Whose cores stand at their beginning."""
_STEMS: Final = ("pan", *dict.fromkeys(stem for row in _NAMED for stem in row.stems))


@cache
def _check(module: str) -> Any:
    return importlib.import_module(f"stdnum.{module}")


def national_ids(text: str, lower: str, windows: Windows, nearby: Vocabulary) -> Iterator[Found]:
    """lower: the text in lower case, at the same length. nearby: the windows' vocabulary."""
    for row in _ALONE:
        for start, end in windows.holding(row.cores):
            yield from _ids(text, lower, row, start, end)
    for start, end in windows.spans if _may_be_french(windows.shape) else ():
        if _may_be_french(windows.shape[start:end]):
            yield from _ids(text, lower, _FRENCH, start, end)
    yield from _with_names(text, lower, windows, nearby)
    yield from _with_letters(text, lower, windows.shape)


def _may_be_french(shape: bytes) -> bool:
    tight = shape.replace(b" ", b"")
    return _FRENCH_CORE in tight or _CORSICAN_CORE in tight


def _with_names(text: str, lower: str, windows: Windows, nearby: Vocabulary) -> Iterator[Found]:
    said = {stem: tuple(places(lower, (stem,))) for stem in nearby.said(_STEMS)}
    words = sorted(at for begins in said.values() for at in begins if not (at and lower[at - 1].isalnum()))
    named = windows.near(words, _BEFORE)
    for row in _NAMED if named else ():
        own = sorted(at for stem in row.stems for at in said.get(stem, ()))
        for start, end in near(named, own, _BEFORE):
            yield from _ids(text, lower, row, start, end)


def _with_letters(text: str, lower: str, shape: bytes) -> Iterator[Found]:
    for row in _LETTERS_FIRST:
        if row.named and not any(stem in lower for stem in row.stems):
            continue
        for core in row.cores:
            at = shape.find(core)
            while at >= 0:
                if not (at and text[at - 1].isalnum()):
                    hit = row.shape.match(text, at)
                    if hit and _is_id(row, lower, hit):
                        yield Found(hit.start(), hit.end(), LABEL)
                at = shape.find(core, at + 1)


def _ids(text: str, lower: str, row: NationalId, start: int, end: int) -> Iterator[Found]:
    for hit in row.shape.finditer(text, start, end):
        if _is_id(row, lower, hit):
            yield Found(hit.start(), hit.end(), LABEL)


def _is_id(row: NationalId, lower: str, hit: re.Match[str]) -> bool:
    if row.named and not row.named.search(lower, max(0, hit.start() - _BEFORE), hit.start()):
        return False
    return row.module is None or bool(_check(row.module).is_valid(hit[0]))
