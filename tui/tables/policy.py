"""The policy in force, class by class."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from textual.content import Content

from daemon import wire
from tui.panels.writing import cell, said, wrapped
from tui.tones import Toned
from tui.words import lasted

TREATMENTS: Final = {
    "stay": Toned("⌂ stays here", "good"),
    "ask": Toned("? you are asked", "accent"),
    "reduce": Toned("◔ said with less", "good"),
    "mask": Toned("◐ leaves masked", "warn"),
    "pass": Toned("○ leaves", "bad"),
}
"""The mark says it too: a house, a question, a part, a half, all."""
_NAMES: Final = {
    "pii": "other personal data",
    "secret": "secrets",
    "opaque": "what can't be looked at",
    "code": "names of yours in code",
    "implicit": "who could be guessed",
    "doubt": "what isn't plain words",
    "identity_document": "identity documents",
    "medical_picture": "medical pictures",
    "photo": "photographs",
    "explicit_picture": "explicit pictures",
    "readable_picture": "pictures that can be read",
    "picture": "other pictures",
    "TERM": "your own terms",
    "IBAN_CODE": "IBAN",
    "US_SSN": "US social security number",
    "US_DRIVER_LICENSE": "US driver's license",
    "IP_ADDRESS": "IP address",
    "NATIONAL_ID": "national ID",
    "MRZ": "machine-readable zone of a document",
    "EMPLOYEE_ID": "employee ID",
    "PERSONAL_ID": "personal ID",
}
PRESETS: Final = {
    "strict": "what holds anything private stays here",
    "balanced": "what is private leaves masked",
    "open": "secrets alone are masked",
}
_COLUMN: Final = 58
_TREATMENT: Final = 17


def named(kind: str) -> str:
    """A class in words: `email address`."""
    return _NAMES.get(kind) or kind.replace("_", " ").lower()


def lines(policy: wire.PolicyInForce, width: int) -> list[Content]:
    """The preset, each kind and class, where it is another thing, and how it is changed."""
    preset = PRESETS.get(policy.privacy, "")
    told = [
        said("Preset ", Toned(policy.privacy, "accent"), Toned(f"  {preset}", "muted")),
        said(
            Toned("You are asked for ", "muted"), lasted(1000 * policy.ask_s), Toned("; a secret in a tool call ", "muted"),
            "is asked about" if policy.sinks == "ask" else "stays an alias",
        ),
    ]  # fmt: skip
    kinds = [each for each in policy.classes if not each.kind.isupper()]
    classes = [each for each in policy.classes if each.kind.isupper()]
    told += [*_titled("Kinds", width), *_table(kinds, width)]
    told += [*_titled("Classes of personal data", width), *_table(classes, width)]
    for title, rules in (("Provider", policy.providers), ("Client", policy.projects)):
        for name, theirs in rules.items():
            told += [*_titled(f"{title} {name}: only what is different", width), *_table(theirs, width)]
    how = "[policy] in settings.toml says it, [projects.NAME] and [providers.NAME] for some; docs/privacy.md tells how."
    return [*told, said(""), *wrapped(how, width)]


def _titled(title: str, width: int) -> list[Content]:
    return [said(""), Content.styled(cell(title, max(1, min(width, len(title)))), "bold $primary")]


def _table(treated: Sequence[wire.Treated], width: int) -> list[Content]:
    """In as many columns as there is room for, read downwards."""
    columns = max(1, min(3, width // _COLUMN))
    rows = -(-len(treated) // columns)
    parts = [treated[start : start + rows] for start in range(0, len(treated), max(1, rows))]
    return [
        Content.assemble(*(_cell(each, width // columns) for each in across if each is not None))
        for across in zip_longest(*parts)
    ]


def _cell(treated: wire.Treated, width: int) -> Content:
    treatment = TREATMENTS[treated.treatment]
    by = "" if treated.by == "preset" else "your rule"
    name = max(10, min(29, width - _TREATMENT - 12))
    line = said(
        cell(named(treated.kind), name), " ", Toned(cell(treatment.words, _TREATMENT), treatment.tone),
        Toned(cell(by, 9), "accent"),
    )  # fmt: skip
    return Content.assemble(line, " " * max(0, width - line.cell_length))
