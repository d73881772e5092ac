"""restore: an answer's aliases turned back into the values they stand for, in each of its texts.

What a tool call could carry out again isn't turned back: see sinks.
"""

from __future__ import annotations

from contextlib import aclosing
from typing import Final

from msgspec.structs import replace

from daemon.boundary.clear import Passage
from daemon.boundary.in_json import Answer, arguments_restored
from daemon.boundary.restorer import Index, Restorer
from daemon.boundary.signed import Keep, Signed, SignedCall
from daemon.boundary.sinks import sink_of
from daemon.brackets import Brackets
from providers.contract import Deltas, Finish, Progress, TextDelta, ThoughtDelta, ToolCallDelta

_NOTHING: Final = Index(())


class _Call:
    """One tool call on its way to the client, which gets its arguments once they are whole."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._brackets = Brackets()
        self._held: list[str] = []

    def feed(self, piece: str) -> str:
        """What can be told by now."""
        self._held.append(piece)
        self._brackets.take(piece)
        return self.finish() if self._brackets.closed else ""

    def finish(self) -> str:
        """What was held back is all there is."""
        text = "".join(self._held)
        self._held = []
        return arguments_restored(text, self._index)


class _Thoughts:
    """The reasoning of one choice on its way to the client. A signature is of what was said since the one before it."""

    def __init__(self, index: Index, keep: Keep) -> None:
        self._restorer = Restorer(index)
        self._keep = keep
        self._written: list[str] = []
        self._shown: list[str] = []

    def take(self, delta: ThoughtDelta) -> list[ThoughtDelta]:
        """What is certain by now. A signature ends what is held back, and so does a thought without words."""
        rest = self.end() if delta.redacted else ""
        deltas = [ThoughtDelta(rest, choice=delta.choice)] if rest else []
        text = self._restorer.feed(delta.text)
        self._written.append(delta.text)
        self._shown.append(text)
        if delta.signature is None:
            return [*deltas, replace(delta, text=text)] if text else deltas
        written, shown = "".join(self._written), "".join(self._shown)
        rest = self.end()
        self._keep(Signed(delta.signature, written, shown + rest, delta.redacted, delta.note))
        return [*deltas, replace(delta, text=text + rest)]

    def end(self) -> str:
        """Something else is said: what was held back is all there is."""
        self._written, self._shown = [], []
        return self._restorer.finish()


def restored(deltas: Deltas, passage: Passage, keep: Keep) -> Deltas:
    """A provider's deltas with every alias turned back, but for secrets in calls that could carry them anywhere.

    keep: called with each thought that is signed, and each call.
    """
    return _restored(deltas, passage, keep) if passage.aliases else _as_they_are(deltas, keep)


async def _as_they_are(deltas: Deltas, keep: Keep) -> Deltas:
    """Where nothing was masked."""
    thoughts: dict[int, _Thoughts] = {}
    async with aclosing(deltas):
        async for delta in deltas:
            if isinstance(delta, ThoughtDelta):
                thoughts.setdefault(delta.choice, _Thoughts(_NOTHING, keep)).take(delta)
            elif isinstance(delta, TextDelta) and delta.choice in thoughts:
                thoughts[delta.choice].end()
            elif isinstance(delta, ToolCallDelta):
                _keep_call(delta, keep)
            yield delta


async def _restored(deltas: Deltas, passage: Passage, keep: Keep) -> Deltas:
    index = Index(passage.aliases)
    harmless = Index(alias for alias in passage.aliases if alias.label not in passage.secrets)
    in_json = passage.cleared.request.schema is not None
    texts: dict[int, Restorer | Answer] = {}
    thoughts: dict[int, _Thoughts] = {}
    calls: dict[tuple[int, int], _Call] = {}
    async with aclosing(deltas):
        async for delta in deltas:
            match delta:
                case TextDelta():
                    if delta.text and delta.choice in thoughts and (rest := thoughts[delta.choice].end()):
                        yield ThoughtDelta(rest, choice=delta.choice)  # before the words, as it was said
                    text = texts.setdefault(delta.choice, Answer(index) if in_json else Restorer(index)).feed(
                        delta.text
                    )
                    if text or delta.logprobs:
                        yield replace(delta, text=text)
                case ThoughtDelta():
                    if delta.redacted and (rest := _before(texts.get(delta.choice))):
                        yield TextDelta(rest, choice=delta.choice)
                    for said in thoughts.setdefault(delta.choice, _Thoughts(index, keep)).take(delta):
                        yield said
                case ToolCallDelta():
                    _keep_call(delta, keep)
                    place = delta.choice, delta.index
                    if place not in calls:
                        to_files = sink_of(delta.name or "") == "files"
                        calls[place] = _Call(index if to_files else harmless)
                    yield replace(delta, arguments=calls[place].feed(delta.arguments))
                case Finish(choice=choice):
                    for held in _rest(choice, texts, thoughts, calls):
                        yield held
                    yield delta
                case Progress():
                    yield delta


def _before(text: Restorer | Answer | None) -> str:
    """What is held back of words behind which a signature comes: it is in front of it."""
    return text.finish() if isinstance(text, Restorer) else ""


def _keep_call(delta: ToolCallDelta, keep: Keep) -> None:
    if delta.note is not None and delta.id is not None:
        keep(SignedCall(delta.id, delta.name or "", delta.note))


def _rest(
    choice: int,
    texts: dict[int, Restorer | Answer],
    thoughts: dict[int, _Thoughts],
    calls: dict[tuple[int, int], _Call],
) -> list[TextDelta | ThoughtDelta | ToolCallDelta]:
    """What is still held back of one choice."""
    rest: list[TextDelta | ThoughtDelta | ToolCallDelta] = []
    if choice in thoughts and (text := thoughts[choice].end()):
        rest.append(ThoughtDelta(text, choice=choice))
    if choice in texts and (text := texts[choice].finish()):
        rest.append(TextDelta(text, choice=choice))
    for (of, index), call in calls.items():
        if of == choice and (text := call.finish()):
            rest.append(ToolCallDelta(index, arguments=text, choice=choice))
    return rest
