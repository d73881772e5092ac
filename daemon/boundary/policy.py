"""What happens to what is found: presets, and what the settings say of classes, clients, projects and providers.

Theory of operation. `[policy]` holds for everybody. Rules of a client (a project of its label) and of a provider go before
it, whether they let more or less out; where both say something of a class, what lets least out counts. A project that is
only claimed, by a header or a folder's name, never lets more out than would leave without it. What a project says of one
provider goes before what that project and that provider say each for itself: it is the only way in which one of them loosens
the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from msgspec import Struct

from daemon import settings

Privacy = Literal["strict", "balanced", "open"]
Treatment = Literal["stay", "ask", "reduce", "mask", "pass"]
"""stay: what holds it stays here. ask: it stays, unless the user lets it leave. reduce: it leaves if it can be said without
that. mask: it leaves with an alias in its place. pass: it leaves.
"""

OPAQUE: Final = "opaque"
PICTURE: Final = "picture"
"""The signal that says what pictures are, and its class for those of which nobody is sure."""
READABLE: Final = "readable_picture"
OF_PICTURES: Final = frozenset({"identity_document", "medical_picture", "photo", "explicit_picture", READABLE, PICTURE})
"""Classes of that signal."""
DOUBT: Final = "doubt"
CODE: Final = "code"
IMPLICIT: Final = "implicit"
_NAMED_ONLY: Final = (CODE, IMPLICIT)
"""Signals that look only where the settings name them, so that no preset says anything of them."""
TREATMENTS: Final[dict[Privacy, dict[str, Treatment]]] = {
    "strict": {"pii": "stay", "secret": "stay", "opaque": "stay", CODE: "pass", IMPLICIT: "pass", DOUBT: "stay"},
    "balanced": {"pii": "mask", "secret": "mask", "opaque": "stay", CODE: "pass", IMPLICIT: "pass", DOUBT: "pass"},
    "open": {"pii": "pass", "secret": "mask", "opaque": "pass", CODE: "pass", IMPLICIT: "pass", DOUBT: "pass"},
}
"""What each preset does with what each privacy signal finds, and with parts that can't be looked at."""
PICTURES: Final[dict[Privacy, dict[str, Treatment]]] = {"strict": {}, "balanced": {READABLE: "mask"}, "open": {}}
_OTHER_PICTURES: Final[dict[Privacy, Treatment]] = {"strict": "stay", "balanced": "stay", "open": "pass"}
"""What each preset does with pictures, by class. mask: they leave with what was found in them painted over."""
UNKNOWN: Final[Treatment] = "stay"
_STRICTNESS: Final[tuple[Treatment, ...]] = ("pass", "mask", "reduce", "ask", "stay")
_WORDS: Final[dict[str, Treatment]] = {
    "device": "stay",
    "ask": "ask",
    "reduce": "reduce",
    "mask": "mask",
    "allow": "pass",
}
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


class Rules(Struct, frozen=True):
    """What the settings say of one client, project or provider. classes: a label, a privacy signal or `opaque` to what is
    done with it. privacy: None: nothing but of these.
    """

    privacy: Privacy | None = None
    classes: Mapping[str, Treatment] = {}


class Policy(Struct, frozen=True):
    """One policy. classes: as rules have them, before the preset is asked."""

    privacy: Privacy
    classes: Mapping[str, Treatment] = {}

    @property
    def name(self) -> str:
        """The preset's."""
        return self.privacy

    def treatment(self, signal: str, label: str) -> Treatment:
        """What is done with a find of a signal."""
        if signal == PICTURE:
            return treated(signal, self._of_picture(label))
        own = self.classes.get(label) or self.classes.get(signal)
        return treated(signal, own or TREATMENTS[self.privacy].get(signal, UNKNOWN))

    def _of_picture(self, label: str) -> Treatment:
        """`picture` is said of those that nobody is sure of. Of others it only tightens what the preset says."""
        preset = PICTURES[self.privacy].get(label, _OTHER_PICTURES[self.privacy])
        if (own := self.classes.get(label)) is not None:
            return own
        unsure = self.classes.get(PICTURE)
        return preset if unsure is None else strictest((preset, unsure))

    def within(self, rules: Rules) -> Policy:
        """With rules before it: a preset of theirs stands alone, else their classes go before these."""
        if rules.privacy is not None:
            return Policy(rules.privacy, rules.classes)
        return Policy(self.privacy, {**self.classes, **rules.classes})

    def said(self, rules: Rules, signal: str, label: str) -> Treatment | None:
        """What rules do with a find, if they say something of it: a class goes before its signal, whoever names it."""
        named = label in rules.classes or (signal in rules.classes and label not in self.classes)
        preset = rules.privacy is not None and signal not in _NAMED_ONLY
        return self.within(rules).treatment(signal, label) if named or preset else None


class Standing(Struct, frozen=True):
    """All that the settings say of one request towards one provider. client, claim: of the client's own project, and of one
    that it only claims. client_here, claim_here: what those say of this provider.
    """

    everybodys: Policy
    client: Rules = Rules()
    provider: Rules = Rules()
    client_here: Rules = Rules()
    claim: Rules = Rules()
    claim_here: Rules = Rules()

    @property
    def name(self) -> str:
        """The presets that may count."""
        either = [rules.privacy for rules in (self.client, self.provider) if rules.privacy is not None]
        known = [self.client_here.privacy] if self.client_here.privacy else either or [self.everybodys.privacy]
        claimed = self.claim_here.privacy or self.claim.privacy
        return "+".join(dict.fromkeys((*known, claimed) if claimed else known))

    def treatment(self, signal: str, label: str) -> Treatment:
        """What is done with a find of a signal."""

        def said(*rules: Rules) -> list[Treatment]:
            every = (self.everybodys.said(each, signal, label) for each in rules)
            return [each for each in every if each is not None]

        known = said(self.client_here) or said(self.client, self.provider)
        known = [strictest(known or [self.everybodys.treatment(signal, label)])]
        return strictest(known + (said(self.claim_here) or said(self.claim)))


class Policies:
    """What the settings say, of everybody and of some."""

    def __init__(self, written: settings.Settings) -> None:
        self.everybodys = Policy(written.policy.privacy, _read(written.policy.classes))
        self.projects = written.projects
        self._providers = {name: rules_of(row) for name, row in written.providers.items()}

    def standing(self, client: str | None, claimed: str | None, provider: str | None = None) -> Standing:
        """For a request. claimed: the project that it says it is of. provider: None: one without rules of its own."""
        own, claim = self._project(client), self._project(claimed) if claimed != client else settings.Project()
        return Standing(
            self.everybodys,
            client=rules_of(own),
            provider=self._providers.get(provider or "", Rules()),
            client_here=rules_of(own.providers.get(provider or "")),
            claim=rules_of(claim),
            claim_here=rules_of(claim.providers.get(provider or "")),
        )

    def harmless(self, client: str | None) -> tuple[str, ...]:
        """Values that are no findings for a client."""
        return self._project(client).harmless

    def _project(self, name: str | None) -> settings.Project:
        return self.projects.get(name or "", settings.Project())


Written = settings.Policy | settings.Project | settings.Provider | settings.Rules


def rules_of(written: Written | None) -> Rules:
    """As they stand in settings.toml."""
    return Rules(written.privacy, _read(written.classes)) if written is not None else Rules()


def treated(signal: str, wanted: Treatment) -> Treatment:
    """What can be done with a find of a signal, of what is wanted. Names in code are reduced by masking them."""
    able = _INSTEAD.get((signal, wanted), wanted)
    return "mask" if able == "reduce" and signal != IMPLICIT else able


def asked_for(written: settings.Settings) -> frozenset[str]:
    """Signals that look for the boundary alone: what pictures are, and what some policy asks for."""
    projects = written.projects.values()
    of_two = [rules for project in projects for rules in project.providers.values()]
    rows: list[Written] = [written.policy, *projects, *written.providers.values(), *of_two]
    named = frozenset(signal for signal in _NAMED_ONLY if any(signal in row.classes for row in rows)) | {PICTURE}
    return named | {DOUBT} if any(map(asks_for_doubts, rows)) else named


def asks_for_doubts(written: Written) -> bool:
    """Whether anything is kept for not being plain words, so that somebody has to look for it."""
    own = written.classes.get("doubt")
    return own != "allow" if own is not None else written.privacy == "strict"


def _read(classes: Mapping[settings.Kind, settings.Treatment]) -> dict[str, Treatment]:
    return {kind: _WORDS[treatment] for kind, treatment in classes.items()}


def strictest(treatments: Iterable[Treatment]) -> Treatment:
    """What lets least out. treatments: one at least."""
    return max(treatments, key=_STRICTNESS.index)
