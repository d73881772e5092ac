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

from daemon.addresses import address_of
from daemon.errors import BadRequest, BadSettings, NotFound, Refused, StoreError
from daemon.paths import at_home, make_private_directory, write_private
from daemon.wire import PerDay
from edge_models.catalog import AUTO

VERSION: Final = 1
DEFAULT_PORT: Final = 6327

Scope = Literal["infer:local", "infer:cloud", "read:records", "admin"]
DEFAULT_SCOPES: Final[tuple[Scope, ...]] = ("infer:local", "infer:cloud")
ADMIN: Final = "admin"
KEEP: Final = r"^(pinned|\d{1,6}[smhd])$"
LOCAL: Final = "local"
CLIENT_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
RESERVED_PROVIDERS: Final = frozenset({"auto", "local", "cloud", "nearloop", "vllm-sr"})
MODEL_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}")


MIN_MEMORY_MB: Final = 128
"""A worker's interpreter with an engine's libraries: less ends before it could say why (measured, Linux)."""
MAX_MEMORY_MB: Final = 1 << 24
DEVICE: Final = re.compile(r"auto|CPU|(GPU|NPU)(\.\d{1,2})?")


class Server(Struct, frozen=True, forbid_unknown_fields=True):
    """Where and for whom the daemon listens.

    hosts: further names allowed in the Host header. origins: web origins whose pages may call the daemon.
    other_users: what to do with connections from another user of this machine.
    body_limit_mb: largest request body. queue: requests that may wait for one model before 503. ollama_port: a second port
    to listen on where it is free, such as 11434, where Ollama's clients look; None: there is none.
    host: an address, or several, to listen on besides loopback; what other machines can reach needs `--expose` at the start.
    """

    port: Annotated[int, Meta(ge=1, le=65535)] = DEFAULT_PORT
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    other_users: Literal["refuse", "allow"] = "refuse"
    body_limit_mb: Annotated[int, Meta(ge=1, le=1024)] = 32
    queue: Annotated[int, Meta(ge=0, le=100_000)] = 256
    ollama_port: Annotated[int, Meta(ge=1, le=65535)] | None = None
    host: str | tuple[str, ...] = ()

    @property
    def addresses(self) -> tuple[str, ...]:
        """Those of `host`."""
        return (self.host,) if isinstance(self.host, str) else self.host


class LocalModel(Struct, frozen=True, forbid_unknown_fields=True):
    """A model file of the user's: a GGUF file or an OpenVINO directory. engine: what runs it.

    device: what it has to run on, in OpenVINO's names; auto: what was measured to be the best. keep: how long it
    stays loaded without a request, or `pinned`; None: as [pool] says. memory_mb: what its process may take at most; None: by
    its estimate.
    """

    path: str
    engine: Literal["openvino-genai", "openvino-raw", "llama-cpp", "scripted"] = "openvino-genai"
    device: str = AUTO
    keep: Annotated[str, Meta(pattern=KEEP)] | None = None
    memory_mb: Annotated[int, Meta(ge=MIN_MEMORY_MB, le=MAX_MEMORY_MB)] | None = None


class Pool(Struct, frozen=True, forbid_unknown_fields=True):
    """What loaded models may take. keep: how long one stays loaded without a request, or `pinned`; keep_default: the one
    that `local` means. memory_share: of this machine's memory, for all models together. wait_s: how long a request may
    stand in line, a model's loading included.
    """

    keep: Annotated[str, Meta(pattern=KEEP)] = "10m"
    keep_default: Annotated[str, Meta(pattern=KEEP)] = "1h"
    memory_share: Annotated[float, Meta(gt=0, le=1)] = 0.7
    wait_s: Annotated[float, Meta(gt=0)] = 300.0


class Records(Struct, frozen=True, forbid_unknown_fields=True):
    """What is kept of each request. content: also the words, off unless asked for. receipts_keep_days: of what left.
    glass_wall: whether the words of the last requests, and what left for them, are held in memory to be shown to the owner.
    """

    content: bool = False
    glass_wall: bool = True
    keep_days: Annotated[int, Meta(ge=1, le=36500)] = 30
    receipts_keep_days: Annotated[int, Meta(ge=1, le=36500)] = 365


Privacy = Literal["strict", "balanced", "open"]
Kind = Literal[
    "pii",
    "secret",
    "opaque",
    "code",
    "implicit",
    "doubt",
    "identity_document",
    "medical_picture",
    "photo",
    "explicit_picture",
    "readable_picture",
    "picture",
    "BANK_ACCOUNT",
    "CLOUD_ACCOUNT",
    "CLOUD_RESOURCE",
    "CREDIT_CARD",
    "DATE_OF_BIRTH",
    "EMAIL_ADDRESS",
    "EMPLOYEE_ID",
    "HOSTNAME",
    "IBAN_CODE",
    "IP_ADDRESS",
    "MEDICAL_RECORD",
    "MRZ",
    "NATIONAL_ID",
    "ORGANIZATION",
    "PASSPORT_NUMBER",
    "PERSON",
    "PERSONAL_ID",
    "PHONE_NUMBER",
    "STREET_ADDRESS",
    "TERM",
    "US_DRIVER_LICENSE",
    "US_SSN",
]
"""All of personal data, all secrets, parts that can't be looked at, names in code, who can be guessed by what is told, what
isn't plain words; pictures by what they are; and each class of personal data by itself.
"""
Treatment = Literal["device", "ask", "reduce", "mask", "allow"]
"""What holds it stays here; it stays unless the user, who is asked, lets it leave; it leaves if it can be said without
that, else stays; it leaves masked; it leaves.
"""


KEY_LABEL: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
"""What tells keys of one provider apart in the keyring."""
_STORED: Final = r"keyring(:[a-z0-9][a-z0-9_-]{0,39})?|env:[A-Za-z_][A-Za-z0-9_]*|(credential|file):.+"
MOST_KEYS: Final = 8
"""Of one provider."""
DAY_USD: Final = 5.0
"""What a cloud may cost a day if nothing else is said when its key is stored."""


class Provider(Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody who answers over HTTP.

    wire: the protocol it speaks. base_url: up to and with the version, as its makers give it. models: the first one of
    the first provider is what `cloud` means; without any, they are asked for. key: where its key is: `keyring`, `env:NAME`,
    `credential:NAME` (systemd), `file:PATH` (mode 0600), or `none`, for this machine only. keys: where others are, such as
    `keyring:LABEL`, each of which is taken where those before it are refused. place: device, lan or cloud;
    None: by its address, where a loopback address counts as cloud until it is confirmed here to run on this machine.
    reasoning: how it is told whether and how hard to reason: `effort` (in a word), `budget` (in tokens: older models of
    Anthropic's), or `template:NAME`, the switch of its models' chat template, such as template:enable_thinking; None: it is
    not told. accepts: what it can be told besides what every server of its wire can. api_version: of an Azure deployment's
    older address, sent with each call. cache: whether what shall stay in Anthropic's cache is marked where the client marked
    nothing (auto), or only as the client has it (client). concurrent: how many requests may be there at once; None: as is
    usual for its place. privacy, classes: what it may see, as in [policy]. billing: `plan` where a
    subscription pays, so that a call costs nothing of its own. unpriced: whether its models of unknown price are asked
    although there is a limit in [spending], or left out.
    """

    base_url: str
    wire: Literal["openai-chat", "openai-responses", "anthropic", "azure", "gemini", "ollama"] = "openai-chat"
    models: tuple[str, ...] = ()
    key: Annotated[str, Meta(pattern=f"^({_STORED}|none)$")] = "keyring"
    keys: Annotated[tuple[Annotated[str, Meta(pattern=f"^({_STORED})$")], ...], Meta(max_length=MOST_KEYS - 1)] = ()
    place: Literal["device", "lan", "cloud"] | None = None
    reasoning: Annotated[str, Meta(pattern="^(effort|budget|template:[A-Za-z0-9_]{1,60})$")] | None = None
    accepts: tuple[Literal["top_k"], ...] = ()
    api_version: Annotated[str, Meta(pattern="^[A-Za-z0-9.-]{1,40}$")] | None = None
    cache: Literal["auto", "client"] = "auto"
    concurrent: Annotated[int, Meta(ge=1, le=1000)] | None = None
    privacy: Privacy | None = None
    classes: dict[Kind, Treatment] = {}
    billing: Literal["tokens", "plan"] = "tokens"
    unpriced: Literal["leave-out", "ask"] = "leave-out"

    @property
    def sources(self) -> tuple[str, ...]:
        """Of all its keys, each once, in the order in which they are tried."""
        return tuple(dict.fromkeys((self.key, *self.keys)))


WORD: Final = r"[^\W_]{2}|(?=[^\W_])[\u2e80-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
"""Two letters or digits side by side, or one character that is a word by itself: of Chinese, Japanese or Korean."""
WORD_CHARS: Final = 200
Word = Annotated[str, Meta(pattern=WORD, max_length=WORD_CHARS)]


class Policy(Struct, frozen=True, forbid_unknown_fields=True):
    """What may leave, and when a local answer is not good enough.

    privacy: strict (what holds anything private stays here), balanced (it leaves masked), open (secrets alone are masked).
    classes: what is done with some kinds of finds, whatever the preset says. reducer: the local model (`local`, or its name
    under [models]) that rewrites what tells too much where rules can't; None: none does.
    escalate_below: a local answer's confidence under which the cloud is asked; left out, what was measured of the model
    decides. patience_s: a local attempt that is predicted to take longer is not made where somebody else may answer.
    head_start_s: how long a client that reads along waits for drafts at most before the cloud is asked.
    ask_s: how long a request waits for the user's word. sinks: what becomes of a secret that a tool call could carry out: it
    stays masked, or the user is asked. hedge: whether the cloud may be asked beside a local draft that does not look sure
    enough, before that is known: quicker, and at times for nothing.
    learn: whether what clients do next, and the cloud's answers of drafts, refine what is known of local models.
    audit_share: of the local answers that were kept on a promise and may leave, for how many the cloud is asked the same
    when they are out; audit_per_day: at most.
    """

    privacy: Privacy = "balanced"
    classes: dict[Kind, Treatment] = {}
    reducer: str | None = None
    escalate_below: Annotated[float, Meta(ge=0, le=1)] | None = None
    patience_s: Annotated[float, Meta(gt=0)] = 20.0
    head_start_s: Annotated[float, Meta(gt=0)] = 1.5
    ask_s: Annotated[float, Meta(gt=0, le=3600)] = 60.0
    sinks: Literal["alias", "ask"] = "alias"
    hedge: bool = False
    learn: bool = True
    audit_share: Annotated[float, Meta(ge=0, le=1)] = 0.0
    audit_per_day: Annotated[int, Meta(ge=1, le=10_000)] = 20


class Rules(Struct, frozen=True, forbid_unknown_fields=True):
    """What a provider may see of one project, as in [policy]."""

    privacy: Privacy | None = None
    classes: dict[Kind, Treatment] = {}


class Budget(Struct, frozen=True, forbid_unknown_fields=True):
    """What all calls for one request may take together, repetitions too; None: as much as they like.

    tokens: read and written. cost_usd: by the prices that are known. wall_s: from the decision on. joules: of the whole
    machine, where it tells.
    """

    calls: Annotated[int, Meta(ge=1, le=1000)] = 32
    tokens: Annotated[int, Meta(ge=1)] | None = None
    cost_usd: Annotated[float, Meta(gt=0)] | None = None
    wall_s: Annotated[float, Meta(gt=0)] | None = None
    joules: Annotated[float, Meta(gt=0)] | None = None


Usd = Annotated[float, Meta(ge=0, le=1_000_000)]


class Spent(Struct, frozen=True, forbid_unknown_fields=True):
    """What may be spent in clouds, in USD, of this machine's days and months; None: as much as it takes.

    Beyond it only who costs nothing answers. warn_at: from which share of a limit on the user is told.
    """

    day_usd: Usd | None = None
    month_usd: Usd | None = None
    warn_at: Annotated[float, Meta(gt=0, le=1)] = 0.8


class Spending(Spent, frozen=True, forbid_unknown_fields=True):
    """All together, and by whom: of providers, projects and clients, by name."""

    providers: dict[str, Spent] = {}
    projects: dict[str, Spent] = {}
    clients: dict[str, Spent] = {}


class OwnPrice(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model costs here, in USD for a million tokens. cached: of the prompt, read from the provider's cache; stored,
    stored_long: written to it for minutes, and for an hour; None: as if it were read.
    """

    read: Usd
    written: Usd
    cached: Usd | None = None
    stored: Usd | None = None
    stored_long: Usd | None = None


Effect = Literal["read", "write", "execute", "network", "irreversible", "unknown"]
"""What a call of a tool does: nothing; it changes what can be changed back; it runs programs; it reaches other machines; it
spends money or can't be undone; nobody can tell.
"""
Keys = Literal["usual", "surer", "two", "independent", "beyond"]
"""What a local draft with such a call needs: to be as sure as any; to be surer; a second answer that calls the same as well;
that of another model; it is never enough.
"""


class Tools(Struct, frozen=True, forbid_unknown_fields=True):
    """Calls of tools in drafts. effects: what tools do, by name, `*` standing for anything; the first that fits counts.
    keys: what drafts with calls of a class need. without_second_key: what becomes of a call that needs a second key where
    none can be had and nobody else may be asked. fitting: whether a draft is held against whether any tool fits at all.
    """

    effects: dict[str, Effect] = {}
    keys: dict[Effect, Keys] = {}
    without_second_key: Literal["pass", "refuse"] = "pass"
    fitting: bool = True


class Project(Struct, frozen=True, forbid_unknown_fields=True):
    """A policy for one project, by its name: a client's label, the header x-nearloop-project, or the name of the working
    tree that the calling process is in. The last two are claims, and can make the policy stricter only. harmless: values
    that are no findings in it. providers: what it says of single providers.
    """

    privacy: Privacy | None = None
    classes: dict[Kind, Treatment] = {}
    harmless: tuple[Word, ...] = ()
    providers: dict[str, Rules] = {}


class Dictionary(Struct, frozen=True, forbid_unknown_fields=True):
    """The user's own words. people, organizations, terms (projects, tables, hosts): private, in any convention of writing.
    harmless: values that are no findings, as they are written but for their case.
    """

    people: tuple[Word, ...] = ()
    organizations: tuple[Word, ...] = ()
    terms: tuple[Word, ...] = ()
    harmless: tuple[Word, ...] = ()


class Keywords(Struct, frozen=True, forbid_unknown_fields=True):
    """A keyword rule, as upstream has it. operator: OR any, AND all, NOR none of `keywords`."""

    keywords: Annotated[tuple[str, ...], Meta(min_length=1)]
    operator: Literal["AND", "OR", "NOR"] = "OR"
    case_sensitive: bool = False


class ContextBand(Struct, frozen=True, forbid_unknown_fields=True):
    """A band of prompt lengths, in estimated tokens. max_tokens None: no upper end."""

    min_tokens: Annotated[int, Meta(ge=0)] = 0
    max_tokens: Annotated[int, Meta(ge=0)] | None = None


class OnFailure(Struct, frozen=True, forbid_unknown_fields=True):
    """What the rules of a family count as that could not look, or did not read a text whole.

    None: as the family has it. A privacy signal counts as a find, `jailbreak` too if the text was not read whole, and of any
    other nothing is known.
    """

    on_error: Literal["unknown", "match", "no_match"] | None = None
    on_unscanned: Literal["unknown", "match", "no_match"] | None = None


class Signals(Struct, frozen=True, forbid_unknown_fields=True):
    """Rules of the user's own, by name. deadline_s: how long signals may look. failures: by family. classifiers: the folder
    below which recipes may name classifiers of their own; None: there are none. entailment: the directory of the model that
    answers /api/v1/nli; None: none does. pictures: of the one that tells how like texts pictures are; None: none does.
    pictures_weights: how that one's numbers are kept in memory.
    likeness: whose scale the thresholds of recipe files are on: that of the embedder which the recipe is for, or our own.
    """

    keywords: dict[str, Keywords] = {}
    context: dict[str, ContextBand] = {}
    deadline_s: Annotated[float, Meta(gt=0)] = 10.0
    failures: dict[str, OnFailure] = {}
    classifiers: str | None = None
    entailment: str | None = None
    pictures: str | None = None
    pictures_weights: Literal["float", "half", "int8"] = "float"
    likeness: Literal["recipe", "own"] = "recipe"


class Routing(Struct, frozen=True, forbid_unknown_fields=True):
    """Who answers. recipe: a built-in recipe's name, or the path of a recipe file, which then says what `auto` means.

    models: from a name in recipes to a model here (`local/NAME`, `PROVIDER/MODEL`, `local`, `cloud`, `auto`). names: from
    model names that programs ask for, `*` standing for anything, to those that are served here. knowledge: the path of a
    YAML file whose knowledge bases (`global.model_catalog.kbs`) every recipe may use, as upstream's server has two.
    """

    recipe: str | None = None
    knowledge: str | None = None
    models: dict[str, str] = {}
    names: dict[str, str] = {}


class Client(Struct, frozen=True, forbid_unknown_fields=True):
    """A program that has a token. token_hash: SHA-256 of the token, in hex. groups: for the `authz` rules of recipes.

    names: as in [routing], for this program alone, and looked at first. per_day: what it may take a day.
    """

    token_hash: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    scopes: tuple[Scope, ...] = DEFAULT_SCOPES
    groups: tuple[str, ...] = ()
    names: dict[str, str] = {}
    per_day: PerDay = PerDay()


class Pictures(Struct, frozen=True, forbid_unknown_fields=True):
    """Pictures and documents in requests. look: whether this machine looks at them. most: of one request, the newest.
    size_mb, megapixels, pages: what is larger is not looked at. fetch_from: hosts of which pictures are fetched that a
    request only names; others are not.
    """

    look: bool = True
    most: Annotated[int, Meta(ge=0, le=1000)] = 40
    size_mb: Annotated[int, Meta(ge=1, le=40)] = 24
    megapixels: Annotated[int, Meta(ge=1, le=100)] = 50
    pages: Annotated[int, Meta(ge=1, le=1000)] = 50
    fetch_from: tuple[str, ...] = ()


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file. The first of `models` is what `local` means; without any it is the embedded demonstration."""

    version: int = VERSION
    server: Server = Server()
    pool: Pool = Pool()
    models: dict[str, LocalModel] = {}
    providers: dict[str, Provider] = {}
    policy: Policy = Policy()
    budget: Budget = Budget()
    spending: Spending = Spending()
    prices: dict[str, OwnPrice] = {}
    tools: Tools = Tools()
    routing: Routing = Routing()
    projects: dict[str, Project] = {}
    dictionary: Dictionary = Dictionary()
    signals: Signals = Signals()
    pictures: Pictures = Pictures()
    records: Records = Records()
    clients: dict[str, Client] = {}

    @property
    def key_variables(self) -> tuple[str, ...]:
        """Variables of the environment that hold providers' keys: no other process of ours gets them."""
        sources = (source for row in self.providers.values() for source in row.sources)
        return tuple(source.removeprefix("env:") for source in sources if source.startswith("env:"))


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
    for name, model in settings.models.items():
        if not DEVICE.fullmatch(model.device):
            raise BadSettings(
                f"{source}: [models.{name}]: device is auto, CPU, GPU, GPU.1 (of several) or NPU; see `nearloop devices`"
            )
        if "\0" in model.path or (not model.path and model.engine != "scripted"):
            raise BadSettings(f"{source}: [models.{name}]: path has to be that of a GGUF file or an OpenVINO directory")
        try:
            at_home(model.path)
        except Refused as error:
            raise BadSettings(f"{source}: [models.{name}]: path: {error}") from error
    if settings.policy.reducer not in (None, LOCAL, *settings.models):
        raise BadSettings(
            f"{source}: [policy]: reducer is `{LOCAL}`, or one of [models]: {', '.join(settings.models) or 'there are none'}"
        )
    for name in settings.providers:
        if not CLIENT_NAME.fullmatch(name) or name in RESERVED_PROVIDERS:
            raise BadSettings(
                f"{source}: [providers.{name}]: a name is 1 to 40 of a-z, 0-9, - and _, "
                f"and none of {', '.join(sorted(RESERVED_PROVIDERS))}"
            )
    for name, project in settings.projects.items():
        for provider in project.providers:
            if provider not in settings.providers:
                raise BadSettings(
                    f"{source}: [projects.{name}.providers.{provider}]: there is no [providers.{provider}]: add it, or "
                    "take this out"
                )
    for name, rule in settings.signals.keywords.items():
        if not all(map(str.strip, rule.keywords)):
            raise BadSettings(
                f"{source}: [signals.keywords.{name}]: a blank keyword would be in every request: take it out"
            )
    for address in settings.server.addresses:
        try:
            address_of(address)
        except ValueError as error:
            raise BadSettings(f"{source}: server.host: {error}") from error
    if settings.providers:
        _check_addresses(settings.providers, source)
    for origin in settings.server.origins:
        if not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/\s*]+", origin):
            raise BadSettings(f"{source}: server.origins: {origin!r} is not an origin like http://localhost:3000")


def _check_addresses(providers: dict[str, Provider], source: str) -> None:
    from providers.places import place_of  # 40 ms that settings without providers don't need

    for name, provider in providers.items():
        try:
            place_of(provider.base_url, provider.place)
        except ValueError as error:
            raise BadSettings(f"{source}: [providers.{name}]: {error}") from error


_FIELDS: Final = {
    "$": Settings.__struct_fields__,
    "$.server": Server.__struct_fields__,
    "$.pool": Pool.__struct_fields__,
    "$.models[...]": LocalModel.__struct_fields__,
    "$.providers[...]": Provider.__struct_fields__,
    "$.policy": Policy.__struct_fields__,
    "$.budget": Budget.__struct_fields__,
    "$.spending": Spending.__struct_fields__,
    "$.spending.providers[...]": Spent.__struct_fields__,
    "$.spending.projects[...]": Spent.__struct_fields__,
    "$.spending.clients[...]": Spent.__struct_fields__,
    "$.prices[...]": OwnPrice.__struct_fields__,
    "$.tools": Tools.__struct_fields__,
    "$.routing": Routing.__struct_fields__,
    "$.projects[...]": Project.__struct_fields__,
    "$.projects[...].providers[...]": Rules.__struct_fields__,
    "$.dictionary": Dictionary.__struct_fields__,
    "$.signals": Signals.__struct_fields__,
    "$.signals.keywords[...]": Keywords.__struct_fields__,
    "$.signals.context[...]": ContextBand.__struct_fields__,
    "$.signals.failures[...]": OnFailure.__struct_fields__,
    "$.records": Records.__struct_fields__,
    "$.clients[...]": Client.__struct_fields__,
    "$.clients[...].per_day": PerDay.__struct_fields__,
}


def _explain(message: str) -> str:
    """A decoder's message in the file's own terms, with a near name for a misspelt key."""
    text, _, place = message.partition(" - at `")
    where = place.removesuffix("`").removeprefix("key` in `")  # of a table whose names are given
    key = where.removeprefix("$").removeprefix(".").replace("[...]", ".NAME")
    if found := re.fullmatch(r"Object contains unknown field `(.*)`", text):
        known = _FIELDS.get(where or "$", ())
        near = difflib.get_close_matches(found[1], known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
        return f"unknown key {'.'.join(filter(None, (key, found[1])))!r}; {hint}"
    return f"{key or 'file'}: {text[:1].lower()}{text[1:]}"


def _spell_out(table: str, document: Any, text: str, tomlkit: Any) -> None:
    """Write a table's entries as tables of their own if they are inline or dotted, where tomlkit can't add one."""
    if table not in document or re.search(rf"^\s*\[\s*{table}\s*[.\]]", text, re.MULTILINE):
        return
    entries = document.unwrap()[table]
    del document[table]
    document[table] = tomlkit.table(is_super_table=True)
    for name, entry in entries.items():
        document[table][name] = tomlkit.item(entry)


class SettingsFile:
    """The file on disk, and the settings last read from it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.settings = self._read()

    def reread(self) -> Settings:
        """Take in what was written to the file meanwhile. Raises BadSettings, and keeps what was known."""
        self.settings = self._read()
        return self.settings

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

        return self._add("clients", name, {"token_hash": client.token_hash, "scopes": list(client.scopes)})

    def remove_client(self, name: str) -> Settings:
        """Take a client out. Raises NotFound if there is none of this name."""
        return self._remove("clients", name)

    def limit_client(self, name: str, per_day: PerDay) -> Settings:
        """Write what a client may take a day. Raises NotFound if there is none of this name."""

        def edit(document: Any, tomlkit: Any) -> None:
            if name not in self.settings.clients:
                raise NotFound(f"there is no [clients.{name}] in {self.path}")
            entry = document["clients"][name]
            kept = {key: value for key in PerDay.__struct_fields__ if (value := getattr(per_day, key)) is not None}
            entry.pop("per_day", None)
            if kept:
                limits = tomlkit.inline_table()
                limits.update(kept)
                entry["per_day"] = limits

        return self._edit("clients", edit)

    def add_model(self, name: str, model: LocalModel) -> Settings:
        """Write a new model behind the others. Raises BadRequest if there is one of this name."""
        fields: dict[str, Any] = {"path": model.path}
        if model.engine != LocalModel(model.path).engine:
            fields["engine"] = model.engine
        if model.device != LocalModel(model.path).device:
            fields["device"] = model.device
        return self._add("models", name, fields)

    def remove_model(self, name: str) -> Settings:
        """Take a model out. Raises NotFound if there is none of this name."""
        return self._remove("models", name)

    def prefer_model(self, name: str) -> Settings:
        """Put a model in front of the others, so that `local` means it. Raises NotFound if there is none of this name."""

        def edit(document: Any, tomlkit: Any) -> None:
            if name not in self.settings.models:
                raise NotFound(f"there is no [models.{name}] in {self.path}")
            before = document["models"]
            after = tomlkit.table(is_super_table=True)
            for each in (name, *(other for other in self.settings.models if other != name)):
                after[each] = before[each]
            document["models"] = after

        return self._edit("models", edit)

    def add_provider(self, name: str, provider: Provider) -> Settings:
        """Write a new provider behind the others, and of its fields what isn't the default."""
        fields: dict[str, Any] = {"base_url": provider.base_url, "key": provider.key}
        if provider.wire != Provider(provider.base_url).wire:
            fields["wire"] = provider.wire
        if provider.models:
            fields["models"] = list(provider.models)
        if provider.place is not None:
            fields["place"] = provider.place
        if provider.accepts:
            fields["accepts"] = list(provider.accepts)
        return self._add("providers", name, fields)

    def remove_provider(self, name: str) -> Settings:
        """Take a provider out. Raises NotFound if there is none of this name."""
        return self._remove("providers", name)

    def add_key(self, name: str, source: str) -> Settings:
        """Write a further key of a provider behind the others. Raises NotFound if there is no such provider, BadRequest if
        it has as many as it may have.
        """

        def change(keys: tuple[str, ...]) -> tuple[str, ...]:
            if source in self.settings.providers[name].sources:
                return keys
            if len(keys) >= MOST_KEYS - 1:
                raise BadRequest(f"{name} has {MOST_KEYS} keys, and no more are tried: take one out first", "label")
            return (*keys, source)

        return self._set_keys(name, change)

    def remove_key(self, name: str, source: str) -> Settings:
        """Take a further key of a provider out, if it is there. Raises NotFound if there is no such provider."""
        return self._set_keys(name, lambda keys: tuple(each for each in keys if each != source))

    def _set_keys(self, name: str, change: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Settings:
        def edit(document: Any, tomlkit: Any) -> None:
            if name not in self.settings.providers:
                raise NotFound(f"there is no [providers.{name}] in {self.path}")
            if keys := change(self.settings.providers[name].keys):
                document["providers"][name]["keys"] = list(keys)
            else:
                document["providers"][name].pop("keys", None)

        return self._edit("providers", edit)

    def limit_provider(self, name: str, spent: Spent) -> Settings:
        """Write what may be spent at a provider; None: nothing is said. Raises NotFound if there is none of it."""

        def edit(document: Any, tomlkit: Any) -> None:
            if name not in self.settings.providers:
                raise NotFound(f"there is no [providers.{name}] in {self.path}")
            table = document
            for key in ("spending", "providers", name):
                if key not in table:
                    table[key] = tomlkit.table(is_super_table=key != name)
                table = table[key]
            for key in Spent.__struct_fields__:
                value = getattr(spent, key)
                if value is None or value == getattr(Spent(), key):
                    table.pop(key, None)
                else:
                    table[key] = value

        return self._edit("spending", edit)

    def limit_spending(
        self, scope: Literal["all", "provider", "project", "client"], name: str, spent: Spent
    ) -> Settings:
        """Write what may be spent, by all (whose name is empty) or at one; None: nothing is said. Raises NotFound if there
        is no such provider or client.
        """
        if scope == "provider":
            return self.limit_provider(name, spent)

        def edit(document: Any, tomlkit: Any) -> None:
            if scope == "client" and name not in self.settings.clients:
                raise NotFound(f"there is no [clients.{name}] in {self.path}")
            keys = ("spending",) if scope == "all" else ("spending", f"{scope}s", name)
            table = document
            for place, key in enumerate(keys):
                if key not in table:
                    table[key] = tomlkit.table(is_super_table=place < len(keys) - 1)
                table = table[key]
            for key in Spent.__struct_fields__:
                value = getattr(spent, key)
                if value is None or value == getattr(Spent(), key):
                    table.pop(key, None)
                else:
                    table[key] = value

        return self._edit("spending", edit)

    def set_recipe(self, recipe: str | None) -> Settings:
        """Write which recipe decides; None: none does."""

        def edit(document: Any, tomlkit: Any) -> None:
            if recipe is None:
                document.get("routing", {}).pop("recipe", None)
                return
            if "routing" not in document:
                document["routing"] = tomlkit.table()
            document["routing"]["recipe"] = recipe

        return self._edit("routing", edit)

    def set_entailment(self, directory: str | None) -> Settings:
        """Write which model judges premises and hypotheses; None: none does."""
        return self._set_model("entailment", directory)

    def set_pictures(self, directory: str | None) -> Settings:
        """Write which model tells how like texts pictures are; None: none does."""
        return self._set_model("pictures", directory)

    def _set_model(self, field: str, directory: str | None) -> Settings:
        """One of the signals' models, by its field."""

        def edit(document: Any, tomlkit: Any) -> None:
            if directory is None:
                document.get("signals", {}).pop(field, None)
                return
            if "signals" not in document:
                document["signals"] = tomlkit.table()
            document["signals"][field] = directory

        return self._edit("signals", edit)

    def set_privacy(self, privacy: str) -> Settings:
        """Write another privacy preset. Raises BadSettings if there is none of that name."""

        def edit(document: Any, tomlkit: Any) -> None:
            if "policy" not in document:
                document["policy"] = tomlkit.table()
            document["policy"]["privacy"] = privacy

        return self._edit("policy", edit)

    def set_dictionary(self, words: Dictionary) -> Settings:
        """Write the user's own words. Raises BadSettings if one is none."""

        def edit(document: Any, tomlkit: Any) -> None:
            if "dictionary" not in document:
                document["dictionary"] = tomlkit.table()
            for field in Dictionary.__struct_fields__:
                if kept := getattr(words, field):
                    document["dictionary"][field] = list(kept)
                else:
                    document["dictionary"].pop(field, None)

        return self._edit("dictionary", edit)

    def _add(self, table: str, name: str, fields: dict[str, Any]) -> Settings:
        def edit(document: Any, tomlkit: Any) -> None:
            if name in getattr(self.settings, table):
                raise BadRequest(f"[{table}.{name}] is there already: take it out first, or take another name", "name")
            entry = tomlkit.table()
            for key, value in fields.items():
                entry[key] = value
            if table not in document:
                document[table] = tomlkit.table(is_super_table=True)
            document[table][name] = entry

        return self._edit(table, edit)

    def _remove(self, table: str, name: str) -> Settings:
        def edit(document: Any, tomlkit: Any) -> None:
            if name not in getattr(self.settings, table):
                raise NotFound(f"there is no [{table}.{name}] in {self.path}")
            del document[table][name]
            if not document[table]:
                del document[table]

        return self._edit(table, edit)

    def _edit(self, table: str, change: Callable[[Any, Any], None]) -> Settings:
        import tomlkit  # 12 ms that a daemon without edits does not need

        before = self._text()
        self.settings = parse(before, str(self.path))  # what was broken by hand is told before it is touched
        document = tomlkit.parse(before)
        document.setdefault("version", VERSION)
        _spell_out(table, document, before, tomlkit)
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
