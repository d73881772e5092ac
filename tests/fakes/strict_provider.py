"""A provider's server that takes only what its protocol's documentation allows, and fails in each way that is known.

What it says is in `tests/recorded/providers/FAMILY`: `server.json` says where it is asked, how its key is written and whose
types a request has to have; `NAME.sse` (or `.ndjson`) and `NAME.json` are an answer as a stream and whole, `error_STATUS.json`
refusals, and `expected.json` what each of them means. A new family is a folder more.
"""

from __future__ import annotations

import importlib
import json
import random
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from providers.sse import LIMIT_BYTES
from tests.fakes.upstream import Answer, Cut, Pause, Received, Upstream, as_json

FOLDER: Final = Path(__file__).resolve().parents[1] / "recorded" / "providers"
FAMILIES: Final = tuple(sorted(path.name for path in FOLDER.iterdir()))


class Server(Struct, frozen=True):
    """How a protocol's server is asked. path: a pattern of all of it. key: how the header has it. request: `module:Type`.
    answers: of which other family's its words are. streams: how a request asks for a stream: by a field of its body, by a
    pattern of its path, or unless it says false.
    """

    path: str
    key_header: str
    key: str
    request: str
    stream_field: str | None = "stream"
    stream_path: str | None = None
    stream_default: bool = False
    version: str = "/v1"
    answers: str | None = None
    suffix: str = "sse"
    media: str = "text/event-stream"


@cache
def server_of(family: str) -> Server:
    told = json.loads((FOLDER / family / "server.json").read_text())
    return Server(**{name: value for name, value in told.items() if name in Server.__struct_fields__})


@cache
def expected_of(family: str) -> dict[str, dict[str, Any]]:
    return dict(json.loads((FOLDER / (server_of(family).answers or family) / "expected.json").read_text()))


@cache
def recorded(family: str, name: str) -> bytes:
    return (FOLDER / (server_of(family).answers or family) / name).read_bytes()


@cache
def _adapter(request: str) -> TypeAdapter[Any]:
    module, _, name = request.partition(":")
    shape = getattr(importlib.import_module(module), name)
    is_model = isinstance(shape, type) and issubclass(shape, BaseModel)
    return TypeAdapter(shape) if is_model else TypeAdapter(shape, config=ConfigDict(extra="forbid"))


def faults_of(request: Received, family: str, key: str) -> Answer | None:
    """A refusal if the request is none that the documentation allows; None: it is."""
    server = server_of(family)
    if request.method != "POST" or not re.fullmatch(server.path, request.path.partition("?")[0]):
        return as_json({"error": {"message": f"no such path: {request.path}", "type": "not_found_error"}}, 404)
    if request.headers.get(server.key_header) != server.key.format(key=key):
        return as_json({"error": {"message": "no key", "type": "authentication_error", "code": "invalid_api_key"}}, 401)
    if request.headers.get("content-type") != "application/json":
        return as_json({"error": {"message": "no JSON", "type": "invalid_request_error"}}, 415)
    try:
        _walk(_adapter(server.request).validate_python(json.loads(request.body)))
    except (ValidationError, ValueError) as error:
        return as_json({"error": {"message": str(error)[:2000], "type": "invalid_request_error"}}, 400)
    return None


def _walk(value: Any) -> None:
    """pydantic checks what is only iterable when it is read."""
    if isinstance(value, Mapping):
        for each in value.values():
            _walk(each)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes | BaseModel):
        for each in value:
            _walk(each)


def wants_stream(request: Received, family: str) -> bool:
    server = server_of(family)
    if server.stream_path is not None:
        return bool(re.search(server.stream_path, request.path))
    return bool(request.json.get(server.stream_field, server.stream_default))


# ---- how it fails ---------------------------------------------------------------------------------------------------

ANSWERS: Final = frozenset({"none", "slow", "duplicates"})
"""Those after which there is a whole answer all the same."""
STATUSES: Final[dict[str, tuple[int, dict[str, str]]]] = {
    "429": (429, {}),
    "429-after": (429, {"retry-after": "0"}),
    "429-long": (429, {"retry-after": "3600"}),
    "500": (500, {}),
    "502": (502, {}),
    "503": (503, {}),
    "504": (504, {}),
    "529": (529, {}),
    "402": (402, {}),
}
FAULTS: Final = (
    "none", *STATUSES, "silence", "cut-head", "cut-body", "cut-frame", "ends-early", "slow", "garbage", "garbage-inside",
    "duplicates", "oversized", "redirect", "empty",
)  # fmt: skip


def answering(fault: str, body: bytes, media: str, echo: str, seed: int = 0) -> Answer:
    """An answer, and what becomes of it. echo: words of the request, which careless servers quote in what they refuse."""
    headers = {"content-type": media}
    half = max(1, len(body) // 2)
    if fault in STATUSES:
        status, more = STATUSES[fault]
        error = {"message": f"failed on: {echo}", "type": "insufficient_quota" if fault == "402" else "some_error"}
        return as_json({"error": error}, status, **{name.replace("-", "_"): value for name, value in more.items()})
    match fault:
        case "none":
            return Answer((body,), headers=headers)
        case "silence":
            return Answer((Pause(),), headers=headers)
        case "cut-head":
            return Answer((b"HTTP/1.1 200 OK\r\ncontent-ty", Cut()), raw=True)
        case "cut-body":
            return Answer((body[:half], Cut()), headers=headers)
        case "cut-frame":
            return Answer((body.rstrip()[:-7], Cut()), headers=headers)
        case "ends-early":
            return Answer((_before_last(body, media),), headers=headers)
        case "slow":
            return Answer(tuple(body[at : at + 1] for at in range(len(body))), headers=headers)
        case "garbage":
            return Answer((f"<html>{echo}</html>".encode(),), headers={"content-type": "text/html"})
        case "garbage-inside":
            noise = random.Random(seed).randbytes(40).hex().encode()
            return Answer((body[:half], b"\n\ndata: {" + noise + b"\n\n", body[half:]), headers=headers)
        case "duplicates":
            return Answer((_doubled(body, media),), headers=headers)
        case "oversized":
            step = b"x" * (1 << 20)
            return Answer((b"data: ", *([step] * (LIMIT_BYTES // len(step) + 1)), b"\n\n"), headers=headers)
        case "redirect":
            return Answer((), 307, {"location": "http://127.0.0.1:9/elsewhere"})
        case "empty":
            return Answer((), headers=headers)
    raise AssertionError(fault)


def _before_last(body: bytes, media: str) -> bytes:
    """Without what says that it ended: of a stream its last two events, of a whole answer its end."""
    if media == "application/json":
        return body[: len(body) // 2]
    between = b"\n\n" if "event-stream" in media else b"\n"
    return between.join(body.rstrip().split(between)[:-3]) + between


def _doubled(body: bytes, media: str) -> bytes:
    """Each event that says how it stands comes twice; words come once, since the same again may be meant so."""
    if media == "application/json":
        return body
    between = b"\n\n" if "event-stream" in media else b"\n"
    events = [event for event in body.split(between) if event]
    numbered = b'"sequence_number"' in body
    return (
        between.join([*events, events[-1]] if not numbered else [each for event in events for each in (event, event)])
        + between
    )


class StrictProvider(Upstream):
    """One family's server. A request is failed as its path says: `/FAULT/v1/…`. told: what was answered, by the fault."""

    def __init__(self, family: str, key: str) -> None:
        super().__init__()
        self.family = family
        self.key = key
        self.refused: list[Answer] = []

    def url_of(self, fault: str) -> str:
        """The address of a provider that fails so."""
        return f"{self.scheme}://127.0.0.1:{self.port}/{fault}{server_of(self.family).version}"

    def choose(self, request: Received) -> Answer:
        _, fault, rest = request.path.split("/", 2)
        asked = Received(request.method, f"/{rest}", request.headers, request.body, request.connection)
        if (refusal := faults_of(asked, self.family, self.key)) is not None:
            self.refused.append(refusal)
            return refusal
        return answering(fault, *self.said(asked), echo=f"{asked.body.decode(errors='replace')[:900]} {self.key}")

    def said(self, request: Received) -> tuple[bytes, str]:
        """An answer's body and its kind."""
        server = server_of(self.family)
        if wants_stream(request, self.family):
            return recorded(self.family, f"text.{server.suffix}"), server.media
        return recorded(self.family, "text.json"), "application/json"
