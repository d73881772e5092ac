"""settings.toml: what the user decided, read strictly and edited without losing comments."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from daemon.errors import BadRequest, BadSettings, NotFound, StoreError
from daemon.paths import make_private_directory, write_private

VERSION: Final = 1
DEFAULT_PORT: Final = 6327

Scope = Literal["infer:local", "infer:cloud", "read:records", "admin"]
DEFAULT_SCOPES: Final[tuple[Scope, ...]] = ("infer:local", "infer:cloud")
ADMIN: Final = "admin"
CLIENT_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
MODEL_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}")


class Server(Struct, frozen=True, forbid_unknown_fields=True):
    """Where and for whom the daemon listens.

    hosts: further names allowed in the Host header. origins: web origins whose pages may call the daemon.
    other_users: what to do with connections from another user of this machine.
    body_limit_mb: largest request body. queue: requests that may wait for one model before 503.
    """

    port: Annotated[int, Meta(ge=1, le=65535)] = DEFAULT_PORT
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    other_users: Literal["refuse", "allow"] = "refuse"
    body_limit_mb: Annotated[int, Meta(ge=1, le=1024)] = 32
    queue: Annotated[int, Meta(ge=0, le=100_000)] = 256


class LocalModel(Struct, frozen=True, forbid_unknown_fields=True):
    """A model file of the user's: a GGUF file or an OpenVINO directory. engine: what runs it."""

    path: str
    engine: Literal["openvino-genai", "scripted"] = "openvino-genai"


class Records(Struct, frozen=True, forbid_unknown_fields=True):
    """What is kept of each request. content: also the words, off unless asked for."""

    content: bool = False
    keep_days: Annotated[int, Meta(ge=1, le=36500)] = 30


class Client(Struct, frozen=True, forbid_unknown_fields=True):
    """A program that has a token. token_hash: SHA-256 of the token, in hex."""

    token_hash: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    scopes: tuple[Scope, ...] = DEFAULT_SCOPES


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file. The first of `models` is what `local` means; without any it is the embedded demonstration."""

    version: int = VERSION
    server: Server = Server()
    models: dict[str, LocalModel] = {}
    records: Records = Records()
    clients: dict[str, Client] = {}


Migration = Callable[[dict[str, Any]], dict[str, Any]]
MIGRATIONS: Final[dict[int, Migration]] = {}
"""From version N to N + 1, by N. Version 1 is the first."""


def parse(text: str, source: str = "settings.toml") -> Settings:
    """Read settings. Raises BadSettings with the place and the remedy."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{source} is not valid TOML: {error}") from error
    except RecursionError as error:
        raise BadSettings(f"{source} is not valid TOML: it nests too deep") from error
    version = raw.get("version", VERSION)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise BadSettings(f"{source}: version must be a whole number from 1 to {VERSION}")
    if version > VERSION:
        raise BadSettings(
            f"{source} has version {version} and this Nearloop reads up to {VERSION}: upgrade Nearloop, or move the file"
        )
    for step in range(version, VERSION):
        raw = MIGRATIONS[step](raw)
    raw["version"] = VERSION
    try:
        settings = msgspec.convert(raw, Settings)
    except msgspec.ValidationError as error:
        raise BadSettings(f"{source}: {_explain(str(error))}") from error
    _check_names(settings, source)
    return settings


def _check_names(settings: Settings, source: str) -> None:
    for name in settings.clients:
        if not CLIENT_NAME.fullmatch(name) or name == ADMIN:
            raise BadSettings(f"{source}: [clients.{name}]: a name is 1 to 40 of a-z, 0-9, - and _, and not {ADMIN}")
    for name in settings.models:
        if not MODEL_NAME.fullmatch(name):
            raise BadSettings(f"{source}: [models.{name}]: a name is 1 to 100 of A-Z, a-z, 0-9 and . _ : -")
    for origin in settings.server.origins:
        if not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/\s*]+", origin):
            raise BadSettings(f"{source}: server.origins: {origin!r} is not an origin like http://localhost:3000")


_FIELDS: Final = {
    "$": Settings.__struct_fields__,
    "$.server": Server.__struct_fields__,
    "$.models[...]": LocalModel.__struct_fields__,
    "$.records": Records.__struct_fields__,
    "$.clients[...]": Client.__struct_fields__,
}


def _explain(message: str) -> str:
    """A decoder's message in the file's own terms, with a near name for a misspelt key."""
    text, _, place = message.partition(" - at `")
    where = place.removesuffix("`")
    key = where.removeprefix("$").removeprefix(".").replace("[...]", ".NAME")
    if found := re.fullmatch(r"Object contains unknown field `(.*)`", text):
        known = _FIELDS.get(where or "$", ())
        near = difflib.get_close_matches(found[1], known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
        return f"unknown key {'.'.join(filter(None, (key, found[1])))!r}; {hint}"
    return f"{key or 'file'}: {text[:1].lower()}{text[1:]}"


def _spell_out_clients(document: Any, text: str, tomlkit: Any) -> None:
    """Write clients as tables of their own if the user wrote them inline or dotted, where tomlkit can't add one."""
    if "clients" not in document or re.search(r"^\s*\[\s*clients\s*[.\]]", text, re.MULTILINE):
        return
    clients = document.unwrap()["clients"]
    del document["clients"]
    document["clients"] = tomlkit.table(is_super_table=True)
    for name, client in clients.items():
        document["clients"][name] = tomlkit.item(client)


class SettingsFile:
    """The file on disk, and the settings last read from it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.settings = self._read()

    def _read(self) -> Settings:
        return parse(self._text(), str(self.path))

    def _text(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise BadSettings(f"{self.path} can't be read: {error}") from error

    def add_client(self, name: str, client: Client) -> Settings:
        """Write a new client. The file is read anew, so that hand edits made meanwhile are kept.

        Raises BadRequest if there is one of this name.
        """

        def edit(document: Any, tomlkit: Any) -> None:
            if name in self.settings.clients:
                raise BadRequest(
                    "a client of this name has a token already: revoke it first, or take another name", "name"
                )
            table = tomlkit.table()
            table["token_hash"] = client.token_hash
            table["scopes"] = list(client.scopes)
            if "clients" not in document:
                document["clients"] = tomlkit.table(is_super_table=True)
            document["clients"][name] = table

        return self._edit(edit)

    def remove_client(self, name: str) -> Settings:
        """Take a client out. Raises NotFound if there is none of this name."""

        def edit(document: Any, tomlkit: Any) -> None:
            if name not in self.settings.clients:
                raise NotFound("no client has this name: `nearloop client list` shows them")
            del document["clients"][name]
            if not document["clients"]:
                del document["clients"]

        return self._edit(edit)

    def _edit(self, change: Callable[[Any, Any], None]) -> Settings:
        import tomlkit  # 12 ms that a daemon without edits does not need

        before = self._text()
        self.settings = parse(before, str(self.path))  # what was broken by hand is told before it is touched
        document = tomlkit.parse(before)
        document.setdefault("version", VERSION)
        _spell_out_clients(document, before, tomlkit)
        change(document, tomlkit)
        text = tomlkit.dumps(document)
        settings = parse(text, str(self.path))
        try:
            make_private_directory(self.path.parent)
            write_private(self.path.resolve(), text.encode())  # who keeps settings elsewhere by a link keeps the link
        except OSError as error:
            raise StoreError(f"{self.path} can't be written: {error.strerror}") from error
        self.settings = settings
        return settings
