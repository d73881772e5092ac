"""clear: the only maker of Cleared.

Masking is by place and by value: each span that was found is replaced, and then every other occurrence of the same values in
any text of the request. Last, the result is read once more, and if any value that had to be masked still stands in it, even
where nothing can be replaced, it does not leave.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Final

from msgspec import Struct

from daemon.boundary.judge import Clearance
from daemon.boundary.vault import Vault
from daemon.errors import Refused
from daemon.signals.base import Span
from providers.cleared import _SEAL, Cleared, Place
from providers.contract import Request
from providers.texts import fields, rewritten

EVERYWHERE_CHARS: Final = 6
"""Values this long are masked wherever they stand; shorter ones could be parts of harmless words."""


class Passage(Struct, frozen=True):
    """A cleared request, and what turns its placeholders back. values: placeholder to value; they stay here."""

    cleared: Cleared
    values: dict[str, str]


def clear(request: Request, clearance: Clearance, place: Place, vault: Vault) -> Passage:
    """Let a request through to a place, masked if it has to be. Raises Refused if it may not go there."""
    if place is Place.DEVICE:
        return Passage(Cleared(_SEAL, request, place, {}, request.id), {})
    if clearance.reach == "device":
        raise Refused("this request may not leave this machine")
    if clearance.reach == "open":
        return Passage(Cleared(_SEAL, request, place, {}, request.id), {})
    values: dict[str, str] = {}
    counts: Counter[str] = Counter()
    masked = _mask_spans(request, clearance.spans, vault, values, counts)
    masked = _mask_values(masked, values, counts)
    _check(masked, values)
    return Passage(Cleared(_SEAL, masked, place, counts, request.id), values)


def _mask_spans(
    request: Request, spans: tuple[Span, ...], vault: Vault, values: dict[str, str], counts: Counter[str]
) -> Request:
    by_path: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        by_path[span.path].append(span)

    def change(path: str, text: str) -> str:
        out: list[str] = []
        at = 0
        for span in _apart(by_path.get(path, [])):
            value = text[span.start : span.end]
            placeholder = vault.placeholder(span.label, value, values)
            values[placeholder] = value
            counts[span.label] += 1
            out += (text[at : span.start], placeholder)
            at = span.end
        return "".join((*out, text[at:])) if out else text

    return rewritten(request, change)


def _apart(spans: list[Span]) -> list[Span]:
    """Spans in order, with those that overlap joined to one under the longer one's label."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            label = last.label if last.end - last.start >= span.end - span.start else span.label
            joined[-1] = Span(last.path, last.start, max(last.end, span.end), label)
        else:
            joined.append(span)
    return joined


def _mask_values(request: Request, values: dict[str, str], counts: Counter[str]) -> Request:
    long = sorted(
        ((value, placeholder) for placeholder, value in values.items() if len(value) >= EVERYWHERE_CHARS),
        key=lambda pair: -len(pair[0]),
    )
    if not long:
        return request

    def change(path: str, text: str) -> str:
        for value, placeholder in long:
            if found := text.count(value):
                counts[placeholder[1:].rpartition("_")[0]] += found
                text = text.replace(value, placeholder)
        return text

    return rewritten(request, change)


def _check(request: Request, values: dict[str, str]) -> None:
    """The last look, over every text, fixed ones too."""
    long = [value for value in values.values() if len(value) >= EVERYWHERE_CHARS]
    if any(value in field.text for field in fields(request) for value in long):
        raise Refused("a value that has to be masked stands where nothing can be replaced: the request stays here")
