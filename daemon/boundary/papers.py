"""The papers of one request: how far it may travel to each provider, and what of it the user let pass."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping

from msgspec.structs import replace

from daemon.boundary.carried import Carried
from daemon.boundary.choices import with_fixed_choices
from daemon.boundary.desk import Desk
from daemon.boundary.holds import Asked, Outcome, Question, held
from daemon.boundary.judge import IDENTIFYING, VALUES, Clearance, Clearances, Says, judge, painted_wholly, place_of
from daemon.boundary.pictures import PAINTED_OVER, as_sent, leaves_as_it_is, told, with_paintable
from daemon.boundary.policy import PICTURE, Treatment, treated
from daemon.boundary.reduction.told_again import told_again
from daemon.boundary.staying import CROWDED, DENIED, NOT_ANSWERED, PRIVATE, private
from daemon.errors import NotPainted, Refused
from daemon.signals.base import Kind, Observation, Span
from providers.contract import Request
from providers.texts import carried, fields, seen_in

_CODES: Mapping[Outcome, str] = {"denied": DENIED, "not-answered": NOT_ANSWERED, "crowded": CROWDED}
NOT_LOOKED_AT = "OPAQUE"
"""The class of a part that can't be looked at, or that would leave as it is."""


class Papers:
    """Of one request, as it would leave. local_only: whether the user keeps everything here."""

    def __init__(
        self, desk: Desk, request: Request, observations: tuple[Observation, ...], local_only: bool = False
    ) -> None:
        self._desk = desk
        self._request = request
        self._observations = with_paintable(request, with_fixed_choices(request, observations))
        self._local_only = local_only
        as_it_is = leaves_as_it_is(request, (seen for seen in observations if seen.signal == PICTURE))
        self._opaque = tuple(Span(path, 0, 0, NOT_LOOKED_AT, fixed=True) for path, _ in as_it_is)
        self._known: frozenset[Span] = frozenset()
        self._values: dict[Span, str] = {}
        """What was found, and is no harmless value."""
        self._look()
        self._hashes = desk.approvals.hashes(self._values)
        self._let: dict[str, frozenset[Span]] = {}
        """What the user let pass to a provider when asked about this request."""
        self._less: Papers | None = None
        """Of the request said with less."""
        self._get_less: frozenset[str] = frozenset()
        """Providers that may see that one alone."""
        self._behind: set[str] = set()
        """Of what stood in other models' words, as hashes."""
        self._one_question = asyncio.Lock()
        self._no: str | None = None
        """Why the user's answer keeps it here."""
        self._asked: list[Asked] = []
        self.carried = Carried(desk, request)
        self.clearances = Clearances(self._judged(None), {name: self._judged(name) for name in desk.providers})

    @property
    def asked(self) -> tuple[Asked, ...]:
        """What the user was asked so far."""
        return (*self._asked, *self.carried.asked, *(self._less.asked if self._less else ()))

    @property
    def identifying(self) -> bool:
        """Whether somebody may have it but for telling of somebody who could be guessed."""
        return any(clearance.why == (IDENTIFYING,) for clearance in self.clearances.all)

    def remember(self) -> None:
        """Keep in mind what it holds, so that the user can let it pass."""
        if self._hashes:
            self._desk.approvals.remember(self._request.id, self._request.client, self._hashes.values())

    def left(self) -> None:
        """It did: what was let pass once is over."""
        self._desk.approvals.used(self._request.client, (*self._hashes.values(), *self._behind))
        if self._less is not None:
            self._less.left()

    def say_with_less(self, request: Request, observations: tuple[Observation, ...]) -> bool:
        """Whoever may have it but for telling of somebody gets this request instead, if it may have that. False: nobody may.

        observations: what all signals found in it.
        """
        less = Papers(self._desk, request, observations, self._local_only)

        def instead(before: Clearance, now: Clearance) -> Clearance:
            if before.why != (IDENTIFYING,) or now.reach == "device":
                return before
            taken_out = tuple(finding for finding in before.findings if finding.treatment == "reduce")
            return replace(now, findings=(*taken_out, *now.findings))

        old, new = self.clearances, less.clearances
        general = instead(old.general, new.general)
        own = {name: instead(clearance, new.of(name)) for name, clearance in old.own.items()}
        self._get_less = frozenset(name for name, clearance in own.items() if clearance is not old.own[name])
        if not self._get_less:
            return False
        self._less, self.clearances = less, Clearances(general, own)
        return True

    def less(self, provider: str) -> Request | None:
        """The request said with less, if that is what a provider gets."""
        return self._less._request if self._less is not None and provider in self._get_less else None

    def behind(self, provider: str, request: Request, observations: tuple[Observation, ...], words: str) -> Clearance:
        """How far words that others wrote may travel behind what a provider gets of this request.

        request: as it is looked at: the words at their place. What the user let pass to this provider passes in them as
        well; about more nobody is asked: it stays.
        """
        if self._less is not None and provider in self._get_less:
            clearance = self._less.behind(provider, request, observations, words)
            again = told_again(self._request, self._less._request, words)
            return replace(clearance, reach="device", why=(*clearance.why, IDENTIFYING)) if again else clearance
        added = Papers(self._desk, request, observations, self._local_only)
        let = {self._hashes[span] for span in self._let.get(provider, ())}
        added._let[provider] = frozenset(span for span, made in added._hashes.items() if made in let)
        self._behind.update(added._hashes.values())
        clearance = added._judged(provider)
        if not clearance.asks:
            return clearance
        return replace(clearance, reach="device", why=(*clearance.why, PRIVATE), asks=())

    def left_in_pictures(
        self, provider: str, request: Request, observations: tuple[Observation, ...]
    ) -> dict[str, list[Span]]:
        """What may not leave to a provider and can still be read in pictures that were painted for it, by their paths.

        request: the same, with those in their places, as they were looked at again. Raises NotPainted if a privacy signal
        failed, since then nobody knows. What the pictures are was decided before.
        """
        if self._less is not None and provider in self._get_less:
            return self._less.left_in_pictures(provider, request, observations)
        private = [seen for seen in observations if seen.kind is Kind.PRIVACY and seen.signal != PICTURE]
        if any(seen.error is not None for seen in private):
            raise NotPainted("still-readable", "a privacy check of a painted picture failed: the request stays here")
        again = Papers(self._desk, request, tuple(private), self._local_only)
        let = {self._hashes[span] for span in self._let.get(provider, ())}
        let_pass = frozenset(span for span, made in again._hashes.items() if made in let) | again._allowed(provider)
        says = self._says(provider)
        wholly = painted_wholly(
            self._observations, says, self._let.get(provider, frozenset()) | self._allowed(provider)
        )
        left: dict[str, list[Span]] = {}
        for seen in private:
            for span in seen.spans:
                picture = seen_in(span.path)
                if picture is None or span in let_pass:
                    continue
                if says.treatment(seen.signal, span.label) != "pass" or (picture in wholly and seen.signal in VALUES):
                    left.setdefault(picture, []).append(span)
        return left

    async def clearance(self, provider: str, model: str) -> Clearance:
        """For who is about to be asked. Where the policy wants it, this waits for the user's word. Raises Private."""
        if self._less is not None and provider in self._get_less:
            try:
                return await self._less.clearance(provider, model)
            finally:
                if self._less._no is not None:
                    self._stay(self._less._no)
        if self.clearances.of(provider).asks:
            async with self._one_question:
                if (clearance := self.clearances.of(provider)).asks:
                    await self._ask(provider, model, clearance)
        clearance = self.clearances.of(provider)
        if clearance.reach == "device":
            raise private(clearance, self._request.id)
        return clearance

    async def _ask(self, provider: str, model: str, clearance: Clearance) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        outcome = await self._desk.holds.ask(self._question(provider, model, clearance))
        self._asked.append(Asked(provider, outcome, loop.time() - began))
        if outcome == "allowed":
            self._let[provider] = self._let.get(provider, frozenset()) | frozenset(clearance.asks)
            self._put(provider, self._judged(provider))
        elif outcome == "masked":
            self._put(provider, self._judged(provider, masked=True))
        else:
            self._stay(_CODES[outcome])

    def _stay(self, code: str) -> None:
        """Whatever would be asked about stays: of one request nobody is asked again who didn't let it leave."""
        self._no = code
        every = {name: _kept(self.clearances.of(name), code) for name in self._desk.providers}
        self.clearances = Clearances(_kept(self.clearances.general, code), every)
        if self._less is not None and self._less._no is None:
            self._less._stay(code)

    def _put(self, provider: str, clearance: Clearance) -> None:
        self.clearances = Clearances(self.clearances.general, {**self.clearances.own, provider: clearance})

    def _question(self, provider: str, model: str, clearance: Clearance) -> Question:
        request = self._request
        masker = self._desk.vault.masker(request)
        parts = dict(carried(request))
        found: dict[tuple[str, str], list[tuple[str, str | None]]] = defaultdict(list)
        for span in clearance.asks:
            value, masked = self._values[span], None
            if (picture := parts.get(span.path)) is not None and span.start == span.end:
                value = told(picture, self._found_in(span.path))
            elif seen_in(span.path) is not None:
                masked = None if span.fixed else PAINTED_OVER
            elif not span.fixed:
                try:
                    masked = masker.alias(span.label, value).text
                except Refused:
                    masked = None
            found[span.label, place_of(span.path)].append((value, masked))
        return Question(
            kind="request",
            record=request.id,
            to=_addressee(provider),
            finds=tuple(held(label, path, values) for (label, path), values in found.items()),
            hashes=frozenset(self._hashes[span] for span in clearance.asks),
            client=request.client,
            session=request.session,
            project=request.project,
            provider=provider,
            model=model,
            may_mask=self._judged(provider, masked=True).reach != "device",
        )

    def _found_in(self, path: str) -> list[str]:
        """Classes of what was found in the words of a picture."""
        spans = (span for seen in self._observations if seen.kind is Kind.PRIVACY for span in seen.spans)
        return [span.label for span in spans if seen_in(span.path) == path]

    def _look(self) -> None:
        parts = {path: as_sent(part) for path, part in carried(self._request)}
        private = [seen for seen in self._observations if seen.kind is Kind.PRIVACY]
        pictures = [span for seen in private if seen.signal == PICTURE for span in seen.spans]
        spans = [span for seen in private if seen.signal != PICTURE for span in seen.spans]
        if spans:
            texts = {field.path: field.text for field in fields(self._request)}
            values = {span: texts[span.path][span.start : span.end] for span in spans}
            own = self._desk.policies.harmless(self._request.client)
            harmless = self._desk.harmless.union(map(str.casefold, own))
            self._known = frozenset(span for span, value in values.items() if value.casefold() in harmless)
            self._values = {span: value for span, value in values.items() if span not in self._known}
        self._values |= {span: parts[span.path] for span in (*pictures, *self._opaque)}

    def _judged(self, provider: str | None, masked: bool = False) -> Clearance:
        """masked: what the user would be asked about is masked instead."""
        says = self._says(provider)
        allowed = self._allowed(provider) | self._let.get(provider or "", frozenset())
        says = _MaskedInstead(says) if masked else says
        return judge(self._observations, self._opaque, says, self._request.reach, allowed, self._local_only)

    def _says(self, provider: str | None) -> Says:
        return self._desk.policies.standing(self._request.client, self._request.project, provider)

    def _allowed(self, provider: str | None) -> frozenset[Span]:
        """Harmless values, and what was let pass before."""
        request, to = self._request, _addressee(provider) if provider is not None else None
        return self._desk.approvals.allowed(request.client, self._hashes, request.session, to) | self._known


class _MaskedInstead:
    """What the settings say, but for what the user let leave masked."""

    def __init__(self, says: Says) -> None:
        self._says = says

    @property
    def name(self) -> str:
        return self._says.name

    def treatment(self, signal: str, label: str) -> Treatment:
        found = self._says.treatment(signal, label)
        return treated(signal, "mask") if found == "ask" else found


def _kept(clearance: Clearance, code: str) -> Clearance:
    if not clearance.asks:
        return clearance
    return replace(clearance, reach="device", why=(*clearance.why, code), asks=())


def _addressee(provider: str) -> str:
    return f"provider:{provider}"
