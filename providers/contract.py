"""The neutral model: what is asked of an answerer, and what comes back, in no vendor's shape.

Codecs turn client bytes into a `Request` and `Delta`s into client bytes; engines and cloud providers turn a `Request`
into `Delta`s. Everything here is immutable and holds no I/O.
"""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncGenerator, AsyncIterable, Iterator, Mapping
from typing import Any, Final, Literal, Protocol

from msgspec import Struct

# ---- asked ----------------------------------------------------------------------------------------------------------

Role = Literal["system", "user", "assistant", "tool"]
Reach = Literal["device", "any"]
"""How far a request may travel at most, by the client's own word: `device` pins it, `any` leaves it to the policy."""


KeepFor = Literal["5m", "1h"]
"""A mark of the client's on a part, a tool or a question: the prompt up to it shall stay in the provider's cache so long."""


class Text(Struct, frozen=True, tag="text"):
    """Words."""

    text: str
    keep: KeepFor | None = None


PICTURE_KINDS: Final = (
    "identity_document",
    "receipt",
    "document",
    "code_screenshot",
    "chart",
    "ui",
    "photo",
    "medical",
    "other",
)


class Line(Struct, frozen=True):
    """A line of words in a picture. start, end: in characters of the sight's text. box: its corners from the top left, in
    reading direction, in pixels of the picture as it is held upright. sure: in [0, 1]. page: of a document, from 0.
    """

    start: int
    end: int
    box: tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]
    sure: float = 1.0
    page: int = 0


class Sight(Struct, frozen=True, kw_only=True):
    """What this machine saw in a picture or a document. It stays here: no vendor's shape has a place for it.

    form: the file's real format, in small letters. width, height: in pixels, upright; 0 where there are none. pages: of a
    document, or frames. text: all words, line by line. lines: where they stand; () where nobody knows. kinds: what kind of
    picture it is, by name (`PICTURE_KINDS`), as probabilities. things: what a photograph shows, likewise. explicit: how sure
    it is of nudity, in [0, 1]; None: not looked at. detail: how much there is to see, in [0, 1]; None: likewise.
    """

    form: str
    width: int = 0
    height: int = 0
    pages: int = 1
    text: str = ""
    lines: tuple[Line, ...] = ()
    kinds: Mapping[str, float] = {}
    things: Mapping[str, float] = {}
    explicit: float | None = None
    detail: float | None = None


class Image(Struct, frozen=True, tag="image"):
    """A picture by URL; `data:` URLs carry it whole. sight: None: nobody looked, or could."""

    url: str
    detail: str | None = None
    sight: Sight | None = None
    keep: KeepFor | None = None


class File(Struct, frozen=True, tag="file"):
    """A document by URL or id. sight: as a picture's."""

    url: str
    name: str | None = None
    sight: Sight | None = None
    keep: KeepFor | None = None


class Thought(Struct, frozen=True, tag="thought"):
    """A model's reasoning, given back in a later turn. signature: opaque, byte-exact. redacted: it is all there is, and
    nobody but its maker can read it. note: what its maker told beside it, as JSON; no client carries it.
    """

    text: str
    signature: str | None = None
    redacted: bool = False
    note: str | None = None


class ToolCall(Struct, frozen=True, tag="tool_call"):
    """A model's wish to call a tool. arguments: JSON text, as the model wrote it. note: what its maker told beside it, such
    as a signature, as JSON; no client carries it.
    """

    id: str
    name: str
    arguments: str
    note: str | None = None
    keep: KeepFor | None = None


class ToolResult(Struct, frozen=True, tag="tool_result"):
    """What a tool gave back. failed: by the client's own mark, beside the words."""

    call_id: str
    parts: tuple[Text | Image, ...]
    failed: bool = False
    keep: KeepFor | None = None

    @property
    def marked(self) -> tuple[Text | Image, ...]:
        """Its parts, with the mark in words: for models and protocols that have no other."""
        said = [part.text for part in self.parts if isinstance(part, Text)]
        if not self.failed or (said and said[0].lstrip()[:5].casefold() == "error"):
            return self.parts
        pictures = tuple(part for part in self.parts if isinstance(part, Image))
        return (Text("Error: " + "\n".join(said)), *pictures)


Part = Text | Image | File | Thought | ToolCall | ToolResult


class Message(Struct, frozen=True):
    """One turn of a conversation."""

    role: Role
    parts: tuple[Part, ...]


class Hints(Struct, frozen=True):
    """What whoever wrote a tool says of its effects, in MCP's sense: claims, not facts. None: not said."""

    read_only: bool | None = None
    destructive: bool | None = None
    open_world: bool | None = None


class Tool(Struct, frozen=True):
    """A function that the client offers. parameters: its JSON schema. strict: whether arguments have to fit it exactly;
    None: not said. hints: never passed on.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    strict: bool | None = None
    hints: Hints | None = None
    keep: KeepFor | None = None


class Sampling(Struct, frozen=True):
    """How to choose tokens; None means: not asked for.

    top_logprobs: how many alternatives to report for each token, 0 for none. choices: answers wanted. top_k: of how many
    tokens, the likeliest first, one is drawn.
    """

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    logprobs: bool = False
    top_logprobs: int = 0
    choices: int = 1
    top_k: int | None = None


class Thinking(Struct, frozen=True):
    """Whether and how hard a model shall reason before it answers; None: as its makers have it."""

    on: bool | None = None
    effort: str | None = None


class Request(Struct, frozen=True, kw_only=True):
    """One question, whoever asked and in whatever protocol.

    id: 16 random hex characters, also the record's. model: as the client wrote it. tool_choice: `auto`, `none`, `required`
    or a tool's name. parallel_calls: whether one answer may call several. schema: JSON schema that the answer must satisfy.
    client: the token's label, None if anonymous. stream: whether the client reads deltas. extras: raw fields that the codec
    does not know, kept for providers of the same protocol. ignored: fields by the client's names that won't be honoured;
    the client is told. deadline: of the daemon's monotonic clock, when it is no use any more to begin with it; None: it can
    wait. thinking: None: as the client has it. headers: the policy's own, for whoever is asked over HTTP; never the
    client's. keep_s: how long the client wants a local model kept after it, as far as the user lets it. No messages: it
    wants the model loaded and nothing said, or unloaded if it is not to be kept. echo: what the codec says again in its
    answer; nobody else reads it. betas: names of features, of Anthropic's fixed form, that its client switched on.
    """

    id: str
    model: str
    messages: tuple[Message, ...]
    protocol: str
    sampling: Sampling = Sampling()
    tools: tuple[Tool, ...] = ()
    tool_choice: str = "auto"
    parallel_calls: bool = True
    schema: dict[str, Any] | None = None
    session: str | None = None
    project: str | None = None
    client: str | None = None
    reach: Reach = "any"
    deadline: float | None = None
    stream: bool = False
    include_usage: bool = False
    extras: dict[str, Any] = {}
    ignored: tuple[str, ...] = ()
    thinking: Thinking | None = None
    headers: tuple[tuple[str, str], ...] = ()
    keep_s: float | None = None
    echo: Any = None
    betas: tuple[str, ...] = ()


def keeps(request: Request) -> bool:
    """Whether the client marked what a provider's cache shall keep."""
    if request.protocol != "anthropic":  # no other protocol has such marks
        return False
    if request.extras.get("cache_control") or any(tool.keep for tool in request.tools):
        return True
    parts = (part for message in request.messages for part in message.parts if not isinstance(part, Thought))
    return any(part.keep or (isinstance(part, ToolResult) and any(each.keep for each in part.parts)) for part in parts)


# ---- answered -------------------------------------------------------------------------------------------------------

FinishReason = Literal["stop", "length", "tool_calls", "content_filter"]


class Alternative(Struct, frozen=True):
    """A token that could have stood in another's place."""

    piece: bytes
    logprob: float


class Logprob(Struct, frozen=True):
    """The natural log of a chosen token's probability. piece: its exact bytes, maybe part of a character.

    entropy: of the whole distribution, in nats; None where only a part of it is told, as all clouds do.
    """

    piece: bytes
    logprob: float
    top: tuple[Alternative, ...] = ()
    entropy: float | None = None


class Usage(Struct, frozen=True):
    """Tokens read and written. All others are contained in the totals. cached_tokens: of the prompt, read from a cache of
    the provider's. stored_tokens, stored_long_tokens: of the prompt, written to it for minutes, and for an hour.
    cost_usd: what the provider says that it takes for it; None: it doesn't say.
    """

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    stored_tokens: int = 0
    stored_long_tokens: int = 0
    cost_usd: float | None = None


class TextDelta(Struct, frozen=True, tag="text"):
    """New words of the answer."""

    text: str
    logprobs: tuple[Logprob, ...] = ()
    choice: int = 0


class ThoughtDelta(Struct, frozen=True, tag="thought"):
    """New words of the reasoning. signature: of all its words, behind the last of them: what follows is another thought.

    redacted: a thought of its own, without words. note: with a signature, as a Thought has it.
    """

    text: str
    signature: str | None = None
    choice: int = 0
    redacted: bool = False
    note: str | None = None


class ToolCallDelta(Struct, frozen=True, tag="tool_call"):
    """A piece of a tool call. index: its place among the calls; id and name come with its first piece.

    logprobs: of the tokens that wrote it, its marks included, where this machine wrote it; no protocol has a place for them.
    note: with the id, as a ToolCall has it.
    """

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str = ""
    choice: int = 0
    logprobs: tuple[Logprob, ...] = ()
    note: str | None = None


class Progress(Struct, frozen=True, tag="progress"):
    """Nothing to say yet: what is being waited for. fraction: 0 to 1 where it is known."""

    stage: str
    fraction: float | None = None
    choice: int = 0


class Finish(Struct, frozen=True, tag="finish"):
    """The end of one choice. stop: the client's stop string that ended it, where that is known."""

    reason: FinishReason
    usage: Usage
    choice: int = 0
    stop: str | None = None


Delta = TextDelta | ThoughtDelta | ToolCallDelta | Progress | Finish
Deltas = AsyncGenerator[Delta, None]


class Choice(Struct, frozen=True):
    """One whole answer."""

    parts: tuple[Text | Thought | ToolCall, ...]
    reason: FinishReason
    logprobs: tuple[Logprob, ...] = ()
    stop: str | None = None


class Response(Struct, frozen=True):
    """All that one request brought."""

    choices: tuple[Choice, ...]
    usage: Usage


class _Draft:
    """One choice while its deltas come in: its words in their order, and its calls behind them in theirs."""

    def __init__(self) -> None:
        self.words: list[_Words] = []
        self.calls: dict[int, list[str]] = {}
        self.logprobs: list[Logprob] = []
        self.finish: Finish | None = None

    def take(self, delta: TextDelta | ThoughtDelta) -> None:
        """More words, of the part that is open if it is of their kind."""
        thought = isinstance(delta, ThoughtDelta)
        signature, redacted = (delta.signature, delta.redacted) if isinstance(delta, ThoughtDelta) else (None, False)
        if not delta.text and signature is None:
            return
        last = self.words[-1] if self.words else None
        if last is None or last.thought is not thought or last.signature is not None or redacted:
            last = _Words(thought)
            self.words.append(last)
        last.pieces.append(delta.text)
        last.signature, last.redacted = signature, redacted

    def choice(self) -> Choice:
        if self.finish is None:
            raise BadAnswer("the answer ended without a finish: ask again")
        words = [part.whole() for part in self.words]
        calls = [ToolCall(id, name, arguments) for _, (id, name, arguments) in sorted(self.calls.items())]
        return Choice((*words, *calls), self.finish.reason, tuple(self.logprobs), self.finish.stop)


class _Words:
    """A text or a thought while it comes in."""

    def __init__(self, thought: bool) -> None:
        self.thought = thought
        self.pieces: list[str] = []
        self.signature: str | None = None
        self.redacted = False

    def whole(self) -> Text | Thought:
        text = "".join(self.pieces)
        return Thought(text, self.signature, self.redacted) if self.thought else Text(text)


async def fold(deltas: AsyncIterable[Delta]) -> Response:
    """Turn a stream into the whole answer, so that streamed and whole answers are one code path.

    Raises BadAnswer if a choice never finished.
    """
    drafts: dict[int, _Draft] = {}
    async for delta in deltas:
        draft = drafts.setdefault(delta.choice, _Draft())
        match delta:
            case TextDelta():
                draft.take(delta)
                draft.logprobs += delta.logprobs
            case ThoughtDelta():
                draft.take(delta)
            case ToolCallDelta(index=index, id=id, name=name, arguments=arguments):
                call = draft.calls.setdefault(index, ["", "", ""])
                call[0], call[1], call[2] = id or call[0], name or call[1], call[2] + arguments
            case Finish():
                draft.finish = delta
            case Progress():
                pass
    if not drafts:
        raise NoAnswer
    choices = tuple(draft.choice() for _, draft in sorted(drafts.items()))
    usages = [draft.finish.usage for draft in drafts.values() if draft.finish is not None]
    return Response(choices, total(usages))


def total(usages: list[Usage]) -> Usage:
    """Usage of several choices of one prompt: the prompt is counted once."""
    return Usage(
        prompt_tokens=max(usage.prompt_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
        cached_tokens=max(usage.cached_tokens for usage in usages),
        reasoning_tokens=sum(usage.reasoning_tokens for usage in usages),
        stored_tokens=max(usage.stored_tokens for usage in usages),
        stored_long_tokens=max(usage.stored_long_tokens for usage in usages),
        cost_usd=next((usage.cost_usd for usage in usages if usage.cost_usd is not None), None),
    )


# ---- refused --------------------------------------------------------------------------------------------------------


class ProviderError(Exception):
    """Base of what can go wrong with an answerer, on the device or in the cloud. Messages never hold the user's words.

    another_key: it was about one key of several, and another one is there that can be tried now. again: whether asking the
    same again is of use, where that is known better than by the kind of error.
    """

    another_key = False
    again: bool | None = None


class Unreachable(ProviderError):
    """It isn't there, or went away in mid-answer. retry_after_s: when to come back, None if unknown."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Intercepted(Unreachable):
    """Somebody between here and it answered in its place, such as a network that wants its users to sign in first."""

    again = False


class Overloaded(ProviderError):
    """It is there and has no room now."""

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class RateLimited(Overloaded):
    """It counts our calls and wants fewer."""


class KeyRejected(ProviderError):
    """It does not accept our key, or there is none: only the user can change it."""


class NoCredit(KeyRejected):
    """The key's account is empty: waiting changes nothing."""


class NotCleared(ProviderError):
    """The last check, where the socket is: the privacy boundary did not let this go there. Nothing was sent."""


class NotWitnessed(ProviderError):
    """No receipt could be written of what was about to leave, so nothing was sent."""


class ContextTooLong(ProviderError):
    """The prompt does not fit its window. Both numbers are in tokens."""

    def __init__(self, prompt_tokens: int, context_tokens: int) -> None:
        super().__init__(
            f"This model's window holds {context_tokens} tokens and the prompt has {prompt_tokens}. Nothing was cut: "
            "shorten the conversation or choose a model with a larger window."
        )
        self.prompt_tokens = prompt_tokens
        self.context_tokens = context_tokens
        self.parameter = "messages"


class Unsupported(ProviderError):
    """It can't do what was asked. parameter: the field of the request, in neutral names."""

    def __init__(self, parameter: str, message: str) -> None:
        super().__init__(message)
        self.parameter = parameter


class BadAnswer(ProviderError):
    """It answered something that isn't an answer."""


class NoAnswer(BadAnswer):
    """It ended without saying anything."""

    def __init__(self) -> None:
        super().__init__("the answer was empty: ask again")


# ---- keys -----------------------------------------------------------------------------------------------------------

_PIECE: Final = 10
"""Characters of a key, one behind the other, by which it is recognised."""


class Key:
    """What a provider knows its customer by. Only `reveal` shows it: no repr, no error, no log. label: which one it is, in
    words that may be shown: where it is kept.
    """

    __slots__ = ("_beginnings", "_pieces", "_value", "label")

    def __init__(self, value: str, label: str = "") -> None:
        self._value = value
        self._pieces: frozenset[str] | None = None
        self._beginnings: dict[str, list[str]] | None = None
        self.label = label

    def reveal(self) -> str:
        """The key itself, for the header that carries it."""
        return self._value

    def begun_at_the_end_of(self, text: str) -> int:
        """How many of a text's last characters are its beginning, where not all of it is."""
        if self._beginnings is None:  # once for all answers; by their last character, the longest first
            self._beginnings = {}
            for length in range(len(self._value) - 1, 0, -1):
                self._beginnings.setdefault(self._value[length - 1], []).append(self._value[:length])
        return next((len(each) for each in self._beginnings.get(text[-1:], ()) if text.endswith(each)), 0)

    def is_told_by(self, text: str) -> bool:
        """Whether a piece of it can be read in a text: as it is, backwards, or as base64 or a URL has it. What is shorter
        than a piece is no key that anybody has to hide.
        """
        if self._pieces is None:
            self._pieces = frozenset(
                form[start : start + _PIECE] for form in _forms(self._value) for start in range(len(form) - _PIECE + 1)
            )
        return any(text[start : start + _PIECE] in self._pieces for start in range(len(text) - _PIECE + 1))

    def __repr__(self) -> str:
        return "<Key>"


def _forms(value: str) -> Iterator[str]:
    yield value
    yield value[::-1]
    yield "".join(sign if sign.isalnum() or sign in "-._~" else f"%{ord(sign):02X}" for sign in value)
    yield json.dumps(value)[1:-1]
    for before in ("", "k", "k:"):  # what stands in front decides how the rest falls into base64's threes
        whole = base64.b64encode((before + value).encode()).decode().rstrip("=")
        told = whole[4 if before else 0 : -1]
        yield told
        yield told.translate(_URL_SAFE)


_URL_SAFE: Final = str.maketrans("+/", "-_")


class KeySource(Protocol):
    """Where a provider's keys come from, asked anew for each call."""

    async def read(self) -> Key | None:
        """The one to use now. None: it needs no key. Raises KeyRejected if there is none where it should be."""
        ...

    def served(self, key: Key | None) -> None:
        """It was taken."""
        ...

    async def refused(self, key: Key | None, problem: ProviderError) -> ProviderError:
        """A call with it went wrong. Gives what to raise: the same, with `another_key` where the next call would have
        another one, or when the first of them is free again.
        """
        ...

    def forget(self) -> None:
        """Look for them again next time, since the user may have changed them."""
        ...
