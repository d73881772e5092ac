"""Names that may be labels: what the settings and the recipes in use name, so that no client can make a series."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from daemon.metrics.tally import OTHER
from daemon.settings import Settings
from daemon.wire import Record

LOCAL: Final = "local"


class SetUp:
    """settings: as they are now. local: names of this machine's models. recipes: model names that stand for a recipe."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        local: Callable[[], tuple[str, ...]],
        recipes: Callable[[], tuple[str, ...]],
    ) -> None:
        self._settings = settings
        self._local = local
        self._recipes = recipes

    def model(self, name: str, record: Record | None = None) -> str:
        """`PROVIDER/MODEL` if the settings or the record's recipe name it, else `PROVIDER/other`, else `other`."""
        provider, _, model = name.partition("/")
        settings = self._settings()
        if provider == LOCAL:
            return name if model in self._local() else f"{LOCAL}/{OTHER}"
        if (row := settings.providers.get(provider)) is None:
            return OTHER
        routing = settings.routing
        if model in row.models or name in routing.models.values() or name in routing.names.values():
            return name
        if any(name in client.names.values() for client in settings.clients.values()):
            return name
        return name if record is not None and _is_of_recipe(name, record) else f"{provider}/{OTHER}"

    def asked(self, name: str) -> str:
        """A name that is served under just this word, else as `model` has it."""
        if name in ("auto", LOCAL, "cloud"):
            return name
        found = self.model(name)
        return name if found != name and name in self._recipes() else found


def _is_of_recipe(name: str, record: Record) -> bool:
    decision = record.decision
    return decision is not None and decision.route is not None and name in (*decision.candidates, *decision.left_out)
