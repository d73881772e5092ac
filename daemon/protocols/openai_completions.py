"""OpenAI's legacy Completions, read and written. The prompt is a user's turn: models are asked in their own chat form."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from daemon.errors import BadRequest
from daemon.protocols import openai_chat, openai_fields
from daemon.protocols.base import Envelope, Habits, Problem
from daemon.protocols.openai_fields import ignored, stops, unknown
from daemon.protocols.reading import read_as
from providers import contract
from providers.contract import (
    BadAnswer,
    Delta,
    Finish,
    Message,
    Progress,
    Request,
    Response,
    Sampling,
    Text,
    TextDelta,
    ThoughtDelta,
)
from providers.wire import openai_completions as wire

NAME: Final = "openai-completions"
PATH: Final = "/v1/completions"
AREAS: tuple[str, ...] = (PATH,)
HABITS: Final = Habits(statuses=openai_fields.STATUSES)

_decode: Final = msgspec.json.Decoder(wire.CompletionRequest).decode
_encode: Final = msgspec.json.Encoder().encode
_KNOWN: Final = frozenset(wire.CompletionRequest.__struct_fields__)
_DOCUMENTED: Final = frozenset({"logit_bias", "user"})
_NEUTRAL_TO_OURS: Final = {"choices": "n", "messages": "prompt", "top_logprobs": "logprobs"}


def field(neutral: str) -> str:
    """OpenAI's name of a neutral field."""
    return _NEUTRAL_TO_OURS.get(neutral, neutral)


def read(body: bytes, envelope: Envelope) -> Request:
    """Understand a request. Raises BadRequest with the field at fault."""
    asked = read_as(_decode, body)
    extras = unknown(body, _KNOWN)
    _check(asked)
    return Request(
        id=envelope.id,
        model=asked.model,
        messages=(Message("user", (Text(_prompt(asked.prompt)),)),),
        protocol=NAME,
        sampling=Sampling(
            max_tokens=asked.max_tokens,
            temperature=asked.temperature,
            top_p=asked.top_p,
            seed=asked.seed,
            stop=stops(asked.stop),
            presence_penalty=asked.presence_penalty or 0.0,
            frequency_penalty=asked.frequency_penalty or 0.0,
            logprobs=asked.logprobs is not None,
            top_logprobs=asked.logprobs or 0,
            choices=asked.n or 1,
        ),
        session=envelope.session,
        project=envelope.project,
        client=envelope.client,
        reach=envelope.reach,
        deadline=envelope.deadline,
        stream=bool(asked.stream),
        include_usage=bool(asked.stream_options and asked.stream_options.include_usage),
        extras={name: value for name, value in extras.items() if name == "user"},
        ignored=(*_aside(asked), *ignored(extras, _DOCUMENTED)),
    )


def _aside(asked: wire.CompletionRequest) -> tuple[str, ...]:
    """What of known fields changes nothing here."""
    return ("stream_options",) if asked.stream_options and asked.stream_options.include_obfuscation else ()


def _check(asked: wire.CompletionRequest) -> None:
    """Refuse what would make another answer than the client waits for."""
    if asked.echo:
        raise BadRequest("echo: prompts are not said again: leave it out, and put the prompt in front yourself", "echo")
    if asked.suffix:
        raise BadRequest("suffix: text can't be filled in here, only answered: leave it out", "suffix")
    if asked.best_of is not None and asked.best_of > (asked.n or 1):
        raise BadRequest("best_of: answers are not made to be thrown away: leave it out", "best_of")


def _prompt(given: str | list[Any] | None) -> str:
    match given:
        case str() | [str()]:
            return given if isinstance(given, str) else str(given[0])
        case None | []:
            raise BadRequest("prompt is missing", "prompt")
        case list() if all(isinstance(each, str) for each in given):
            raise BadRequest("prompt: one text a request: ask once for each", "prompt")
        case _:
            raise BadRequest(
                "prompt: tokens are numbers of one tokenizer, and another one reads here: send the text itself",
                "prompt",
            )


class CompletionWriter:
    """Writes one answer."""

    media_type = "text/event-stream"

    def __init__(self, request: Request, envelope: Envelope) -> None:
        self._id = f"cmpl-{request.id}"
        self._created = envelope.created_s
        self._include_usage = request.include_usage
        self._top = request.sampling.top_logprobs > 0
        self._usages: list[contract.Usage] = []
        self._offsets: dict[int, int] = {}
        self._model = request.model

    def feed(self, delta: Delta, answered_by: str) -> bytes:
        """The frames for one delta."""
        self._model = answered_by
        match delta:
            case TextDelta(text=text, logprobs=logprobs, choice=choice):
                return self._chunk(wire.Choice(choice, text, self._logprobs(logprobs, choice)))
            case ThoughtDelta(text=text, choice=choice):
                return self._chunk(wire.Choice(choice, "", reasoning_content=text)) if text else b""
            case Finish(reason=reason, usage=usage, choice=choice):
                self._usages.append(usage)
                return self._chunk(wire.Choice(choice, "", finish_reason=reason))
            case Progress():
                return self.heartbeat()
            case contract.ToolCallDelta():
                raise BadAnswer("the model called a tool, and none was offered: ask again")

    def _chunk(self, choice: wire.Choice) -> bytes:
        usage: UnsetType | None = None if self._include_usage else UNSET
        return _frame(wire.Completion(self._id, self._created, self._model, [choice], usage))

    def end(self) -> bytes:
        """The usage chunk if it was asked for, and the end mark."""
        usage = b""
        if self._include_usage and self._usages:
            told = openai_chat.usage_of(contract.total(self._usages))
            usage = _frame(wire.Completion(self._id, self._created, self._model, [], told))
        return usage + b"data: [DONE]\n\n"

    def heartbeat(self) -> bytes:
        """A comment, which event-stream readers skip."""
        return b": nearloop is at work\n\n"

    def failed(self, problem: Problem) -> bytes:
        """The data frame that SDKs raise as an error."""
        return b"data: " + refusal(problem) + b"\n\n"

    def whole(self, response: Response, answered_by: str) -> bytes:
        """One `text_completion` object."""
        choices = [self._whole(place, choice) for place, choice in enumerate(response.choices)]
        told = openai_chat.usage_of(response.usage)
        return _encode(wire.Completion(self._id, self._created, answered_by, choices, told))

    def _whole(self, place: int, choice: contract.Choice) -> wire.Choice:
        text = "".join(part.text for part in choice.parts if isinstance(part, Text))
        thought = "".join(part.text for part in choice.parts if isinstance(part, contract.Thought))
        logprobs = self._logprobs(choice.logprobs, place)
        return wire.Choice(place, text, logprobs, choice.reason, thought or UNSET)

    def _logprobs(self, logprobs: tuple[contract.Logprob, ...], choice: int) -> wire.Logprobs | None:
        if not logprobs:
            return None
        offset = self._offsets.get(choice, 0)
        tokens, offsets = [], []
        for token in logprobs:
            tokens.append(_piece(token.piece))
            offsets.append(offset)
            offset += len(tokens[-1])
        self._offsets[choice] = offset
        tops = [{_piece(top.piece): top.logprob for top in token.top} for token in logprobs] if self._top else None
        return wire.Logprobs(tokens, [token.logprob for token in logprobs], tops, offsets)


def _piece(piece: bytes) -> str:
    return piece.decode(errors="replace")


def writer(request: Request, envelope: Envelope) -> CompletionWriter:
    """For the answer to one request."""
    return CompletionWriter(request, envelope)


def _frame(chunk: wire.Completion) -> bytes:
    return b"data: " + _encode(chunk) + b"\n\n"


def refusal(problem: Problem) -> bytes:
    """OpenAI's error object."""
    return openai_fields.refusal(problem, field(problem.parameter) if problem.parameter else None)
