"""The one HTTP client of the daemon, for command line, dashboard and tray."""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncGenerator, Iterator, Sequence
from types import TracebackType
from typing import Any, Final, Literal, TypeVar
from urllib.parse import quote

import httpx
import msgspec
from msgspec import UNSET, Struct, UnsetType

from daemon import wire
from daemon.errors import NearloopError
from daemon.paths import Paths, read_private
from daemon.preview_wire import Preview
from daemon.wall_wire import GlassWall

TIMEOUT_S: Final = 10.0
DEVICES_S: Final = 30.0
"""More than that for the device table: so long may a driver take to answer (`daemon.device_process.QUERY_S`)."""
_PLAIN: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For plain HTTP to this machine: it trusts nobody, and spares each client 0.1 s of reading the public roots."""
CHAT: Final = "/v1/chat/completions"
COMMAND_S: Final = 60.0
"""More than that for what another command finds out: so long may a doctor take on a slow machine."""
LOOK_S: Final = 60.0
"""More than that for what would be decided: signals, and pictures before them, have `[signals] deadline_s` each, and models
that nobody asked before are opened first.
"""
T = TypeVar("T")


class _Named(Struct, frozen=True):
    """An entry of the list of models. output_modalities: of what makes no words."""

    id: str
    output_modalities: tuple[str, ...] = ()


class _Listed(Struct, frozen=True):
    data: tuple[_Named, ...]


class Chat(Struct, frozen=True):
    """An answer of Chat Completions, to the byte. headers: their names in small letters."""

    body: bytes
    headers: dict[str, str]


class NotRunning(NearloopError):
    """No daemon of this user answers."""

    def __init__(self) -> None:
        super().__init__("Nearloop is not running: start it with `nearloop up`")


class NoAnswer(NearloopError):
    """It is there and says nothing."""

    def __init__(self, pid: int) -> None:
        super().__init__(f"Nearloop, process {pid}, does not answer: if it stays so, end that process and start anew")


class Rejected(NearloopError):
    """The daemon said no. status: HTTP's. code: stable."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def discover(paths: Paths) -> wire.Discovery:
    """What the running daemon wrote. Raises NotRunning."""
    try:
        return msgspec.json.decode(read_private(paths.discovery), type=wire.Discovery)
    except (OSError, msgspec.DecodeError):
        raise NotRunning from None


def _key(paths: Paths) -> dict[str, str]:
    """The header that opens the control API. Raises NotRunning."""
    try:
        return {"authorization": f"Bearer {read_private(paths.admin_token).decode('ascii')}"}
    except OSError:
        raise NotRunning from None


class Client:
    """Speaks to the daemon of this user. Use it as a context manager. Raises NotRunning, Rejected."""

    def __init__(self, paths: Paths) -> None:
        self.discovery = discover(paths)
        self.url = f"http://127.0.0.1:{self.discovery.port}"
        # trust_env=False: a proxy set for the internet is never asked for this machine.
        self._http = httpx.Client(
            base_url=self.url, headers=_key(paths), timeout=TIMEOUT_S, trust_env=False, verify=_PLAIN
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.close()

    def status(self) -> wire.Status:
        """The daemon at one glance."""
        return self._get("status", wire.Status)

    def entrypoints(self) -> tuple[str, ...]:
        """Names that a question can be put to."""
        listed = self._get("/v1/models", _Listed).data
        return tuple(each.id for each in listed if not each.output_modalities)

    def models(self) -> wire.Models:
        """All models."""
        return self._get("models", wire.Models)

    def reread_settings(self) -> None:
        """Have the daemon take in what the settings file says now of models, the dictionary and recipes."""
        self._call("POST", "settings/reread", dict[str, str])

    def devices(self) -> wire.Devices:
        """The devices of this machine, and what is decided by them."""
        return self._call("GET", "devices", wire.Devices, patience_s=DEVICES_S)

    def begin_probe(self, model: str | None) -> str:
        """Have a model measured on every device; `probe` events tell of it. Returns its name."""
        return self._call("POST", "devices/probe", dict[str, str], wire.NewProbe(model))["model"]

    def load_model(self, name: str, wait_s: float) -> wire.Model:
        """Have a model loaded, and wait so long at most for that."""
        return self._call("POST", f"models/{quote(name, safe='')}/load", wire.Model, wait_s=wait_s)

    def unload_model(self, name: str) -> wire.Model:
        """Have a model's memory given back."""
        return self._call("POST", f"models/{quote(name, safe='')}/unload", wire.Model)

    def keep_model(self, name: str, pinned: bool) -> wire.Model:
        """Have a model stay loaded until the daemon ends, or as long as the settings say."""
        return self._call("POST", f"models/{quote(name, safe='')}/keep", wire.Model, wire.NewKeep(pinned))

    def inventory(self) -> wire.Inventory:
        """All models that are here or could be."""
        return self._call("GET", "inventory", wire.Inventory, patience_s=COMMAND_S)

    def begin_fetch(self, model: str, file: str | None) -> wire.Fetch:
        """Have a model fetched; `fetch` events tell of it."""
        return self._call("POST", "inventory/fetches", wire.Fetch, wire.NewFetch(model, file))

    def stop_fetch(self, model: str) -> None:
        """End that; what came is kept."""
        self._call("DELETE", "inventory/fetches", dict[str, str], model=model)

    def records(self, since: str | None, limit: int) -> wire.Records:
        """Newest first. since: an age such as `12h`."""
        return self._get("records", wire.Records, since=since, limit=limit)

    def record(self, id: str) -> wire.RecordDetail:
        """By id or unique prefix."""
        return self._get(f"records/{quote(id, safe='')}", wire.RecordDetail)

    def wall(self, id: str) -> GlassWall:
        """The words of a request and what left for it, as long as they are held. id: its record's."""
        return self._get(f"records/{quote(id, safe='')}/wall", GlassWall)

    def purge(self, older_than: str) -> wire.Purged:
        """Delete records older than an age such as `7d`."""
        return self._call("DELETE", "records", wire.Purged, older_than=older_than)

    def receipts(self, since: str | None, limit: int) -> wire.Receipts:
        """What left, newest first. since: an age such as `12h`."""
        return self._get("receipts", wire.Receipts, since=since, limit=limit)

    def receipt(self, number: int) -> wire.Receipt:
        """By its number in the chain."""
        return self._get(f"receipts/{number}", wire.Receipt)

    def receipt_chain(self) -> wire.ReceiptChain:
        """Whether the chain of receipts holds."""
        return self._get("receipts/chain", wire.ReceiptChain)

    def prove_local(self, since: str) -> wire.LocalProof:
        """What left since then, and from what evidence. since: an age such as `7d`, or a date."""
        return self._get("prove-local", wire.LocalProof, since=since)

    def events(self, since: int | None, wait_s: float) -> wire.Events:
        """Events after `since`, or the full state; waits up to `wait_s` for one."""
        return self._get("events", wire.Events, since=since, wait_s=wait_s)

    def clients(self) -> wire.Clients:
        """All clients."""
        return self._get("clients", wire.Clients)

    def add_client(self, name: str, scopes: tuple[str, ...] | None) -> wire.NewToken:
        """A new token."""
        return self._call("POST", "clients", wire.NewToken, wire.NewClient(name, scopes))

    def revoke_client(self, name: str) -> wire.Clients:
        """Take a token's rights."""
        return self._call("DELETE", f"clients/{quote(name, safe='')}", wire.Clients)

    def limit_client(self, name: str, per_day: wire.PerDay) -> wire.Clients:
        """Say what a client may take a day."""
        return self._call("PUT", f"clients/{quote(name, safe='')}/per_day", wire.Clients, per_day)

    def spending(self, by: str = "provider", since: str | None = None) -> wire.SpendingReport:
        """What was spent, and may be."""
        return self._get("spending", wire.SpendingReport, by=by, since=since)

    def limit_spending(self, limit: wire.NewLimit) -> wire.SpendingReport:
        """Say what may be spent."""
        return self._call("PUT", "spending", wire.SpendingReport, limit)

    def programs(self) -> tuple[wire.Connectable, ...]:
        """Which programs can be connected, and are."""
        return self._call("GET", "clients/programs", tuple[wire.Connectable, ...], patience_s=COMMAND_S)

    def connect_plan(self, program: str) -> wire.ConnectPlan:
        """What connecting a program would change."""
        return self._call("GET", _program(program), wire.ConnectPlan, patience_s=COMMAND_S)

    def connect_program(self, program: str, digest: str) -> wire.ConnectDone:
        """Connect it. digest: of the plan, if it is to be done as that says."""
        return self._call("POST", _program(program), wire.ConnectDone, wire.NewConnection(digest), patience_s=COMMAND_S)

    def undo_connection(self, program: str) -> wire.ConnectUndone:
        """Bring back what was there before, and take the token back."""
        return self._call("DELETE", _program(program), wire.ConnectUndone, patience_s=COMMAND_S)

    def providers(self) -> wire.Providers:
        """All providers, and whether their keys are there."""
        return self._call("GET", "providers", wire.Providers, patience_s=COMMAND_S)

    def vendors(self) -> tuple[wire.KnownVendor, ...]:
        """Providers that need no address."""
        return self._get("providers/vendors", tuple[wire.KnownVendor, ...])

    def add_provider(self, wanted: wire.NewProvider) -> wire.AddedProvider:
        """Write a provider into the settings; it is asked from the next start on."""
        return self._call("POST", "providers", wire.AddedProvider, wanted, patience_s=COMMAND_S)

    def remove_provider(self, name: str) -> wire.Providers:
        """Take one out of the settings. Its key stays where it is."""
        return self._call("DELETE", f"providers/{quote(name, safe='')}", wire.Providers, patience_s=COMMAND_S)

    def test_provider(self, name: str) -> wire.Tested:
        """Ask a provider for its models: no request of the user's is sent."""
        return self._call("POST", f"providers/{quote(name, safe='')}/test", wire.Tested, patience_s=COMMAND_S)

    def renew_provider(self, name: str) -> wire.ProviderInfo:
        """Have its keys looked for anew, where the settings say, and forget how it failed: somebody tested it, or changed
        a key.
        """
        path = f"providers/{quote(name, safe='')}/renew"
        return self._call("POST", path, wire.ProviderInfo, patience_s=COMMAND_S)

    def set_key(
        self, provider: str, key: str, label: str | None = None, day_usd: float | UnsetType | None = UNSET
    ) -> wire.ProviderInfo:
        """Put a provider's key into the keyring, with what it may cost a day."""
        new = wire.NewKey(key, label, day_usd)
        path = f"providers/{quote(provider, safe='')}/key"
        return self._call("PUT", path, wire.ProviderInfo, new, patience_s=COMMAND_S)

    def remove_key(self, provider: str, label: str | None = None) -> wire.ProviderInfo:
        """Delete a provider's key from the keyring."""
        path = f"providers/{quote(provider, safe='')}/key"
        return self._call("DELETE", path, wire.ProviderInfo, patience_s=COMMAND_S, label=label)

    def doctor(self) -> tuple[wire.Diagnosis, ...]:
        """What is wrong, and what to do."""
        return self._call("GET", "doctor", tuple[wire.Diagnosis, ...], patience_s=COMMAND_S)

    def log(self, limit: int) -> wire.Log:
        """The last lines of the daemon's own log."""
        return self._get("log", wire.Log, limit=limit)

    def allow(self, record: str, scope: Literal["once", "project"]) -> wire.Approved:
        """Let what one request held pass."""
        return self._call("POST", "approvals", wire.Approved, wire.NewApproval(record, scope))

    def approvals(self) -> wire.Approvals:
        """What waits for the user's word."""
        return self._get("approvals", wire.Approvals)

    def approval(self, id: str) -> wire.Approval:
        """One of them, with the very words. id: its own or its record's, or a unique prefix."""
        return self._get(f"approvals/{quote(id, safe='')}", wire.Approval)

    def answer(self, id: str, answer: wire.NewAnswer) -> wire.Approval:
        """Let it pass, masked or as it is, or don't."""
        return self._call("POST", f"approvals/{quote(id, safe='')}", wire.Approval, answer)

    def outcome(self, record: str, right: bool) -> wire.Learned:
        """Say whether a local answer was right."""
        return self._call("POST", f"records/{record}/outcome", wire.Learned, wire.NewOutcome(right))

    def set_local_only(self, on: bool) -> wire.Privacy:
        """Keep everything here, or let things leave again."""
        return self._call("PUT", "privacy", wire.Privacy, wire.NewPrivacy(on))

    def policy(self) -> wire.PolicyInForce:
        """What may leave, class by class."""
        return self._get("privacy/policy", wire.PolicyInForce)

    def dictionary(self) -> wire.OwnWords:
        """The user's own words."""
        return self._get("dictionary", wire.OwnWords)

    def add_words(self, words: wire.NewWords) -> wire.OwnWords:
        """Take words in."""
        return self._call("POST", "dictionary", wire.OwnWords, words)

    def forget_words(self, *words: str) -> wire.OwnWords:
        """Take words out."""
        return self._call("POST", "dictionary/forget", wire.OwnWords, wire.GoneWords(words))

    def preview(self, model: str, text: str, parts: Sequence[dict[str, Any]] = ()) -> Preview:
        """What would be decided about a text, with no model asked. parts: beside it, as a chat's message has them."""
        said = text.encode(errors="replace").decode()
        body: dict[str, Any] = {"model": model}
        if parts:
            words = [{"type": "text", "text": said}] if said else []
            body["messages"] = [{"role": "user", "content": [*words, *parts]}]
        else:
            body["text"] = said
        return self._call("POST", "/api/v1/routing/preview", Preview, body, patience_s=LOOK_S, trace=True)

    def recipes(self) -> wire.Recipes:
        """The recipe in use, and its earlier versions."""
        return self._get("recipes", wire.Recipes)

    def reload_recipe(self) -> wire.Recipes:
        """Have the daemon use the recipe that the settings name now."""
        return self._call("POST", "recipes/reload", wire.Recipes)

    def roll_back_recipe(self, version: int, digest: str) -> wire.Recipes:
        """Use an earlier version again. digest: of the one in use, as `recipes` told."""
        body = wire.Rollback(version)
        return self._call("POST", "recipes/rollback", wire.Recipes, body, if_match=digest)

    def compare_recipe(self, before: int, after: int | None) -> wire.RecipeDiff:
        """What is different between two versions; None: the one in use."""
        return self._get("recipes/diff", wire.RecipeDiff, before=before, after=after)

    def recipe_text(self, version: int | None = None) -> wire.RecipeText:
        """The recipe in use, or an earlier version of it."""
        return self._get("recipes/text", wire.RecipeText, version=version)

    def write_recipe(self, text: str, digest: str) -> wire.Recipes:
        """Put another text into the file in use. digest: of the one that it replaces, as `recipes` told."""
        return self._call("PUT", "recipes/text", wire.Recipes, wire.RecipeText(text), if_match=digest)

    def check_recipe(self, text: str) -> wire.RecipeChecked:
        """What there is to say about a text in the form of the recipe in use."""
        return self._call("POST", "recipes/validate", wire.RecipeChecked, wire.RecipeText(text))

    def offered_recipes(self) -> wire.RecipeOffers:
        """Recipes that can be put to use."""
        return self._get("recipes/offered", wire.RecipeOffers)

    def offered_recipe(self, name: str) -> wire.RecipeText:
        """The text of one of them."""
        return self._get("recipes/offered/text", wire.RecipeText, name=name)

    def add_recipe(self, name: str, text: str) -> wire.RecipeOffers:
        """A file of the user's own, beside the settings."""
        return self._call("POST", "recipes/offered", wire.RecipeOffers, wire.NewRecipe(name, text))

    def use_recipe(self, name: str | None) -> wire.Recipes:
        """Have another recipe decide; None: none."""
        return self._call("POST", "recipes/use", wire.Recipes, wire.RecipeChoice(name))

    def stop(self) -> None:
        """Ask the daemon to end."""
        self._call("POST", "stop", dict[str, str])

    def ask(self, model: str, text: str, reach: str | None) -> Iterator[str]:
        """One question; yields the answer's words, then returns. `record_id` and `confidence` tell of it afterwards."""
        headers = {"x-nearloop-reach": reach} if reach else {}
        body = _question(model, text)
        try:
            with self._http.stream("POST", CHAT, json=body, headers=headers, timeout=None) as answer:
                self.record_id = answer.headers.get("x-nearloop-record")
                self.confidence = answer.headers.get("x-nearloop-confidence")
                if answer.is_error:
                    answer.read()
                    _check(answer)
                for line in answer.iter_lines():
                    yield from _words(line)
        except httpx.ConnectError:
            raise NotRunning from None
        except httpx.TransportError as error:
            raise Rejected(0, "cut", "the connection to the daemon was cut in mid-answer: ask again") from error

    def chat(self, body: Any, token: str) -> Chat:
        """A request of Chat Completions as a program with a token of its own makes it. It waits as long as that takes."""
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        try:
            answer = self._http.post(CHAT, content=msgspec.json.encode(body), headers=headers, timeout=None)
        except httpx.TransportError:
            raise NotRunning from None
        _check(answer)
        return Chat(answer.content, dict(answer.headers))

    record_id: str | None = None
    confidence: str | None = None

    def _get(self, path: str, shape: type[T], **query: Any) -> T:
        return self._call("GET", path, shape, **query)

    def _call(
        self,
        method: str,
        path: str,
        shape: type[T],
        body: Any = None,
        patience_s: float = 0.0,
        if_match: str | None = None,
        **query: Any,
    ) -> T:
        content = None if body is None else msgspec.json.encode(body)
        headers = {} if body is None else {"content-type": "application/json"}
        if if_match is not None:
            headers["if-match"] = f'"{if_match}"'
        given = {name: value for name, value in query.items() if value is not None}
        wait_s = float(query.get("wait_s") or 0)
        try:
            answer = self._http.request(
                method,
                path if path.startswith("/") else f"/nearloop/v1/{path}",
                params=given,
                content=content,
                headers=headers,
                timeout=TIMEOUT_S + wait_s + patience_s,
            )
        except httpx.TimeoutException:
            raise NoAnswer(self.discovery.pid) from None
        except httpx.TransportError:
            raise NotRunning from None
        _check(answer)
        return msgspec.json.decode(answer.content, type=shape)


class Talk:
    """One question that is asked on the event loop, so that who asks can stop it at any moment, and the engine with it.
    record_id: known once it is accepted. Raises as `Client` does.
    """

    def __init__(self, paths: Paths, model: str, text: str) -> None:
        self.record_id: str | None = None
        self._url = f"http://127.0.0.1:{discover(paths).port}"
        self._headers = _key(paths)
        self._body = _question(model, text)

    async def words(self) -> AsyncGenerator[str, None]:
        """The answer's, as they come; close it to stop it."""
        try:
            async with (
                httpx.AsyncClient(base_url=self._url, headers=self._headers, trust_env=False, verify=_PLAIN) as http,
                http.stream("POST", CHAT, json=self._body, timeout=None) as answer,
            ):
                self.record_id = answer.headers.get("x-nearloop-record")
                if answer.is_error:
                    await answer.aread()
                    _check(answer)
                async for line in answer.aiter_lines():
                    for words in _words(line):
                        yield words
        except httpx.ConnectError:
            raise NotRunning from None
        except httpx.TransportError as error:
            raise Rejected(0, "cut", "the connection to the daemon was cut in mid-answer: ask again") from error


class Watch:
    """Waits for events on the event loop, so that who watches can leave at any moment. Raises as `Client` does."""

    def __init__(self, paths: Paths) -> None:
        self.discovery = discover(paths)
        url = f"http://127.0.0.1:{self.discovery.port}/nearloop/v1/"
        self._http = httpx.AsyncClient(
            base_url=url, headers=_key(paths), timeout=TIMEOUT_S, trust_env=False, verify=_PLAIN
        )

    async def __aenter__(self) -> Watch:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def events(self, since: int | None, wait_s: float) -> wire.Events:
        """Events after `since`, or the full state; waits up to `wait_s` for one."""
        query = {"wait_s": wait_s} if since is None else {"since": since, "wait_s": wait_s}
        try:
            answer = await self._http.get("events", params=query, timeout=TIMEOUT_S + wait_s)
        except httpx.TimeoutException:
            raise NoAnswer(self.discovery.pid) from None
        except httpx.TransportError:
            raise NotRunning from None
        _check(answer)
        return msgspec.json.decode(answer.content, type=wire.Events)


def _program(name: str) -> str:
    return f"clients/programs/{quote(name, safe='')}"


def _check(answer: httpx.Response) -> None:
    if answer.is_success:
        return
    try:
        told = answer.json()["error"]
        raise Rejected(answer.status_code, str(told["code"]), str(told["message"]))
    except (ValueError, KeyError, TypeError) as error:
        # Something else listens where the daemon was, or a stale discovery file points at it.
        raise NotRunning from error


def _question(model: str, text: str) -> dict[str, Any]:
    text = text.encode(errors="replace").decode()  # arguments may be no valid text
    return {"model": model, "stream": True, "messages": [{"role": "user", "content": text}]}


def _words(line: str) -> Iterator[str]:
    """What one line of a stream says."""
    if not line.startswith("data: {"):
        return
    frame: dict[str, Any] = json.loads(line.removeprefix("data: "))
    if told := frame.get("error"):
        raise Rejected(0, str(told.get("code")), str(told.get("message")))
    for choice in frame.get("choices", ()):
        if words := choice.get("delta", {}).get("content"):
            yield words
