"""What happens to what is found: a preset, and classes that are treated otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from daemon import settings

Privacy = Literal["strict", "balanced", "open"]
Treatment = Literal["stay", "reduce", "mask", "pass"]
"""stay: what holds it stays here. reduce: it leaves if it can be said without that. mask: it leaves with an alias in its
place. pass: it leaves.
"""

OPAQUE: Final = "opaque"
DOUBT: Final = "doubt"
CODE: Final = "code"
IMPLICIT: Final = "implicit"
"""Signals that look only where the settings name them."""
TREATMENTS: Final[dict[Privacy, dict[str, Treatment]]] = {
    "strict": {"pii": "stay", "secret": "stay", "opaque": "stay", CODE: "pass", IMPLICIT: "pass", DOUBT: "stay"},
    "balanced": {"pii": "mask", "secret": "mask", "opaque": "stay", CODE: "pass", IMPLICIT: "pass", DOUBT: "pass"},
    "open": {"pii": "pass", "secret": "mask", "opaque": "pass", CODE: "pass", IMPLICIT: "pass", DOUBT: "pass"},
}
"""What each preset does with what each privacy signal finds, and with parts that can't be looked at."""
UNKNOWN: Final[Treatment] = "stay"
_STRICTNESS: Final[tuple[Treatment, ...]] = ("pass", "mask", "reduce", "stay")
_WORDS: Final[dict[str, Treatment]] = {"device": "stay", "reduce": "reduce", "mask": "mask", "allow": "pass"}
_INSTEAD: Final[dict[tuple[str, Treatment], Treatment]] = {
    (OPAQUE, "mask"): "stay",
    (OPAQUE, "reduce"): "stay",
    (IMPLICIT, "mask"): "reduce",
    (DOUBT, "mask"): "stay",
    (DOUBT, "reduce"): "stay",
}
"""What can't be looked at or isn't known can't be changed either, and who is described has no place where an alias could
stand.
"""


class Policy(Struct, frozen=True):
    """One policy. classes: a label, a privacy signal or `opaque` to what is done with it, before the preset is asked."""

    privacy: Privacy
    classes: Mapping[str, Treatment] = {}

    def treatment(self, signal: str, label: str) -> Treatment:
        """What is done with a find of a signal."""
        own = self.classes.get(label) or self.classes.get(signal)
        return treated(signal, own or TREATMENTS[self.privacy].get(signal, UNKNOWN))

    def within(self, project: settings.Project) -> Policy:
        """As a project has it: a preset of its own stands alone, else its classes go before these."""
        own = _read(project.classes)
        if project.privacy is not None:
            return Policy(project.privacy, own)
        return Policy(self.privacy, {**self.classes, **own})


def treated(signal: str, wanted: Treatment) -> Treatment:
    """What can be done with a find of a signal, of what is wanted. Names in code are reduced by masking them."""
    able = _INSTEAD.get((signal, wanted), wanted)
    return "mask" if able == "reduce" and signal != IMPLICIT else able


def asked_for(written: settings.Settings) -> frozenset[str]:
    """Signals that look only where somebody asks for them, and whom somebody asks for."""
    policies: list[settings.Policy | settings.Project] = [written.policy, *written.projects.values()]
    named = frozenset(signal for signal in (CODE, IMPLICIT) if any(signal in each.classes for each in policies))
    return named | {DOUBT} if any(asks_for_doubts(each) for each in policies) else named


def asks_for_doubts(written: settings.Policy | settings.Project) -> bool:
    """Whether anything is kept for not being plain words, so that somebody has to look for it."""
    own = written.classes.get("doubt")
    return own != "allow" if own is not None else written.privacy == "strict"


def policy_of(written: settings.Policy) -> Policy:
    """What settings.toml says under [policy]."""
    return Policy(written.privacy, _read(written.classes))


def _read(classes: Mapping[settings.Kind, settings.Treatment]) -> dict[str, Treatment]:
    return {kind: _WORDS[treatment] for kind, treatment in classes.items()}


def strictest(policies: tuple[Policy, ...], signal: str, label: str) -> Treatment:
    """What lets least out."""
    return max((policy.treatment(signal, label) for policy in policies), key=_STRICTNESS.index)
