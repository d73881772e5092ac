"""The examination behind `nearloop doctor`: each check is a function and a line in CHECKS."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distributions, version
from typing import Final

from daemon import surroundings
from daemon.addresses import listened
from daemon.clock import SystemClock
from daemon.device_process import DeviceTrouble, query
from daemon.drivers import drivers
from daemon.errors import BadRequest, NearloopError
from daemon.launch import read_discovery
from daemon.model_checks import checked
from daemon.paths import Paths, at_home, make_private_directory
from daemon.pictures.service import installed
from daemon.pool import local_models
from daemon.receipts.checking import check as check_chain
from daemon.receipts.issuers import Issuers
from daemon.receipts.store import of_command
from daemon.recipes.loading import load
from daemon.records import check, migrate
from daemon.routing.missing import missing
from daemon.routing.sources import shared_bases, source
from daemon.secrets import KeyringFailed, caution, in_keyring, keyring_name, read
from daemon.server import PortTaken, listen
from daemon.settings import Provider, Settings, parse
from daemon.signals.knowledge import knowledge_bases
from daemon.signals.own_classifiers import OwnClassifiers
from daemon.wire import Diagnosis
from daemon.worker_process import worker_command
from edge_models.catalog import AUTO
from edge_models.confinement.look import look

MIN_FREE_BYTES: Final = 500 * 1024 * 1024
"""The embedded model takes 150 MB, and three times that for the moment of its preparation."""
_TOLD_BY_OTHERS: Final = frozenset(
    {"model-failed", "recipe-broken", "recipe-parts-missing", "tls-private-root", "tls-issuer-changed"}
)


def _python(_: Paths) -> list[Diagnosis]:
    text = f"Python {sys.version.split()[0]} on {sys.platform}, Nearloop {version('nearloop')}"
    return [Diagnosis("python", "ok", text)]


def _names(_: Paths) -> list[Diagnosis]:
    """Our packages have plain names; another distribution in the same environment could bring the same ones."""
    ours = {"daemon", "tui", "edge_models", "providers"}
    rivals = set()
    for found in distributions():
        if found.metadata["Name"] == "nearloop":
            continue
        tops = {file.parts[0] for file in found.files or () if file.suffix == ".py" and len(file.parts) > 1}
        if tops & ours:
            rivals.add(found.metadata["Name"])
    if rivals:
        remedy = "install Nearloop into an environment of its own: `uv tool install nearloop`"
        return [Diagnosis("names", "error", f"{', '.join(rivals)} installs packages with the names of ours", remedy)]
    return [Diagnosis("names", "ok", "no other package has our packages' names")]


def _settings_of(paths: Paths) -> Settings:
    text = paths.settings.read_text(encoding="utf-8") if paths.settings.exists() else ""
    return parse(text, str(paths.settings))


def _settings(paths: Paths) -> list[Diagnosis]:
    try:
        _settings_of(paths)
    except (NearloopError, OSError, UnicodeDecodeError) as error:
        return [Diagnosis("settings", "error", "settings.toml can't be used", str(error))]
    return [
        Diagnosis("settings", "ok", f"settings: {paths.settings}{'' if paths.settings.exists() else ' (not there)'}")
    ]


def _folders(paths: Paths) -> list[Diagnosis]:
    findings = []
    for name, folder in (("data", paths.data), ("cache", paths.cache), ("runtime", paths.runtime)):
        try:
            make_private_directory(folder)
            probe = folder / ".probe"
            probe.write_bytes(b"x")
            probe.unlink()
        except (NearloopError, OSError) as error:
            findings.append(Diagnosis("folders", "error", f"the {name} folder can't be written", str(error)))
    return findings or [
        Diagnosis("folders", "ok", f"data: {paths.data}, cache: {paths.cache}, runtime: {paths.runtime}")
    ]


def _disk(paths: Paths) -> list[Diagnosis]:
    folder = next(parent for parent in (paths.cache, *paths.cache.parents) if parent.exists())
    free = shutil.disk_usage(folder).free
    text = f"{free / 1e9:.1f} GB free for models at {folder}"
    if free < MIN_FREE_BYTES:
        return [Diagnosis("disk", "warning", text, "free 0.5 GB, or set NEARLOOP_HOME to a folder on a larger disk")]
    return [Diagnosis("disk", "ok", text)]


def _records(paths: Paths) -> list[Diagnosis]:
    if not paths.records.exists():
        return [Diagnosis("records", "ok", "no records yet")]
    try:
        migrate(paths.records)
        check(paths.records)
    except NearloopError as error:
        return [Diagnosis("records", "error", "the record file can't be used", str(error))]
    return [Diagnosis("records", "ok", f"records: {paths.records}")]


def _receipts(paths: Paths) -> list[Diagnosis]:
    """Whether their chain holds, and who vouches for the providers' hosts."""
    try:
        chain = check_chain(paths.receipts)
    except OSError as error:
        return [
            Diagnosis("receipts", "error", "the receipts can't be read", f"check the folder's permissions: {error}")
        ]
    issuers = Issuers()
    issuers.remember(paths.receipts)
    found = [
        Diagnosis("receipts", sight.severity, sight.text, sight.remedy)
        for sight in issuers.warnings(SystemClock().now())
    ]
    if not chain.whole:
        first = chain.problems[0]
        text = f"the chain of receipts is broken: {first.text} ({first.file}, line {first.line})"
        found.append(
            Diagnosis("receipts", "error", text, "`nearloop receipts verify` tells all places; restore a copy")
        )
    elif chain.links:
        found.append(Diagnosis("receipts", "ok", f"receipts: {chain.links} links, whole, in {paths.receipts}"))
    else:
        found.append(Diagnosis("receipts", "ok", "no receipts yet"))
    return found


def _engine(_: Paths) -> list[Diagnosis]:
    try:
        found = version("openvino-genai")
    except PackageNotFoundError:
        remedy = (
            "OpenVINO has packages for Linux (x86-64, Arm), Windows (x86-64) and Apple silicon: elsewhere install llama.cpp "
            'as docs/config.md says, and give your models engine = "llama-cpp"'
        )
        return [Diagnosis("engine", "error", "OpenVINO GenAI is not installed", remedy)]
    return [Diagnosis("engine", "ok", f"OpenVINO GenAI {found}; its reporting is cut off")]


def _confinement(_: Paths) -> list[Diagnosis]:
    held = look(worker_command())
    if held is None:
        return [Diagnosis("confinement", "error", "a model's process can't be started", "reinstall Nearloop")]
    text = f"a model's process is held by: {', '.join(held) or 'nothing'}"
    if "no-sockets" in held or "own-network" in held:
        return [Diagnosis("confinement", "ok", text)]
    return [
        Diagnosis("confinement", "info", f"{text}; it could open connections", "take models from those whom you trust")
    ]


def _pictures(paths: Paths) -> list[Diagnosis]:
    try:
        on = _settings_of(paths).pictures.look
    except (NearloopError, OSError, UnicodeDecodeError):
        return []  # the settings check has said so
    if not on:
        return [Diagnosis("pictures", "info", "pictures are not looked at, by the settings; they stay here unseen")]
    if installed():
        return [Diagnosis("pictures", "ok", "pictures and documents are looked at, in a process of their own")]
    return [
        Diagnosis(
            "pictures",
            "info",
            "what looks at pictures is not installed; they stay here unseen",
            "pip install 'nearloop[vision]'",
        )
    ]


def _models(paths: Paths) -> list[Diagnosis]:
    try:
        models = local_models(_settings_of(paths))
    except (NearloopError, OSError, UnicodeDecodeError):
        return []  # the settings check has said so
    pinned = any(model.device != AUTO for model in models)
    return [
        Diagnosis("models", "error" if each.remedy else "ok", each.text, each.remedy)
        for each in checked(models, paths, _device_ids() if pinned else ())
    ]


def _device_ids() -> tuple[str, ...]:
    try:
        return tuple(device.id for device in asyncio.run(query()).devices)
    except DeviceTrouble:
        return ()  # the devices check says so


def _devices(_: Paths) -> list[Diagnosis]:
    """What OpenVINO sees, asked in a process of its own, and on Linux what its drivers lack."""
    findings = []
    try:
        for device in asyncio.run(query()).devices:
            driver = f", driver {device.driver}" if device.driver else ""
            findings.append(Diagnosis("devices", "ok", f"device {device.id}: {device.name}{driver}"))
    except DeviceTrouble as error:
        findings.append(Diagnosis("devices", "error", "the devices can't be listed", str(error)))
    if sys.platform.startswith("linux"):
        findings += [Diagnosis("drivers", "ok" if it.ok else "warning", it.text, it.remedy) for it in drivers()]
    return findings


def _providers(paths: Paths) -> list[Diagnosis]:
    """Keys and addresses, without asking anybody."""
    try:
        rows = _settings_of(paths).providers
    except (NearloopError, OSError, UnicodeDecodeError):
        return []  # the settings check has said so
    keyring = _keyring(any(in_keyring(each) for row in rows.values() for each in row.sources))
    findings = [keyring]
    for name, row in rows.items():  # a silent keyring is waited for once
        sources = tuple(each for each in row.sources if keyring.severity == "ok" or not in_keyring(each))
        if sources:
            findings += _provider(name, row, sources)
    return findings + _spending(_settings_of(paths))


def _keyring(needed: bool) -> Diagnosis:
    try:
        return Diagnosis("keyring", "ok", f"keyring: {keyring_name()}")
    except KeyringFailed as error:
        if needed:
            return Diagnosis(
                "keyring", "error", "the keyring can't be used, and providers' keys should be in it", str(error)
            )
        return Diagnosis("keyring", "ok", "no keyring to be used here; no provider's key is in it")


def _spending(settings: Settings) -> list[Diagnosis]:
    """What is limited, and whom a limit leaves out."""
    from daemon.money.price_book import PriceBook, unpriced_models
    from providers.places import place_of

    told = []
    spending = settings.spending
    limits = [spending, *spending.providers.values(), *spending.projects.values(), *spending.clients.values()]
    count = sum((each.day_usd is not None) + (each.month_usd is not None) for each in limits)
    if not count:
        return []
    told.append(Diagnosis("spending", "ok", f"{count} limit{'' if count == 1 else 's'} of what may be spent in clouds"))
    for name in spending.providers.keys() - settings.providers.keys():
        text = f"[spending.providers.{name}] limits a provider that there is not"
        told.append(Diagnosis("spending", "warning", text, "take it out of settings.toml, or write the name as it is"))
    book = PriceBook(settings)
    for name, row in settings.providers.items():
        unknown = unpriced_models(name, row, book) if place_of(row.base_url, row.place) == "cloud" else ()
        if unknown and row.unpriced == "leave-out":
            text = f"nobody knows what {', '.join(unknown)} of {name} cost, so they may not be asked under a limit"
            remedy = (
                f'name their prices in [prices."{name}/{unknown[0]}"], or set `billing = "plan"` or `unpriced = "ask"` in '
                f"[providers.{name}]"
            )
            told.append(Diagnosis("spending", "warning", text, remedy))
    return told


def _provider(name: str, row: Provider, sources: tuple[str, ...]) -> list[Diagnosis]:
    from providers.places import Address, address_of, place_of, url_of

    place = place_of(row.base_url, row.place)
    findings, missing = [], []
    for each in sources:
        try:
            key = read(name, each, place.value)
            text = f"provider {name}: {row.base_url} ({place}), key: {each}{'' if key else ' (it needs none)'}"
            findings.append(Diagnosis("providers", "ok", text))
        except NearloopError as error:
            missing.append(str(error))
    if missing and not findings:
        findings.append(Diagnosis("providers", "error", f"provider {name} can't be asked: it has no key", missing[0]))
    else:
        text = f"provider {name} lacks one of its keys"
        findings += [Diagnosis("providers", "warning", text, why) for why in missing]
    for each in sources:
        if weak := caution(each):
            findings.append(Diagnosis("providers", "warning", f"provider {name}: {each}", weak))
    url = url_of(row.base_url)
    if place == "cloud" and url.scheme == "http" and address_of(url.host or "") is not Address.LOOPBACK:
        text = f"provider {name}: without https:// anybody on the way reads its key and every word"
        findings.append(Diagnosis("providers", "warning", text, f"put https:// into base_url of [providers.{name}]"))
    return findings


def _port(paths: Paths) -> list[Diagnosis]:
    import psutil

    running = read_discovery(paths.discovery)
    if running and psutil.pid_exists(running.pid):
        return [Diagnosis("port", "ok", f"the daemon runs as process {running.pid} at http://127.0.0.1:{running.port}")]
    try:
        server = _settings_of(paths).server
        port = server.port
        listen(port).close()
        listened(server.addresses, expose=False)
    except BadRequest as error:
        return [Diagnosis("port", "info", f"port {port} is free; the daemon is not running", str(error))]
    except PortTaken as error:
        return [Diagnosis("port", "error", "the daemon's port is taken", str(error))]
    except (NearloopError, OSError, UnicodeDecodeError):
        return []
    return [Diagnosis("port", "ok", f"port {port} is free; the daemon is not running")]


def _warnings(paths: Paths) -> list[Diagnosis]:
    """What the daemon warns of if it runs, but for what other checks look at themselves."""
    from daemon.client import Client, NotRunning

    try:
        with Client(paths) as daemon:
            told = daemon.status().warnings
    except NotRunning:
        return []
    except NearloopError as error:
        return [Diagnosis("daemon", "error", "the daemon can't be asked what it warns of", str(error))]
    return [
        Diagnosis("daemon", each.severity, each.text, each.remedy) for each in told if each.code not in _TOLD_BY_OTHERS
    ]


def _proxies(_: Paths) -> list[Diagnosis]:
    return [_seen("proxy", sight) for sight in surroundings.proxies()]


def _certificates(_: Paths) -> list[Diagnosis]:
    return [_seen("certificates", surroundings.certificates())]


def _clock(_: Paths) -> list[Diagnosis]:
    return [_seen("clock", surroundings.clock())]


def _permissions(paths: Paths) -> list[Diagnosis]:
    return [_seen("permissions", sight) for sight in surroundings.permissions(paths)]


def _reporting(_: Paths) -> list[Diagnosis]:
    return [_seen("telemetry", surroundings.reporting())]


def _servers(paths: Paths) -> list[Diagnosis]:
    """Servers for local models that are here and not used."""
    import asyncio

    from providers.local_servers import look

    try:
        used = {row.base_url for row in _settings_of(paths).providers.values()}
    except (NearloopError, OSError, UnicodeDecodeError):
        used = set()
    with of_command(paths.receipts, "doctor") as receipts:
        found = asyncio.run(look(version("nearloop"), receipts.witness()))
    return [
        Diagnosis(
            "servers",
            "info",
            f"{server.name} answers at {server.base_url} with {len(server.models)} models, and is not used",
            f"`nearloop provider add {server.name} --model {server.models[0]}` has it join `auto`",
        )
        for server in found
        if server.models and server.base_url not in used
    ]


def _seen(check: str, sight: surroundings.Sight) -> Diagnosis:
    return Diagnosis(check, "warning" if sight.remedy else "ok", sight.text, sight.remedy)


def _recipe(paths: Paths) -> list[Diagnosis]:
    """The recipe that the settings name, and what of it this version doesn't have."""
    try:
        settings = _settings_of(paths)
    except (NearloopError, OSError, UnicodeDecodeError):
        return []  # told by `settings`
    name, folder = settings.routing.recipe, settings.signals.classifiers
    if name is None:
        return []
    classifiers = OwnClassifiers(at_home(folder) if folder else None)
    try:
        wanted = source(name, paths.config)
        loaded = load(wanted.text, wanted.form)
        bases = knowledge_bases(loaded.recipe.global_, wanted.folder)
        if settings.routing.knowledge is not None:
            bases |= shared_bases(settings.routing.knowledge, paths.config)
        problems = (*loaded.problems, *missing(loaded.recipe, bases, classifiers))
    except (NearloopError, OSError) as error:
        return [Diagnosis("recipe", "error", f"the recipe {name} can't be used", str(error))]
    warnings = [each for each in problems if each.severity == "warning"]
    found = [Diagnosis("recipe", "warning", f"recipe {name}: {each.message}", each.remedy) for each in warnings]
    return found or [Diagnosis("recipe", "ok", f"recipe: {wanted.path or name}")]


CHECKS: Final[tuple[Callable[[Paths], list[Diagnosis]], ...]] = (
    _python,
    _names,
    _settings,
    _recipe,
    _folders,
    _disk,
    _records,
    _receipts,
    _engine,
    _confinement,
    _models,
    _devices,
    _providers,
    _port,
    _warnings,
    _proxies,
    _certificates,
    _pictures,
    _clock,
    _permissions,
    _reporting,
    _servers,
)


def examine(paths: Paths) -> list[Diagnosis]:
    """Run all checks."""
    return [finding for check in CHECKS for finding in check(paths)]
