"""The worker protocol: length-prefixed msgpack frames on a pair of pipes.

A frame is a 4-byte big-endian length and that many bytes of msgpack. The daemon sends Commands on the worker's standard
input; the worker answers with Events on its standard output, of which it keeps a private copy while descriptor 1 is
turned to standard error, so that nothing a native library prints can break the stream. The first command is Load, the
first event Hello, unless the engine is unknown; then any number of Loading, and one Ready or Failed(id=None). End of
input ends the worker.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec import Struct

from edge_models.catalog import ModelRef
from edge_models.engines.base import Capabilities, Prompt, Sampling, Stage

PROTOCOL: Final = 3
HEADER_BYTES: Final = 4
MAX_FRAME_BYTES: Final = 64 * 1024 * 1024


class Load(Struct, frozen=True, tag="load"):
    """Which model to load; the one first command. cache_dir: where engines keep the files that they make of it.

    memory_cap_bytes: what the process may take at most; None: what there is.
    """

    model: ModelRef
    cache_dir: str
    memory_cap_bytes: int | None = None


class Start(Struct, frozen=True, tag="start"):
    """Begin a request. id: chosen by the daemon, never reused within one worker.

    tool_choice: whether the tools of a chat may be called (auto) or one has to be (required, or its name).
    """

    id: int
    prompt: Prompt
    sampling: Sampling
    tool_choice: str = "auto"


class Cancel(Struct, frozen=True, tag="cancel"):
    """Forget a request."""

    id: int


class Count(Struct, frozen=True, tag="count"):
    """Ask how long a prompt is, as Start would report it. id: as for Start."""

    id: int
    prompt: Prompt


class Score(Struct, frozen=True, tag="score"):
    """Ask how likely continuations of a request are, in flight or kept after its end."""

    id: int
    continuations: tuple[str, ...]


Command = Load | Start | Cancel | Count | Score


class Hello(Struct, frozen=True, tag="hello"):
    """The worker's first words. versions: package name to version, of what the engine runs on.

    confinement: what holds it, in the words of `confinement/process.py`.
    """

    protocol: int
    engine: str
    versions: dict[str, str]
    pid: int
    confinement: tuple[str, ...] = ()


class Loading(Struct, frozen=True, tag="loading"):
    """Progress before Ready. fraction: 0 to 1 of this stage, or None where it can't be told."""

    stage: Stage
    fraction: float | None


class Ready(Struct, frozen=True, tag="ready"):
    """The model is loaded. context_tokens: the window for prompt and answer together."""

    capabilities: Capabilities
    context_tokens: int
    device: str


class Started(Struct, frozen=True, tag="started"):
    """A request was taken in. prompt_tokens: the length of its rendered prompt."""

    id: int
    prompt_tokens: int


class TokenInfo(Struct, frozen=True, array_like=True):
    """A token for those who asked for log-probabilities. piece: its exact bytes. entropy: in nats, where it is known."""

    piece: bytes
    logprob: float
    top: tuple[tuple[bytes, float], ...] = ()
    entropy: float | None = None


class Text(Struct, frozen=True, array_like=True, tag="text"):
    """New text of one request: whole characters, nothing that could still become a stop string.

    tokens: the ones behind it, if log-probabilities were asked for.
    """

    id: int
    text: str
    tokens: tuple[TokenInfo, ...] = ()


class Called(Struct, frozen=True, array_like=True, tag="called"):
    """The model calls a tool. arguments: JSON text. tokens: as with Text; of calls that are written as one block, the first
    has those of all.
    """

    id: int
    name: str
    arguments: str
    tokens: tuple[TokenInfo, ...] = ()


class End(Struct, frozen=True, array_like=True, tag="end"):
    """The end of one request. completion_tokens counts every generated token, stop tokens included. stop: the stop string
    that was found.
    """

    id: int
    reason: Literal["stop", "length", "tool_calls"]
    completion_tokens: int
    stop: str | None = None


class Counted(Struct, frozen=True, tag="counted"):
    """The answer to one Count."""

    id: int
    prompt_tokens: int


class Scored(Struct, frozen=True, tag="scored"):
    """The answer to one Score: natural logs of the probabilities of each continuation's tokens."""

    id: int
    logprobs: tuple[tuple[float, ...], ...]


class Failed(Struct, frozen=True, tag="failed"):
    """A request, or the loading (id None), was refused. kind: the EngineError's class name.

    numbers: what the error carries besides words: (prompt_tokens, context_tokens) for ContextTooLong.
    """

    id: int | None
    kind: str
    message: str
    numbers: tuple[int, ...] = ()


class Batch(Struct, frozen=True, tag="batch"):
    """What one engine step brought, in order: one frame a step, however many requests are in flight.

    Without events it is a sign of life: the worker reads a long prompt.
    """

    events: tuple[Text | Called | End, ...]


Event = Hello | Loading | Ready | Started | Failed | Counted | Scored | Batch

_encoder: Final = msgspec.msgpack.Encoder()
decode_command: Final = msgspec.msgpack.Decoder(Command).decode
decode_event: Final = msgspec.msgpack.Decoder(Event).decode


def frame(message: Command | Event) -> bytes:
    """One message as a whole frame. Raises ValueError if it is larger than MAX_FRAME_BYTES."""
    return framed(_encoder.encode(message))


def framed(body: bytes) -> bytes:
    """A message's bytes behind their length. Raises ValueError if there are more than MAX_FRAME_BYTES."""
    if len(body) > MAX_FRAME_BYTES:
        raise ValueError(f"a worker message of {len(body)} bytes is over the limit of {MAX_FRAME_BYTES}")
    return len(body).to_bytes(HEADER_BYTES, "big") + body


def body_length(header: bytes) -> int:
    """The length that a frame's header announces. Raises ValueError if it is over the limit."""
    length = int.from_bytes(header, "big")
    if length > MAX_FRAME_BYTES:
        raise ValueError(f"a worker message of {length} bytes is over the limit of {MAX_FRAME_BYTES}")
    return length
