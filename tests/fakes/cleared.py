"""Cleared requests and held keys for tests of providers: the one place outside the boundary that holds the seal."""

from __future__ import annotations

from providers.cleared import _SEAL, Cleared, Crossing, Ended, Place, Returned
from providers.contract import Key, KeyRejected, Message, ProviderError, Request, Text

ASKED = Request(id="0123456789abcdef", model="m", protocol="openai-chat", messages=(Message("user", (Text("hello"),)),))


def cleared(request: Request = ASKED, place: Place = Place.CLOUD) -> Cleared:
    """A request that may go as far as `place`."""
    return Cleared(_SEAL, request, place, {}, request.id)


class HeldKey:
    """A key that is there, and how often it was forgotten."""

    def __init__(self, value: str | None = "sk-held") -> None:
        self._key = None if value is None else Key(value, "held")
        self.forgotten = 0
        self.taken = 0

    async def read(self) -> Key | None:
        return self._key

    def served(self, key: Key | None) -> None:
        self.taken += 1

    async def refused(self, key: Key | None, problem: ProviderError) -> ProviderError:
        if isinstance(problem, KeyRejected):
            self.forget()
        return problem

    def forget(self) -> None:
        self.forgotten += 1


class Crossings(list[Crossing]):
    """What was told to leave, and in `returned` how it ended; a witness."""

    def __init__(self) -> None:
        super().__init__()
        self.returned: list[Returned] = []

    async def __call__(self, crossing: Crossing) -> Ended:
        self.append(crossing)
        return self.returned.append
