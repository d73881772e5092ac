"""What Ollama's two ways of asking have in common: options, formats, durations, pictures, and the shape of an error."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any, Final

import msgspec

from daemon.errors import BadRequest
from daemon.protocols.base import Envelope, Habits, Problem
from daemon.protocols.openai_fields import OTHER, checked_schema, ignored, stops, unknown
from daemon.protocols.reading import explain
from providers import contract
from providers.contract import Image, Request, Sampling, Thinking
from providers.wire import ollama as wire

LATEST: Final = ":latest"
HABITS: Final = Habits(untyped=True)
_NEUTRAL_TO_OURS: Final = {
    "schema": "format",
    "thinking": "think",
    "max_tokens": "num_predict",
    "keep_s": "keep_alive",
    "thoughts": "messages.thinking",
    "top_k": "options.top_k",
}
_LEFT_ASIDE: Final = frozenset(
    {
        "draft_num_predict",
        "f16_kv",
        "logits_all",
        "low_vram",
        "main_gpu",
        "min_p",
        "mirostat",
        "mirostat_eta",
        "mirostat_tau",
        "num_batch",
        "num_ctx",
        "num_gpu",
        "num_keep",
        "num_thread",
        "numa",
        "penalize_newline",
        "repeat_last_n",
        "repeat_penalty",
        "tfs_z",
        "typical_p",
        "use_mlock",
        "use_mmap",
        "vocab_only",
    }
)
"""Ollama's options that this daemon does not honour: window and hardware are the user's to choose, not a client's."""
_HONOURED: Final = frozenset(wire.Options.__struct_fields__)
_INTEGERS: Final = frozenset({"num_predict", "seed", "top_k"})
_EFFORTS: Final = frozenset({"low", "medium", "high"})
_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_STEP: Final = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_DURATION: Final = re.compile(rf"([+-]?)((?:{_STEP.pattern})+)", re.ASCII)
_MAGIC: Final = ((b"\x89PNG", "png"), (b"\xff\xd8\xff", "jpeg"), (b"GIF8", "gif"), (b"BM", "bmp"))
_encode: Final = msgspec.json.Encoder().encode


def field(neutral: str) -> str:
    """Ollama's name of a neutral field."""
    return _NEUTRAL_TO_OURS.get(neutral, neutral)


def refusal(problem: Problem) -> bytes:
    """Ollama's error, with our code beside it. It has no place for the field at fault, which the message names."""
    name = field(problem.parameter) if problem.parameter else None
    message = problem.message if name is None or name in problem.message else f"{name}: {problem.message}"
    return _encode(wire.Error(message, problem.code))


def request(
    asked: wire.ChatRequest | wire.GenerateRequest,
    body: bytes,
    envelope: Envelope,
    protocol: str,
    messages: tuple[contract.Message, ...],
    tools: tuple[contract.Tool, ...] = (),
) -> Request:
    """What both ways of asking become. Raises BadRequest."""
    if asked.top_logprobs and not asked.logprobs:
        raise BadRequest("top_logprobs needs logprobs: true", "top_logprobs")
    sampling, aside = _sampling(asked)
    others = ignored(unknown(body, frozenset(type(asked).__struct_fields__)), frozenset())
    return Request(
        id=envelope.id,
        model=asked.model.removesuffix(LATEST) or asked.model,
        messages=messages,
        protocol=protocol,
        sampling=sampling,
        tools=tools,
        schema=_schema(asked.format),
        session=envelope.session,
        project=envelope.project,
        client=envelope.client,
        reach=envelope.reach,
        deadline=envelope.deadline,
        stream=asked.stream is not False,
        ignored=tuple(dict.fromkeys((*aside, *others))),
        thinking=_thinking(asked.think),
        keep_s=seconds(asked.keep_alive),
    )


def _sampling(asked: wire.ChatRequest | wire.GenerateRequest) -> tuple[Sampling, list[str]]:
    """How to choose tokens, and the names of options that are left aside."""
    given = {name: value for name, value in (asked.options or {}).items() if value is not None}
    known = {name: _whole(name, value) for name, value in given.items() if name in _HONOURED}
    try:
        options = msgspec.convert(known, wire.Options)
    except msgspec.ValidationError as error:
        message, parameter = explain(str(error))
        raise BadRequest(f"options.{message}", f"options.{parameter}") from error
    aside = [f"options.{name}" if name in _LEFT_ASIDE else OTHER for name in given if name not in _HONOURED]
    return Sampling(
        max_tokens=options.num_predict if options.num_predict is not None and options.num_predict > 0 else None,
        temperature=options.temperature,
        top_p=options.top_p,
        seed=options.seed if options.seed != -1 else None,  # their word for: draw one
        stop=stops(options.stop),
        presence_penalty=options.presence_penalty or 0.0,
        frequency_penalty=options.frequency_penalty or 0.0,
        logprobs=bool(asked.logprobs),
        top_logprobs=asked.top_logprobs or 0,
        top_k=options.top_k or None,  # 0: of all
    ), aside


def _whole(name: str, value: Any) -> Any:
    """Ollama takes 128.0 for 128, and some clients know no other numbers."""
    return int(value) if name in _INTEGERS and isinstance(value, float) and value.is_integer() else value


def _schema(format: wire.Format | None) -> dict[str, Any] | None:
    match format:
        case None | "":
            return None
        case "json":
            return {"type": "object"}
        case dict():
            return checked_schema(format, "format", "format")
        case _:
            raise BadRequest("format is json or a JSON schema", "format")


def _thinking(think: wire.Think | None) -> Thinking | None:
    match think:
        case None | "":
            return None
        case bool():
            return Thinking(on=think)
        case _ if think in _EFFORTS:
            return Thinking(on=True, effort=think)
        case _:
            raise BadRequest("think is true, false, low, medium or high", "think")


def seconds(duration: wire.Duration | None) -> float | None:
    """A number of seconds, or Go's form of a duration; what is negative means for ever. Raises BadRequest."""
    if duration is None or duration == "":
        return None
    if isinstance(duration, str):
        if re.fullmatch(r"[+-]?\d{1,12}", duration, re.ASCII):  # Ollama wants a unit; a number can't mean anything else
            duration = float(duration)
        elif found := _DURATION.fullmatch(duration):
            steps = sum(float(number) * _UNITS[unit] for number, unit in _STEP.findall(found[2]))
            duration = -steps if found[1] == "-" else steps
        else:
            raise BadRequest("keep_alive is a number of seconds, or a duration such as 5m or 1h30m", "keep_alive")
    return duration if duration >= 0 else float("inf")


def pictures(images: tuple[str, ...] | None, where: str) -> tuple[Image, ...]:
    """Base64 pictures as data URLs. Raises BadRequest for what is none."""
    return tuple(_picture(image, f"{where}[{place}]") for place, image in enumerate(images or ()))


def _picture(image: str, where: str) -> Image:
    if image.startswith("data:image/"):
        return Image(image)
    try:
        data = base64.b64decode(image, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadRequest(f"{where} is not base64", where) from error
    kind = next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        kind = "webp"
    if kind is None:
        raise BadRequest(f"{where} is no PNG, JPEG, WebP, GIF or BMP picture", where)
    return Image(f"data:image/{kind};base64,{image}")
