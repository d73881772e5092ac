"""What happens to what is found: a preset, and classes that are treated otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from daemon import settings

Privacy = Literal["strict", "balanced", "open"]
Treatment = Literal["stay", "mask", "pass"]
"""stay: what holds it stays here. mask: it leaves with an alias in its place. pass: it leaves."""

TREATMENTS: Final[dict[Privacy, dict[str, Treatment]]] = {
    "strict": {"pii": "stay", "secret": "stay", "opaque": "stay"},
    "balanced": {"pii": "mask", "secret": "mask", "opaque": "stay"},
    "open": {"pii": "pass", "secret": "mask", "opaque": "pass"},
}
"""What each preset does with what each privacy signal finds, and with parts that can't be looked at."""
UNKNOWN: Final[Treatment] = "stay"
OPAQUE: Final = "opaque"
_STRICTNESS: Final[tuple[Treatment, ...]] = ("pass", "mask", "stay")
_WORDS: Final[dict[str, Treatment]] = {"device": "stay", "mask": "mask", "allow": "pass"}


class Policy(Struct, frozen=True):
    """One policy. classes: a label, a privacy signal or `opaque` to what is done with it, before the preset is asked."""

    privacy: Privacy
    classes: Mapping[str, Treatment] = {}

    def treatment(self, signal: str, label: str) -> Treatment:
        """What is done with a find of a signal. A part that can't be looked at can't be masked either: it stays."""
        own = self.classes.get(label) or self.classes.get(signal)
        found = own or TREATMENTS[self.privacy].get(signal, UNKNOWN)
        return "stay" if signal == OPAQUE and found == "mask" else found

    def within(self, project: settings.Project) -> Policy:
        """As a project has it: a preset of its own stands alone, else its classes go before these."""
        own = _read(project.classes)
        if project.privacy is not None:
            return Policy(project.privacy, own)
        return Policy(self.privacy, {**self.classes, **own})


def policy_of(written: settings.Policy) -> Policy:
    """What settings.toml says under [policy]."""
    return Policy(written.privacy, _read(written.classes))


def _read(classes: Mapping[settings.Kind, settings.Treatment]) -> dict[str, Treatment]:
    return {kind: _WORDS[treatment] for kind, treatment in classes.items()}


def strictest(policies: tuple[Policy, ...], signal: str, label: str) -> Treatment:
    """What lets least out."""
    return max((policy.treatment(signal, label) for policy in policies), key=_STRICTNESS.index)
