"""A provider's key that the provider says again in its answer: a client has no business with it.

Words come in pieces that are cut anywhere, so an end that could be the beginning of the key waits for the next piece: as a
rule a letter or none. Tokens' probabilities beside words that were held back or taken out are left out, since they name the
tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from providers.contract import Delta, Finish, Key, TextDelta, ThoughtDelta, ToolCallDelta

STARS: Final = "*****"
_LEAST: Final = 12
"""Characters: what is shorter is no key, and may stand in any answer."""
_TELLING: Final = 4
Words = TextDelta | ThoughtDelta | ToolCallDelta
Place = tuple[type[Words], int, int]
"""Which words go on: of which kind, choice and call."""


class Echoes:
    """Takes the key out of one answer. key: None: there is none to be said."""

    def __init__(self, key: Key | None) -> None:
        self._key = key if key is not None and len(key.reveal()) >= _LEAST else None
        self._value = self._key.reveal() if self._key is not None else ""
        self._held: dict[Place, Words] = {}

    def without(self, delta: Delta) -> Iterator[Delta]:
        """What can be said of it now, behind what was held back."""
        if not self._value:
            yield delta
            return
        match delta:
            case TextDelta() | ThoughtDelta():
                yield from self._pass(delta, (type(delta), delta.choice, 0), delta.text, "text")
            case ToolCallDelta():
                yield from self._pass(delta, (type(delta), delta.choice, delta.index), delta.arguments, "arguments")
            case Finish():
                yield from self.rest()
                yield delta
            case _:
                yield delta

    def rest(self) -> Iterator[Delta]:
        """What was held back and turned out to be no key."""
        held, self._held = self._held, {}
        yield from held.values()

    def _pass(self, delta: Words, place: Place, text: str, field: str) -> Iterator[Delta]:
        if not self._held and self._value not in text and not self._begun(text):
            yield delta
            return
        if place not in self._held:
            yield from self._over(place)
        before = self._held.pop(place, None)
        whole = text if before is None else getattr(before, field) + text
        said = whole.replace(self._value, STARS)
        ends = isinstance(delta, ThoughtDelta) and (delta.signature is not None or delta.redacted)
        kept = 0 if ends else self._begun(said)
        if kept:
            self._held[place] = _bare(delta, said[len(said) - kept :])
        changes: dict[str, Any] = {field: said[: len(said) - kept]}
        if isinstance(delta, TextDelta | ToolCallDelta) and (kept >= _TELLING or self._value in whole):
            changes["logprobs"] = ()
        yield replace(delta, **changes)

    def _over(self, place: Place) -> Iterator[Delta]:
        """Other words of the same choice begin, so those before them have ended."""
        for each in [each for each in self._held if each[1] == place[1]]:
            yield self._held.pop(each)

    def _begun(self, text: str) -> int:
        """How many of its last characters begin the key."""
        return self._key.begun_at_the_end_of(text) if self._key is not None else 0


def _bare(delta: Words, text: str) -> Words:
    """Only the words; what else a delta carries went with those before them."""
    match delta:
        case TextDelta():
            return TextDelta(text, choice=delta.choice)
        case ThoughtDelta():
            return ThoughtDelta(text, choice=delta.choice)
        case ToolCallDelta():
            return ToolCallDelta(delta.index, arguments=text, choice=delta.choice)
