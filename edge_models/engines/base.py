"""The contract between a language-model engine and the worker that owns it.

An engine is synchronous and is driven by one owner thread: `start` puts a request in, `step` moves every request in
flight by at most one token, `cancel` takes one out. Requests have ids so that an engine can batch them. An engine knows
nothing of processes, pipes, text assembly or stop strings: those are the worker's (`edge_models.worker`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, Protocol, runtime_checkable

from msgspec import Struct

Stage = Literal["preparing", "loading"]
"""What a worker is doing before it is ready: making the engine's own files (once), or reading them (every start)."""


class Call(Struct, frozen=True):
    """A call of a tool. arguments: JSON text."""

    name: str
    arguments: str


class Tool(Struct, frozen=True):
    """A tool that the model may call. parameters: a JSON schema, as JSON text."""

    name: str
    description: str
    parameters: str


class Turn(Struct, frozen=True):
    """One message of a chat, as a chat template sees it. role: system, user, assistant or tool. calls: an assistant's."""

    role: str
    text: str
    calls: tuple[Call, ...] = ()


class Chat(Struct, frozen=True, tag="chat"):
    """A prompt that the engine renders with the model's own chat template.

    tools: for a template that has a place for them; the worker has written them into a turn where it has none.
    """

    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...] = ()


class Raw(Struct, frozen=True, tag="raw"):
    """A prompt that goes to the tokenizer as it is, special tokens included."""

    text: str


Prompt = Chat | Raw


class Sampling(Struct, frozen=True):
    """How to choose tokens. None means: what the model's own files or its catalogue entry recommend.

    max_tokens: at most this many new tokens; None: as many as the context window holds.
    temperature: 0 is greedy. stop: strings that end the answer; handled by the worker, engines may ignore them.
    logprobs: whether the log-probability of each chosen token is wanted (engines may charge speed for it).
    top_logprobs: how many alternatives for each token, up to MAX_TOP. schema: a JSON schema as JSON text; the answer is one
    JSON value that it allows. keep: whether the context stays after Done, for `score`, until the request is cancelled; what
    ends at a stop string has gone past it, and is not kept.
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
    schema: str | None = None
    keep: bool = False


MAX_TOP: Final = 20
"""Alternatives for a token: what OpenAI's protocol allows."""


class Capabilities(Struct, frozen=True):
    """What an engine can do; callers degrade by it.

    parallel: how many requests it steps together. logprobs: `none`, `chosen` (the sampled token's only), `top` (top-k).
    schema: answers can be held to a JSON schema. score: it is a Scorer.
    """

    parallel: int
    logprobs: Literal["none", "chosen", "top"]
    seed: bool
    penalties: bool
    schema: bool = False
    score: bool = False


class Token(Struct, frozen=True):
    """One generated token.

    piece: its exact bytes, which may be part of a character; special tokens have empty pieces.
    logprob: natural log of its probability under the model, None if not asked for. top: (bytes, logprob) alternatives.
    entropy: of the whole distribution that it came from, in nats; None where the engine doesn't see it, or wasn't asked.
    """

    piece: bytes
    logprob: float | None = None
    top: tuple[tuple[bytes, float], ...] = ()
    entropy: float | None = None


class Done(Struct, frozen=True):
    """The end of a request. reason: `stop` (end-of-turn token) or `length` (max_tokens or the window reached)."""

    reason: Literal["stop", "length"]


class Engine(Protocol):
    """One loaded model. Not thread-safe: one thread calls everything."""

    capabilities: Capabilities
    context_tokens: int
    """The window for prompt and answer together, in tokens."""
    device: str
    """What it runs on, in the runtime's own name: CPU, GPU.0, NPU."""
    chat_template: str
    """The model's own, as its file holds it; empty if it has none."""

    def start(self, id: int, prompt: Prompt, sampling: Sampling) -> int:
        """Put a request in and return the length of its prompt in tokens.

        Raises ContextTooLong if the prompt leaves no room for one new token, BadPrompt if the chat template refuses it,
        BadSchema if the answer can't be held to `sampling.schema`.
        """
        ...

    def step(self) -> list[tuple[int, Token | Done]]:
        """Advance all requests. Each gets at most one Token; Done follows a request's last Token, once.

        An empty list is allowed (a long prompt is being read). Raises Broken if the engine can't go on.
        """
        ...

    def cancel(self, id: int) -> None:
        """Take a request out; no more is heard of it. An unknown or finished id is ignored."""
        ...

    def close(self) -> None:
        """Give memory back. The engine is not used after it."""
        ...


@runtime_checkable
class Scorer(Protocol):
    """An engine that can tell how likely a continuation is, on the context that a request has in its cache."""

    def score(self, id: int, continuations: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """Natural logs of the probabilities of each continuation's tokens, were it to follow what was written so far.

        id: in flight, or done and kept. The request goes on as if nothing had been asked. Raises Broken.
        """
        ...


@runtime_checkable
class Interruptible(Protocol):
    """An engine that can leave a native call for a request that nobody waits for any more."""

    def heed(self, cancelled: Callable[[int], bool]) -> None:
        """Ask `cancelled(id)`, from any thread, while a prompt is read; `cancel` follows for those that it affirms."""
        ...


class EngineError(Exception):
    """Base of what an engine or model file can refuse. The message names the remedy and never the user's words."""


class NotInstalled(EngineError):
    """The engine's library or the model's file is not on this machine."""


class Unavailable(EngineError):
    """The engine is here and can't serve this model on this machine: a bad file, a missing device."""


class Broken(EngineError):
    """The engine stopped in mid-work and has to be started anew."""


class BadPrompt(EngineError):
    """The model's chat template can't express this conversation."""


class BadSchema(EngineError):
    """The answer can't be held to this JSON schema."""


class TextTooLong(EngineError):
    """A text that a model has to read at once does not fit its window."""


class Unseen(EngineError):
    """A picture can't be decoded within the limits. code: why, as `edge_models.vision.pixels` has it."""

    def __init__(self, code: str) -> None:
        super().__init__(f"the picture can't be looked at: {code}")
        self.code = code


class ContextTooLong(EngineError):
    """The prompt does not fit the context window."""

    def __init__(self, prompt_tokens: int, context_tokens: int) -> None:
        super().__init__(f"the prompt is {prompt_tokens} tokens long and the model's window holds {context_tokens}")
        self.prompt_tokens = prompt_tokens
        self.context_tokens = context_tokens
