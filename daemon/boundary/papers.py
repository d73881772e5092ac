"""The papers of one request: how far it may travel to each provider, and what of it the user let pass."""

from __future__ import annotations

from collections.abc import Iterable

from daemon.boundary.approvals import Approvals
from daemon.boundary.choices import with_fixed_choices
from daemon.boundary.judge import Clearance, Clearances, judge
from daemon.boundary.policy import Policies
from daemon.signals.base import Kind, Observation, Span
from providers.contract import Request
from providers.texts import fields, opaque


class Papers:
    """Of one request, as it would leave. providers: who may be asked. harmless: values that are no findings, in small
    letters. local_only: whether the user keeps everything here.
    """

    def __init__(
        self,
        request: Request,
        observations: tuple[Observation, ...],
        policies: Policies,
        approvals: Approvals,
        providers: Iterable[str],
        harmless: frozenset[str],
        local_only: bool,
    ) -> None:
        self._request = request
        self._observations = observations = with_fixed_choices(request, observations)
        self._policies = policies
        self._approvals = approvals
        self._local_only = local_only
        self._known: frozenset[Span] = frozenset()
        self._hashes: dict[Span, str] = {}
        if spans := [span for seen in observations if seen.kind is Kind.PRIVACY for span in seen.spans]:
            texts = {field.path: field.text for field in fields(request)}
            harmless = harmless.union(map(str.casefold, policies.harmless(request.client)))
            self._known = frozenset(
                span for span in spans if texts[span.path][span.start : span.end].casefold() in harmless
            )
            self._hashes = approvals.hashes([span for span in spans if span not in self._known], texts)
        self._allowed = approvals.allowed(request.client, self._hashes)
        self.clearances = Clearances(self._judged(None), {name: self._judged(name) for name in providers})

    def remember(self) -> None:
        """Keep in mind what it holds, so that the user can let it pass."""
        if self._hashes:
            self._approvals.remember(self._request.id, self._request.client, self._hashes.values())

    def left(self) -> None:
        """It did: what was let pass once is over."""
        if self._allowed:
            self._approvals.used(self._request.client, [self._hashes[span] for span in self._allowed])

    def _judged(self, provider: str | None) -> Clearance:
        request = self._request
        standing = self._policies.standing(request.client, request.project, provider)
        allowed = self._allowed | self._known
        return judge(self._observations, opaque(request), standing, request.reach, allowed, self._local_only)
