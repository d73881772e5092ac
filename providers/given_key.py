"""A key that is not stored anywhere: one to be tried before it is kept, or none."""

from __future__ import annotations

from providers.contract import Key, ProviderError


class GivenKey:
    """Always the same. None: there is none, for who asks for none."""

    def __init__(self, key: Key | None = None) -> None:
        self._key = key

    async def read(self) -> Key | None:
        """It."""
        return self._key

    def served(self, key: Key | None) -> None:
        """Nobody asks for that."""

    async def refused(self, key: Key | None, problem: ProviderError) -> ProviderError:
        """There is no other."""
        return problem

    def forget(self) -> None:
        """It stays what it is."""
