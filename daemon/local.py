"""A local model as an answerer: the neutral model in the engine's terms, and the engine's events as deltas."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing

import msgspec

from daemon.worker_process import WorkerProcess
from edge_models.engines import base
from edge_models.ipc import End, Started, Text
from providers.contract import (
    Alternative,
    Deltas,
    Finish,
    Image,
    Logprob,
    Message,
    Part,
    Request,
    TextDelta,
    Thought,
    ToolCall,
    ToolResult,
    Unsupported,
    Usage,
)
from providers.contract import File as FilePart
from providers.contract import Text as TextPart


def not_honoured(request: Request, capabilities: base.Capabilities) -> tuple[str, ...]:
    """Fields, by neutral name, that a local model leaves aside without changing what the answer means.

    Raises Unsupported for those that the client relies on.
    """
    sampling = request.sampling
    if sampling.choices != 1:
        raise Unsupported("choices", "a local model gives one answer a request: ask once for each")
    if request.schema is not None:
        raise Unsupported("schema", "this local model can't be held to a format: leave it out, and check the answer")
    if sampling.logprobs and capabilities.logprobs == "none":
        raise Unsupported("logprobs", "this model's engine gives no log-probabilities")
    if sampling.top_logprobs and capabilities.logprobs != "top":
        raise Unsupported(
            "top_logprobs", "this model's engine gives the chosen token's log-probability only: ask for 0 alternatives"
        )
    if request.tools and request.tool_choice not in ("auto", "none"):
        raise Unsupported("tool_choice", "this local model can't call tools: it can't be made to")
    aside = []
    if request.tools and request.tool_choice == "auto":
        aside.append("tools")
    if sampling.seed is not None and not capabilities.seed:
        aside.append("seed")
    if not capabilities.penalties:
        aside += [name for name in ("presence_penalty", "frequency_penalty") if getattr(sampling, name)]
    return tuple(aside)


def prompt_of(messages: tuple[Message, ...]) -> base.Chat:
    """The conversation as a chat template takes it. Raises Unsupported for parts that a text model can't read."""
    return base.Chat(tuple(base.Turn(message.role, _text(message.parts)) for message in messages))


def _text(parts: tuple[Part, ...]) -> str:
    words: list[str] = []
    for part in parts:
        match part:
            case TextPart(text=text):
                words.append(text)
            case ToolCall(name=name, arguments=arguments):
                words.append(f'{{"name": {msgspec.json.encode(name).decode()}, "arguments": {arguments or "{}"}}}')
            case ToolResult(parts=inner):
                words.append(_text(inner))
            case Thought():
                pass  # earlier reasoning is not part of the conversation
            case Image():
                raise Unsupported("messages", "this model reads text only: leave the image out")
            case FilePart():
                raise Unsupported("messages", "this model reads text only: leave the file out")
    return "\n".join(words)


def sampling_of(request: Request) -> base.Sampling:
    """How the engine shall choose tokens."""
    wanted = request.sampling
    return base.Sampling(
        max_tokens=wanted.max_tokens,
        temperature=wanted.temperature,
        top_p=wanted.top_p,
        seed=wanted.seed,
        stop=wanted.stop,
        presence_penalty=wanted.presence_penalty,
        frequency_penalty=wanted.frequency_penalty,
        logprobs=wanted.logprobs,
    )


async def stream(worker: WorkerProcess, request: Request, ended: Callable[[], None] = lambda: None) -> Deltas:
    """Answer a request with a local model. Raises ProviderError.

    ended: called when the worker is done with it, which may be long before a slow reader is.
    """
    prompt_tokens = 0
    async with aclosing(worker.generate(prompt_of(request.messages), sampling_of(request), ended)) as events:
        async for event in events:
            match event:
                case Started():
                    prompt_tokens = event.prompt_tokens
                case Text(text=text, tokens=tokens):
                    logprobs = tuple(
                        Logprob(token.piece, token.logprob, tuple(Alternative(*pair) for pair in token.top))
                        for token in tokens
                    )
                    yield TextDelta(text, logprobs)
                case End(reason=reason, completion_tokens=completion_tokens):
                    yield Finish(reason, Usage(prompt_tokens, completion_tokens))
