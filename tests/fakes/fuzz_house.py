"""A whole daemon in this process, without sockets, that is asked what the fuzzer makes, and what has to hold of each answer."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import re
import traceback
import warnings
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from litestar.exceptions import LitestarDeprecationWarning
from msgspec import Struct

from daemon.app import Daemon
from daemon.callers import token_hash
from daemon.clock import SystemClock
from daemon.paths import paths
from daemon.settings import SettingsFile
from providers.cleared import Cleared, Crossing, Place, Returned, Witness
from providers.given_key import GivenKey
from providers.registry import provider_of
from providers.target import Target
from tests.fakes.fuzz_cases import AUTHORIZATION, TOKEN, Case, written
from tests.fakes.upstream import USAGE, frames, said

SETTINGS: Final = f"""
version = 1
[models.play]
path = ""
engine = "scripted"
[providers.near]
base_url = "http://127.0.0.1:9/v1"
models = ["big"]
place = "PLACE"
key = "env:NO_SUCH_VARIABLE"
[clients.fuzz]
token_hash = "{token_hash(TOKEN)}"
scopes = ["infer:local", "infer:cloud"]
[signals]
deadline_s = 100.0
"""
HONEST: Final = frozenset({"not_implemented", "signal_model_missing"})
"""Codes of 5xx that say what this daemon has not got, whoever asks: nobody's mistake."""
ANSWER_S: Final = 30.0
_KEPT_ID: Final = re.compile(rb'"id":"(resp_[0-9a-f]{16})"')
_now: Final[ContextVar[int]] = ContextVar("case")


class Fault(Struct, frozen=True):
    """What should not have been. shown: the beginning of the answer."""

    seed: int
    adapter: str
    why: str
    shown: str


# ---- who answers ----------------------------------------------------------------------------------------------------


class _Reply:
    """An answer of OpenAI's kind, streamed whatever was asked for."""

    status = 200
    is_a_page = False
    headers: Final = {"content-type": "text/event-stream"}

    def __init__(self) -> None:
        self._left = list(frames(said("so "), said("it is", "stop"), USAGE))

    async def chunk(self) -> bytes:
        return self._left.pop(0) if self._left else b""

    async def drain(self) -> None:
        pass

    def close(self) -> None:
        pass


class _NoNetwork:
    """In place of the HTTP client: holds what would be sent against JSON, keeps it for the case, and answers."""

    def __init__(self) -> None:
        self.sent: dict[int, list[bytes]] = {}

    async def post(
        self,
        cleared: Cleared,
        target: Target,
        path: str,
        body: bytes,
        headers: Any,
        crossed: Witness,
        key: str | None = None,
    ) -> _Reply:
        sent = json.loads(body.decode())
        assert sent["model"] and sent["messages"], "a provider would have been sent no request"
        self.sent.setdefault(_now.get(-1), []).append(body)
        ended = await crossed(Crossing("127.0.0.1", target.place, len(body), "0" * 64))
        ended(Returned(200, 0, True))
        return _Reply()


# ---- what is noticed ------------------------------------------------------------------------------------------------


class _Listener(logging.Handler):
    """Every log line of everybody, by the case that it was said in."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.said: dict[int, list[str]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        line = f"{record.levelname} {record.name}: {record.getMessage()}"
        if record.exc_info:
            line += "".join(traceback.format_exception(*record.exc_info))
        self.said.setdefault(_now.get(-1), []).append(line)


class House:
    """The daemon. `ask` gives what is wrong with its answer; None: nothing."""

    def __init__(self, daemon: Daemon, listener: _Listener, network: _NoNetwork, place: Place) -> None:
        self._daemon = daemon
        self._listener = listener
        self._network = network
        self._place = place
        self.crossings = 0
        """How often a provider was sent something."""
        self.statuses: dict[str, Counter[int]] = {}
        self._kept: dict[bool, tuple[str, str]] = {}
        """By whether it was asked with the token: an answer's name, and the name of its item."""

    async def keep_answers(self) -> None:
        """Have answers that requests can go on from."""
        kept = {}
        for token in (True, False):
            answer = await self.asked("/v1/responses", {"model": "local", "input": "remember"}, token)
            told = json.loads(answer.body)
            kept[token] = (told["id"], told["output"][0]["id"])
        self._kept = kept

    def addresses(self) -> list[tuple[str, str]]:
        """All that the daemon has, each with each method. Handlers that are plain ASGI take POST alone."""
        routes = self._daemon.app._app.routes  # type: ignore[attr-defined]
        found = [(re.sub(r":\w+}", "}", route.path), getattr(route, "methods", ())) for route in routes]
        return [(path, method) for path, methods in found for method in (methods or ("POST",))]

    async def asked(self, adapter: str, body: dict[str, Any], token: bool = True) -> Answer:
        """The answer to a right request."""
        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        if token:
            headers.append(AUTHORIZATION)
        method = "DELETE" if adapter == "/api/delete" else "POST"
        path = adapter.replace("{digest}", "sha256:0")
        made = Case(-1, adapter, method, path, b"", headers, written(body).replace("{W}", "words").encode(), "\0")
        return await self._exchange(self._filled(made) if self._kept else made)

    def _filled(self, case: Case) -> Case:
        """With names of answers that are kept for who asks."""
        kept, item = self._kept[AUTHORIZATION in case.headers]
        body = case.body.replace(b"{KEPT}", kept.encode()).replace(b"{ITEM}", item.encode())
        return case._replace(body=body, path=case.path.replace("{KEPT}", kept))

    async def ask(self, case: Case) -> Fault | None:
        case = self._filled(case)
        _now.set(case.seed)
        answer: Answer | None = None
        try:
            async with asyncio.timeout(ANSWER_S):
                answer = await self._exchange(case)
                why = wrong(case, answer) or await self._come_back(case, answer)
        except Exception as error:
            why = f"{type(error).__name__} escaped: {traceback.format_exc(limit=-4)}"
        sent = self._network.sent.pop(case.seed, [])
        self.crossings += len(sent)
        if self._place is not Place.DEVICE and any(case.words.encode() in body for body in sent):
            why = why or "private words left this machine"
        lines = self._listener.said.pop(case.seed, [])
        if why is None:
            why = next((f"logged: {line}" for line in lines if case.words in line or "ERROR" in line[:8]), None)
        status = answer.status if answer else 0
        self.statuses.setdefault(case.adapter, Counter())[status] += 1
        if why is None:
            return None
        shown = f"{status} {answer.body[:300]!r}" if answer else ""
        return Fault(case.seed, case.adapter, why, f"{shown} {lines[:3]}")

    async def _come_back(self, case: Case, answer: Answer) -> str | None:
        """What is wrong where a client comes back to a kept answer: reads it, reads what was asked, goes on from it."""
        found = _KEPT_ID.search(answer.body) if case.path == "/v1/responses" and answer.status == 200 else None
        if found is None:
            return None
        path = f"/v1/responses/{found[1].decode()}"
        on = b'{"model": "local", "input": "go on", "previous_response_id": "%b"}' % found[1]
        for later in (
            case._replace(method="GET", path=path, body=b""),
            case._replace(method="GET", path=f"{path}/input_items", body=b""),
            case._replace(body=on),
        ):
            if why := wrong(later, await self._exchange(later)):
                return f"{why}, at {later.method} {later.path}"
        return None

    async def _exchange(self, case: Case) -> Answer:
        given, answer = False, Answer()
        gone = asyncio.Event()

        async def receive() -> dict[str, Any]:
            nonlocal given
            if given:
                await gone.wait()
                return {"type": "http.disconnect"}
            given = True
            return {"type": "http.request", "body": case.body, "more_body": False}

        async def send(message: Any) -> None:
            answer.take(message)
            if answer.ended:
                gone.set()  # as uvicorn tells it

        path = case.path.encode("utf-8", "surrogatepass")
        scope = {
            "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "scheme": "http",
            "method": case.method, "path": path.decode(errors="replace"), "raw_path": path, "root_path": "",
            "query_string": case.query, "headers": list(case.headers), "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 6327),
            "state": {}, "extensions": {},
        }  # fmt: skip
        try:
            await self._daemon.app(scope, receive, send)
        finally:
            gone.set()
        return answer


class Answer:
    """What came back, as a server would have put it together."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.ended = False

    def take(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            assert not self.status, "two status lines"
            self.status = message["status"]
            self.headers = {
                name.decode("latin-1"): value.decode("latin-1") for name, value in message.get("headers", ())
            }
            assert not any("\n" in part or "\r" in part for pair in self.headers.items() for part in pair), (
                "a split header"
            )
        else:
            assert self.status, "a body before its status line"
            assert not self.ended, "more after the end"
            self.body += message.get("body", b"")
            self.ended = not message.get("more_body", False)


# ---- what has to hold -----------------------------------------------------------------------------------------------


def wrong(case: Case, answer: Answer) -> str | None:
    """What an answer should not be; None if it is as it should be."""
    if not answer.ended:
        return "no end of the answer"
    if b"internal_error" in answer.body:
        return "an error that nobody planned"
    if answer.status >= 400:
        return _wrong_refusal(case, answer)
    if case.words in str(answer.headers):
        return "words in a header"
    if case.method == "HEAD" or answer.status == 204:
        return None
    return _wrong_answer(answer)


def _wrong_refusal(case: Case, answer: Answer) -> str | None:
    if case.words.encode() in answer.body or case.words in str(answer.headers):
        return "an error that holds the client's words"
    if case.method == "HEAD" and not answer.body:
        return None if answer.status < 500 else "a 5xx for a client's mistake"
    try:
        told = json.loads(answer.body)
    except ValueError:
        return "an error that isn't JSON"
    shape, code = _shape(told)
    if shape not in expected(case):
        return f"an error in the shape of {shape}, not of {expected(case)}"
    if answer.status >= 500 and code not in HONEST:
        return f"a 5xx for a client's mistake ({code})"
    return None


def expected(case: Case) -> set[str]:
    """Whose shape an error has, by its address and by the header that one vendor's clients send.

    An address with two slashes in a row is looked at as it is by the guard, and without the second by who stands behind it.
    """
    path = case.path.encode("utf-8", "surrogatepass").decode(errors="replace")
    named = any(name == b"anthropic-version" for name, _ in case.headers)
    return {_whose(path, named), _whose(re.sub("/+", "/", path), named)}


def _whose(path: str, named: bool) -> str:
    if path.startswith("/v1/messages"):
        return "anthropic"
    if path.startswith("/api/") and not path.startswith(("/api/v0/", "/api/v1/")):
        return "ollama"
    shared = not path.startswith(("/v1/completions", "/v1/responses", "/api/v0/", "/api/v1/"))
    return "anthropic" if named and shared else "openai"


def _shape(told: Any) -> tuple[str, str | None]:
    """Whose error this is, and our code in it."""
    match told:
        case {
            "type": "error",
            "error": {"type": str(), "message": str(message), "details": {"error_code": str(code)}},
        } if message:
            return "anthropic", code
        case {"error": {"message": str(message), "type": str(), "code": str(code), "param": str() | None}} if message:
            return "openai", code
        case {"error": str(message), "code": str(code)} if message:
            return "ollama", code
    return f"nobody ({str(told)[:80]})", None


def _wrong_answer(answer: Answer) -> str | None:
    kind, body = answer.headers.get("content-type", ""), answer.body
    try:
        if kind.startswith("text/event-stream"):
            lines = body.split(b"\n")
            if not body.endswith(b"\n\n"):
                return "a stream that ends in mid-frame"
            for line in lines:
                if line.startswith(b"data: ") and line != b"data: [DONE]":
                    json.loads(line[6:])
                elif not (line == b"" or line.startswith((b"event: ", b": ", b"data: [DONE]"))):
                    return "a line that is no event's"
        elif kind.startswith("application/x-ndjson"):
            for line in body.removesuffix(b"\n").split(b"\n"):
                json.loads(line)
        elif kind.startswith("application/json"):
            json.loads(body)
    except ValueError:
        return "an answer that isn't JSON"
    return None


# ---- the run --------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def house(home: Path, place: Place = Place.DEVICE) -> AsyncIterator[House]:
    """A daemon under NEARLOOP_HOME, which has to be `home`; its model is loaded when this begins. place: its provider's."""
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "settings.toml").write_text(SETTINGS.replace("PLACE", place.value))
    where = paths()
    assert where.settings.is_relative_to(home)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LitestarDeprecationWarning)  # as in a daemon, where nobody looks at warnings
        daemon = Daemon(SettingsFile(where.settings), where, 6327, "nl_admin", SystemClock(), lambda: None)
    network = _NoNetwork()
    provider = provider_of("openai-chat", network, Target("near", "http://127.0.0.1:9/v1", place), GivenKey())  # type: ignore[arg-type]
    daemon.state._pipeline.rooms.providers["near"] = provider  # type: ignore[index]
    listener, root = _Listener(), logging.getLogger()
    before = root.level
    root.addHandler(listener)
    root.setLevel(logging.INFO)
    try:
        async with _living(daemon):
            made = House(daemon, listener, network, place)
            await made.keep_answers()
            yield made
    finally:
        root.removeHandler(listener)
        root.setLevel(before)


@asynccontextmanager
async def _living(daemon: Daemon) -> AsyncIterator[None]:
    """The lifespan that a server would hold."""
    inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    outbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": {}}
    task = asyncio.create_task(daemon.app(scope, inbox.get, outbox.put))  # type: ignore[arg-type]
    await inbox.put({"type": "lifespan.startup"})
    started = await outbox.get()
    assert started["type"] == "lifespan.startup.complete", started
    try:
        async with asyncio.timeout(ANSWER_S):
            while next(iter(daemon.pool.models.values())).state != "ready":
                await asyncio.sleep(0.01)
        yield
    finally:
        await inbox.put({"type": "lifespan.shutdown"})
        await task
        gc.collect()


async def fuzz(house: House, cases: Iterable[Case], at_once: int = 6) -> list[Fault]:
    """Ask all of them, some at the same time; what was wrong, in the order of the seeds."""
    faults: list[Fault] = []
    left = iter(cases)

    async def some() -> None:
        for case in left:
            if fault := await house.ask(case):
                faults.append(fault)

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(some())
    return sorted(faults, key=lambda fault: fault.seed)
