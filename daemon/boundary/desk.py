"""The desk at which papers are made: what the settings say, what was let pass, who is asked, and how values are masked."""

from __future__ import annotations

from collections.abc import Iterable

from daemon.boundary.approvals import Approvals
from daemon.boundary.holds import Holds
from daemon.boundary.policy import Policies
from daemon.boundary.vault import Vault


class Desk:
    """One for all requests. providers: who may be asked. asks_for_calls: whether the user is asked about secrets in tool
    calls that could carry them anywhere. harmless: values that are no findings, in small letters.
    """

    def __init__(
        self,
        policies: Policies,
        approvals: Approvals,
        holds: Holds,
        vault: Vault,
        providers: Iterable[str],
        asks_for_calls: bool = False,
    ) -> None:
        self.policies = policies
        self.approvals = approvals
        self.holds = holds
        self.vault = vault
        self.providers = tuple(providers)
        self.asks_for_calls = asks_for_calls
        self.harmless: frozenset[str] = frozenset()
